#include "solvers/linear_solver.hpp"
#include "solvers_test_support.hpp"

namespace limber::solvers {
namespace {

class Options {
public:
  Options(std::initializer_list<std::pair<std::string, std::string>> values) {
    for (const auto& [name, value] : values) {
      names_.push_back(name);
      LIMBER_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
    }
  }
  ~Options() {
    for (const auto& name : names_) PetscOptionsClearValue(nullptr, name.c_str());
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

private:
  std::vector<std::string> names_;
};

class LinearSolverTest : public ::testing::Test {
protected:
  LinearSolverTest() : bar({8, 4, 4}, 1e7) { // 675 unknowns: several multigrid levels, stiff against the mass
    bar.start(bar.whole.points, "xmin");
    bar.potential.assemble_hessian(bar.local(bar.whole.points), false);
    auto load = test::random_numbers(bar.whole.points.size(), 3);
    for (std::size_t n = 0; n < bar.whole.node_count(); ++n)
      for (std::size_t k = 0; k < 3; ++k)
        if (bar.whole.points[3 * n] == 0.0) load[3 * n + k] = 0.0; // held: the right-hand side vanishes there
    rhs = test::make_vector(bar.mesh, matrix(), load);
    LIMBER_PETSC(VecDuplicate(rhs, solution.out()));
    base::quiet_petsc_errors();
  }
  ~LinearSolverTest() override { PetscPopErrorHandler(); }
  Mat matrix() const { return bar.potential.matrix(); }
  /// Half of the eigenvalues become negative. (CG converges on a negative definite matrix.)
  void make_indefinite() {
    base::VecHandle diagonal;
    LIMBER_PETSC(VecDuplicate(rhs, diagonal.out()));
    LIMBER_PETSC(MatGetDiagonal(matrix(), diagonal));
    PetscReal largest = 0.0;
    LIMBER_PETSC(VecMax(diagonal, nullptr, &largest));
    LIMBER_PETSC(MatShift(matrix(), -0.5 * largest));
  }

  test::Bar bar;
  base::VecHandle rhs, solution;
};

TEST_F(LinearSolverTest, CgAmgReachesTheToleranceInTheTrueResidual) {
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  solver.discard();
  const auto outcome = solver.solve(rhs, solution, true);
  EXPECT_TRUE(outcome.solved) << outcome.reason;
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs),
            1.1e-5); // rtol 1e-5; CG's recursive residual drifts a little
  // Without rigid-body modes or with a broken smoother it takes far more than the dozen or two that multigrid needs.
  EXPECT_LE(outcome.iterations, 40);
  EXPECT_GT(outcome.iterations, 2);
}

TEST_F(LinearSolverTest, CgAmgTakesATighterTolerance) {
  const Options options{{"-ksp_rtol", "1e-9"}};
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  solver.discard();
  EXPECT_TRUE(solver.solve(rhs, solution, true).solved);
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1.1e-9);
}

TEST_F(LinearSolverTest, RepeatsItselfBitwise) {
  for (const char* policy : {"cg_amg", "cg_jacobi", "cholesky", "auto"}) {
    std::vector<double> first;
    int iterations = 0;
    for (int round = 0; round < 2; ++round) {
      LinearSolver solver(bar.mesh, matrix(), policy);
      solver.discard();
      const auto outcome = solver.solve(rhs, solution, true);
      EXPECT_TRUE(outcome.solved) << policy << ": " << outcome.reason;
      if (round == 0) {
        first = test::entries(solution);
        iterations = outcome.iterations;
      }
      EXPECT_EQ(test::entries(solution), first) << policy;
      EXPECT_EQ(outcome.iterations, iterations) << policy;
    }
  }
}

TEST_F(LinearSolverTest, DiscardForgetsEarlierSystems) {
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  solver.discard();
  solver.solve(rhs, solution, true);
  const auto first = test::entries(solution);
  bar.potential.assemble_hessian(bar.local(bar.stretched({1.3, 0.8, 1.1})), true);
  solver.solve(rhs, solution, false); // a preconditioner of other values
  bar.potential.assemble_hessian(bar.local(bar.whole.points), false);
  solver.discard();
  solver.solve(rhs, solution, false);
  EXPECT_EQ(test::entries(solution), first);
}

TEST_F(LinearSolverTest, SolvesNewValuesWithAnOldPreconditioner) {
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  solver.discard();
  EXPECT_TRUE(solver.solve(rhs, solution, true).solved);
  bar.potential.assemble_hessian(bar.local(bar.stretched({1.05, 0.97, 1.0})), true);
  EXPECT_TRUE(solver.solve(rhs, solution, false).solved);
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1.1e-5);
}

TEST_F(LinearSolverTest, NeverUsesAnOldFactorOfTheUsersDirectSolver) {
  const Options options{{"-ksp_type", "preonly"}, {"-pc_type", "cholesky"}, {"-pc_factor_mat_solver_type", "mumps"}};
  LinearSolver solver(bar.mesh, matrix(), "auto");
  EXPECT_TRUE(solver.solve(rhs, solution, false).solved);
  bar.potential.assemble_hessian(bar.local(bar.stretched({1.3, 0.8, 1.1})), true);
  EXPECT_TRUE(solver.solve(rhs, solution, false).solved);
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1e-12); // round-off times the condition
}

