#include "solvers/newton_solver.hpp"
#include "solvers_test_support.hpp"

namespace limber::solvers {
namespace {

constexpr double h = test::Bar::h;

struct Start {
  const char* name;
  Vector3 stretch;
};

class NewtonStart : public ::testing::TestWithParam<Start> {};
INSTANTIATE_TEST_SUITE_P(Starts, NewtonStart,
                         ::testing::Values(Start{"rest", {1.0, 1.0, 1.0}}, Start{"stretched", {3.0, 1.0, 1.0}},
                                           Start{"compressed", {0.2, 1.0, 1.0}}, Start{"inflated", {2.0, 2.0, 2.0}},
                                           Start{"flattened", {1.5, 1.5, 0.15}}, Start{"crushed", {0.3, 0.3, 0.3}}),
                         [](const auto& start) { return std::string(start.param.name); });

TEST_P(NewtonStart, Converges) {
  for (const char* policy : {"cholesky", "cg_amg"}) {
    test::Bar bar;
    // At rest, far away: the start and x̂ are the deformed state.
    const auto deformed = bar.stretched(GetParam().stretch);
    bar.start(deformed);
    auto x = bar.local(deformed);
    const auto options = test::newton_options(1e-6, policy);
    NewtonSolver newton(bar.potential, options);
    const auto outcome = newton.solve(x, h);
    EXPECT_TRUE(outcome.converged) << policy << ": " << outcome.reason;
    EXPECT_EQ(outcome.reason, "");
    EXPECT_LE(outcome.residual, options.tolerance);
    EXPECT_LE(outcome.newton_iterations, 60) << policy;
    EXPECT_GT(outcome.newton_iterations, 0);
    EXPECT_GT(outcome.linear_iterations, 0);
    EXPECT_GE(outcome.line_search_evaluations, outcome.newton_iterations);
    EXPECT_GT(bar.potential.min_jacobian(x).jacobian, 0.0);
    // ‖p‖∞ ≤ tolerance h, and a row sum of the Hessian at rest is about 1e5 Pa · 0.5 m · h² + mass, 1e3 here with
    // room: the residual of the minimum is below the product. Newton's last step squares it.
    EXPECT_LE(bar.gradient_norm(x), options.tolerance * h * 1e3) << policy;
    auto with_ghosts = x;
    bar.mesh.update_ghosts(with_ghosts);
    EXPECT_EQ(with_ghosts, x) << "ghosts are up to date";
  }
}

TEST_P(NewtonStart, RepeatsItselfBitwise) {
  std::vector<double> first;
  for (int round = 0; round < 2; ++round) {
    test::Bar bar;
    const auto deformed = bar.stretched(GetParam().stretch);
    bar.start(deformed);
    auto x = bar.local(deformed);
    NewtonSolver newton(bar.potential, test::newton_options(1e-3, "cg_amg"));
    newton.solve(x, h);
    if (round == 0) first = x;
    EXPECT_EQ(x, first);
  }
}

TEST(NewtonSolver, FindsThePlaceOfAFreeFall) {
  test::Bar bar;
  auto x = bar.local(bar.whole.points);
  NewtonSolver newton(bar.potential, test::newton_options(1e-8, "cholesky"));
  ASSERT_TRUE(newton.solve(x, h).converged);
  const auto rest = bar.local(bar.whole.points);
  for (std::size_t i = 0; i < x.size(); ++i) // rigid: x̂ + h² g; the tolerance on x is that on v times h
    EXPECT_NEAR(x[i], rest[i] - (i % 3 == 2 ? 9.81 * h * h : 0.0), 1e-8 * h);
}

TEST(NewtonSolver, StaysWhereTheGradientVanishes) {
  test::Bar bar;
  auto target = bar.whole.points;
  for (std::size_t i = 2; i < target.size(); i += 3) target[i] += 9.81 * h * h; // gravity undone
  bar.start(target);
  auto x = bar.local(bar.whole.points);
  const auto outcome = NewtonSolver(bar.potential, test::newton_options(1e-3, "cholesky")).solve(x, h);
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  EXPECT_LE(outcome.newton_iterations, 1);
}

TEST(NewtonSolver, MovesHeldNodesExactly) {
  for (double displacement : {0.01, 0.4}) {
    test::Bar bar;
    bar.start(bar.whole.points, "xmax", {displacement, 0.0, -0.5 * displacement});
    auto x = bar.local(bar.whole.points);
    const auto outcome = NewtonSolver(bar.potential, test::newton_options(1e-6, "auto")).solve(x, h);
    ASSERT_TRUE(outcome.converged) << outcome.reason;
    const auto rest = bar.local(bar.whole.points);
    const auto& held = bar.potential.constraints().held;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (held[i]) { // the motion may be done in several parts
        EXPECT_NEAR(x[i] - rest[i], i % 3 == 0 ? displacement : i % 3 == 1 ? 0.0 : -0.5 * displacement, 1e-14);
      }
    EXPECT_GT(bar.potential.min_jacobian(x).jacobian, 0.0);
  }
}

TEST(NewtonSolver, NamesAMotionThatCannotBeMade) {
  test::Bar bar({1, 1, 1}); // both ends of every cell are held, one is pushed through the other
  dofs::Constraints constraints;
  constraints.held.assign(3 * std::size_t(bar.mesh.local_nodes), 1);
  constraints.displacement.assign(constraints.held.size(), 0.0);
  for (std::size_t i = 0; i < constraints.held.size(); i += 3)
    constraints.displacement[i] = bar.mesh.rest_positions[i] == 1.0 ? -1.5 : 0.0;
  constraints.any_motion = true;
  bar.potential.start_step({.target = bar.local(bar.whole.points),
                            .scale = h * h,
                            .gravity = {0.0, 0.0, -9.81},
                            .loads = {},
                            .constraints = constraints});
  auto x = bar.local(bar.whole.points);
  const auto outcome = NewtonSolver(bar.potential, {}).solve(x, h);
  EXPECT_FALSE(outcome.converged);
  EXPECT_EQ(outcome.reason, "the prescribed motion would invert elements");
}

TEST(NewtonSolver, NamesALimitOnIterations) {
  test::Bar bar;
  const auto deformed = bar.stretched({0.3, 1.0, 1.0});
  bar.start(deformed);
  auto x = bar.local(deformed);
  NewtonSolver newton(bar.potential, test::newton_options(1e-6, "cholesky", 2));
  const auto outcome = newton.solve(x, h);
  EXPECT_FALSE(outcome.converged);
  EXPECT_EQ(outcome.reason.rfind("no convergence in 2 Newton iterations (residual ", 0), 0u) << outcome.reason;
  EXPECT_EQ(outcome.newton_iterations, 2);
  EXPECT_GT(outcome.residual, 1e-6);
  // The same solver goes on afterwards, as after a halved step.
  NewtonSolver again(bar.potential, test::newton_options(1e-6, "cholesky"));
  EXPECT_TRUE(again.solve(x, h).converged);
}

TEST(NewtonSolver, CanBeUsedAgainAfterAFailure) {
  test::Bar bar;
  const auto deformed = bar.stretched({0.3, 1.0, 1.0});
  NewtonSolver newton(bar.potential, test::newton_options(1e-6, "cg_amg", 8));
  auto bad = bar.local(bar.stretched({-1.0, 1.0, 1.0}));
  EXPECT_FALSE(newton.solve(bad, h).converged);
  auto x = bar.local(bar.whole.points);
  EXPECT_TRUE(newton.solve(x, h).converged);
}

TEST(NewtonSolver, NamesTheElementOfABadStart) {
  test::Bar bar;
  auto start = bar.whole.points;
  start[4] = std::numeric_limits<double>::quiet_NaN();
  auto x = bar.local(start);
  auto outcome = NewtonSolver(bar.potential, {}).solve(x, h);
  EXPECT_FALSE(outcome.converged);
  EXPECT_EQ(outcome.reason.rfind("the strain energy of element ", 0), 0u) << outcome.reason;
  x = bar.local(bar.stretched({-1.0, 1.0, 1.0}));
  outcome = NewtonSolver(bar.potential, {}).solve(x, h);
  EXPECT_EQ(outcome.reason.rfind("the strain energy of element 0 of body body0 is not finite", 0), 0u)
      << outcome.reason;
}

TEST(NewtonSolver, StopsInOneIterationAtItsOwnResult) {
  test::Bar bar;
  const auto deformed = bar.stretched({1.2, 0.9, 0.95});
  bar.start(deformed);
  auto x = bar.local(deformed);
  // Far below what energies can show: the search must not stall.
  NewtonSolver newton(bar.potential, test::newton_options(1e-11, "cholesky"));
  const auto first = newton.solve(x, h);
  ASSERT_TRUE(first.converged) << first.reason;
  EXPECT_LE(first.newton_iterations, 12);
  const auto second = newton.solve(x, h);
  EXPECT_TRUE(second.converged) << second.reason;
  EXPECT_LE(second.newton_iterations, 1);
}

/// Weight and end load of the static tests: the bar of 1e5 Pa bends by about a tenth of its length.
constexpr double weight_factor = 0.5;
constexpr Vector3 end_load{200.0, 100.0, -50.0}; ///< [N]

double two_norm(const std::vector<double>& values) {
  double sum = 0.0;
  for (double value : values) sum += value * value;
  return std::sqrt(base::global_sum(MPI_COMM_WORLD, sum));
}

TEST(Statics, ConvergesToEquilibrium) {
  for (const char* policy : {"auto", "cg_amg"}) {
    test::Bar bar({6, 2, 2});
    bar.start_static(weight_factor, end_load);
    auto x = bar.local(bar.whole.points);
    NewtonSolver newton(bar.potential, test::newton_options(1e-3, policy), true);
    const auto outcome = newton.solve(x, 0.1);
    ASSERT_TRUE(outcome.converged) << policy << ": " << outcome.reason;
    std::vector<double> g(3 * std::size_t(bar.mesh.owned_nodes));
    bar.potential.gradient(x, g.data());
    EXPECT_LE(two_norm(g), 1e-8 * bar.potential.force_norm()) << policy; // the documented criterion
    // What the clamp holds is what pulls: the residual times the number of nodes at most, and some more.
    const auto reactions = bar.potential.reactions(x);
    std::vector<double> sums(3, 0.0);
    for (std::size_t i = 0; i < reactions.size(); ++i) sums[i % 3] += reactions[i];
    base::global_sum(MPI_COMM_WORLD, sums);
    const double weight = 1000.0 * 0.25 * 9.81 * weight_factor;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(sums[k], -end_load[k] + (k == 2 ? weight : 0.0), 1e-7 * bar.potential.force_norm());
    double farthest = 0.0;
    const auto rest = bar.local(bar.whole.points);
    for (std::size_t i = 0; i < x.size(); ++i) farthest = std::max(farthest, std::abs(x[i] - rest[i]));
    EXPECT_GT(base::global_max(MPI_COMM_WORLD, farthest), 0.03) << "the load is too small for a test";
  }
}

TEST(Statics, DoesNotDependOnTheToleranceOfTheStep) {
  std::vector<double> first;
  for (const double tolerance : {1e-9, 1e-3, 1e6}) {
    test::Bar bar({6, 2, 2});
    bar.start_static(weight_factor, end_load);
    auto x = bar.local(bar.whole.points);
    const auto outcome = NewtonSolver(bar.potential, test::newton_options(tolerance, "auto"), true).solve(x, 0.1);
    ASSERT_TRUE(outcome.converged) << outcome.reason;
    if (first.empty()) first = x;
    // Residuals of 1e-8 of the forces move a bar that bends by 0.1 m by that part of it, times a factor for bending.
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], first[i], 1e-8) << tolerance;
  }
}

