#include "mesh/gmsh_extract.hpp"

#include <algorithm>
#include <gmsh.h>
#include <limits>
#include <numeric>

namespace limber::mesh {

namespace {

constexpr int kLine = 1, kTriangle = 2, kTetrahedron = 4, kQuadraticTetrahedron = 11; ///< Gmsh's element types

using Tags = std::vector<std::size_t>;

[[noreturn]] void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

/// Positions of `tags` in increasing order of tag; empty where they are increasing already.
Tags order_of(const Tags& tags) {
  if (std::is_sorted(tags.begin(), tags.end())) return {};
  Tags order(tags.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return tags[a] < tags[b]; });
  return order;
}

template <class T> void permute(std::vector<T>& values, const Tags& order, std::size_t width) {
  if (order.empty()) return;
  std::vector<T> sorted(values.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(order[i] * width), width,
                sorted.begin() + static_cast<std::ptrdiff_t>(i * width));
  values.swap(sorted);
}

void check_tags(const Tags& tags, const std::string& what, const base::ErrorContext& context) {
  if (tags.size() > std::size_t(std::numeric_limits<LocalIndex>::max()))
    fail("the mesh has " + std::to_string(tags.size()) + " " + what + "s, more than a 32-bit index counts", context,
         "Use a coarser mesh, or split the body.");
  const auto twice = std::adjacent_find(tags.begin(), tags.end());
  if (twice != tags.end())
    fail("two " + what + "s have the tag " + std::to_string(*twice), context,
         "Renumber the mesh in Gmsh and save it again.");
}

void read_nodes(ExtractedMesh& mesh, const base::ErrorContext& context) {
  std::vector<double> parametric;
  gmsh::model::mesh::getNodes(mesh.node_tags, mesh.points, parametric, -1, -1, false, false);
  const Tags order = order_of(mesh.node_tags);
  permute(mesh.points, order, 3);
  permute(mesh.node_tags, order, 1);
  check_tags(mesh.node_tags, "node", context);
}

/// Index of the node of a tag.
class NodeFinder {
public:
  NodeFinder(const Tags& sorted_tags, const base::ErrorContext& context) : tags_(sorted_tags), context_(context) {}

  LocalIndex operator()(std::size_t tag) const {
    // Nearly every file numbers its nodes 1, 2, 3 …
    if (tag >= 1 && tag <= tags_.size() && tags_[tag - 1] == tag) return static_cast<LocalIndex>(tag - 1);
    const auto found = std::lower_bound(tags_.begin(), tags_.end(), tag);
    if (found == tags_.end() || *found != tag)
      fail("an element refers to the node " + std::to_string(tag) + ", which does not exist", context_,
           "Save the mesh again from Gmsh.");
    return static_cast<LocalIndex>(found - tags_.begin());
  }

private:
  const Tags& tags_;
  const base::ErrorContext& context_;
};

/// \return the order of the tetrahedra
int check_element_types(const base::ErrorContext& context) {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, 3);
  if (types.empty()) {
    gmsh::model::mesh::getElementTypes(types, 2);
    if (types.empty())
      fail("the mesh has no elements of dimension 3", context, "Give a tetrahedral mesh of the body's volume.");
    fail("this is a surface mesh: it has no tetrahedra", context,
         "Mesh the volume and save it too: in Gmsh define a Volume, run Mesh > 3D, and give the volume to a physical "
         "group where there are any (or save with Mesh.SaveAll = 1).");
  }
  for (const int type : types) {
    if (type == kTetrahedron || type == kQuadraticTetrahedron) continue;
    std::string name;
    int dimension = 0, order = 1, nodes = 0, primary_nodes = 0;
    std::vector<double> local;
    gmsh::model::mesh::getElementProperties(type, name, dimension, order, nodes, local, primary_nodes);
    const std::string held = "the mesh has elements of the type " + name;
    if (primary_nodes == 4)
      fail(held + ", of order " + std::to_string(order) + "; expected order 1 or 2", context,
           "Save the mesh with quadratic tetrahedra (in Gmsh: Mesh.ElementOrder = 2 or Mesh > Set order 2).");
    fail(
        held + "; only tetrahedra are available", context,
        "Mesh with tetrahedra: in Gmsh without Recombine, Transfinite Volume with hexahedra or Layers with Recombine.");
  }
  if (types.size() > 1)
    fail("the mesh has both linear and quadratic tetrahedra", context,
         "Save it with one order (in Gmsh: Mesh > Set order 1 or 2).");
  return types[0] == kTetrahedron ? 1 : 2;
}

/// Nothing but linear triangles (or lines) in this dimension.
void check_linear_elements(const std::vector<int>& types, int expected, const base::ErrorContext& context) {
  for (const int type : types) {
    if (type == expected) continue;
    std::string name;
    int dimension = 0, order = 1, nodes = 0, primary_nodes = 0;
    std::vector<double> local;
    gmsh::model::mesh::getElementProperties(type, name, dimension, order, nodes, local, primary_nodes);
    fail("the mesh has elements of the type " + name + "; only linear " +
             (dimension == 2 ? "triangles are available for shells" : "lines are available for springs"),
         context, "Mesh with them: in Gmsh with Mesh.ElementOrder = 1 and without Recombine.");
  }
}

