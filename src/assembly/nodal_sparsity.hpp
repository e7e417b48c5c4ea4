#pragma once
/// Which nodes share a stencil: the block pattern of the Hessian and the pattern of the mass matrix.

#include <vector>

#include "mesh/distributed_mesh.hpp"

namespace limber::assembly {

/// One row per owned node, columns are local nodes in increasing global number.
struct NodalSparsity {
  std::vector<LocalIndex> offsets; ///< owned_nodes + 1
  std::vector<LocalIndex> columns;

  /// Position of column `node` in the row; the pair must be in the pattern.
  LocalIndex find(const mesh::DistributedMesh& mesh, LocalIndex row, LocalIndex node) const;
};

NodalSparsity nodal_sparsity(const mesh::DistributedMesh& mesh);

} // namespace limber::assembly
