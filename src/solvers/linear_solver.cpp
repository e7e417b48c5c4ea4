#include "solvers/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/spdlog.h>
#include <string_view>

#include "base/collective.hpp"

namespace limber::solvers {
namespace {

/// Up to here Cholesky is taken because no conditioning hurts it. It is as fast as CG with multigrid at 1000 unknowns
/// and up to 1.6 times slower at 3000, which is 0.02 s a step (docs/performance.md).
constexpr GlobalIndex direct_unknowns = 3000;
/// Cholesky as a last resort up to here: its memory grows like n^(4/3).
constexpr GlobalIndex fallback_unknowns = 400000;

/// Building multigrid takes as long as about so many of its iterations (docs/performance.md).
constexpr double set_up_worth = 25.0;

/// Where mass dominates, block Jacobi is cheaper than multigrid: one of its iterations takes an eighth of the time, and
/// there is nothing to build. It is given up when it needs more iterations than this for a decimal digit, and some to
/// start with.
constexpr double jacobi_iterations_per_digit = 10.0, jacobi_iterations = 5.0;

/// Multigrid iterations of a solve above which `auto` asks what Cholesky would cost, once the surplus adds up.
constexpr double usual_iterations = 12.0, thoughtful_surplus = 60.0;
/// Memory that a factor may take on rank 0 when `auto` chooses it [bytes].
constexpr double largest_factor = 4e9;
/// What a factorization takes, in multigrid iterations: some for gathering the matrix, and one for so many flops a
/// nonzero of the matrix (docs/performance.md).
constexpr double gathering_worth = 10.0;
constexpr double flops_per_nonzero = 150.0;

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

/// The Galerkin products leave what would let them be repeated, three times the coarse matrices themselves. A fresh
/// preconditioner starts from nothing, so it is not needed.
void release_products(KSP ksp) {
  PC pc = nullptr;
  PetscBool multigrid = PETSC_FALSE;
  LIMBER_PETSC(KSPGetPC(ksp, &pc));
  LIMBER_PETSC(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &multigrid));
  if (!multigrid) return;
  PetscInt levels = 0;
  LIMBER_PETSC(PCMGGetLevels(pc, &levels));
  for (PetscInt level = 0; level + 1 < levels; ++level) {
    KSP smoother = nullptr;
    Mat coarse = nullptr;
    LIMBER_PETSC(PCMGGetSmoother(pc, level, &smoother));
    LIMBER_PETSC(KSPGetOperators(smoother, nullptr, &coarse));
    LIMBER_PETSC(MatProductClear(coarse));
  }
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
    : mesh_(mesh), matrix_(matrix), automatic_(policy == "auto" && 3 * mesh.global_nodes > direct_unknowns) {
  PetscBool given[2] = {PETSC_FALSE, PETSC_FALSE};
  LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, "-ksp_type", &given[0]));
  LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, "-pc_type", &given[1]));
  if (policy == "cholesky" || (policy == "auto" && !automatic_)) first_method_ = LinearMethod::cholesky;
  else if (policy == "cg_jacobi") first_method_ = LinearMethod::jacobi;
  else first_method_ = automatic_ && !is_static ? LinearMethod::jacobi : LinearMethod::multigrid;
  if (given[0] || given[1]) { // the user's method, if it is an iterative one, is kept as multigrid is
    automatic_ = false;
    if (first_method_ == LinearMethod::jacobi) first_method_ = LinearMethod::multigrid;
  }
  if (first_method_ != LinearMethod::cholesky) insert_default_options(mesh.comm);
  memory_.method = first_method_;
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
  return std::string(ksp) + " with " + preconditioner + (automatic_ ? ", as long as it pays" : "");
}

void LinearSolver::create_ksp() {
  LIMBER_PETSC(KSPCreate(mesh_.comm, ksp_.out()));
  LIMBER_PETSC(KSPSetOperators(ksp_, matrix_, matrix_));
  PC pc = nullptr;
  LIMBER_PETSC(KSPGetPC(ksp_, &pc));
  if (memory_.method == LinearMethod::cholesky) {
    LIMBER_PETSC(KSPSetType(ksp_, KSPPREONLY));
    use_cholesky(pc, cholesky_);
  } else {
    LIMBER_PETSC(KSPSetType(ksp_, KSPCG));
    LIMBER_PETSC(KSPSetNormType(ksp_, KSP_NORM_UNPRECONDITIONED));
    LIMBER_PETSC(PCSetType(pc, memory_.method == LinearMethod::jacobi ? PCPBJACOBI : PCGAMG));
  }
  const int iterations = memory_.method == LinearMethod::jacobi ? 5000 : 500;
  LIMBER_PETSC(KSPSetTolerances(ksp_, tightest_tolerance, 1e-50, PETSC_DEFAULT, iterations));
  base::set_from_options(mesh_.comm, "-ksp_... or -pc_...", [&] { LIMBER_PETSC(KSPSetFromOptions(ksp_)); });
  PetscBool given = PETSC_FALSE;
  LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, "-ksp_rtol", &given));
  user_tolerance_ = given == PETSC_TRUE;
}

void LinearSolver::discard() {
  memory_ = {};
  memory_.method = first_method_;
  create_ksp();
}

