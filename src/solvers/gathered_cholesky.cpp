#include "solvers/gathered_cholesky.hpp"

#include <array>
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

namespace {

/// The gathered matrix as CHOLMOD sees it.
class SparseView {
public:
  explicit SparseView(Mat local) : local_(local) {
    PetscBool done = PETSC_FALSE;
    LIMBER_PETSC(MatGetRowIJ(local_, 0, PETSC_FALSE, PETSC_FALSE, &n_, &ia_, &ja_, &done));
    LIMBER_PETSC(MatSeqAIJGetArray(local_, &values_));
    // Rows of a symmetric matrix are its columns; CHOLMOD reads the upper triangle (stype 1) and skips the rest.
    view.nrow = view.ncol = std::size_t(n_);
    view.nzmax = std::size_t(ia_[n_]);
    view.p = const_cast<PetscInt*>(ia_);
    view.i = const_cast<PetscInt*>(ja_);
    view.x = values_;
    view.stype = 1;
    view.itype = wide ? CHOLMOD_LONG : CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = 1;
    view.packed = 1;
  }
  ~SparseView() {
    PetscBool done = PETSC_FALSE;
    static_cast<void>(MatSeqAIJRestoreArray(local_, &values_));
    static_cast<void>(MatRestoreRowIJ(local_, 0, PETSC_FALSE, PETSC_FALSE, &n_, &ia_, &ja_, &done));
  }
  SparseView(const SparseView&) = delete;
  SparseView& operator=(const SparseView&) = delete;

  cholmod_sparse view{};

private:
  Mat local_;
  PetscInt n_ = 0;
  const PetscInt *ia_ = nullptr, *ja_ = nullptr;
  PetscScalar* values_ = nullptr;
};

MPI_Comm comm_of(Mat matrix) {
  MPI_Comm comm = MPI_COMM_NULL;
  LIMBER_PETSC(PetscObjectGetComm((PetscObject)matrix, &comm));
  return comm;
}

} // namespace

void GatheredCholesky::forget() { implementation_->forget(); }

GatheredCholesky::Estimate GatheredCholesky::estimate(Mat matrix) {
  auto& self = *implementation_;
  self.gather(matrix);
  std::array<double, 3> found{};
  if (self.rows) {
    SparseView a(self.gathered[0]);
    if (!self.factor) self.factor = analyze(&a.view, &self.common);
    if (self.factor) found = {self.common.fl, 8.0 * self.common.lnz, 1.0};
  }
  MPI_Bcast(found.data(), 3, MPI_DOUBLE, 0, comm_of(matrix));
  return {.flops = found[0], .bytes = found[1], .possible = found[2] > 0.0};
}

bool GatheredCholesky::factor(Mat matrix) {
  auto& self = *implementation_;
  self.gather(matrix);
  int good = 1;
  if (self.rows) {
    SparseView a(self.gathered[0]);
    if (!self.factor) self.factor = analyze(&a.view, &self.common);
    const bool factored = self.factor && factorize(&a.view, self.factor, &self.common);
    good = factored && self.common.status == CHOLMOD_OK && self.factor->minor == self.factor->n ? 1 : 0;
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, comm_of(matrix));
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
