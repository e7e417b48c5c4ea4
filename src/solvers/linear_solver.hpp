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
  bool slow = false;  ///< it ran out of iterations
  bool built = false; ///< an iterative method's preconditioner was built for this solve
};

/// Puts what multigrid needs into PETSc's options database, where nothing else is set: the constructor does so after
/// the user's options are in.
void insert_default_options(MPI_Comm comm);
/// Whether insert_default_options knows this option (without its dash).
bool is_default_option(const std::string& name);

enum class LinearMethod {
  jacobi,    ///< conjugate gradients with block Jacobi, 3×3
  multigrid, ///< conjugate gradients with algebraic multigrid
  cholesky   ///< gathered to one rank
};

class LinearSolver {
public:
  static constexpr double tightest_tolerance = 1e-5; ///< of ‖r‖/‖b‖, without -ksp_rtol

  /// \param policy auto | cholesky | cg_amg | cg_jacobi. The matrix must outlive this object. Collective.
  /// \param is_static there is no mass in the matrix
  LinearSolver(const mesh::DistributedMesh& mesh, Mat matrix, const std::string& policy, bool is_static = false);
  ~LinearSolver();
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  /// Forgets everything that depends on earlier systems. Collective.
  void discard();
  /// Solves with the present values of the matrix. A preconditioner of earlier values, also of earlier steps, is used
  /// again until it has cost as many iterations too many as building one is worth, or fails, or `rebuild` is set.
  /// Collective.
  /// \param tolerance of ‖r‖/‖b‖ for iterative methods; -ksp_rtol of the user wins
  LinearOutcome solve(Vec rhs, Vec solution, bool rebuild, double tolerance = tightest_tolerance);
  /// Last resort after solve() has failed: conjugate gradients with point Jacobi, then Cholesky if the problem is
  /// not too large. Collective.
  LinearOutcome solve_by_fallback(Vec rhs, Vec solution);

  /// What is remembered of earlier solves.
  struct Memory {
    LinearMethod method = LinearMethod::multigrid;
    bool built = false;                ///< the next solve uses multigrid of earlier values
    double iterations_per_digit = 0.0; ///< when it was built
    double excess = 0.0;               ///< iterations too many since
    double solves = 0.0;               ///< by multigrid, since `auto` went over to it
    double iterations = 0.0;           ///< of those solves
    double slow = 0.0;                 ///< iterations beyond the usual number, since `auto` last thought about it
  };
  const Memory& memory() const { return memory_; }
  /// Takes that over from another run; multigrid is built for the present values of the matrix, as the solve did that
  /// reported `built`. Collective.
  void restore(const Memory& memory);

  /// For the user: the present method.
  std::string name() const;

private:
  void create_ksp();
  LinearOutcome run(KSP ksp, Vec rhs, Vec solution);
  LinearOutcome solve_by_jacobi(Vec rhs, Vec solution, double tolerance);
  LinearOutcome solve_by_multigrid(Vec rhs, Vec solution, bool rebuild, double tolerance);
  /// `auto`: whether Cholesky would be faster than multigrid has been so far.
  bool cholesky_wins(const LinearOutcome& last);
  void go_over_to(LinearMethod method, const std::string& reason);

  const mesh::DistributedMesh& mesh_;
  Mat matrix_;
  bool automatic_; ///< the method may change
  LinearMethod first_method_;
  Memory memory_;
  base::KspHandle ksp_;
  GatheredCholesky cholesky_;
  double factorization_worth_ = -1.0; ///< iterations of multigrid that one factorization takes; < 0: not known yet
  bool user_tolerance_ = false;       ///< -ksp_rtol is set
};

} // namespace limber::solvers
