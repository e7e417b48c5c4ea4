/// METIS as a MatPartitioning type. PETSc's own ParMETIS type needs a library that Debian does not ship, and PT-Scotch
/// gives another partition in every run. Registering a type needs PETSc's private header: it stays in this file.

#include <metis.h>
#include <petsc/private/matimpl.h>

#include "mesh/partition.hpp"

#if !PETSC_VERSION_GE(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

namespace limber::mesh {
namespace {

constexpr const char* seed_option = "-limber_partition_seed";

PetscErrorCode apply_metis(MatPartitioning part, IS* partitioning) {
  PetscFunctionBegin;
  PetscInt rows = 0;
  const PetscInt *ia = nullptr, *ja = nullptr;
  PetscBool done = PETSC_FALSE;
  PetscCall(MatGetRowIJ(part->adj, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "METIS partitioning needs an adjacency matrix on one process");

  const PetscInt n = rows; // MatRestoreRowIJ resets what it is given
  std::vector<idx_t> offsets(ia, ia + n + 1), neighbors(ja, ja + ia[n]), weights, parts(std::size_t(n), 0);
  if (part->vertex_weights) weights.assign(part->vertex_weights, part->vertex_weights + n);
  PetscCall(MatRestoreRowIJ(part->adj, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));

  PetscInt seed = 1;
  PetscCall(PetscOptionsGetInt(((PetscObject)part)->options, nullptr, seed_option, &seed, nullptr));
  if (part->n > n) {
    for (PetscInt i = 0; i < n; ++i) parts[std::size_t(i)] = idx_t(i); // METIS wants at least one vertex a part
  } else if (part->n > 1) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = idx_t(seed);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_NCUTS] = 4; // the best of four: 5 to 10 % fewer cut edges for little time
    idx_t vertices = idx_t(n), constraints = 1, count = idx_t(part->n), cut = 0;
    auto* method = part->n <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
    const int status =
        method(&vertices, &constraints, offsets.data(), neighbors.data(), weights.empty() ? nullptr : weights.data(),
               nullptr, nullptr, &count, nullptr, nullptr, options, &cut, parts.data());
    PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS failed with status %d", status);
  }

  std::vector<PetscInt> result(parts.begin(), parts.end());
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)part), n, result.data(), PETSC_COPY_VALUES, partitioning));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_metis(MatPartitioning part) {
  PetscFunctionBegin;
  part->ops->apply = apply_metis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void register_metis_partitioning() { MatPartitioningRegister("limber_metis", create_metis); }

} // namespace limber::mesh
