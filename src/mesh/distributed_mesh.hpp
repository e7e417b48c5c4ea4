#pragma once
/// The mesh that a rank keeps: the nodes it owns, every cell that touches one of them, and the ghosts of those.

#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include "base/petsc.hpp"
#include "base/types.hpp"

namespace limber::mesh {

/// What is known of a body on every rank.
struct BodyInfo {
  std::string name;
  GlobalIndex first_node_id = 0; ///< node_id of the body's node 0 of the file
  GlobalIndex first_cell_id = 0;
  GlobalIndex nodes = 0; ///< used nodes
  GlobalIndex cells = 0;
  GlobalIndex file_nodes = 0; ///< node ids run from first_node_id to first_node_id + file_nodes
};

/// A physical group, known on every rank by name only; its nodes through DistributedMesh::groups_of.
struct GroupInfo {
  int body = 0;
  std::string name;
  int dimension = 3;
  int tag = 0;
};

struct DistributedMesh {
  MPI_Comm comm = MPI_COMM_NULL;
  GlobalIndex global_nodes = 0;
  GlobalIndex global_cells = 0;
  GlobalIndex first_owned = 0; ///< global number of local node 0; owned nodes are numbered contiguously
  LocalIndex owned_nodes = 0;
  LocalIndex local_nodes = 0; ///< owned first, sorted in space; then ghosts, by increasing global number

  // Per local node.
  std::vector<double> rest_positions;      ///< 3 per node [m]
  std::vector<GlobalIndex> global_numbers; ///< numbering of vectors and matrices
  std::vector<GlobalIndex> node_ids;       ///< id of the input mesh, unique over bodies
  std::vector<GlobalIndex> ordinals;       ///< rank of node_id among all used nodes: 0 … global_nodes-1
  std::vector<std::int32_t> node_bodies;

  // Per cell that touches an owned node. Vertices keep the order of the input mesh (the canonical order).
  // Counted cells (first vertex owned here) come first.
  LocalIndex counted_cells = 0;
  std::vector<LocalIndex> cells; ///< 4 local nodes per cell
  std::vector<GlobalIndex> cell_ids;
  std::vector<std::int32_t> cell_bodies;
  std::vector<std::int32_t> cell_groups;

  std::vector<BodyInfo> bodies;
  std::vector<GroupInfo> groups;
  std::vector<LocalIndex> group_offsets;   ///< local_nodes + 1
  std::vector<std::int32_t> group_indices; ///< indices into groups

  base::SfHandle ghost_exchange; ///< roots: owned nodes; leaves: ghosts, at their local index

  LocalIndex cell_count() const { return static_cast<LocalIndex>(cell_ids.size()); }
  bool owns(LocalIndex node) const { return node < owned_nodes; }
  std::span<const std::int32_t> groups_of(LocalIndex node) const {
    return {group_indices.data() + group_offsets[node],
            static_cast<std::size_t>(group_offsets[node + 1] - group_offsets[node])};
  }
  std::span<const LocalIndex> cell(LocalIndex c) const { return {cells.data() + 4 * std::size_t(c), 4}; }

  /// Copies owners' values to ghosts; `values` holds 3 numbers per local node. Collective.
  void update_ghosts(std::vector<double>& values) const;
};

} // namespace limber::mesh
