#include "mesh/partition.hpp"

#include <algorithm>
#include <numeric>
#include <petscmat.h>
#include <random>

#include "base/petsc.hpp"
#include "mesh/space_filling_curve.hpp"

namespace limber::mesh {
namespace {

/// Cuts the curve into pieces of equal weight.
std::vector<int> partition_curve(const NodalGraph& graph, const std::vector<double>& points, int parts) {
  const auto keys = hilbert_keys(points);
  std::vector<LocalIndex> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](LocalIndex a, LocalIndex b) {
    return keys[std::size_t(a)] != keys[std::size_t(b)] ? keys[std::size_t(a)] < keys[std::size_t(b)] : a < b;
  });
  const double total = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
  std::vector<int> result(keys.size());
  double before = 0.0;
  for (LocalIndex node : order) {
    const double middle = before + 0.5 * graph.weights[std::size_t(node)];
    result[std::size_t(node)] = std::min(parts - 1, int(middle / total * parts));
    before += graph.weights[std::size_t(node)];
  }
  return result;
}

} // namespace

NodalGraph nodal_graph(LocalIndex nodes, const std::vector<LocalIndex>& offsets, const std::vector<LocalIndex>& cells) {
  // A quadratic tetrahedron takes about ten times as long as a linear one (bench_kernels).
  const auto work = [](std::size_t width) { return width == 4 ? 1 : 10; };
  NodalGraph graph;
  graph.weights.assign(std::size_t(nodes), 0);
  std::vector<GlobalIndex> begin(std::size_t(nodes) + 1, 0);
  for (LocalIndex v : cells) ++begin[std::size_t(v) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<LocalIndex> incident(cells.size());
  auto cursor = begin;
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c)
    for (auto i = std::size_t(offsets[c]); i < std::size_t(offsets[c + 1]); ++i) {
      incident[std::size_t(cursor[std::size_t(cells[i])]++)] = LocalIndex(c);
      graph.weights[std::size_t(cells[i])] += work(std::size_t(offsets[c + 1] - offsets[c]));
    }

  graph.offsets.assign(std::size_t(nodes) + 1, 0);
  std::vector<LocalIndex> row;
  for (LocalIndex n = 0; n < nodes; ++n) {
    row.clear();
    for (auto i = begin[std::size_t(n)]; i < begin[std::size_t(n) + 1]; ++i) {
      const auto c = std::size_t(incident[std::size_t(i)]);
      for (auto k = std::size_t(offsets[c]); k < std::size_t(offsets[c + 1]); ++k)
        if (cells[k] != n) row.push_back(cells[k]);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    graph.neighbors.insert(graph.neighbors.end(), row.begin(), row.end());
    graph.offsets[std::size_t(n) + 1] = GlobalIndex(graph.neighbors.size());
  }
  for (auto& w : graph.weights) w = std::max(w, 1);
  return graph;
}

std::vector<int> partition_graph(const NodalGraph& graph, int parts, const std::string& type, int seed) {
  register_metis_partitioning();
  const PetscInt n = graph.node_count();
  PetscInt *ia = nullptr, *ja = nullptr, *weights = nullptr; // PETSc frees these
  LIMBER_PETSC(PetscMalloc1(std::size_t(n) + 1, &ia));
  LIMBER_PETSC(PetscMalloc1(graph.neighbors.size() + 1, &ja));
  LIMBER_PETSC(PetscMalloc1(std::size_t(n) + 1, &weights));
  for (std::size_t i = 0; i < graph.offsets.size(); ++i) ia[i] = base::to_petsc_int(graph.offsets[i]);
  std::copy(graph.neighbors.begin(), graph.neighbors.end(), ja);
  std::copy(graph.weights.begin(), graph.weights.end(), weights);

  base::MatHandle adjacency;
  LIMBER_PETSC(MatCreateMPIAdj(PETSC_COMM_SELF, n, n, ia, ja, nullptr, adjacency.out()));
  LIMBER_PETSC(PetscOptionsSetValue(nullptr, "-limber_partition_seed", std::to_string(seed).c_str()));
  MatPartitioning partitioning = nullptr;
  IS is = nullptr;
  LIMBER_PETSC(MatPartitioningCreate(PETSC_COMM_SELF, &partitioning));
  LIMBER_PETSC(MatPartitioningSetAdjacency(partitioning, adjacency));
  LIMBER_PETSC(MatPartitioningSetVertexWeights(partitioning, weights));
  LIMBER_PETSC(MatPartitioningSetNParts(partitioning, parts));
  LIMBER_PETSC(MatPartitioningSetType(partitioning, type.c_str()));
  LIMBER_PETSC(MatPartitioningSetFromOptions(partitioning));
  LIMBER_PETSC(MatPartitioningApply(partitioning, &is));
  const PetscInt* indices = nullptr;
  LIMBER_PETSC(ISGetIndices(is, &indices));
  std::vector<int> result(indices, indices + n);
  LIMBER_PETSC(ISRestoreIndices(is, &indices));
  LIMBER_PETSC(ISDestroy(&is));
  LIMBER_PETSC(MatPartitioningDestroy(&partitioning));
  return result;
}

std::vector<int> partition_nodes(const NodalGraph& graph, const std::vector<double>& points, int parts,
                                 const PartitionOptions& options) {
  if (parts == 1) return std::vector<int>(std::size_t(graph.node_count()), 0);
  if (options.kind == "curve") return partition_curve(graph, points, parts);
  if (options.kind == "random") {
    std::mt19937 generator(static_cast<std::uint32_t>(options.seed));
    std::vector<int> result(std::size_t(graph.node_count()));
    for (int& part : result) part = int(generator() % std::uint32_t(parts)); // the same on every standard library
    return result;
  }
  return partition_graph(graph, parts, "limber_metis", options.seed);
}

GlobalIndex edge_cut(const NodalGraph& graph, const std::vector<int>& parts) {
  GlobalIndex cut = 0;
  for (LocalIndex n = 0; n < graph.node_count(); ++n)
    for (auto i = graph.offsets[std::size_t(n)]; i < graph.offsets[std::size_t(n) + 1]; ++i)
      cut += parts[std::size_t(n)] != parts[std::size_t(graph.neighbors[std::size_t(i)])] ? 1 : 0;
  return cut / 2;
}

} // namespace limber::mesh
