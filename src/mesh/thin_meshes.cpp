#include "mesh/thin_meshes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "energies/tetrahedron_p1.hpp"
#include "energies/triangle_p1.hpp"
#include "mesh/messages.hpp"
#include "mesh/tetrahedron_topology.hpp"

namespace limber::mesh {
namespace {

using Edge = std::pair<LocalIndex, LocalIndex>;

void number_tags(ExtractedMesh& mesh, std::size_t cells) {
  mesh.node_tags.resize(mesh.points.size() / 3);
  std::iota(mesh.node_tags.begin(), mesh.node_tags.end(), std::size_t{1});
  mesh.cell_tags.resize(cells);
  std::iota(mesh.cell_tags.begin(), mesh.cell_tags.end(), std::size_t{1});
}

ExtractedGroup surface_group(const ExtractedMesh& mesh, int tag) {
  ExtractedGroup group{2, tag, "surface", {}, mesh.cells, {}};
  group.nodes = mesh.cells;
  std::sort(group.nodes.begin(), group.nodes.end());
  group.nodes.erase(std::unique(group.nodes.begin(), group.nodes.end()), group.nodes.end());
  return group;
}

/// Volume or area of a cell [file units].
double size_of(const ExtractedMesh& mesh, std::size_t cell) {
  const std::size_t width = mesh.nodes_per_cell();
  double x[12];
  for (std::size_t a = 0; a < width; ++a)
    std::copy_n(&mesh.points[3 * std::size_t(mesh.cells[width * cell + a])], 3, x + 3 * a);
  if (mesh.kind == CellKind::triangle) return energies::triangle_area(x);
  return std::abs(math::determinant(energies::tetrahedron_edges(x))) / 6.0;
}

void take_pairs(ExtractedMesh& mesh, const std::vector<std::array<GlobalIndex, 2>>& pairs,
                const base::ErrorContext& context) {
  const auto nodes = GlobalIndex(mesh.node_tags.size());
  std::set<Edge> seen;
  for (const auto& [a, b] : pairs) {
    const std::string text = "the spring between the nodes " + std::to_string(a) + " and " + std::to_string(b);
    if (std::min(a, b) < 0 || std::max(a, b) >= nodes)
      fail(text + " has a node that the mesh does not have", context,
           "Nodes count from 0 to " + std::to_string(nodes - 1) + ".");
    if (a == b) fail(text + " has no length", context, "Name two different nodes.");
    if (!seen.emplace(LocalIndex(std::min(a, b)), LocalIndex(std::max(a, b))).second)
      fail(text + " is listed twice", context, "List it once.");
    mesh.cells.insert(mesh.cells.end(), {LocalIndex(a), LocalIndex(b)});
  }
}

/// Edges with what they stand for.
void take_edges(ExtractedMesh& mesh, CellKind kind, const ExtractedMesh& from) {
  std::vector<std::pair<Edge, double>> edges;
  const std::size_t width = from.nodes_per_cell();
  for (std::size_t c = 0; c < from.cell_tags.size(); ++c) {
    const auto add = [&](std::size_t a, std::size_t b, double share) {
      const LocalIndex i = from.cells[width * c + a], j = from.cells[width * c + b];
      edges.emplace_back(Edge(std::min(i, j), std::max(i, j)), share);
    };
    const double size = from.cell_weight * size_of(from, c);
    if (kind == CellKind::triangle)
      for (std::size_t k = 0; k < 3; ++k) add(k, (k + 1) % 3, size / 3.0);
    else
      for (const auto& [a, b] : tetrahedron_edges) add(std::size_t(a), std::size_t(b), size / 6.0);
  }
  std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i == 0 || edges[i].first != edges[i - 1].first) {
      mesh.cells.insert(mesh.cells.end(), {edges[i].first.first, edges[i].first.second});
      mesh.edge_shares.push_back(0.0);
    }
    mesh.edge_shares.back() += edges[i].second;
  }
  mesh.share_dimension = kind == CellKind::triangle ? 2 : 3;
}

} // namespace

