#pragma once
/// The PETSc matrix of the Newton system, with 3×3 blocks, written through slots computed once: no search, no stash and
/// no communication on assembly. Rows are complete on their owner (the parallel rule, docs/design.md).

#include <array>
#include <vector>

#include "assembly/nodal_sparsity.hpp"
#include "base/petsc.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::assembly {

class BlockMatrix {
public:
  /// The type comes from -mat_type, which must be in the AIJ family (aij by default, aijcusparse on a GPU).
  /// Throws UserError otherwise. Collective.
  BlockMatrix(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity);

  Mat get() const { return matrix_; }

  /// Where the 3×3 block (row, column) starts; rows are owned nodes. Non-negative: in the part that couples to owned
  /// nodes; negative: ~slot is in the part that couples to ghosts.
  /// \param entry position in the nodal sparsity
  LocalIndex slot(LocalIndex entry) const { return slots_[std::size_t(entry)]; }

  /// Access to the values between begin() and end(). Collective as a pair.
  class Writer {
  public:
    /// Adds to entry (i, j) of a block.
    void add(LocalIndex row, LocalIndex slot, int i, int j, double value) {
      if (slot >= 0) owned_[slot + i * owned_length_[row] + j] += value;
      else ghost_[~slot + i * ghost_length_[row] + j] += value;
    }
    /// First entry of row i of a block; entries j = 0, 1, 2 follow.
    double* row_of_block(LocalIndex row, LocalIndex slot, int i) {
      return slot >= 0 ? owned_ + slot + i * owned_length_[row] : ghost_ + ~slot + i * ghost_length_[row];
    }

  private:
    friend class BlockMatrix;
    double* owned_ = nullptr;
    double* ghost_ = nullptr;
    const LocalIndex* owned_length_ = nullptr;
    const LocalIndex* ghost_length_ = nullptr;
  };
  Writer begin(); ///< all values are zero afterwards
  void end(Writer& writer);

private:
  base::MatHandle matrix_;
  Mat owned_part_ = nullptr,
      ghost_part_ = nullptr;      ///< sequential parts, owned by matrix_; ghost_part_ on several ranks
  std::vector<LocalIndex> slots_; ///< per entry of the nodal sparsity
  std::vector<LocalIndex> owned_length_, ghost_length_; ///< per owned node: scalar entries in each of its rows
  std::size_t owned_values_ = 0, ghost_values_ = 0;
};

} // namespace limber::assembly
