#include "solvers/gathered_cholesky.hpp"

#include <cholmod.h>

#include "base/collective.hpp"

namespace limber::solvers {
namespace {

/// CHOLMOD has one set of functions for 32-bit indices and one for 64-bit ones; PETSc's width decides.
constexpr bool wide = sizeof(PetscInt) == 8;
int start(cholmod_common* c) { return wide ? cholmod_l_start(c) : cholmod_start(c); }
int finish(cholmod_common* c) { return wide ? cholmod_l_finish(c) : cholmod_finish(c); }
cholmod_factor* analyze(cholmod_sparse* a, cholmod_common* c) {
  return wide ? cholmod_l_analyze(a, c) : cholmod_analyze(a, c);
}
int factorize(cholmod_sparse* a, cholmod_factor* l, cholmod_common* c) {
  return wide ? cholmod_l_factorize(a, l, c) : cholmod_factorize(a, l, c);
}
cholmod_dense* solve_system(cholmod_factor* l, cholmod_dense* b, cholmod_common* c) {
  return wide ? cholmod_l_solve(CHOLMOD_A, l, b, c) : cholmod_solve(CHOLMOD_A, l, b, c);
}
void free_factor(cholmod_factor** l, cholmod_common* c) {
  if (*l) wide ? cholmod_l_free_factor(l, c) : cholmod_free_factor(l, c);
}
void free_dense(cholmod_dense** x, cholmod_common* c) { wide ? cholmod_l_free_dense(x, c) : cholmod_free_dense(x, c); }

} // namespace

struct GatheredCholesky::Implementation {
  cholmod_common common{};
  cholmod_factor* factor = nullptr;
  PetscObjectId source = 0; ///< matrix that `gathered` was made for; an address may come back for another one
  Mat* gathered = nullptr;  ///< one sequential matrix on rank 0, none elsewhere
  IS rows = nullptr;
  VecScatter to_root = nullptr;
  Vec on_root = nullptr;

  Implementation() {
    start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SUPERNODAL; // LLᵀ: notices what is not positive definite
    common.quick_return_if_not_posdef = 1;
  }
  ~Implementation() {
    forget();
    finish(&common);
  }
  void forget() {
    free_factor(&factor, &common);
    if (gathered) MatDestroySubMatrices(rows ? 1 : 0, &gathered);
    ISDestroy(&rows);
    VecScatterDestroy(&to_root);
    VecDestroy(&on_root);
    source = 0;
  }
  void gather(Mat matrix);
};

void GatheredCholesky::Implementation::gather(Mat matrix) {
  MPI_Comm comm = MPI_COMM_NULL;
  LIMBER_PETSC(PetscObjectGetComm((PetscObject)matrix, &comm));
  const bool root = base::rank(comm) == 0;
  PetscObjectId id = 0;
  LIMBER_PETSC(PetscObjectGetId((PetscObject)matrix, &id));
  const bool again = source == id;
  if (!again) {
    forget();
    PetscInt n = 0;
    LIMBER_PETSC(MatGetSize(matrix, &n, nullptr));
    if (root) LIMBER_PETSC(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &rows));
    Vec model = nullptr;
    LIMBER_PETSC(MatCreateVecs(matrix, &model, nullptr));
    LIMBER_PETSC(VecScatterCreateToZero(model, &to_root, &on_root));
    LIMBER_PETSC(VecDestroy(&model));
  }
  LIMBER_PETSC(MatCreateSubMatrices(matrix, root ? 1 : 0, &rows, &rows, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX,
                                    &gathered));
  source = id;
}

GatheredCholesky::GatheredCholesky() : implementation_(std::make_unique<Implementation>()) {}
GatheredCholesky::~GatheredCholesky() = default;

bool GatheredCholesky::factor(Mat matrix) {
  auto& self = *implementation_;
  self.gather(matrix);
  int good = 1;
  if (self.rows) {
    PetscInt n = 0;
    const PetscInt *ia = nullptr, *ja = nullptr;
    PetscBool done = PETSC_FALSE;
    PetscScalar* values = nullptr;
    Mat local = self.gathered[0];
    LIMBER_PETSC(MatGetRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
    LIMBER_PETSC(MatSeqAIJGetArray(local, &values));
    // Rows of a symmetric matrix are its columns; CHOLMOD reads the upper triangle (stype 1) and skips the rest.
    cholmod_sparse a{};
    a.nrow = a.ncol = std::size_t(n);
    a.nzmax = std::size_t(ia[n]);
    a.p = const_cast<PetscInt*>(ia);
    a.i = const_cast<PetscInt*>(ja);
    a.x = values;
    a.stype = 1;
    a.itype = wide ? CHOLMOD_LONG : CHOLMOD_INT;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = 1;
    a.packed = 1;
    if (!self.factor) self.factor = analyze(&a, &self.common);
    const bool factored = self.factor && factorize(&a, self.factor, &self.common);
    good = factored && self.common.status == CHOLMOD_OK && self.factor->minor == self.factor->n ? 1 : 0;
    LIMBER_PETSC(MatSeqAIJRestoreArray(local, &values));
    LIMBER_PETSC(MatRestoreRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  }
  MPI_Comm comm = MPI_COMM_NULL;
  LIMBER_PETSC(PetscObjectGetComm((PetscObject)matrix, &comm));
  MPI_Bcast(&good, 1, MPI_INT, 0, comm);
  return good == 1;
}

void GatheredCholesky::solve(Vec rhs, Vec solution) {
  auto& self = *implementation_;
  LIMBER_PETSC(VecScatterBegin(self.to_root, rhs, self.on_root, INSERT_VALUES, SCATTER_FORWARD));
  LIMBER_PETSC(VecScatterEnd(self.to_root, rhs, self.on_root, INSERT_VALUES, SCATTER_FORWARD));
  if (self.rows) {
    PetscInt n = 0;
    PetscScalar* values = nullptr;
    LIMBER_PETSC(VecGetLocalSize(self.on_root, &n));
    LIMBER_PETSC(VecGetArray(self.on_root, &values));
    cholmod_dense b{};
    b.nrow = b.d = b.nzmax = std::size_t(n);
    b.ncol = 1;
    b.x = values;
    b.xtype = CHOLMOD_REAL;
    b.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* x = solve_system(self.factor, &b, &self.common);
    if (x) std::copy_n(static_cast<double*>(x->x), n, values);
    if (x) free_dense(&x, &self.common);
    LIMBER_PETSC(VecRestoreArray(self.on_root, &values));
  }
  LIMBER_PETSC(VecScatterBegin(self.to_root, self.on_root, solution, INSERT_VALUES, SCATTER_REVERSE));
  LIMBER_PETSC(VecScatterEnd(self.to_root, self.on_root, solution, INSERT_VALUES, SCATTER_REVERSE));
}

} // namespace limber::solvers
