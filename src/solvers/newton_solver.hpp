#pragma once
/// One implicit time step: the minimum of the incremental potential by line-searched projected Newton, run by SNES.

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "base/archive.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/solver_options.hpp"
#include "solvers/step_outcome.hpp"

namespace limber::solvers {

class NewtonSolver {
public:
  /// The potential must outlive this object. Collective.
  /// \param is_static no inertia helps the linear solver: `auto` takes a direct one for longer
  NewtonSolver(assembly::IncrementalPotential& potential, const SolverOptions& options, bool is_static = false);
  ~NewtonSolver();
  NewtonSolver(const NewtonSolver&) = delete;
  NewtonSolver& operator=(const NewtonSolver&) = delete;

  /// Minimizes E from x, after the potential's start_step(). Held components are first moved to where they belong.
  /// \param x 3 per local node, ghosts valid: in the start, out the minimizer (or the last iterate)
  /// \param h time step [s], for the stopping test ‖p‖∞/h ≤ tolerance; in statics 1 s, and the residual must have
  /// fallen to 1e-8 of the forces as well Collective.
  StepOutcome solve(std::vector<double>& x, double h);

  const LinearSolver& linear_solver() const { return linear_; }

  /// What the preconditioner was built from: it outlives steps, and a restarted run builds the same one again.
  /// Collective.
  void serialize(base::Archive& archive);

private:
  struct Callbacks; ///< the functions that SNES calls; they turn exceptions into error codes and keep them

  /// Starts from x̂, with held nodes where they belong, if nothing inverts on the way and E is lower there.
  /// \return whether it did
  bool extrapolate(std::vector<double>& x);
  bool move_held_nodes(StepOutcome& outcome, std::vector<double>& x);
  /// Relative residual to which the next linear system is solved.
  double forcing_term(double gradient_norm);
  void create_snes();
  void refuse_other_methods();
  /// LinearSolver::solve that remembers what a new preconditioner was built from.
  LinearOutcome solve_linear(Vec rhs, Vec p, bool rebuild, double tolerance);
  /// Solves H p = rhs for a direction of descent; falls back as needed. \return false if nothing worked
  bool direction(Vec rhs, Vec p);
  bool descends(Vec rhs, Vec p) const;
  bool in_equilibrium(double gradient_norm);
  void assemble(bool project);
  void search(SNESLineSearch line_search);
  std::string failure(SNESConvergedReason reason) const;

  void to_local(Vec v, double factor, std::vector<double>& local) const;
  void to_global(const std::vector<double>& local, Vec v) const;

  assembly::IncrementalPotential& potential_;
  SolverOptions options_;
  bool is_dynamic_;
  LinearSolver linear_;

  /// The Hessian that the preconditioner belongs to.
  struct Origin {
    std::int64_t present = 0; ///< 0: there is none; 2: it depends on `lag`
    std::int64_t projected = 0;
    double scale = 0.0;                       ///< β h² [s²] that the linear solver has adapted to
    std::vector<double> positions, held, lag; ///< 3 per local node
    double velocity_time = 1.0;               ///< of damping
    std::vector<double> lagged_at;            ///< where damping takes its stiffness, if it does
  };
  Origin origin_;
  base::SnesHandle snes_;
  base::VecHandle x_, f_;
  std::exception_ptr exception_; ///< thrown inside a callback, thrown again after SNESSolve

  // The step under way.
  StepOutcome* outcome_ = nullptr;
  double h_ = 0.0;
  int max_iterations_ = 0;
  bool project_ = false;       ///< project the Hessians until a full step has worked
  bool projected_now_ = false; ///< the assembled matrix is a projected one
  bool stalled_ = false;       ///< the last line search found nothing lower
  int no_progress_ = 0;        ///< iterations in a row that did not halve the smallest gradient
  double smallest_gradient_ = 0.0;
  double last_gradient_ = -1.0; ///< ‖∂E/∂x‖ of the last linear system; < 0: none yet
  double last_raw_ = -1.0;      ///< ‖p‖∞ of the last Newton step before it was scaled; < 0: none yet
  std::string failure_;
  std::vector<double> current_, step_, trial_, gradient_; ///< local positions, local step, local trial, owned gradient
};

} // namespace limber::solvers