TEST(Statics, IsDoneInAnIterationWhereItStands) {
  test::Bar bar;
  bar.start_static(weight_factor, end_load);
  auto x = bar.local(bar.whole.points);
  NewtonSolver newton(bar.potential, test::newton_options(1e-3, "auto"), true);
  ASSERT_TRUE(newton.solve(x, 0.1).converged);
  const auto second = newton.solve(x, 0.1);
  EXPECT_TRUE(second.converged) << second.reason;
  EXPECT_LE(second.newton_iterations, 1);
}

TEST(Statics, OfAnUnloadedBodyStays) {
  test::Bar bar;
  bar.start_static(0.0, {});
  auto x = bar.local(bar.whole.points);
  const auto outcome = NewtonSolver(bar.potential, test::newton_options(1e-3, "auto"), true).solve(x, 0.1);
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  const auto rest = bar.local(bar.whole.points);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], rest[i], 1e-14);
}

TEST(Statics, MovesHeldNodesAndTheBodyFollows) {
  test::Bar bar;
  const Vector3 motion{0.1, -0.2, 0.05};
  bar.start_static(0.0, {}, motion); // nothing holds the bar but the clamp: it goes along as it is
  auto x = bar.local(bar.whole.points);
  const auto outcome = NewtonSolver(bar.potential, test::newton_options(1e-3, "auto"), true).solve(x, 0.1);
  ASSERT_TRUE(outcome.converged) << outcome.reason;
  const auto rest = bar.local(bar.whole.points);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], rest[i] + motion[i % 3], 1e-9);
}