ExtractedMesh make_grid(const GridMesh& grid, const base::ErrorContext& context) {
  const int nx = grid.columns, ny = grid.rows;
  const double width = grid.max[0] - grid.min[0], height = grid.max[1] - grid.min[1];
  if (!(std::isfinite(width) && std::isfinite(height) && width > 0.0 && height > 0.0) || grid.min[2] != grid.max[2])
    fail("the grid has no area in a plane z = const", context,
         "Give max larger than min in x and y, and equal to it in z; turn the grid with transform.");
  if (nx < 1 || ny < 1 || double(nx + 1) * double(ny + 1) > double(std::numeric_limits<LocalIndex>::max()) / 4.0)
    fail("the grid has " + std::to_string(nx) + " × " + std::to_string(ny) + " cells", context,
         "Give two positive numbers whose product is below 500 million.");
  ExtractedMesh mesh;
  mesh.kind = CellKind::triangle;
  const auto node = [&](int i, int j) { return LocalIndex(j + i * (ny + 1)); };
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j) {
      // Symmetric about the middle to the last bit: a mirrored mesh moves as the mirror image.
      const double x = i <= nx / 2 ? grid.min[0] + width * i / nx : grid.max[0] - width * (nx - i) / nx;
      const double y = j <= ny / 2 ? grid.min[1] + height * j / ny : grid.max[1] - height * (ny - j) / ny;
      mesh.points.insert(mesh.points.end(), {x, y, grid.min[2]});
    }
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      const LocalIndex a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      if (grid.both_diagonals || (i + j) % 2 == 0) mesh.cells.insert(mesh.cells.end(), {a, b, c, a, c, d});
      if (grid.both_diagonals || (i + j) % 2 == 1) mesh.cells.insert(mesh.cells.end(), {a, b, d, b, c, d});
    }
  if (grid.both_diagonals) mesh.cell_weight = 0.5;
  number_tags(mesh, mesh.cells.size() / 3);

  ExtractedGroup sides[4] = {{1, 1, "xmin", {}, {}, {}}, //
                             {1, 2, "xmax", {}, {}, {}}, //
                             {1, 3, "ymin", {}, {}, {}}, //
                             {1, 4, "ymax", {}, {}, {}}};
  for (int j = 0; j <= ny; ++j) {
    sides[0].nodes.push_back(node(0, j));
    sides[1].nodes.push_back(node(nx, j));
  }
  for (int i = 0; i <= nx; ++i) {
    sides[2].nodes.push_back(node(i, 0));
    sides[3].nodes.push_back(node(i, ny));
  }
  for (auto& side : sides) {
    for (std::size_t k = 1; k < side.nodes.size(); ++k)
      side.lines.insert(side.lines.end(), {side.nodes[k - 1], side.nodes[k]});
    mesh.groups.push_back(std::move(side));
  }
  mesh.groups.push_back(surface_group(mesh, 5));
  mesh.cell_groups.assign(mesh.cell_tags.size(), 5);
  return mesh;
}

ExtractedMesh as_cells(const TriangleSurface& surface) {
  ExtractedMesh mesh;
  mesh.kind = CellKind::triangle;
  mesh.points = surface.points;
  mesh.cells = surface.triangles;
  number_tags(mesh, surface.triangle_count());
  mesh.groups.push_back(surface_group(mesh, 1));
  mesh.cell_groups.assign(mesh.cell_tags.size(), 1);
  return mesh;
}

void make_springs(ExtractedMesh& mesh, const std::vector<std::array<GlobalIndex, 2>>& pairs,
                  const base::ErrorContext& context) {
  if (pairs.empty() && mesh.kind == CellKind::line && !mesh.cell_tags.empty()) return;
  ExtractedMesh from = std::move(mesh);
  mesh = {};
  mesh.kind = CellKind::line;
  mesh.node_tags = std::move(from.node_tags);
  mesh.points = from.points;
  mesh.groups = std::move(from.groups);
  mesh.warnings = std::move(from.warnings);
  if (!pairs.empty()) take_pairs(mesh, pairs, context);
  else take_edges(mesh, from.kind, from);
  if (mesh.cells.empty())
    fail("the mesh has no edges", context, "Give a mesh of tetrahedra, triangles or lines, or list pairs of nodes.");
  mesh.cell_tags.resize(mesh.cells.size() / 2);
  std::iota(mesh.cell_tags.begin(), mesh.cell_tags.end(), std::size_t{1});
  mesh.cell_groups.assign(mesh.cell_tags.size(), 0);
}

} // namespace limber::mesh
