#include "solvers/newton_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/spdlog.h>
#include <string_view>

#include "base/collective.hpp"
#include "solvers/line_search.hpp"

namespace limber::solvers {
namespace {

double max_norm(MPI_Comm comm, const std::vector<double>& local, std::size_t owned) {
  double norm = 0.0;
  for (std::size_t i = 0; i < owned; ++i) norm = std::max(norm, std::abs(local[i]));
  return base::global_max(comm, norm);
}

} // namespace

struct NewtonSolver::Callbacks {
  template <class Work> static PetscErrorCode guard(void* context, Work&& work) {
    auto& self = *static_cast<NewtonSolver*>(context);
    try {
      work(self);
      return PETSC_SUCCESS;
    } catch (...) {
      self.exception_ = std::current_exception();
      return PETSC_ERR_LIB;
    }
  }
  static PetscErrorCode function(SNES, Vec x, Vec f, void* context) {
    return guard(context, [&](NewtonSolver& self) {
      self.to_local(x, 1.0, self.trial_);
      self.gradient_.resize(3 * std::size_t(self.potential_.mesh().owned_nodes));
      self.potential_.gradient(self.trial_, self.gradient_.data());
      self.to_global(self.gradient_, f);
    });
  }
  static PetscErrorCode jacobian(SNES, Vec x, Mat, Mat, void* context) {
    return guard(context, [&](NewtonSolver& self) {
      self.to_local(x, 1.0, self.current_);
      self.assemble(self.project_);
    });
  }
  static PetscErrorCode direction(PC pc, Vec rhs, Vec p) {
    void* context = nullptr;
    PetscCall(PCShellGetContext(pc, &context));
    return guard(context, [&](NewtonSolver& self) {
      const bool found = self.direction(rhs, p);
      LIMBER_PETSC(PCSetFailedReason(pc, found ? PC_NOERROR : PC_SUBPC_ERROR));
    });
  }
  static PetscErrorCode line_search(SNESLineSearch search, void* context) {
    return guard(context, [&](NewtonSolver& self) { self.search(search); });
  }
  static PetscErrorCode converged(SNES, PetscInt iteration, PetscReal, PetscReal, PetscReal fnorm,
                                  SNESConvergedReason* reason, void* context) {
    auto& self = *static_cast<NewtonSolver*>(context);
    *reason = SNES_CONVERGED_ITERATING;
    if (!std::isfinite(fnorm)) *reason = SNES_DIVERGED_FUNCTION_NANORINF;
    else if (fnorm == 0.0) *reason = SNES_CONVERGED_FNORM_ABS;
    else if (iteration > 0 && self.last_raw_ >= 0.0 && self.last_raw_ / self.h_ <= self.options_.tolerance)
      return guard(context, [&](NewtonSolver& solver) {
        if (solver.in_equilibrium(fnorm)) *reason = SNES_CONVERGED_SNORM_RELATIVE;
      });
    return PETSC_SUCCESS;
  }
};

NewtonSolver::NewtonSolver(assembly::IncrementalPotential& potential, const SolverOptions& options, bool is_static)
    : potential_(potential), options_(options), is_dynamic_(!is_static),
      linear_(potential.mesh(), potential.matrix(), options.linear, is_static) {
  const auto& mesh = potential.mesh();
  const PetscInt local = base::to_petsc_int(3 * GlobalIndex(mesh.owned_nodes));
  LIMBER_PETSC(VecCreate(mesh.comm, x_.out()));
  LIMBER_PETSC(VecSetSizes(x_, local, base::to_petsc_int(3 * mesh.global_nodes)));
  LIMBER_PETSC(VecSetBlockSize(x_, 3));
  LIMBER_PETSC(VecSetType(x_, VECSTANDARD));
  base::set_from_options(mesh.comm, "-vec_type", [&] { LIMBER_PETSC(VecSetFromOptions(x_)); });
  LIMBER_PETSC(VecDuplicate(x_, f_.out()));
  create_snes(); // refuses wrong options before anything is written
}

NewtonSolver::~NewtonSolver() = default;

void NewtonSolver::create_snes() {
  LIMBER_PETSC(SNESCreate(potential_.mesh().comm, snes_.out()));
  LIMBER_PETSC(SNESSetType(snes_, SNESNEWTONLS));
  LIMBER_PETSC(SNESSetFunction(snes_, f_, Callbacks::function, this));
  LIMBER_PETSC(SNESSetJacobian(snes_, potential_.matrix(), potential_.matrix(), Callbacks::jacobian, this));
  LIMBER_PETSC(SNESSetTolerances(snes_, 0.0, 0.0, 0.0, options_.max_iterations, PETSC_DEFAULT));

  // SNES sees a linear solver that either finds a direction of descent or fails; the KSP that users configure with
  // -ksp_… is inside direction(), together with projection and fallbacks.
  KSP ksp = nullptr;
  PC pc = nullptr;
  LIMBER_PETSC(SNESGetKSP(snes_, &ksp));
  LIMBER_PETSC(KSPSetOptionsPrefix(ksp, "newton_direction_"));
  LIMBER_PETSC(KSPSetType(ksp, KSPPREONLY));
  LIMBER_PETSC(KSPGetPC(ksp, &pc));
  LIMBER_PETSC(PCSetType(pc, PCSHELL));
  LIMBER_PETSC(PCShellSetContext(pc, this));
  LIMBER_PETSC(PCShellSetApply(pc, Callbacks::direction));
  base::set_from_options(potential_.mesh().comm, "-snes_...", [&] { LIMBER_PETSC(SNESSetFromOptions(snes_)); });

  refuse_other_methods();
  LIMBER_PETSC(SNESSetConvergenceTest(snes_, Callbacks::converged, this, nullptr));
  SNESLineSearch line_search = nullptr;
  LIMBER_PETSC(SNESGetLineSearch(snes_, &line_search));
  LIMBER_PETSC(SNESLineSearchSetType(line_search, SNESLINESEARCHSHELL));
#if PETSC_VERSION_GE(3, 21, 0)
  LIMBER_PETSC(SNESLineSearchShellSetApply(line_search, Callbacks::line_search, this));
#else
  LIMBER_PETSC(SNESLineSearchShellSetUserFunc(line_search, Callbacks::line_search, this));
#endif
}

void NewtonSolver::refuse_other_methods() {
  SNESType type = nullptr;
  LIMBER_PETSC(SNESGetType(snes_, &type));
  std::string refused = type != std::string_view(SNESNEWTONLS) ? std::string("-snes_type ") + type : "";
  for (const char* option : {"-snes_mf", "-snes_mf_operator", "-snes_fd", "-snes_fd_color"}) {
    PetscBool given = PETSC_FALSE;
    LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, option, &given));
    if (given) refused = option;
  }
  if (!refused.empty())
    throw base::UserError("the PETSc option " + refused + " cannot be used",
                          {.file = {},
                           .line = 0,
                           .key = "after -- or in solver.petsc_options",
                           .advice = "The nonlinear method is line-searched Newton with the assembled Hessian."});
  PetscInt iterations = 0; // -snes_max_it counts
  LIMBER_PETSC(SNESGetTolerances(snes_, nullptr, nullptr, nullptr, &iterations, nullptr));
  max_iterations_ = int(iterations);
}

