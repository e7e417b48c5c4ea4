#include "solvers/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/spdlog.h>
#include <string_view>

#include "base/collective.hpp"

namespace limber::solvers {
namespace {

/// Up to here Cholesky is taken because no conditioning hurts it. It is as fast as CG with multigrid at 1000 unknowns
/// and up to 1.6 times slower at 3000, which is 0.02 s a step (docs/performance.md).
constexpr GlobalIndex direct_unknowns = 3000;
/// The same in statics, where slender bodies make the matrix so ill-conditioned that CG needs hundreds of iterations.
constexpr GlobalIndex static_direct_unknowns = 100000;
/// Cholesky as a last resort up to here: its memory grows like n^(4/3).
constexpr GlobalIndex fallback_unknowns = 400000;

/// Building multigrid takes as long as about so many of its iterations (docs/performance.md).
constexpr double set_up_worth = 25.0;

/// -matptap_via backend: the default product is not repeatable bitwise on three and more ranks; allatonce is, and takes
/// five times as long. The smoother is Chebyshev with Jacobi, its eigenvalue estimate by GMRES: with CG's, ranks were
/// seen to hang or to fail on indefinite matrices.
constexpr const char* default_options[][2] = {{"-matptap_via", "backend"},
                                              {"-pc_gamg_reuse_interpolation", "0"},
                                              {"-pc_gamg_esteig_ksp_type", "gmres"},
                                              {"-mg_levels_ksp_type", "chebyshev"},
                                              {"-mg_levels_pc_type", "jacobi"}};

PetscErrorCode set_up_cholesky(PC pc) {
  PetscFunctionBegin;
  void* context = nullptr;
  Mat matrix = nullptr;
  PetscCall(PCShellGetContext(pc, &context));
  PetscCall(PCGetOperators(pc, nullptr, &matrix));
  bool good = false;
  try {
    good = static_cast<GatheredCholesky*>(context)->factor(matrix);
  } catch (const base::InternalError&) {
    PetscFunctionReturn(PETSC_ERR_LIB);
  }
  PetscCall(PCSetFailedReason(pc, good ? PC_NOERROR : PC_FACTOR_NUMERIC_ZEROPIVOT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode apply_cholesky(PC pc, Vec rhs, Vec solution) {
  PetscFunctionBegin;
  void* context = nullptr;
  PetscCall(PCShellGetContext(pc, &context));
  try {
    static_cast<GatheredCholesky*>(context)->solve(rhs, solution);
  } catch (const base::InternalError&) {
    PetscFunctionReturn(PETSC_ERR_LIB);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void use_cholesky(PC pc, GatheredCholesky& cholesky) {
  LIMBER_PETSC(PCSetType(pc, PCSHELL));
  LIMBER_PETSC(PCShellSetName(pc, "gathered CHOLMOD"));
  LIMBER_PETSC(PCShellSetContext(pc, &cholesky));
  LIMBER_PETSC(PCShellSetSetUp(pc, set_up_cholesky));
  LIMBER_PETSC(PCShellSetApply(pc, apply_cholesky));
}

void attach_rigid_body_modes(const mesh::DistributedMesh& mesh, Mat matrix) {
  base::VecHandle coordinates;
  LIMBER_PETSC(MatCreateVecs(matrix, coordinates.out(), nullptr));
  LIMBER_PETSC(VecSetBlockSize(coordinates, 3));
  PetscScalar* values = nullptr;
  LIMBER_PETSC(VecGetArray(coordinates, &values));
  std::copy_n(mesh.rest_positions.data(), 3 * std::size_t(mesh.owned_nodes), values);
  LIMBER_PETSC(VecRestoreArray(coordinates, &values));
  MatNullSpace modes = nullptr;
  LIMBER_PETSC(MatNullSpaceCreateRigidBody(coordinates, &modes));
  LIMBER_PETSC(MatSetNearNullSpace(matrix, modes));
  LIMBER_PETSC(MatNullSpaceDestroy(&modes));
}

} // namespace

void insert_default_options(MPI_Comm comm) {
  for (const auto& [name, value] : default_options) {
    if (name == std::string_view("-matptap_via") && base::size(comm) == 1) continue; // unknown to sequential matrices
    PetscBool set = PETSC_FALSE;
    LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, name, &set));
    if (!set) LIMBER_PETSC(PetscOptionsSetValue(nullptr, name, value));
  }
}

bool is_default_option(const std::string& name) {
  return std::any_of(std::begin(default_options), std::end(default_options),
                     [&](const auto& option) { return option[0] + 1 == name; });
}

LinearSolver::LinearSolver(const mesh::DistributedMesh& mesh, Mat matrix, const std::string& policy, bool is_static)
    : mesh_(mesh), matrix_(matrix),
      direct_(policy == "cholesky" ||
              (policy == "auto" && 3 * mesh.global_nodes <= (is_static ? static_direct_unknowns : direct_unknowns))) {
  if (!direct_) insert_default_options(mesh.comm);
  attach_rigid_body_modes(mesh, matrix);
  create_ksp();
}

LinearSolver::~LinearSolver() = default;

std::string LinearSolver::name() const {
  KSPType ksp = nullptr;
  PCType preconditioner = nullptr;
  PC pc = nullptr;
  LIMBER_PETSC(KSPGetType(ksp_, &ksp));
  LIMBER_PETSC(KSPGetPC(ksp_, &pc));
  LIMBER_PETSC(PCGetType(pc, &preconditioner));
  if (std::string_view(preconditioner) == PCSHELL) return "cholesky (CHOLMOD on rank 0)";
  return std::string(ksp) + " with " + preconditioner;
}

void LinearSolver::create_ksp() {
  LIMBER_PETSC(KSPCreate(mesh_.comm, ksp_.out()));
  LIMBER_PETSC(KSPSetOperators(ksp_, matrix_, matrix_));
  PC pc = nullptr;
  LIMBER_PETSC(KSPGetPC(ksp_, &pc));
  if (direct_) {
    LIMBER_PETSC(KSPSetType(ksp_, KSPPREONLY));
    use_cholesky(pc, cholesky_);
  } else {
    LIMBER_PETSC(KSPSetType(ksp_, KSPCG));
    LIMBER_PETSC(KSPSetNormType(ksp_, KSP_NORM_UNPRECONDITIONED));
    LIMBER_PETSC(PCSetType(pc, PCGAMG));
  }
  LIMBER_PETSC(KSPSetTolerances(ksp_, tightest_tolerance, 1e-50, PETSC_DEFAULT, 500));
  base::set_from_options(mesh_.comm, "-ksp_... or -pc_...", [&] { LIMBER_PETSC(KSPSetFromOptions(ksp_)); });
  PetscBool given = PETSC_FALSE;
  LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, "-ksp_rtol", &given));
  user_tolerance_ = given == PETSC_TRUE;
}

void LinearSolver::discard() {
  create_ksp();
  built_ = false;
  excess_ = 0.0;
}

void LinearSolver::restore(double iterations_per_digit, double excess) {
  if (direct_) return;
  discard();
  LIMBER_PETSC(KSPSetUp(ksp_));
  built_ = true;
  iterations_per_digit_ = iterations_per_digit;
  excess_ = excess;
}

LinearOutcome LinearSolver::run(KSP ksp, Vec rhs, Vec solution) {
  LIMBER_PETSC(KSPSetOperators(ksp, matrix_, matrix_));
  LIMBER_PETSC(KSPSolve(ksp, rhs, solution));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  LIMBER_PETSC(KSPGetConvergedReason(ksp, &reason));
  LIMBER_PETSC(KSPGetIterationNumber(ksp, &iterations));
  LinearOutcome outcome;
  outcome.solved = reason > 0;
  outcome.iterations = int(iterations);
  if (!outcome.solved) outcome.reason = KSPConvergedReasons[reason];
  return outcome;
}

LinearOutcome LinearSolver::solve(Vec rhs, Vec solution, bool rebuild, double tolerance) {
  const bool reuse = built_ && !rebuild && !direct_;
  // A fresh KSP for a fresh preconditioner: what a solver remembers of earlier matrices would make restarts differ.
  if (!reuse && !direct_) discard();
  if (!user_tolerance_) LIMBER_PETSC(KSPSetTolerances(ksp_, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  LIMBER_PETSC(KSPSetReusePreconditioner(ksp_, reuse ? PETSC_TRUE : PETSC_FALSE));
  LinearOutcome outcome = run(ksp_, rhs, solution);
  if (direct_) return outcome;
  if (reuse && !outcome.solved) {
    const int wasted = outcome.iterations;
    outcome = solve(rhs, solution, true, tolerance);
    outcome.iterations += wasted;
    return outcome;
  }
  const double digits = -std::log10(tolerance);
  if (reuse) {
    excess_ += std::max(0.0, outcome.iterations - iterations_per_digit_ * digits - 1.0);
    built_ = excess_ <= set_up_worth;
  } else {
    iterations_per_digit_ = outcome.iterations / digits;
    built_ = outcome.solved;
    outcome.built = true;
  }
  return outcome;
}

LinearOutcome LinearSolver::solve_by_fallback(Vec rhs, Vec solution) {
  built_ = false;
  base::KspHandle ksp;
  LIMBER_PETSC(KSPCreate(mesh_.comm, ksp.out()));
  LIMBER_PETSC(KSPSetOptionsPrefix(ksp, "fallback_"));
  LIMBER_PETSC(KSPSetType(ksp, KSPCG));
  LIMBER_PETSC(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  LIMBER_PETSC(KSPSetTolerances(ksp, 1e-5, 1e-50, PETSC_DEFAULT, 5000));
  PC pc = nullptr;
  LIMBER_PETSC(KSPGetPC(ksp, &pc));
  LIMBER_PETSC(PCSetType(pc, PCJACOBI));
  base::set_from_options(mesh_.comm, "-fallback_ksp_... or -fallback_pc_...",
                         [&] { LIMBER_PETSC(KSPSetFromOptions(ksp)); });
  LinearOutcome outcome = run(ksp, rhs, solution);
  if (outcome.solved || 3 * mesh_.global_nodes > fallback_unknowns) return outcome;
  spdlog::info("  CG with Jacobi stopped with {}: trying Cholesky", outcome.reason);
  GatheredCholesky cholesky;
  const int wasted = outcome.iterations;
  if (!cholesky.factor(matrix_)) return {false, wasted, "the matrix is not positive definite"};
  cholesky.solve(rhs, solution);
  return {true, wasted, {}};
}

} // namespace limber::solvers