/// What `auto` ends with after a step that takes `scale` for βh².
LinearMethod method_after_step(test::Bar& bar, double scale) {
  const auto start = bar.local(bar.whole.points);
  auto target = start;
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += 1e-2 * std::sin(3.0 * double(i));
  bar.potential.start_step({.target = target,
                            .scale = scale,
                            .gravity = {0.0, 0.0, -9.81},
                            .loads = {},
                            .constraints = bar.constraints("xmin", {})});
  NewtonSolver newton(bar.potential, test::newton_options(1e-6, "auto"));
  auto x = start;
  const auto outcome = newton.solve(x, std::sqrt(scale));
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  return newton.linear_solver().memory().method;
}

TEST(AutomaticLinearSolver, TakesJacobiWhereMassDominatesAndMultigridElsewhere) {
  test::Bar bar({12, 10, 10}, 1e5); // 4719 unknowns; waves cross an element in about 5 ms
  EXPECT_EQ(method_after_step(bar, 1e-8), LinearMethod::jacobi);
  EXPECT_EQ(method_after_step(bar, 1e2), LinearMethod::multigrid);
}

TEST(AutomaticLinearSolver, GoesOverToCholeskyWhereMultigridIsSlow) {
  test::Bar bar({130, 2, 2}); // 3537 unknowns, flat elements, next to no fill
  bar.start_static(0.1, {100.0, 0.0, 10.0});
  // A tight tolerance takes some thirty iterations. On many ranks multigrid may take more before a factorization pays.
  if (base::size(MPI_COMM_WORLD) > 2) GTEST_SKIP() << "not worth it on so many ranks";
  LIMBER_PETSC(PetscOptionsSetValue(nullptr, "-ksp_rtol", "1e-12"));
  NewtonSolver newton(bar.potential, test::newton_options(1e-8, "auto"), true);
  LIMBER_PETSC(PetscOptionsClearValue(nullptr, "-ksp_rtol"));
  EXPECT_EQ(newton.linear_solver().memory().method, LinearMethod::multigrid);
  auto x = bar.local(bar.whole.points);
  const auto outcome = newton.solve(x, 0.1);
  EXPECT_TRUE(outcome.converged) << outcome.reason;
  EXPECT_EQ(newton.linear_solver().memory().method, LinearMethod::cholesky);
}

} // namespace
} // namespace limber::solvers