void LinearSolver::restore(const Memory& memory) {
  if (!automatic_ && memory.method != first_method_) return discard(); // written under another policy
  memory_ = memory;
  create_ksp();
  if (memory_.method != LinearMethod::multigrid || !memory_.built) return;
  LIMBER_PETSC(KSPSetUp(ksp_));
  release_products(ksp_);
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
  outcome.slow = reason == KSP_DIVERGED_ITS;
  if (!outcome.solved) outcome.reason = KSPConvergedReasons[reason];
  return outcome;
}

void LinearSolver::go_over_to(LinearMethod method, const std::string& reason) {
  memory_ = {};
  memory_.method = method;
  create_ksp();
  spdlog::info("  {}: {} from here", reason, name());
}

LinearOutcome LinearSolver::solve(Vec rhs, Vec solution, bool rebuild, double tolerance) {
  if (memory_.method == LinearMethod::cholesky) {
    LIMBER_PETSC(KSPSetReusePreconditioner(ksp_, PETSC_FALSE));
    return run(ksp_, rhs, solution);
  }
  const bool jacobi = memory_.method == LinearMethod::jacobi;
  LinearOutcome outcome =
      jacobi ? solve_by_jacobi(rhs, solution, tolerance) : solve_by_multigrid(rhs, solution, rebuild, tolerance);
  if (!automatic_ || (jacobi && !outcome.slow) || (!jacobi && !cholesky_wins(outcome))) return outcome;
  if (jacobi)
    go_over_to(LinearMethod::multigrid, fmt::format("block Jacobi needs more than {} iterations", outcome.iterations));
  else
    go_over_to(LinearMethod::cholesky, fmt::format("multigrid takes {} iterations, a factorization as long as {:.0f}",
                                                   outcome.iterations, factorization_worth_));
  if (outcome.solved) return outcome;
  const int wasted = outcome.iterations;
  outcome = solve(rhs, solution, rebuild, tolerance);
  outcome.iterations += wasted;
  return outcome;
}

LinearOutcome LinearSolver::solve_by_jacobi(Vec rhs, Vec solution, double tolerance) {
  PetscReal chosen = tolerance;
  if (user_tolerance_) LIMBER_PETSC(KSPGetTolerances(ksp_, &chosen, nullptr, nullptr, nullptr));
  PetscInt limit = PETSC_DEFAULT;
  if (automatic_) limit = PetscInt(jacobi_iterations - jacobi_iterations_per_digit * std::log10(chosen));
  LIMBER_PETSC(KSPSetTolerances(ksp_, chosen, PETSC_DEFAULT, PETSC_DEFAULT, limit));
  return run(ksp_, rhs, solution);
}

LinearOutcome LinearSolver::solve_by_multigrid(Vec rhs, Vec solution, bool rebuild, double tolerance) {
  PetscBool direct = PETSC_FALSE; // the user's: an old factor would be taken for the solution
  LIMBER_PETSC(PetscObjectTypeCompare((PetscObject) static_cast<KSP>(ksp_), KSPPREONLY, &direct));
  const bool reuse = memory_.built && !rebuild && !direct;
  // A fresh KSP for a fresh preconditioner: what a solver remembers of earlier matrices would make restarts differ.
  if (!reuse) create_ksp();
  if (!user_tolerance_) LIMBER_PETSC(KSPSetTolerances(ksp_, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  LIMBER_PETSC(KSPSetReusePreconditioner(ksp_, reuse ? PETSC_TRUE : PETSC_FALSE));
  LinearOutcome outcome = run(ksp_, rhs, solution);
  if (reuse && !outcome.solved) {
    const int wasted = outcome.iterations;
    outcome = solve_by_multigrid(rhs, solution, true, tolerance);
    outcome.iterations += wasted;
    return outcome;
  }
  const double digits = -std::log10(tolerance);
  if (reuse) {
    memory_.excess += std::max(0.0, outcome.iterations - memory_.iterations_per_digit * digits - 1.0);
    memory_.built = memory_.excess <= set_up_worth;
  } else {
    release_products(ksp_);
    memory_.iterations_per_digit = outcome.iterations / digits;
    memory_.excess = 0.0;
    memory_.built = outcome.solved;
    outcome.built = true;
  }
  memory_.solves += 1.0;
  memory_.iterations += outcome.iterations;
  memory_.slow += std::max(0.0, outcome.iterations - usual_iterations);
  return outcome;
}

bool LinearSolver::cholesky_wins(const LinearOutcome& last) {
  if (!automatic_ || (!last.slow && memory_.slow <= thoughtful_surplus) || 3 * mesh_.global_nodes > fallback_unknowns)
    return false;
  memory_.slow = 0.0;
  if (factorization_worth_ < 0.0) {
    const auto estimate = cholesky_.estimate(matrix_);
    MatInfo info{};
    LIMBER_PETSC(MatGetInfo(matrix_, MAT_GLOBAL_SUM, &info));
    // Multigrid runs on all ranks, the factorization on one.
    factorization_worth_ =
        estimate.possible && estimate.bytes <= largest_factor
            ? (gathering_worth + estimate.flops / (flops_per_nonzero * info.nz_used)) * base::size(mesh_.comm)
            : std::numeric_limits<double>::infinity();
  }
  const bool wins = factorization_worth_ < memory_.iterations / memory_.solves;
  if (!wins) cholesky_.forget();
  return wins;
}

LinearOutcome LinearSolver::solve_by_fallback(Vec rhs, Vec solution) {
  memory_.built = false;
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