StepOutcome NewtonSolver::solve(std::vector<double>& x, double h) {
  StepOutcome outcome;
  outcome_ = &outcome;
  h_ = potential_.has_inertia() ? h : 1.0;
  project_ = false;
  stalled_ = false;
  no_progress_ = 0;
  last_gradient_ = -1.0;
  // Another size of the step scales elasticity against inertia: multigrid of the old one may diverge.
  if (origin_.scale > 0.0 && std::abs(potential_.scale() - origin_.scale) > 0.1 * origin_.scale) {
    linear_.discard();
    origin_.present = 0;
    origin_.scale = 0.0;
  }
  if (origin_.scale == 0.0) origin_.scale = potential_.scale();
  smallest_gradient_ = std::numeric_limits<double>::infinity();
  last_raw_ = -1.0;
  failure_.clear();
  create_snes();

  outcome.reason = potential_.describe_non_finite(x);
  if (!outcome.reason.empty()) return outcome;
  if (!extrapolate(x) && potential_.constraints().any_motion && !move_held_nodes(outcome, x)) return outcome;

  to_global(x, x_);
  const PetscErrorCode code = SNESSolve(snes_, nullptr, x_);
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  LIMBER_PETSC(code);
  to_local(x_, 1.0, x);

  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  LIMBER_PETSC(SNESGetConvergedReason(snes_, &reason));
  LIMBER_PETSC(SNESGetIterationNumber(snes_, &iterations));
  outcome.newton_iterations += int(iterations);
  outcome.residual = std::max(0.0, last_raw_) / h_;
  outcome.converged = reason > 0;
  if (!outcome.converged) outcome.reason = failure(reason);
  return outcome;
}

