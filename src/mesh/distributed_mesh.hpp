#pragma once
/// The mesh that a rank keeps: the nodes it owns, every cell and boundary face that touches one of them, and the ghosts
/// of those. Cells are tetrahedra with 4 or 10 nodes, triangles with 3 and springs with 2.

#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include "base/petsc.hpp"
#include "base/types.hpp"
#include "mesh/cell_kind.hpp"

namespace limber::mesh {

/// What is known of a body on every rank.
struct BodyInfo {
  std::string name;
  GlobalIndex first_node_id = 0; ///< node_id of the body's node 0 of the file
  GlobalIndex first_cell_id = 0;
  GlobalIndex nodes = 0; ///< used nodes
  GlobalIndex cells = 0;
  GlobalIndex file_nodes = 0; ///< node ids run from first_node_id to first_node_id + file_nodes
  GlobalIndex faces = 0;      ///< of the boundary
  std::int32_t order = 1;     ///< of tetrahedra: 1: cells with 4 nodes; 2: with 10, in the order of VTK_QUADRATIC_TETRA
  std::int32_t first_piece = 0, pieces = 0; ///< parts that share no node (DistributedMesh::node_pieces)
  BodyKind kind = BodyKind::solid;
  double thickness = 0.0; ///< of shells [m]
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
  std::vector<std::int32_t> node_pieces; ///< unique over bodies

  // Per cell that touches an owned node. Vertices keep the order of the input mesh (the canonical order).
  // Counted cells (first vertex owned here) come first.
  LocalIndex counted_cells = 0;
  std::vector<LocalIndex> cell_offsets; ///< cell_count() + 1
  std::vector<LocalIndex> cells;        ///< local nodes of all cells, one cell after the other
  std::vector<GlobalIndex> cell_ids;
  std::vector<std::int32_t> cell_bodies;
  std::vector<std::int32_t> cell_groups;
  std::vector<double> cell_volumes; ///< springs: the part of the body's volume each stands for [m³]; other cells: 0

  // Per boundary face that touches an owned node; counted ones (first node owned here) come first.
  LocalIndex counted_faces = 0;
  std::vector<LocalIndex> face_offsets; ///< face_count() + 1
  std::vector<LocalIndex> faces; ///< 3 or 6 local nodes a face (mesh/tetrahedron_topology.hpp); triangles of shells
  std::vector<std::int32_t> face_bodies;
  std::vector<LocalIndex> face_group_offsets;   ///< face_count() + 1
  std::vector<std::int32_t> face_group_indices; ///< indices into groups

  std::vector<BodyInfo> bodies;
  std::vector<GroupInfo> groups;
  std::vector<LocalIndex> group_offsets;   ///< local_nodes + 1
  std::vector<std::int32_t> group_indices; ///< indices into groups

  base::SfHandle ghost_exchange; ///< roots: owned nodes; leaves: ghosts, at their local index

  LocalIndex cell_count() const { return static_cast<LocalIndex>(cell_ids.size()); }
  bool owns(LocalIndex node) const { return node < owned_nodes; }
  std::span<const std::int32_t> groups_of(LocalIndex node) const { return row(group_indices, group_offsets, node); }
  std::span<const LocalIndex> cell(LocalIndex c) const { return row(cells, cell_offsets, c); }
  LocalIndex face_count() const { return static_cast<LocalIndex>(face_bodies.size()); }
  std::span<const LocalIndex> face(LocalIndex f) const { return row(faces, face_offsets, f); }
  std::span<const std::int32_t> groups_of_face(LocalIndex f) const {
    return row(face_group_indices, face_group_offsets, f);
  }

  /// Copies owners' values to ghosts; `values` holds `components` numbers per local node. Collective.
  void update_ghosts(std::vector<double>& values, int components = 3) const;

private:
  template <class T>
  static std::span<const T> row(const std::vector<T>& values, const std::vector<LocalIndex>& offsets, LocalIndex i) {
    const auto begin = std::size_t(offsets[std::size_t(i)]), end = std::size_t(offsets[std::size_t(i) + 1]);
    return {values.data() + begin, end - begin};
  }
};

} // namespace limber::mesh
