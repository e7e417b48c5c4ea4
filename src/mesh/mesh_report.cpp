#include "mesh/mesh_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "energies/triangle_p1.hpp"
#include "mesh/mesh_contents.hpp"
#include "mesh/surface_mesh.hpp"

namespace limber::mesh {

namespace {

/// A tetrahedron is flat below this multiple of its longest edge cubed, as when a run reads it.
constexpr double kFlat = 1e-14;

/// Diagonals beyond which the file's unit is doubtful [m].
constexpr double kLargeDiagonal = 20.0;
constexpr double kSmallDiagonal = 1e-4;

using Corners = std::array<LocalIndex, 4>;

Vector3 point_of(const MeshContents& mesh, LocalIndex node) {
  const double* const x = &mesh.points[3 * static_cast<std::size_t>(node)];
  return {x[0], x[1], x[2]};
}

double distance(const Vector3& a, const Vector3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double determinant(const std::array<Vector3, 4>& x) {
  Vector3 a, b, c;
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = x[1][k] - x[0][k];
    b[k] = x[2][k] - x[0][k];
    c[k] = x[3][k] - x[0][k];
  }
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

constexpr std::array<std::array<std::size_t, 2>, 6> kEdges = {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

/// Sets of nodes, united by elements.
class Pieces {
public:
  explicit Pieces(std::size_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0); }
  void unite(LocalIndex a, LocalIndex b) { parent_[index(root(a))] = root(b); }
  LocalIndex root(LocalIndex node) {
    while (parent_[index(node)] != node) node = parent_[index(node)] = parent_[index(parent_[index(node)])];
    return node;
  }

private:
  static std::size_t index(LocalIndex node) { return static_cast<std::size_t>(node); }
  std::vector<LocalIndex> parent_;
};

std::size_t count_edges(const std::vector<Corners>& cells) {
  std::vector<std::pair<LocalIndex, LocalIndex>> edges;
  edges.reserve(6 * cells.size());
  for (const Corners& cell : cells)
    for (const auto& [a, b] : kEdges) edges.push_back(std::minmax(cell[a], cell[b]));
  std::sort(edges.begin(), edges.end());
  return static_cast<std::size_t>(std::unique(edges.begin(), edges.end()) - edges.begin());
}

TetrahedraReport report_tetrahedra(const MeshContents& mesh) {
  TetrahedraReport report;
  report.shortest_edge = std::numeric_limits<double>::infinity();
  report.smallest_quality = std::numeric_limits<double>::infinity();
  std::vector<Corners> cells;
  std::set<int> orders;
  Pieces pieces(mesh.node_count());
  for (const ElementBlock& block : mesh.blocks) {
    if (!block.is_tetrahedra()) continue;
    orders.insert(block.order);
    for (std::size_t c = 0; c < block.count(); ++c) {
      Corners cell;
      std::array<Vector3, 4> x;
      for (std::size_t k = 0; k < 4; ++k) {
        cell[k] = block.nodes[block.offsets[c] + k];
        x[k] = point_of(mesh, cell[k]);
        pieces.unite(cell[0], cell[k]);
      }
      cells.push_back(cell);
      double longest = 0.0;
      for (const auto& [a, b] : kEdges) {
        const double length = distance(x[a], x[b]);
        longest = std::max(longest, length);
        report.shortest_edge = std::min(report.shortest_edge, length);
      }
      report.longest_edge = std::max(report.longest_edge, longest);
      const double det = determinant(x);
      report.volume += std::abs(det) / 6.0;
      if (!(std::abs(det) > kFlat * longest * longest * longest)) ++report.flat;
      else if (det < 0.0) ++report.inverted;
      // An inverted one is turned on reading: it is judged by its shape.
      if (det < 0.0) std::swap(x[2], x[3]);
      const double quality = tetrahedron_quality(x);
      ++report.quality[std::min<std::size_t>(9, static_cast<std::size_t>(10.0 * quality))];
      if (quality < report.smallest_quality) {
        report.smallest_quality = quality;
        report.worst = block.tags[c];
      }
    }
  }
  report.count = cells.size();
  report.order = orders.size() == 1 ? *orders.begin() : 0;
  std::vector<LocalIndex> vertices;
  std::set<LocalIndex> roots;
  for (const Corners& cell : cells) {
    vertices.insert(vertices.end(), cell.begin(), cell.end());
    roots.insert(pieces.root(cell[0]));
  }
  std::sort(vertices.begin(), vertices.end());
  const auto used = static_cast<std::size_t>(std::unique(vertices.begin(), vertices.end()) - vertices.begin());
  report.pieces = roots.size();
  report.unknowns_p1 = 3 * used;
  report.unknowns_p2 = 3 * (used + count_edges(cells));
  return report;
}

SurfaceReport report_surface(const MeshContents& mesh, const std::vector<LocalIndex>& triangles) {
  const TriangleSurface surface{mesh.points, triangles};
  const SurfaceDefects defects = find_defects(surface);
  SurfaceReport report;
  report.triangles = surface.triangle_count();
  report.closed = defects.closed();
  report.open_edges = defects.open_edges;
  report.nonmanifold_edges = defects.nonmanifold_edges;
  report.degenerate = defects.degenerate;
  report.duplicates = defects.duplicates;
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const Vector3 a = surface.point(triangles[t]), b = surface.point(triangles[t + 1]),
                  c = surface.point(triangles[t + 2]);
    Vector3 u, v;
    for (std::size_t k = 0; k < 3; ++k) {
      u[k] = b[k] - a[k];
      v[k] = c[k] - a[k];
    }
    report.area += 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  }
  try {
    const ClosedSurface closed = check_closed(surface, {});
    report.shells = closed.shells.size();
    report.volume = enclosed_volume(closed);
  } catch (const base::UserError& error) {
    report.why_not_a_solid = error.message();
  }
  return report;
}

void report_nodes(const MeshContents& mesh, MeshReport& report) {
  report.nodes = mesh.node_count();
  std::vector<char> used(report.nodes, 0);
  for (const ElementBlock& block : mesh.blocks)
    for (const LocalIndex node : block.nodes) used[static_cast<std::size_t>(node)] = 1;
  report.unused_nodes = static_cast<std::size_t>(std::count(used.begin(), used.end(), 0));

  std::vector<Vector3> sorted;
  std::size_t not_finite = 0;
  for (std::size_t i = 0; i < report.nodes; ++i) {
    const Vector3 x = point_of(mesh, static_cast<LocalIndex>(i));
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) ++not_finite;
    else sorted.push_back(x);
  }
  std::sort(sorted.begin(), sorted.end());
  if (not_finite > 0)
    report.notes.push_back(std::to_string(not_finite) + " nodes have coordinates that are not finite");
  if (sorted.empty()) return;
  for (std::size_t i = 1; i < sorted.size(); ++i) report.repeated_positions += sorted[i] == sorted[i - 1];
  report.box_min = report.box_max = sorted.front();
  for (const Vector3& x : sorted) {
    for (std::size_t k = 0; k < 3; ++k) {
      report.box_min[k] = std::min(report.box_min[k], x[k]);
      report.box_max[k] = std::max(report.box_max[k], x[k]);
    }
  }
  report.diagonal = distance(report.box_min, report.box_max);
}

void report_elements(const MeshContents& mesh, MeshReport& report) {
  std::map<std::pair<int, std::string>, ElementCount> counts;
  for (const ElementBlock& block : mesh.blocks) {
    ElementCount& entry = counts[{-block.dimension, block.name}];
    entry.name = block.name;
    entry.dimension = block.dimension;
    entry.order = block.order;
    entry.count += block.count();
  }
  for (const auto& [key, entry] : counts) report.elements.push_back(entry);
}

void add_notes(const MeshContents& mesh, MeshReport& report) {
  bool others = false, volume = false;
  for (const ElementBlock& block : mesh.blocks) {
    volume = volume || block.dimension == 3;
    others = others || (block.dimension == 3 && !block.is_tetrahedra());
  }
  if (others) report.notes.push_back("a run refuses this mesh: it takes only tetrahedra in three dimensions");
  if (!volume)
    report.notes.push_back(
        report.surface ? "it has no tetrahedra: a run takes it for a body of type shell or springs, not for a solid"
                       : "a run refuses this mesh: it has no tetrahedra");
  if (report.tetrahedra) {
    if (report.tetrahedra->order != 1 && report.tetrahedra->order != 2)
      report.notes.push_back("a run refuses this mesh: its tetrahedra must all be linear or all quadratic");
    if (report.tetrahedra->flat > 0)
      report.notes.push_back("a run refuses this mesh: " + std::to_string(report.tetrahedra->flat) +
                             " tetrahedra have no volume (in Gmsh: Mesh.Optimize = 1, or another size)");
    if (report.tetrahedra->pieces > 1)
      report.notes.push_back("the tetrahedra form " + std::to_string(report.tetrahedra->pieces) +
                             " pieces without a common node");
  }
  if (report.repeated_positions > 0)
    report.notes.push_back("nodes in the same place are not joined: elements on both sides move apart (in Gmsh: Mesh > "
                           "Remove duplicate nodes, or Coherence Mesh)");
  if (report.diagonal > kLargeDiagonal)
    report.notes.push_back("coordinates are read as meters; if these are millimeters, give the body transform: {scale: "
                           "0.001}");
  if (report.diagonal > 0.0 && report.diagonal < kSmallDiagonal)
    report.notes.push_back(
        "coordinates are read as meters, which makes this body very small; if it was scaled before, or "
        "is in another unit, give the body transform: {scale: …}");
}

} // namespace

