#include "mesh/mesh_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <utility>

#include "energies/jacobian_bound.hpp"
#include "math/matrix3.hpp"
#include "mesh/messages.hpp"
#include "mesh/tetrahedron_topology.hpp"

namespace limber::mesh {
namespace {

/// A tetrahedron is flat below this multiple of its longest edge cubed.
constexpr double flat_volume = 1e-14;
/// A triangle is a line below this multiple of its longest edge squared.
constexpr double flat_area = 1e-12;
/// Bodies longer than this are probably given in millimeters, those shorter than the other in kilometers. [m]
constexpr double suspiciously_long = 20.0, suspiciously_short = 1e-5;

const double* point(const BodyMesh& body, std::size_t cell, int vertex) {
  return &body.points[3 * std::size_t(body.cells[body.nodes_per_cell() * cell + std::size_t(vertex)])];
}

double longest_edge(const BodyMesh& body, std::size_t cell) {
  double longest = 0.0;
  for (const auto& [a, b] : tetrahedron_edges) {
    const double *x = point(body, cell, a), *y = point(body, cell, b);
    longest = std::max(longest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
  }
  return longest;
}

bool is_valid(const BodyMesh& body, std::size_t cell) {
  double x[30];
  for (int a = 0; a < 10; ++a) std::copy_n(point(body, cell, a), 3, x + 3 * a);
  return energies::jacobian_is_positive(x);
}

void straighten_edges(BodyMesh& body, std::size_t cell) {
  for (int e = 0; e < 6; ++e) {
    const double *a = point(body, cell, tetrahedron_edges[e][0]), *b = point(body, cell, tetrahedron_edges[e][1]);
    double* middle = &body.points[3 * std::size_t(body.cells[10 * cell + std::size_t(4 + e)])];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (a[k] + b[k]);
  }
}

} // namespace

void check_coordinates(const ExtractedMesh& mesh, const base::ErrorContext& context) {
  Offenders bad;
  for (std::size_t i = 0; i < mesh.node_tags.size(); ++i)
    if (!std::isfinite(mesh.points[3 * i]) || !std::isfinite(mesh.points[3 * i + 1]) ||
        !std::isfinite(mesh.points[3 * i + 2]))
      bad.add(mesh.node_tags[i]);
  if (bad.count() > 0)
    fail("coordinates that are not finite numbers, at the nodes with tags " + bad.text(), context,
         "Correct or remove these nodes.");
}

void check_repeated_vertices(const ExtractedMesh& mesh, const base::ErrorContext& context) {
  Offenders bad;
  const std::size_t width = mesh.nodes_per_cell();
  std::vector<LocalIndex> v(width);
  for (std::size_t c = 0; c < mesh.cell_tags.size(); ++c) {
    std::copy_n(mesh.cells.begin() + static_cast<std::ptrdiff_t>(width * c), width, v.begin());
    std::sort(v.begin(), v.end());
    if (std::adjacent_find(v.begin(), v.end()) != v.end()) bad.add(mesh.cell_tags[c]);
  }
  if (bad.count() > 0)
    fail(name_of(mesh.kind) + " that name a node twice, with tags " + bad.text(), context,
         "Remove them or mesh again.");
}

std::vector<char> first_copies(const ExtractedMesh& mesh) {
  const std::size_t cells = mesh.cell_tags.size(), width = mesh.nodes_per_cell();
  const auto corners = std::ptrdiff_t(corners_per_cell(mesh.kind));
  const auto vertices_of = [&](LocalIndex c) { return mesh.cells.begin() + static_cast<std::ptrdiff_t>(width) * c; };
  const auto sorted = [&](LocalIndex c) {
    std::array<LocalIndex, 4> v{-1, -1, -1, -1};
    std::copy_n(vertices_of(c), corners, v.begin());
    std::sort(v.begin(), v.end());
    return v;
  };
  // By smallest vertex first: few cells share one, so that the comparisons of all of them stay short.
  std::vector<std::pair<LocalIndex, LocalIndex>> keys(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    const auto vertices = vertices_of(static_cast<LocalIndex>(c));
    keys[c] = {*std::min_element(vertices, vertices + corners), static_cast<LocalIndex>(c)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<char> first(cells, 1);
  std::vector<std::pair<std::array<LocalIndex, 4>, LocalIndex>> bucket;
  for (std::size_t begin = 0, end = 0; begin < cells; begin = end) {
    bucket.clear();
    for (; end < cells && keys[end].first == keys[begin].first; ++end)
      bucket.emplace_back(sorted(keys[end].second), keys[end].second);
    std::sort(bucket.begin(), bucket.end());
    for (std::size_t i = 1; i < bucket.size(); ++i)
      if (bucket[i].first == bucket[i - 1].first) first[static_cast<std::size_t>(bucket[i].second)] = 0;
  }
  return first;
}

void orient_cells(BodyMesh& body, const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context) {
  Offenders flat;
  for (std::size_t c = 0; c < body.cell_ids.size(); ++c) {
    const double determinant = cell_determinant(body, static_cast<LocalIndex>(c));
    const double edge = longest_edge(body, c);
    if (!(std::abs(determinant) > flat_volume * edge * edge * edge)) {
      flat.add(cell_tags[static_cast<std::size_t>(body.cell_ids[c])]);
    } else if (determinant < 0.0) {
      LocalIndex* cell = &body.cells[body.nodes_per_cell() * c];
      for (const auto& [a, b] : tetrahedron_turn)
        if (b < int(body.nodes_per_cell())) std::swap(cell[a], cell[b]);
      ++body.turned_cells;
    }
  }
  if (flat.count() > 0)
    fail(std::to_string(flat.count()) + " of " + std::to_string(body.cell_count()) +
             " tetrahedra have no volume, with tags " + flat.text(),
         context, "Optimize the mesh in Gmsh (Mesh.Optimize = 1), or mesh again with another size.");
  if (body.turned_cells > 0)
    body.warnings.push_back(std::to_string(body.turned_cells) + " of " + std::to_string(body.cell_count()) +
                            " tetrahedra are inverted in the file and were turned");
}

void check_sizes(const BodyMesh& body, const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context) {
  const bool shell = body.kind == BodyKind::shell;
  Offenders none;
  for (std::size_t c = 0; c < body.cell_ids.size(); ++c) {
    double edges[2][3] = {};
    for (int e = 0; e < (shell ? 2 : 1); ++e)
      for (int k = 0; k < 3; ++k) edges[e][k] = point(body, c, e + 1)[k] - point(body, c, 0)[k];
    const double a = std::hypot(edges[0][0], edges[0][1], edges[0][2]);
    double normal[3];
    math::cross3(edges[0], edges[1], normal);
    const double area = std::hypot(normal[0], normal[1], normal[2]);
    const double longest = std::max(a, std::hypot(edges[1][0], edges[1][1], edges[1][2]));
    if (!(shell ? area > flat_area * longest * longest : a > 0.0))
      none.add(cell_tags[static_cast<std::size_t>(body.cell_ids[c])]);
  }
  if (none.count() > 0)
    fail(std::to_string(none.count()) + " of " + std::to_string(body.cell_count()) + " " +
             name_of(cell_kind(body.kind)) + " have no " + (shell ? "area" : "length") + ", with tags " + none.text(),
         context,
         shell ? "Remove them, or mesh the surface again." : "Join or remove nodes that lie at the same place.");
}

void check_curved_cells(BodyMesh& body, const std::vector<std::size_t>& cell_tags, bool straighten,
                        const base::ErrorContext& context) {
  if (body.order == 1) return;
  // Straightening one cell changes its neighbors, which may then be at fault.
  constexpr int passes = 20;
  std::vector<char> straightened(body.cell_ids.size(), 0);
  Offenders bad;
  for (int pass = 0; pass < passes; ++pass) {
    bad = {};
    for (std::size_t c = 0; c < body.cell_ids.size(); ++c) {
      if (is_valid(body, c)) continue;
      bad.add(cell_tags[static_cast<std::size_t>(body.cell_ids[c])]);
      if (!straighten) continue;
      straighten_edges(body, c);
      straightened[c] = 1;
    }
    if (bad.count() == 0 || !straighten) break;
  }
  if (bad.count() > 0)
    fail("quadratic tetrahedra that fold over themselves (the Jacobian of the mapping is not positive), with tags " +
             bad.text(),
         context, "Optimize the mesh in Gmsh (Mesh.HighOrderOptimize = 1), use a finer mesh, or order: 1.");
  const auto count = std::count(straightened.begin(), straightened.end(), 1);
  if (count > 0)
    body.warnings.push_back(
        std::to_string(count) +
        " elements would have folded over themselves on the curved boundary; their edges are straight");
}

void check_overlaps(const std::vector<CellFace>& overfull, const BodyMesh& body,
                    const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context) {
  Offenders bad;
  for (const CellFace& face : overfull)
    bad.add(cell_tags[static_cast<std::size_t>(body.cell_ids[static_cast<std::size_t>(face.cell)])]);
  if (bad.count() > 0)
    fail("faces that more than two tetrahedra share, among them those with tags " + bad.text(), context,
         "The mesh overlaps itself: remove the doubled elements, or mesh again.");
}

void warn_of_doubts(BodyMesh& body) {
  std::array<double, 3> low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (std::size_t i = 0; i < body.points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], body.points[i]);
    high[i % 3] = std::max(high[i % 3], body.points[i]);
  }
  const double diagonal = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  char size[32];
  std::snprintf(size, sizeof size, "%.3g", diagonal);
  if (diagonal > suspiciously_long)
    body.warnings.push_back("it is " + std::string(size) +
                            " m across; a file in millimeters needs transform: {scale: 0.001}");
  if (diagonal < suspiciously_short)
    body.warnings.push_back("it is only " + std::string(size) + " m across; check the scale of the transform");

  std::vector<LocalIndex> order(body.node_ids.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](LocalIndex n) {
    const double* x = &body.points[3 * std::size_t(n)];
    return std::array<double, 3>{x[0], x[1], x[2]};
  };
  std::sort(order.begin(), order.end(), [&](LocalIndex a, LocalIndex b) { return place(a) < place(b); });
  std::size_t doubled = 0, example = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (place(order[i]) == place(order[i - 1])) {
      ++doubled;
      example = std::size_t(order[i]);
    }
  if (doubled > 0)
    body.warnings.push_back(std::to_string(doubled) + " nodes lie exactly on another one (for example node " +
                            std::to_string(body.node_ids[example]) +
                            "): what meets there is not connected; in Gmsh, Coherence Mesh joins them");
}

} // namespace limber::mesh
