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
  bar.potential.start_step(bar.local(bar.whole.points), h * h, constraints);
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

} // namespace
} // namespace limber::solvers