double tetrahedron_quality(const std::array<Vector3, 4>& corners) {
  double squares = 0.0;
  for (const auto& [a, b] : kEdges) squares += std::pow(distance(corners[a], corners[b]), 2);
  const double volume = determinant(corners) / 6.0;
  if (!(volume > 0.0) || !(squares > 0.0)) return 0.0;
  return std::min(1.0, 12.0 * std::pow(3.0 * volume, 2.0 / 3.0) / squares);
}

double triangle_quality(const std::array<Vector3, 3>& corners) {
  double squares = 0.0;
  for (std::size_t k = 0; k < 3; ++k) squares += std::pow(distance(corners[k], corners[(k + 1) % 3]), 2);
  double x[9];
  for (std::size_t k = 0; k < 9; ++k) x[k] = corners[k / 3][k % 3];
  return squares > 0.0 ? std::min(1.0, 4.0 * std::sqrt(3.0) * energies::triangle_area(x) / squares) : 0.0;
}

MeshReport report_mesh_file(const std::string& path, double element_size) {
  MeshContents mesh = read_contents(path, element_size, {.file = path, .line = 0, .key = {}, .advice = {}});
  MeshReport report;
  report.path = path;
  report.notes = std::move(mesh.warnings);
  report_nodes(mesh, report);
  report_elements(mesh, report);
  for (const ContentsGroup& group : mesh.groups)
    report.groups.push_back({group.name, group.dimension, group.tag, group.nodes, group.elements});

  std::vector<LocalIndex> triangles;
  bool tetrahedra = false, volume = false;
  for (const ElementBlock& block : mesh.blocks) {
    tetrahedra = tetrahedra || (block.is_tetrahedra() && block.count() > 0);
    volume = volume || block.dimension == 3;
    if (!block.is_triangles()) continue;
    for (std::size_t c = 0; c < block.count(); ++c)
      for (std::size_t k = 0; k < 3; ++k) triangles.push_back(block.nodes[block.offsets[c] + k]);
  }
  if (tetrahedra) report.tetrahedra = report_tetrahedra(mesh);
  if (!volume && !triangles.empty()) report.surface = report_surface(mesh, triangles);
  add_notes(mesh, report);
  return report;
}

} // namespace limber::mesh