std::string NewtonSolver::failure(SNESConvergedReason reason) const {
  if (reason == SNES_DIVERGED_MAX_IT)
    return fmt::format("no convergence in {} Newton iterations (residual {:.3e} {unit}, tolerance {:.3e} {unit})",
                       max_iterations_, std::max(0.0, last_raw_) / h_, options_.tolerance,
                       fmt::arg("unit", potential_.has_inertia() ? "m/s" : "m"));
  if (!failure_.empty()) return failure_;
  const std::string bad = potential_.describe_non_finite(trial_, gradient_);
  return bad.empty() ? SNESConvergedReasons[reason] : bad;
}

bool NewtonSolver::in_equilibrium(double gradient_norm) {
  // With inertia the step alone decides. Statics has no time step to judge a displacement by: forces must balance too,
  // as far as round-off lets them. Where it does not, the energy falls no further, or the residual no longer halves
  // although the steps are within the tolerance.
  constexpr double relative_residual = 1e-8;
  if (potential_.has_inertia() || stalled_ || gradient_norm <= relative_residual * potential_.force_norm()) return true;
  no_progress_ = gradient_norm > 0.5 * smallest_gradient_ ? no_progress_ + 1 : 0;
  smallest_gradient_ = std::min(smallest_gradient_, gradient_norm);
  return no_progress_ >= 2;
}

void NewtonSolver::assemble(bool project) {
  base::LogStage stage("Hessian");
  potential_.assemble_hessian(current_, project);
  projected_now_ = project;
}

bool NewtonSolver::descends(Vec rhs, Vec p) const {
  PetscScalar product = 0.0;
  PetscReal rhs_norm = 0.0, p_norm = 0.0;
  LIMBER_PETSC(VecDot(rhs, p, &product));
  LIMBER_PETSC(VecNorm(rhs, NORM_2, &rhs_norm));
  LIMBER_PETSC(VecNorm(p, NORM_2, &p_norm));
  return rhs_norm == 0.0 || (std::isfinite(p_norm) && product > 1e-12 * rhs_norm * p_norm);
}

LinearOutcome NewtonSolver::solve_linear(Vec rhs, Vec p, bool rebuild, double tolerance) {
  const LinearOutcome outcome = linear_.solve(rhs, p, rebuild, tolerance);
  if (!outcome.built) return outcome;
  const auto& constraints = potential_.constraints();
  origin_.lag = potential_.lag_positions();
  origin_.present = potential_.is_lagged() ? 2 : 1;
  origin_.scale = potential_.scale();
  origin_.projected = projected_now_ ? 1 : 0;
  origin_.positions = current_;
  origin_.held.assign(constraints.held.begin(), constraints.held.end());
  origin_.velocity_time = potential_.velocity_time();
  origin_.lagged_at = potential_.damping().lagged_at();
  return outcome;
}

void NewtonSolver::serialize(base::Archive& archive) {
  LinearSolver::Memory memory = linear_.memory();
  if (!archive.reading() && !memory.built) origin_.present = 0;
  auto method = std::int64_t(memory.method);
  archive.value("preconditioner/present", origin_.present);
  archive.value("preconditioner/method", method);
  archive.value("preconditioner/iterations_per_digit", memory.iterations_per_digit);
  archive.value("preconditioner/excess", memory.excess);
  archive.value("preconditioner/solves", memory.solves);
  archive.value("preconditioner/iterations", memory.iterations);
  archive.value("preconditioner/slow", memory.slow);
  archive.value("preconditioner/scale", origin_.scale);
  memory.method = LinearMethod(method);
  memory.built = origin_.present != 0;
  if (origin_.present == 0) {
    if (archive.reading()) linear_.restore(memory);
    return;
  }
  const auto size = 3 * std::size_t(potential_.mesh().local_nodes);
  origin_.positions.resize(size);
  origin_.held.resize(size);
  archive.value("preconditioner/projected", origin_.projected);
  archive.node_field("preconditioner/positions", origin_.positions, 3);
  archive.node_field("preconditioner/held", origin_.held, 3);
  archive.value("preconditioner/velocity_time", origin_.velocity_time);
  if (potential_.damping().has_stiffness()) {
    origin_.lagged_at.resize(size);
    archive.node_field("preconditioner/lagged_at", origin_.lagged_at, 3);
  }
  if (origin_.present == 2) {
    origin_.lag.resize(size);
    archive.node_field("preconditioner/lag", origin_.lag, 3);
  }
  if (!archive.reading()) return;

  potential_.mesh().update_ghosts(origin_.positions);
  potential_.mesh().update_ghosts(origin_.held);
  if (origin_.present == 2) {
    potential_.mesh().update_ghosts(origin_.lag);
    potential_.refresh_lag(origin_.lag);
  }
  if (potential_.damping().has_stiffness()) {
    potential_.mesh().update_ghosts(origin_.lagged_at);
    potential_.lag_damping(origin_.lagged_at);
  }
  dofs::Constraints constraints;
  constraints.held.assign(origin_.held.begin(), origin_.held.end());
  constraints.displacement.assign(size, 0.0);
  constraints.holder.assign(size, -1);
  potential_.start_step({.inertia = is_dynamic_,
                         .target = origin_.positions,
                         .scale = origin_.scale,
                         .gravity = {},
                         .loads = {},
                         .constraints = std::move(constraints),
                         .velocity_time = origin_.velocity_time,
                         .velocity_origin = origin_.positions});
  potential_.assemble_hessian(origin_.positions, origin_.projected != 0);
  linear_.restore(memory);
}

