#pragma once
/// Moves values at nodes between the ranks that own the nodes and contiguous blocks in the order of the input mesh.

#include <vector>

#include "base/petsc.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::output {

/// Rank r holds the block of ordinals [first, first + count); the blocks of all ranks together are all nodes, equally
/// many on each rank up to one, whoever owns them.
class NodeBlocks {
public:
  /// Collective.
  NodeBlocks(MPI_Comm comm, const mesh::DistributedMesh& mesh);

  GlobalIndex global_nodes() const { return global_nodes_; }
  GlobalIndex first() const { return first_; }
  LocalIndex count() const { return count_; }
  LocalIndex owned_nodes() const { return owned_nodes_; }

  /// `components` numbers for each node of this rank's block, from those of the owned nodes at the front of `values`.
  /// Collective.
  std::vector<double> to_blocks(const std::vector<double>& values, int components) const;

  /// The reverse; the rest of `values` is left alone. Collective.
  void from_blocks(const std::vector<double>& block, int components, std::vector<double>& values) const;

private:
  base::SfHandle exchange_; ///< roots: the block; leaves: owned nodes
  GlobalIndex global_nodes_ = 0;
  GlobalIndex first_ = 0;
  LocalIndex count_ = 0;
  LocalIndex owned_nodes_ = 0;
};

} // namespace limber::output
