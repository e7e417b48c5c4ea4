#include "mesh/element_order.hpp"

#include <algorithm>
#include <utility>

#include "mesh/tetrahedron_topology.hpp"

namespace limber::mesh {
namespace {

using Edge = std::pair<LocalIndex, LocalIndex>;

Edge edge_between(LocalIndex a, LocalIndex b) { return {std::min(a, b), std::max(a, b)}; }

std::vector<Edge> edges_of_cells(const ExtractedMesh& mesh) {
  std::vector<Edge> edges;
  edges.reserve(6 * mesh.cell_tags.size());
  for (std::size_t c = 0; c < mesh.cell_tags.size(); ++c)
    for (const auto& [a, b] : tetrahedron_edges)
      edges.push_back(edge_between(mesh.cells[4 * c + std::size_t(a)], mesh.cells[4 * c + std::size_t(b)]));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

void add_edge_nodes(ExtractedGroup& group, const std::vector<Edge>& edges, LocalIndex first_new) {
  const auto add = [&](LocalIndex a, LocalIndex b) {
    const auto edge = edge_between(a, b);
    const auto found = std::lower_bound(edges.begin(), edges.end(), edge);
    if (found != edges.end() && *found == edge) group.nodes.push_back(first_new + LocalIndex(found - edges.begin()));
  };
  for (std::size_t i = 0; i + 1 < group.lines.size(); i += 2) add(group.lines[i], group.lines[i + 1]);
  for (std::size_t i = 0; i + 2 < group.triangles.size(); i += 3)
    for (std::size_t k = 0; k < 3; ++k) add(group.triangles[i + k], group.triangles[i + (k + 1) % 3]);
  if (group.dimension == 3) {
    const auto corners = group.nodes;
    const auto has = [&](LocalIndex node) { return std::binary_search(corners.begin(), corners.end(), node); };
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (has(edges[e].first) && has(edges[e].second)) group.nodes.push_back(first_new + LocalIndex(e));
  }
  std::sort(group.nodes.begin(), group.nodes.end());
  group.nodes.erase(std::unique(group.nodes.begin(), group.nodes.end()), group.nodes.end());
}

} // namespace

void raise_order(ExtractedMesh& mesh) {
  const auto edges = edges_of_cells(mesh);
  const auto first_new = LocalIndex(mesh.node_tags.size());
  std::size_t tag = mesh.node_tags.empty() ? 0 : mesh.node_tags.back();
  for (const auto& [a, b] : edges) {
    mesh.node_tags.push_back(++tag);
    for (std::size_t k = 0; k < 3; ++k)
      mesh.points.push_back(0.5 * (mesh.points[3 * std::size_t(a) + k] + mesh.points[3 * std::size_t(b) + k]));
  }
  for (ExtractedGroup& group : mesh.groups) add_edge_nodes(group, edges, first_new);

  std::vector<LocalIndex> cells;
  cells.reserve(10 * mesh.cell_tags.size());
  for (std::size_t c = 0; c < mesh.cell_tags.size(); ++c) {
    const LocalIndex* const v = &mesh.cells[4 * c];
    cells.insert(cells.end(), v, v + 4);
    for (const auto& [a, b] : tetrahedron_edges)
      cells.push_back(first_new + LocalIndex(std::lower_bound(edges.begin(), edges.end(), edge_between(v[a], v[b])) -
                                             edges.begin()));
  }
  mesh.cells = std::move(cells);
  mesh.order = 2;
}

void lower_order(ExtractedMesh& mesh) {
  std::vector<LocalIndex> cells;
  cells.reserve(4 * mesh.cell_tags.size());
  for (std::size_t c = 0; c < mesh.cell_tags.size(); ++c)
    cells.insert(cells.end(), mesh.cells.begin() + std::ptrdiff_t(10 * c),
                 mesh.cells.begin() + std::ptrdiff_t(10 * c + 4));
  mesh.cells = std::move(cells);
  mesh.order = 1;
}

} // namespace limber::mesh