bool NewtonSolver::direction(Vec rhs, Vec p) {
  base::LogStage stage("Linear solve");
  const auto good = [&](const LinearOutcome& linear) {
    outcome_->linear_iterations += linear.iterations;
    return linear.solved && descends(rhs, p);
  };
  PetscReal gradient_norm = 0.0;
  LIMBER_PETSC(VecNorm(rhs, NORM_2, &gradient_norm));
  const double tolerance = forcing_term(gradient_norm);
  LinearOutcome linear = solve_linear(rhs, p, false, tolerance);
  if (good(linear)) return true;
  if (!projected_now_) {
    project_ = true;
    assemble(true);
    linear = solve_linear(rhs, p, true, tolerance);
    if (good(linear)) return true;
  }
  spdlog::info("  linear solver: {}; falling back", linear.solved ? "no direction of descent" : linear.reason);
  linear = linear_.solve_by_fallback(rhs, p);
  if (good(linear)) return true;
  failure_ = "the linear solver failed: " + (linear.solved ? std::string("no direction of descent") : linear.reason);
  return false;
}

void NewtonSolver::search(SNESLineSearch line_search) {
  base::LogStage stage("Line search");
  Vec x = nullptr, f = nullptr, y = nullptr, w = nullptr, g = nullptr;
  LIMBER_PETSC(SNESLineSearchGetVecs(line_search, &x, &f, &y, &w, &g));
  to_local(x, 1.0, current_);
  to_local(y, -1.0, step_); // SNES solves J y = F and moves along −y
  // Exactly zero where held: multigrid leaves traces there when only some components of a node are held.
  const auto& held = potential_.constraints().held;
  for (std::size_t i = 0; i < step_.size(); ++i)
    if (held[i]) step_[i] = 0.0;
  const auto owned = 3 * std::size_t(potential_.mesh().owned_nodes);
  last_raw_ = max_norm(potential_.mesh().comm, step_, owned);

  PetscScalar product = 0.0;
  LIMBER_PETSC(VecDot(f, y, &product));
  LIMBER_PETSC(SNESLineSearchSetReason(line_search, SNES_LINESEARCH_SUCCEEDED));
  if (product <= 0.0) { // p = 0 for a vanishing gradient: stay
    LIMBER_PETSC(SNESLineSearchSetLambda(line_search, 1.0));
    LIMBER_PETSC(SNESLineSearchComputeNorms(line_search));
    return;
  }
  const auto result = filtered_line_search(potential_, current_, step_, -product, trial_, gradient_);
  outcome_->line_search_evaluations += result.evaluations;
  if (!result.accepted) {
    LIMBER_PETSC(SNESLineSearchSetLambda(line_search, 0.0));
    LIMBER_PETSC(SNESLineSearchComputeNorms(line_search));
    // A step within the tolerance is convergence, whether or not it can be taken.
    stalled_ = true;
    if (last_raw_ / h_ <= options_.tolerance) return;
    failure_ = "the line search failed: " + result.reason;
    LIMBER_PETSC(SNESLineSearchSetReason(line_search, SNES_LINESEARCH_FAILED_REDUCT));
    return;
  }
  if (result.alpha == 1.0) project_ = false;
  to_global(trial_, x);
  to_global(gradient_, f);
  LIMBER_PETSC(VecScale(y, result.alpha));
  LIMBER_PETSC(SNESLineSearchSetLambda(line_search, result.alpha));
  LIMBER_PETSC(SNESLineSearchComputeNorms(line_search));
}

