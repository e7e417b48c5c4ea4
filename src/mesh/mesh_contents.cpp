#include "mesh/mesh_contents.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <gmsh.h>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "mesh/gmsh_model.hpp"
#include "mesh/gmsh_session.hpp"
#include "mesh/surface_fill.hpp"
#include "mesh/surface_reader.hpp"
#include "mesh/vtk_reader.hpp"

namespace limber::mesh {

namespace {

using Tags = std::vector<std::size_t>;

std::size_t distinct(std::vector<std::size_t>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

void read_gmsh_groups(MeshContents& mesh) {
  gmsh::vectorpair physical;
  gmsh::model::getPhysicalGroups(physical);
  std::sort(physical.begin(), physical.end());
  for (const auto& [dimension, tag] : physical) {
    ContentsGroup group{dimension, tag, {}, 0, 0};
    gmsh::model::getPhysicalName(dimension, tag, group.name);
    std::vector<int> entities;
    gmsh::model::getEntitiesForPhysicalGroup(dimension, tag, entities);
    Tags all;
    for (const int entity : entities) {
      std::vector<int> types;
      std::vector<Tags> tags, nodes;
      gmsh::model::mesh::getElements(types, tags, nodes, dimension, entity);
      for (const Tags& of_type : tags) group.elements += of_type.size();
      for (const Tags& of_type : nodes) all.insert(all.end(), of_type.begin(), of_type.end());
      if (dimension > 0) continue;
      // A point may have a node and no element.
      Tags point;
      std::vector<double> coordinates, parametric;
      gmsh::model::mesh::getNodes(point, coordinates, parametric, 0, entity, false, false);
      all.insert(all.end(), point.begin(), point.end());
    }
    group.nodes = distinct(all);
    mesh.groups.push_back(std::move(group));
  }
}

void read_gmsh_model(MeshContents& mesh, const base::ErrorContext& context) {
  Tags node_tags;
  std::vector<double> parametric;
  gmsh::model::mesh::getNodes(node_tags, mesh.points, parametric, -1, -1, false, false);
  std::unordered_map<std::size_t, LocalIndex> index;
  for (std::size_t i = 0; i < node_tags.size(); ++i) index.emplace(node_tags[i], static_cast<LocalIndex>(i));

  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types);
  for (const int type : types) {
    ElementBlock block;
    int nodes_per_element = 0;
    std::vector<double> local;
    gmsh::model::mesh::getElementProperties(type, block.name, block.dimension, block.order, nodes_per_element, local,
                                            block.corners);
    Tags nodes;
    gmsh::model::mesh::getElementsByType(type, block.tags, nodes);
    for (const std::size_t node : nodes) {
      const auto found = index.find(node);
      if (found == index.end())
        throw base::UserError("an element refers to the node " + std::to_string(node) + ", which does not exist",
                              context);
      block.nodes.push_back(found->second);
    }
    for (std::size_t c = 1; c <= block.count(); ++c)
      block.offsets.push_back(c * static_cast<std::size_t>(nodes_per_element));
    mesh.blocks.push_back(std::move(block));
  }
  read_gmsh_groups(mesh);
}

int corners_of(const VtkCellKind& kind, std::size_t nodes) {
  const bool quadratic = kind.order == 2;
  if (kind.name.ends_with("TETRA")) return nodes == (quadratic ? 10u : 4u) ? 4 : 0;
  if (kind.name.ends_with("TRIANGLE")) return nodes == (quadratic ? 6u : 3u) ? 3 : 0;
  return 0;
}

MeshContents contents_of(VtkGrid grid) {
  MeshContents mesh;
  mesh.points = std::move(grid.points);
  mesh.warnings = std::move(grid.warnings);
  std::map<std::pair<int, int>, ElementBlock> blocks; // by type and corners
  std::map<std::pair<int, int>, std::pair<ContentsGroup, Tags>> groups;
  for (std::size_t c = 0; c < grid.cell_count(); ++c) {
    const auto begin = grid.nodes.begin() + static_cast<std::ptrdiff_t>(grid.offsets[c]);
    const auto end = grid.nodes.begin() + static_cast<std::ptrdiff_t>(grid.offsets[c + 1]);
    const VtkCellKind kind = vtk_cell_kind(grid.types[c]);
    const int corners = corners_of(kind, static_cast<std::size_t>(end - begin));
    ElementBlock& block = blocks[{grid.types[c], corners}];
    block.name = kind.name;
    block.dimension = kind.dimension;
    block.order = kind.order;
    block.corners = corners;
    block.tags.push_back(c + 1);
    block.nodes.insert(block.nodes.end(), begin, end);
    block.offsets.push_back(block.nodes.size());
    if (grid.groups[c] == 0) continue;
    auto& [group, nodes] = groups[{kind.dimension, grid.groups[c]}];
    group.dimension = kind.dimension;
    group.tag = grid.groups[c];
    ++group.elements;
    for (auto node = begin; node != end; ++node) nodes.push_back(static_cast<std::size_t>(*node));
  }
  for (auto& [key, block] : blocks) mesh.blocks.push_back(std::move(block));
  for (auto& [key, entry] : groups) {
    entry.first.nodes = distinct(entry.second);
    mesh.groups.push_back(std::move(entry.first));
  }
  return mesh;
}

MeshContents contents_of(TriangleSurface surface) {
  MeshContents mesh;
  ElementBlock block{"Triangle 3", 2, 1, 3, Tags(surface.triangle_count()), {0}, std::move(surface.triangles)};
  std::iota(block.tags.begin(), block.tags.end(), std::size_t{1});
  for (std::size_t t = 1; t <= block.count(); ++t) block.offsets.push_back(3 * t);
  mesh.points = std::move(surface.points);
  mesh.blocks.push_back(std::move(block));
  return mesh;
}

} // namespace

MeshContents read_contents(const std::string& path, double element_size, const base::ErrorContext& context) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".vtu" || ending == ".vtk") return contents_of(read_vtk_grid(path, context));

  MeshContents mesh;
  const GmshSession session;
  if (ending == ".stl" || ending == ".obj") {
    TriangleSurface surface = read_surface(path, context);
    try {
      mesh.warnings = fill_surface(session, surface, element_size, context);
    } catch (const base::UserError& error) {
      mesh = contents_of(std::move(surface));
      mesh.warnings.push_back(error.message());
      return mesh;
    }
  } else {
    mesh.warnings = load_file(session, {path, element_size}, context);
  }
  session.run("the mesh cannot be read", context, [&] { read_gmsh_model(mesh, context); });
  for (const std::string& message : session.messages()) mesh.warnings.push_back("Gmsh: " + message);
  return mesh;
}

} // namespace limber::mesh
