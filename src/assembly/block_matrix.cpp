#include "assembly/block_matrix.hpp"

#include <algorithm>
#include <limits>

namespace limber::assembly {
namespace {

/// Scalar rows of the pattern, for PETSc's preallocation.
struct ScalarPattern {
  std::vector<PetscInt> offsets{0}, columns;
};

ScalarPattern expand(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity) {
  ScalarPattern pattern;
  pattern.columns.reserve(9 * sparsity.columns.size());
  for (LocalIndex row = 0; row < mesh.owned_nodes; ++row)
    for (int i = 0; i < 3; ++i) {
      for (auto e = sparsity.offsets[std::size_t(row)]; e < sparsity.offsets[std::size_t(row) + 1]; ++e) {
        const GlobalIndex number = mesh.global_numbers[std::size_t(sparsity.columns[std::size_t(e)])];
        for (int j = 0; j < 3; ++j) pattern.columns.push_back(base::to_petsc_int(3 * number + j));
      }
      pattern.offsets.push_back(base::to_petsc_int(GlobalIndex(pattern.columns.size())));
    }
  return pattern;
}

std::size_t stored_values(Mat sequential) {
  MatInfo info;
  LIMBER_PETSC(MatGetInfo(sequential, MAT_LOCAL, &info));
  return std::size_t(info.nz_used);
}

} // namespace

BlockMatrix::BlockMatrix(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity) {
  const PetscInt local = base::to_petsc_int(3 * GlobalIndex(mesh.owned_nodes));
  const PetscInt global = base::to_petsc_int(3 * mesh.global_nodes);
  LIMBER_PETSC(MatCreate(mesh.comm, matrix_.out()));
  LIMBER_PETSC(MatSetSizes(matrix_, local, local, global, global));
  LIMBER_PETSC(MatSetBlockSize(matrix_, 3));
  LIMBER_PETSC(MatSetType(matrix_, MATAIJ));
  base::set_from_options(mesh.comm, "-mat_type", [&] { LIMBER_PETSC(MatSetFromOptions(matrix_)); });
  PetscBool sequential = PETSC_FALSE, parallel = PETSC_FALSE;
  LIMBER_PETSC(PetscObjectBaseTypeCompare((PetscObject)matrix_.get(), MATSEQAIJ, &sequential));
  LIMBER_PETSC(PetscObjectBaseTypeCompare((PetscObject)matrix_.get(), MATMPIAIJ, &parallel));
  if (!sequential && !parallel) {
    MatType type = nullptr;
    LIMBER_PETSC(MatGetType(matrix_, &type));
    throw base::UserError(std::string("matrix type '") + type + "' cannot be used",
                          {.file = {},
                           .line = 0,
                           .key = "-mat_type",
                           .advice = "Choose aij or one of its relatives, such as aijcusparse."});
  }
  {
    const ScalarPattern pattern = expand(mesh, sparsity);
    if (sequential)
      LIMBER_PETSC(MatSeqAIJSetPreallocationCSR(matrix_, pattern.offsets.data(), pattern.columns.data(), nullptr));
    else LIMBER_PETSC(MatMPIAIJSetPreallocationCSR(matrix_, pattern.offsets.data(), pattern.columns.data(), nullptr));
  }
  LIMBER_PETSC(MatSetOption(matrix_, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  LIMBER_PETSC(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
#if PETSC_VERSION_GE(3, 18, 0)
  LIMBER_PETSC(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
#endif
  if (parallel) LIMBER_PETSC(MatMPIAIJGetSeqAIJ(matrix_, &owned_part_, &ghost_part_, nullptr));
  else owned_part_ = matrix_;

  // PETSc stores each part's rows by increasing column, ghost columns compressed in the same order; the nodal pattern
  // is sorted likewise, so that the place of a block follows from counting.
  slots_.resize(sparsity.columns.size());
  owned_length_.assign(std::size_t(mesh.owned_nodes), 0);
  ghost_length_.assign(std::size_t(mesh.owned_nodes), 0);
  for (LocalIndex row = 0; row < mesh.owned_nodes; ++row) {
    LocalIndex owned = 0, ghosts = 0;
    for (auto e = sparsity.offsets[std::size_t(row)]; e < sparsity.offsets[std::size_t(row) + 1]; ++e) {
      if (mesh.owns(sparsity.columns[std::size_t(e)])) slots_[std::size_t(e)] = LocalIndex(owned_values_) + 3 * owned++;
      else slots_[std::size_t(e)] = ~(LocalIndex(ghost_values_) + 3 * ghosts++);
    }
    owned_length_[std::size_t(row)] = 3 * owned;
    ghost_length_[std::size_t(row)] = 3 * ghosts;
    owned_values_ += 9 * std::size_t(owned);
    ghost_values_ += 9 * std::size_t(ghosts);
  }
  if (std::max(owned_values_, ghost_values_) > std::size_t(std::numeric_limits<LocalIndex>::max()))
    throw base::UserError("a rank's part of the matrix has more than 2^31 entries",
                          {.file = {}, .line = 0, .key = {}, .advice = "Use more ranks."});
  if (stored_values(owned_part_) != owned_values_ || (ghost_part_ && stored_values(ghost_part_) != ghost_values_))
    throw base::InternalError("the matrix does not store the nodal pattern as expected");
}

BlockMatrix::Writer BlockMatrix::begin() {
  Writer writer;
  writer.owned_length_ = owned_length_.data();
  writer.ghost_length_ = ghost_length_.data();
  LIMBER_PETSC(MatSeqAIJGetArray(owned_part_, &writer.owned_));
  std::fill_n(writer.owned_, owned_values_, 0.0);
  if (ghost_part_) {
    LIMBER_PETSC(MatSeqAIJGetArray(ghost_part_, &writer.ghost_));
    std::fill_n(writer.ghost_, ghost_values_, 0.0);
  }
  return writer;
}

void BlockMatrix::end(Writer& writer) {
  LIMBER_PETSC(MatSeqAIJRestoreArray(owned_part_, &writer.owned_));
  if (ghost_part_) LIMBER_PETSC(MatSeqAIJRestoreArray(ghost_part_, &writer.ghost_));
  LIMBER_PETSC(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  LIMBER_PETSC(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

} // namespace limber::assembly