bool NewtonSolver::extrapolate(std::vector<double>& x) {
  if (!potential_.has_inertia()) return false;
  base::LogStage stage("Line search");
  const auto& constraints = potential_.constraints();
  trial_ = potential_.target();
  current_ = x; // with held nodes where they belong: moving them does work that any start has to do
  step_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (constraints.held[i]) trial_[i] = current_[i] = x[i] + constraints.displacement[i];
    step_[i] = trial_[i] - x[i];
  }
  if (potential_.max_step_size(x, step_) < 1.0) return false;
  potential_.set_base(current_);
  // Not a number where held nodes alone would turn elements over: then the extrapolation is better, too.
  if (potential_.difference(trial_).value >= 0.0) return false;
  x = trial_;
  potential_.scale_held_displacement(0.0);
  return true;
}

double NewtonSolver::forcing_term(double gradient_norm) {
  constexpr double first = 1e-3, loosest = 0.1;
  const double ratio = last_gradient_ > 0.0 ? gradient_norm / last_gradient_ : 0.0;
  last_gradient_ = gradient_norm;
  if (ratio == 0.0 || last_raw_ <= 0.0) return first;
  // As exactly as Newton's method converges (Eisenstat and Walker, SIAM J. Sci. Comput. 17, 1996, choice 2), but no
  // more exactly than the error that the tolerance leaves room for: a tenth of it.
  const double quadratic = 0.9 * ratio * ratio;
  const double expected_step = last_raw_ * ratio;
  const double needed = 0.1 * options_.tolerance * h_ / expected_step;
  return std::clamp(std::max(quadratic, needed), LinearSolver::tightest_tolerance, loosest);
}

bool NewtonSolver::move_held_nodes(StepOutcome& outcome, std::vector<double>& x) {
  base::LogStage stage("Boundary motion");
  constexpr int max_moves = 20;
  constexpr double smallest_move = 1e-3; // of what is left: below it the way is blocked
  const auto owned = 3 * std::size_t(potential_.mesh().owned_nodes);
  std::vector<double> rhs(owned);
  base::VecHandle p;
  LIMBER_PETSC(VecDuplicate(x_, p.out()));
  for (int move = 0; move < max_moves; ++move) {
    // One Newton step that takes the held nodes along: H_ff p_f = −g_f − H_fD u_D.
    current_ = x;
    assemble(project_);
    potential_.gradient(x, rhs.data());
    const auto load = [&] {
      std::vector<double> total(owned);
      for (std::size_t i = 0; i < owned; ++i) total[i] = -rhs[i] - potential_.lifting()[i];
      to_global(total, f_);
    };
    load();
    LinearOutcome linear = solve_linear(f_, p, false, LinearSolver::tightest_tolerance);
    outcome.linear_iterations += linear.iterations;
    if (!linear.solved && !projected_now_) {
      assemble(true);
      load();
      linear = solve_linear(f_, p, true, LinearSolver::tightest_tolerance);
      outcome.linear_iterations += linear.iterations;
    }
    if (!linear.solved) {
      outcome.reason = "the linear solver failed while held nodes were moved: " + linear.reason;
      return false;
    }
    ++outcome.newton_iterations;
    to_local(p, 1.0, step_);
    const auto& constraints = potential_.constraints();
    for (std::size_t i = 0; i < step_.size(); ++i)
      if (constraints.held[i]) step_[i] = constraints.displacement[i];
    const double alpha = potential_.max_step_size(x, step_);
    if (alpha < smallest_move) break;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += alpha * step_[i];
    potential_.scale_held_displacement(1.0 - alpha);
    if (alpha == 1.0) return true;
  }
  outcome.reason = "the prescribed motion would invert elements";
  outcome.advice = "Let the prescribed nodes move more slowly, or release them earlier (until).";
  return false;
}

void NewtonSolver::to_local(Vec v, double factor, std::vector<double>& local) const {
  const auto& mesh = potential_.mesh();
  local.resize(3 * std::size_t(mesh.local_nodes));
  const PetscScalar* values = nullptr;
  LIMBER_PETSC(VecGetArrayRead(v, &values));
  for (std::size_t i = 0; i < 3 * std::size_t(mesh.owned_nodes); ++i) local[i] = factor * values[i];
  LIMBER_PETSC(VecRestoreArrayRead(v, &values));
  mesh.update_ghosts(local);
}

void NewtonSolver::to_global(const std::vector<double>& local, Vec v) const {
  PetscScalar* values = nullptr;
  LIMBER_PETSC(VecGetArrayWrite(v, &values));
  std::copy_n(local.data(), 3 * std::size_t(potential_.mesh().owned_nodes), values);
  LIMBER_PETSC(VecRestoreArrayWrite(v, &values));
}

} // namespace limber::solvers
