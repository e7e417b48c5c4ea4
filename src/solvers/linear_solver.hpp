#pragma once
/// The linear systems of a time step: a PETSc KSP by policy, every option of which can be overridden by -ksp_… and
/// -pc_….

#include <memory>
#include <string>

#include "base/petsc.hpp"
#include "mesh/distributed_mesh.hpp"
#include "solvers/gathered_cholesky.hpp"

namespace limber::solvers {

struct LinearOutcome {
  bool solved = false;
  int iterations = 0;
  std::string reason; ///< PETSc's name of what went wrong
  bool built = false; ///< an iterative method's preconditioner was built for this solve
};

/// Puts what multigrid needs into PETSc's options database, where nothing else is set: the constructor does so after
/// the user's options are in.
void insert_default_options(MPI_Comm comm);
/// Whether insert_default_options knows this option (without its dash).
bool is_default_option(const std::string& name);

class LinearSolver {
public:
  static constexpr double tightest_tolerance = 1e-5; ///< of ‖r‖/‖b‖, without -ksp_rtol

  /// \param policy auto | cholesky | cg_amg. The matrix must outlive this object. Collective.
  /// \param is_static there is no mass in the matrix
  LinearSolver(const mesh::DistributedMesh& mesh, Mat matrix, const std::string& policy, bool is_static = false);
  ~LinearSolver();
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  /// Forgets everything that depends on earlier systems. Collective.
  void discard();
  /// Builds the preconditioner for the present values of the matrix, as the solve did that reported `built`, and takes
  /// over what is remembered of it. Collective.
  void restore(double iterations_per_digit, double excess);
  /// Solves with the present values of the matrix. A preconditioner of earlier values, also of earlier steps, is used
  /// again until it has cost as many iterations too many as building one is worth, or fails, or `rebuild` is set.
  /// Collective.
  /// \param tolerance of ‖r‖/‖b‖ for iterative methods; -ksp_rtol of the user wins
  LinearOutcome solve(Vec rhs, Vec solution, bool rebuild, double tolerance = tightest_tolerance);
  /// Last resort after solve() has failed: conjugate gradients with point Jacobi, then Cholesky if the problem is
  /// not too large. Collective.
  LinearOutcome solve_by_fallback(Vec rhs, Vec solution);

  /// Whether the next solve uses a preconditioner of earlier values.
  bool built() const { return built_; }
  /// What restore() needs. Iterations for each decimal digit when the preconditioner was built, and those too many
  /// since.
  double iterations_per_digit() const { return iterations_per_digit_; }
  double excess() const { return excess_; }

  /// For the user: what `auto` has chosen.
  std::string name() const;

private:
  void create_ksp();
  LinearOutcome run(KSP ksp, Vec rhs, Vec solution);

  const mesh::DistributedMesh& mesh_;
  Mat matrix_;
  bool direct_;
  base::KspHandle ksp_;
  GatheredCholesky cholesky_;
  bool built_ = false;
  double iterations_per_digit_ = 0.0; ///< of the solve for which the preconditioner was built
  double excess_ = 0.0;
  bool user_tolerance_ = false; ///< -ksp_rtol is set
};

} // namespace limber::solvers