/// Dimension of the elements that become cells, 0 for none.
int cell_dimension(BodyKind kind) {
  if (kind == BodyKind::solid) return 3;
  for (int dimension = kind == BodyKind::shell ? 2 : 3; dimension > 0; --dimension) {
    std::vector<int> types;
    gmsh::model::mesh::getElementTypes(types, dimension);
    if (!types.empty()) return dimension;
  }
  return 0;
}

void read_cells(ExtractedMesh& mesh, const NodeFinder& find, BodyKind kind, const base::ErrorContext& context) {
  const int dimension = cell_dimension(kind);
  int type = kTetrahedron;
  if (dimension == 3) {
    mesh.order = check_element_types(context);
    if (mesh.order == 2) type = kQuadraticTetrahedron;
  } else {
    mesh.kind = dimension == 2 ? CellKind::triangle : CellKind::line;
    type = dimension == 2 ? kTriangle : kLine;
    std::vector<int> types;
    if (dimension > 0) gmsh::model::mesh::getElementTypes(types, dimension);
    if (kind == BodyKind::shell && dimension != 2)
      fail("the mesh has no triangles", context, "Give a triangulated surface for a body of type shell.");
    check_linear_elements(types, type, context);
  }
  if (dimension == 0) return;
  gmsh::vectorpair volumes;
  gmsh::model::getEntities(volumes, dimension);
  for (const auto& [of, volume] : volumes) {
    Tags tags, nodes;
    gmsh::model::mesh::getElementsByType(type, tags, nodes, volume);
    std::vector<int> physical;
    gmsh::model::getPhysicalGroupsForEntity(of, volume, physical);
    // "First" is the smallest tag, whatever the order in the file.
    const int group = physical.empty() ? 0 : *std::min_element(physical.begin(), physical.end());
    mesh.cell_tags.insert(mesh.cell_tags.end(), tags.begin(), tags.end());
    mesh.cell_groups.insert(mesh.cell_groups.end(), tags.size(), group);
    mesh.cells.reserve(mesh.cells.size() + nodes.size());
    for (const std::size_t node : nodes) mesh.cells.push_back(find(node));
  }
  if (mesh.order == 2)
    for (std::size_t c = 0; c < mesh.cell_tags.size(); ++c) std::swap(mesh.cells[10 * c + 8], mesh.cells[10 * c + 9]);
  const Tags order = order_of(mesh.cell_tags);
  permute(mesh.cells, order, mesh.nodes_per_cell());
  permute(mesh.cell_groups, order, 1);
  permute(mesh.cell_tags, order, 1);
  check_tags(mesh.cell_tags, dimension == 3 ? "tetrahedron" : dimension == 2 ? "triangle" : "line", context);
}

/// Corners of a group's lines and triangles; a quadrangle counts as two triangles.
void read_corners(ExtractedGroup& group, int type, const Tags& nodes, const NodeFinder& find) {
  std::string name;
  int dimension = 0, order = 1, count = 0, corners = 0;
  std::vector<double> local;
  gmsh::model::mesh::getElementProperties(type, name, dimension, order, count, local, corners);
  for (std::size_t first = 0; first + std::size_t(count) <= nodes.size(); first += std::size_t(count)) {
    if (dimension == 1) group.lines.insert(group.lines.end(), {find(nodes[first]), find(nodes[first + 1])});
    if (dimension != 2) continue;
    for (std::size_t k = 2; k < std::size_t(corners); ++k)
      group.triangles.insert(group.triangles.end(),
                             {find(nodes[first]), find(nodes[first + k - 1]), find(nodes[first + k])});
  }
}

void read_groups(ExtractedMesh& mesh, const NodeFinder& find) {
  gmsh::vectorpair physical;
  gmsh::model::getPhysicalGroups(physical);
  std::sort(physical.begin(), physical.end());
  for (const auto& [dimension, tag] : physical) {
    ExtractedGroup group{dimension, tag, {}, {}, {}, {}};
    gmsh::model::getPhysicalName(dimension, tag, group.name);
    std::vector<int> entities;
    gmsh::model::getEntitiesForPhysicalGroup(dimension, tag, entities);
    for (const int entity : entities) {
      // The nodes of the elements: an entity without geometry does not know the nodes on its boundary.
      std::vector<int> types;
      std::vector<Tags> tags, nodes;
      gmsh::model::mesh::getElements(types, tags, nodes, dimension, entity);
      for (std::size_t i = 0; i < types.size(); ++i) {
        for (const std::size_t node : nodes[i]) group.nodes.push_back(find(node));
        read_corners(group, types[i], nodes[i], find);
      }
      if (dimension > 0) continue;
      // A point may have a node and no element.
      Tags point;
      std::vector<double> coordinates, parametric;
      gmsh::model::mesh::getNodes(point, coordinates, parametric, 0, entity, false, false);
      for (const std::size_t node : point) group.nodes.push_back(find(node));
    }
    std::sort(group.nodes.begin(), group.nodes.end());
    group.nodes.erase(std::unique(group.nodes.begin(), group.nodes.end()), group.nodes.end());
    group.nodes.shrink_to_fit();
    mesh.groups.push_back(std::move(group));
  }
}

} // namespace

ExtractedMesh extract_mesh(const base::ErrorContext& context, BodyKind kind) {
  ExtractedMesh mesh;
  read_nodes(mesh, context);
  const NodeFinder find(mesh.node_tags, context);
  read_cells(mesh, find, kind, context);
  read_groups(mesh, find);
  return mesh;
}

} // namespace limber::mesh