TEST_F(LinearSolverTest, BuildsAnewWhenTheOldOneHasCostTooMuch) {
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  EXPECT_TRUE(solver.solve(rhs, solution, false).built);
  // Equal values cost nothing, however often they are solved with.
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(solver.solve(rhs, solution, false).built);
  EXPECT_LE(solver.memory().excess, 5.0);
  // Far from what it was built for, the iterations too many add up until building is worth it.
  bar.potential.assemble_hessian(bar.local(bar.stretched({1.5, 0.6, 1.2})), true);
  int solves = 1;
  while (!solver.solve(rhs, solution, false).built && solves < 50) ++solves;
  EXPECT_GT(solves, 1);
  EXPECT_LT(solves, 50);
  EXPECT_EQ(solver.memory().excess, 0.0);
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1.1e-5);
}

TEST_F(LinearSolverTest, RestoresThePreconditionerBitwise) {
  LinearSolver first(bar.mesh, matrix(), "cg_amg");
  EXPECT_TRUE(first.solve(rhs, solution, false).built);
  LinearSolver second(bar.mesh, matrix(), "cg_amg");
  second.restore(first.memory());
  bar.potential.assemble_hessian(bar.local(bar.stretched({1.02, 0.99, 1.0})), true);
  EXPECT_FALSE(first.solve(rhs, solution, false, 1e-3).built);
  const auto expected = test::entries(solution);
  EXPECT_FALSE(second.solve(rhs, solution, false, 1e-3).built);
  EXPECT_EQ(test::entries(solution), expected);
  EXPECT_EQ(second.memory().excess, first.memory().excess);
}

TEST_F(LinearSolverTest, StopsAtTheToleranceThatIsAskedFor) {
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  const int loose = solver.solve(rhs, solution, false, 0.1).iterations;
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 0.1);
  EXPECT_LT(loose, solver.solve(rhs, solution, false, 1e-5).iterations);
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1.1e-5);
}

TEST_F(LinearSolverTest, CholeskySolvesToRoundOff) {
  LinearSolver solver(bar.mesh, matrix(), "cholesky");
  solver.discard();
  EXPECT_TRUE(solver.solve(rhs, solution, true).solved);
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1e-12);
  bar.potential.assemble_hessian(bar.local(bar.stretched({1.3, 0.8, 1.1})), true);
  EXPECT_TRUE(solver.solve(rhs, solution, false).solved); // never an old factor
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1e-12);
}

TEST_F(LinearSolverTest, NamesTheFailureOfAnIndefiniteMatrix) {
  make_indefinite();
  for (const char* policy : {"cg_amg", "cholesky"}) {
    LinearSolver solver(bar.mesh, matrix(), policy);
    solver.discard();
    const auto outcome = solver.solve(rhs, solution, true);
    EXPECT_FALSE(outcome.solved) << policy;
    EXPECT_EQ(outcome.reason.rfind("DIVERGED_", 0), 0u) << policy << ": " << outcome.reason;
  }
}

TEST_F(LinearSolverTest, RecoversAfterAFailure) {
  for (const char* policy : {"cg_amg", "cholesky"}) {
    LinearSolver solver(bar.mesh, matrix(), policy);
    solver.discard();
    make_indefinite();
    EXPECT_FALSE(solver.solve(rhs, solution, false).solved) << policy;
    bar.potential.assemble_hessian(bar.local(bar.whole.points), false);
    const auto outcome = solver.solve(rhs, solution, true);
    EXPECT_TRUE(outcome.solved) << policy << ": " << outcome.reason;
    EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1.1e-5) << policy;
  }
}

TEST_F(LinearSolverTest, FallsBackToJacobi) {
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  const auto outcome = solver.solve_by_fallback(rhs, solution);
  EXPECT_TRUE(outcome.solved) << outcome.reason;
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1.1e-5);
}

TEST_F(LinearSolverTest, FallsBackToCholeskyWhereJacobiIsTooSlow) {
  const Options options{{"-fallback_ksp_max_it", "3"}};
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  const auto outcome = solver.solve_by_fallback(rhs, solution);
  EXPECT_TRUE(outcome.solved) << outcome.reason;
  EXPECT_EQ(outcome.iterations, 3) << "the wasted ones count";
  EXPECT_LE(test::relative_residual(matrix(), solution, rhs), 1e-12);
}

TEST_F(LinearSolverTest, FallbackNamesAnIndefiniteMatrix) {
  make_indefinite();
  LinearSolver solver(bar.mesh, matrix(), "cg_amg");
  const auto outcome = solver.solve_by_fallback(rhs, solution);
  EXPECT_FALSE(outcome.solved);
  EXPECT_EQ(outcome.reason, "the matrix is not positive definite");
}

TEST_F(LinearSolverTest, RefusesOptionsThatPetscDoesNotKnow) {
  const Options options{{"-pc_type", "no_such_preconditioner"}};
  EXPECT_THROW(LinearSolver(bar.mesh, matrix(), "cg_amg"), base::UserError);
}

TEST(DefaultOptions, AreKnownByName) {
  EXPECT_TRUE(is_default_option("matptap_via"));
  EXPECT_FALSE(is_default_option("ksp_rtol"));
}

TEST(DefaultOptions, DoNotReplaceOthers) {
  insert_default_options(MPI_COMM_WORLD);
  LIMBER_PETSC(PetscOptionsSetValue(nullptr, "-mg_levels_ksp_type", "richardson"));
  insert_default_options(MPI_COMM_WORLD);
  char value[64] = "";
  LIMBER_PETSC(PetscOptionsGetString(nullptr, nullptr, "-mg_levels_ksp_type", value, sizeof value, nullptr));
  EXPECT_STREQ(value, "richardson");
  LIMBER_PETSC(PetscOptionsSetValue(nullptr, "-mg_levels_ksp_type", "chebyshev"));
}

} // namespace
} // namespace limber::solvers
