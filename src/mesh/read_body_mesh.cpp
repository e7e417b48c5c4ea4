#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "mesh/body_mesh.hpp"
#include "mesh/element_order.hpp"
#include "mesh/gmsh_extract.hpp"
#include "mesh/gmsh_model.hpp"
#include "mesh/gmsh_session.hpp"
#include "mesh/mesh_checks.hpp"
#include "mesh/messages.hpp"
#include "mesh/surface_reader.hpp"
#include "mesh/thin_meshes.hpp"
#include "mesh/vtk_reader.hpp"

namespace limber::mesh {

namespace {

template <class... Ts> struct Overloaded : Ts... { using Ts::operator()...; };
template <class... Ts> Overloaded(Ts...) -> Overloaded<Ts...>; // clang 14 does not deduce aggregates

/// A mesh file is named itself; a primitive is found at its place in the configuration.
base::ErrorContext context_of(const BodyMeshOptions& options) {
  base::ErrorContext context{options.config_file, options.config_line, options.config_key, {}};
  if (const auto* file = std::get_if<MeshFile>(&options.source.shape)) {
    context.file = file->path;
    context.line = 0;
  }
  return context;
}

bool is_vtk_file(const std::string& path) { return ending_of(path) == ".vtu" || ending_of(path) == ".vtk"; }

/// Whether the input is a finished mesh, whose quadratic elements are the user's.
bool has_own_order(const BodyMeshOptions& options) {
  const auto* file = std::get_if<MeshFile>(&options.source.shape);
  return file && (is_vtk_file(file->path) || ending_of(file->path) == ".msh");
}

void check_options(const BodyMeshOptions& options, const base::ErrorContext& context) {
  const Transform& t = options.transform;
  if (!std::isfinite(t.scale) || !(t.scale > 0.0))
    fail("the scale of the transform is not positive", context, "Give a positive scale; mirror the mesh in Gmsh.");
  bool finite = std::isfinite(t.rotation_degrees);
  for (std::size_t k = 0; k < 3; ++k)
    finite = finite && std::isfinite(t.translate[k]) && std::isfinite(t.rotation_axis[k]);
  if (!finite) fail("the transform has a number that is not finite", context, "Correct it.");
  if (t.rotation_degrees != 0.0 && std::hypot(t.rotation_axis[0], t.rotation_axis[1], t.rotation_axis[2]) == 0.0)
    fail("the rotation's axis is zero", context, "Give a direction, for example axis: [0, 0, 1].");
}

bool is_surface_file(const std::string& path) { return ending_of(path) == ".stl" || ending_of(path) == ".obj"; }

/// A shell is made from what has a surface of its own.
void check_shell_source(const BodyMeshOptions& options, const base::ErrorContext& context) {
  if (std::holds_alternative<GridMesh>(options.source.shape)) return;
  const auto* file = std::get_if<MeshFile>(&options.source.shape);
  const std::string ending = file ? ending_of(file->path) : "";
  if (!file || (ending != ".msh" && ending != ".geo" && !is_vtk_file(file->path) && !is_surface_file(file->path)))
    fail("a body of type shell cannot be made from this mesh", context,
         "Give a grid, or a triangulated surface in a .msh, .geo, .vtu, .vtk, .stl or .obj file.");
}

ExtractedMesh load(const BodyMeshOptions& options, const base::ErrorContext& context) {
  if (options.kind == BodyKind::shell) check_shell_source(options, context);
  const auto* file = std::get_if<MeshFile>(&options.source.shape);
  if (file && is_vtk_file(file->path)) return read_vtk_mesh(file->path, options.kind, context);
  if (file && is_surface_file(file->path) && options.kind != BodyKind::solid) {
    if (file->element_size > 0.0)
      fail("element_size has no effect on a surface that is not filled: its triangles are taken as they are", context,
           "Leave element_size out; mesh the surface anew before, if needed.");
    return as_cells(read_surface(file->path, context));
  }
  if (const auto* grid = std::get_if<GridMesh>(&options.source.shape)) return make_grid(*grid, context);
  const GmshSession session;
  const int order = options.source.order;
  ExtractedMesh mesh;
  std::visit(Overloaded{[&](const MeshFile& shape) {
                          mesh.warnings = load_file(session, shape, context, order, options.kind);
                        },
                        [&](const GridMesh&) {}, // made above, without Gmsh
                        [&](const BoxMesh& shape) { make_box(session, shape, context, order); },
                        [&](const SphereMesh& shape) { make_sphere(session, shape, context, order); },
                        [&](const CylinderMesh& shape) { make_cylinder(session, shape, context, order); }},
             options.source.shape);
  session.run("the mesh cannot be used", context, [&] {
    auto warnings = std::move(mesh.warnings);
    mesh = extract_mesh(context, options.kind);
    mesh.warnings = std::move(warnings);
  });
  for (const std::string& message : session.messages()) mesh.warnings.push_back("Gmsh: " + message);
  return mesh;
}

/// Elements as the options ask for them: where Gmsh has not curved them to a geometry, edges become straight ones.
void set_order(ExtractedMesh& mesh, int order) {
  if (order == 2 && mesh.order == 1) raise_order(mesh);
  if (order == 1 && mesh.order == 2) {
    lower_order(mesh);
    mesh.warnings.push_back("the mesh is quadratic; its nodes on edges are left out, as order: 1 asks for");
  }
}

/// translate ∘ rotate ∘ scale; the rotation by Rodrigues' formula.
void apply(const Transform& transform, std::vector<double>& points) {
  Vector3 n = transform.rotation_axis;
  const double length = std::hypot(n[0], n[1], n[2]);
  const bool turns = transform.rotation_degrees != 0.0;
  const double angle = transform.rotation_degrees * std::numbers::pi / 180.0;
  const double c = std::cos(angle), s = std::sin(angle);
  for (double& component : n) component /= turns ? length : 1.0;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    Vector3 x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = transform.scale * points[i + k];
    if (turns) {
      const double along = (1.0 - c) * (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
      x = {c * x[0] + s * (n[1] * x[2] - n[2] * x[1]) + along * n[0],
           c * x[1] + s * (n[2] * x[0] - n[0] * x[2]) + along * n[1],
           c * x[2] + s * (n[0] * x[1] - n[1] * x[0]) + along * n[2]};
    }
    for (std::size_t k = 0; k < 3; ++k) points[i + k] = x[k] + transform.translate[k];
  }
}

/// Keeps the nodes that a cell uses, and the first copy of each cell.
void fill_nodes_and_cells(BodyMesh& body, const ExtractedMesh& mesh, std::vector<LocalIndex>& new_index) {
  const std::vector<char> first = first_copies(mesh);
  const auto copies = std::count(first.begin(), first.end(), 0);
  if (copies > 0)
    body.warnings.push_back(std::to_string(copies) + " " + name_of(mesh.kind) +
                            " occur more than once in the file; each is taken once");

  for (const LocalIndex node : mesh.cells) new_index[static_cast<std::size_t>(node)] = 0;
  const auto used = static_cast<std::size_t>(std::count(new_index.begin(), new_index.end(), 0));
  body.node_ids.reserve(used);
  body.points.reserve(3 * used);
  for (std::size_t i = 0; i < new_index.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<LocalIndex>(body.node_ids.size());
    body.node_ids.push_back(static_cast<GlobalIndex>(i));
    body.points.insert(body.points.end(), &mesh.points[3 * i], &mesh.points[3 * i] + 3);
  }

  const std::size_t kept = first.size() - static_cast<std::size_t>(copies);
  const std::size_t width = mesh.nodes_per_cell();
  body.cells.reserve(width * kept);
  body.cell_ids.reserve(kept);
  body.cell_groups.reserve(kept);
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (!first[c]) continue;
    for (std::size_t k = 0; k < width; ++k)
      body.cells.push_back(new_index[static_cast<std::size_t>(mesh.cells[width * c + k])]);
    body.cell_ids.push_back(static_cast<GlobalIndex>(c));
    body.cell_groups.push_back(mesh.cell_groups[c]);
  }
}

/// What springs stand for [m³]. \param scale of the transform
void fill_volumes(BodyMesh& body, const ExtractedMesh& mesh, const BodyMeshOptions& options,
                  const base::ErrorContext& context) {
  if (body.kind != BodyKind::springs || !options.needs_volumes) return;
  if (mesh.share_dimension == 0)
    fail("springs that are given as lines or pairs of nodes have no volume for a density", context,
         "Give the body mass: {per_node: …}, in kg.");
  if (mesh.share_dimension == 2 && options.thickness == 0.0)
    fail("the edges of a surface need a thickness for a density", context,
         "Give the body a thickness in m, or mass: {per_node: …} in kg.");
  const double scale = options.transform.scale;
  const double factor = mesh.share_dimension == 3 ? scale * scale * scale : scale * scale * options.thickness;
  for (const GlobalIndex id : body.cell_ids) body.cell_volumes.push_back(factor * mesh.edge_shares[std::size_t(id)]);
}

/// Corners of a face in increasing order.
void corners_of_face(const BodyMesh& body, const CellFace& face, LocalIndex corners[3]) {
  if (body.kind == BodyKind::solid) return sorted_corners(body.cells, body.nodes_per_cell(), face, corners);
  std::copy_n(&body.cells[3 * std::size_t(face.cell)], 3, corners);
  std::sort(corners, corners + 3);
}

/// The faces of the boundary that are triangles of a group.
std::vector<LocalIndex> faces_of(const std::vector<LocalIndex>& triangles, const std::vector<LocalIndex>& new_index,
                                 const std::vector<std::pair<std::array<LocalIndex, 3>, LocalIndex>>& sorted_faces) {
  std::vector<LocalIndex> found;
  for (std::size_t i = 0; i + 2 < triangles.size(); i += 3) {
    std::array<LocalIndex, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) corners[k] = new_index[std::size_t(triangles[i + k])];
    std::sort(corners.begin(), corners.end());
    const auto face = std::lower_bound(sorted_faces.begin(), sorted_faces.end(), std::pair(corners, LocalIndex(0)));
    if (face != sorted_faces.end() && face->first == corners) found.push_back(face->second);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void fill_groups(BodyMesh& body, const ExtractedMesh& mesh, const std::vector<LocalIndex>& new_index,
                 const base::ErrorContext& context) {
  std::vector<std::pair<std::array<LocalIndex, 3>, LocalIndex>> sorted_faces(body.faces.size());
  for (std::size_t f = 0; f < body.faces.size(); ++f) {
    corners_of_face(body, body.faces[f], sorted_faces[f].first.data());
    sorted_faces[f].second = LocalIndex(f);
  }
  std::sort(sorted_faces.begin(), sorted_faces.end());

  std::set<std::pair<int, std::string>> names;
  for (const ExtractedGroup& group : mesh.groups) {
    PhysicalGroup kept{group.name.empty() ? std::to_string(group.tag) : group.name, group.dimension, group.tag, {}, {}};
    if (!names.emplace(kept.dimension, kept.name).second)
      fail("two physical groups of dimension " + std::to_string(kept.dimension) + " have the name '" + kept.name + "'",
           context, "Give each physical group of a dimension its own name.");
    for (const LocalIndex node : group.nodes) {
      const LocalIndex index = new_index[static_cast<std::size_t>(node)];
      if (index >= 0) kept.nodes.push_back(index);
    }
    if (kept.nodes.empty())
      body.warnings.push_back("the physical group '" + kept.name + "' of dimension " + std::to_string(kept.dimension) +
                              " has no node of the body");
    kept.faces = faces_of(group.triangles, new_index, sorted_faces);
    body.groups.push_back(std::move(kept));
  }
}

} // namespace

BodyMesh read_body_mesh(const BodyMeshOptions& options) {
  const base::ErrorContext context = context_of(options);
  check_options(options, context);

  ExtractedMesh mesh = load(options, context);
  check_coordinates(mesh, context);
  check_repeated_vertices(mesh, context);
  const bool from_geometry = !has_own_order(options);
  if (options.kind == BodyKind::solid) {
    set_order(mesh, options.source.order);
  } else if (options.kind == BodyKind::springs) {
    set_order(mesh, 1);
    make_springs(mesh, options.pairs, context);
  }

  BodyMesh body;
  body.kind = options.kind;
  if (body.kind == BodyKind::shell) body.thickness = options.thickness;
  body.warnings = std::move(mesh.warnings);
  body.order = mesh.order;
  body.file_nodes = static_cast<GlobalIndex>(mesh.node_tags.size());
  body.file_cells = static_cast<GlobalIndex>(mesh.cell_tags.size());
  std::vector<LocalIndex> new_index(mesh.node_tags.size(), -1);
  fill_nodes_and_cells(body, mesh, new_index);
  apply(options.transform, body.points);
  fill_volumes(body, mesh, options, context);
  if (body.kind == BodyKind::solid) {
    orient_cells(body, mesh.cell_tags, context);
    check_curved_cells(body, mesh.cell_tags, from_geometry, context);
    auto boundary = boundary_faces(body.cells, body.nodes_per_cell());
    check_overlaps(boundary.overfull, body, mesh.cell_tags, context);
    body.faces = std::move(boundary.faces);
  } else {
    check_sizes(body, mesh.cell_tags, context);
    if (body.kind == BodyKind::shell)
      for (LocalIndex c = 0; c < body.cell_count(); ++c) body.faces.push_back({c, 0});
  }
  auto pieces = connected_pieces(body.node_count(), body.cells, body.nodes_per_cell());
  body.pieces = std::move(pieces.of_node);
  body.piece_count = pieces.count;
  fill_groups(body, mesh, new_index, context);
  warn_of_doubts(body);
  return body;
}

} // namespace limber::mesh
