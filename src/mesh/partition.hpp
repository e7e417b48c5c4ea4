#pragma once
/// Partition of the nodal graph, where the mesh is read.

#include <string>
#include <vector>

#include "base/types.hpp"

namespace limber::mesh {

struct PartitionOptions {
  std::string kind = "metis"; ///< metis | curve | random
  int seed = 1;
};

/// Nodes are adjacent if they share a cell; weights are the work at a node.
struct NodalGraph {
  std::vector<GlobalIndex> offsets;  ///< nodes + 1
  std::vector<LocalIndex> neighbors; ///< increasing in each row, without the node itself
  std::vector<LocalIndex> weights;   ///< Σ of the work of the cells at the node, at least 1
  LocalIndex node_count() const { return static_cast<LocalIndex>(weights.size()); }
};

/// \param offsets,cells nodes of cell c: cells[offsets[c]] … cells[offsets[c + 1] − 1]
NodalGraph nodal_graph(LocalIndex nodes, const std::vector<LocalIndex>& offsets, const std::vector<LocalIndex>& cells);

/// Registers METIS as the MatPartitioning type "limber_metis" (once). PETSc must be initialized.
void register_metis_partitioning();

/// Partition by a MatPartitioning type on this process alone (PETSC_COMM_SELF). "limber_metis" gives the same answer in
/// every run; -mat_partitioning_type on the command line overrides the type. Parts may be empty.
/// \return part of each node
std::vector<int> partition_graph(const NodalGraph& graph, int parts, const std::string& type, int seed);

/// Partition as the options say. \param points 3 per node
std::vector<int> partition_nodes(const NodalGraph& graph, const std::vector<double>& points, int parts,
                                 const PartitionOptions& options);

/// Edges between different parts.
GlobalIndex edge_cut(const NodalGraph& graph, const std::vector<int>& parts);

} // namespace limber::mesh
