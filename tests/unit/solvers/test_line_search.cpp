#include "solvers/line_search.hpp"
#include "solvers/newton_solver.hpp"
#include "solvers_test_support.hpp"

namespace limber::solvers {
namespace {

class LineSearchTest : public ::testing::Test {
protected:
  /// ∂E/∂x by ordinal. Collective.
  std::vector<double> gradient(const std::vector<double>& x) {
    std::vector<double> g(3 * std::size_t(bar.mesh.owned_nodes));
    bar.potential.gradient(bar.local(x), g.data());
    return test::to_whole(bar.mesh, g);
  }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  LineSearchResult search(const std::vector<double>& x, const std::vector<double>& p, double slope) {
    return filtered_line_search(bar.potential, bar.local(x), bar.local(p), slope, x_new, g_new);
  }
  /// The minimizer to round-off, by ordinal.
  std::vector<double> converged() {
    auto target = bar.whole.points;
    for (std::size_t i = 0; i < target.size(); i += 3) target[i + 1] += 0.05 * std::sin(3.0 * target[i]);
    bar.start(target);
    auto x = bar.local(bar.whole.points);
    NewtonSolver newton(bar.potential, test::newton_options(1e-11, "cholesky"));
    const auto outcome = newton.solve(x, test::Bar::h);
    EXPECT_TRUE(outcome.converged) << outcome.reason;
    return test::to_whole(bar.mesh, x);
  }

  test::Bar bar;
  std::vector<double> x_new, g_new;
};

TEST_F(LineSearchTest, TakesTheFullStepWhereItHelps) {
  const auto x = bar.stretched({1.05, 1.0, 1.0});
  const auto g = gradient(x);
  auto p = g;
  for (double& value : p) value *= -1e-3;
  const auto result = search(x, p, dot(g, p));
  EXPECT_TRUE(result.accepted) << result.reason;
  EXPECT_EQ(result.alpha, 1.0);
  EXPECT_EQ(result.evaluations, 1);
  std::vector<double> expected = bar.local(x);
  const auto step = bar.local(p);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += step[i];
  EXPECT_EQ(x_new, expected);
  std::vector<double> g_expected(g_new.size());
  bar.potential.gradient(x_new, g_expected.data());
  EXPECT_EQ(g_new, g_expected);
}

TEST_F(LineSearchTest, NeverCrossesInversion) {
  for (double length : {1e-2, 1.0, 1e2, 1e4}) {
    const auto x = bar.stretched({0.6, 1.4, 1.1});
    const auto g = gradient(x);
    auto p = g;
    const double largest = *std::max_element(g.begin(), g.end());
    for (double& value : p) value *= -length / largest;
    const auto result = search(x, p, dot(g, p));
    EXPECT_TRUE(result.accepted) << length << ": " << result.reason;
    const double bound = bar.potential.max_step_size(bar.local(x), bar.local(p));
    EXPECT_LE(result.alpha, bound);
    EXPECT_GT(bar.potential.min_jacobian(x_new).jacobian, 0.0);
    bar.potential.set_base(bar.local(x));
    EXPECT_LT(bar.potential.difference(x_new).value, 1e-4 * result.alpha * dot(g, p)); // Armijo's condition itself
    if (length >= 1.0) {
      EXPECT_LT(bound, 1.0) << "the step is too tame";
    }
  }
}

TEST_F(LineSearchTest, AcceptsTinyStepsAtConvergence) {
  const auto x = converged();
  for (double length : {1e-9, 1e-12, 1e-14}) {
    // Whatever the residual is, −g points downhill; energies cannot show it any more.
    const auto g = gradient(x);
    auto p = g;
    double largest = 0.0;
    for (double value : g) largest = std::max(largest, std::abs(value));
    ASSERT_GT(largest, 0.0);
    for (double& value : p) value *= -length / largest;
    // At 1e-9 the parabola's minimum lies before the end of the step: halving must find it.
    const auto result = search(x, p, dot(g, p));
    EXPECT_TRUE(result.accepted) << length << ": " << result.reason;
  }
}

TEST_F(LineSearchTest, AcceptsNewtonStepsAtConvergenceAtOnce) {
  const auto x = converged();
  LinearSolver linear(bar.mesh, bar.potential.matrix(), "cholesky");
  for (double size : {1e-8, 1e-10, 1e-12}) {
    // A state off by so much: Newton's full step must be taken although E cannot tell.
    auto y = x;
    const auto noise = test::random_numbers(x.size(), 5);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += size * noise[i];
    const auto g = gradient(y);
    auto minus_g = g;
    for (double& value : minus_g) value = -value;
    bar.potential.assemble_hessian(bar.local(y), false);
    const auto rhs = test::make_vector(bar.mesh, bar.potential.matrix(), minus_g);
    base::VecHandle solution;
    LIMBER_PETSC(VecDuplicate(rhs, solution.out()));
    linear.discard();
    ASSERT_TRUE(linear.solve(rhs, solution, true).solved);
    const auto p = test::to_whole(bar.mesh, test::entries(solution));
    const auto result = search(y, p, dot(g, p));
    EXPECT_TRUE(result.accepted) << size << ": " << result.reason;
    EXPECT_EQ(result.alpha, 1.0) << size;
  }
}

TEST_F(LineSearchTest, SaysWhyNothingIsAcceptable) {
  const auto x = converged();
  auto away = test::random_numbers(x.size(), 6);
  auto y = x;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-3 * away[i];
  const auto g = gradient(y);
  auto uphill = g;
  for (double& value : uphill) value *= 1e-3;
  const auto result = search(y, uphill, -dot(g, uphill)); // a lie about the slope
  EXPECT_FALSE(result.accepted);
  EXPECT_EQ(result.reason.rfind("no decrease of the energy along the step (slope -", 0), 0u) << result.reason;
  EXPECT_LE(result.evaluations, 61);
}

TEST_F(LineSearchTest, SaysThatAnElementCannotMove) {
  const auto mirrored = bar.stretched({-1.0, 1.0, 1.0});
  const auto result = search(mirrored, bar.whole.points, -1.0);
  EXPECT_FALSE(result.accepted);
  EXPECT_EQ(result.reason, "an element cannot move along the step without inverting");
  EXPECT_EQ(result.evaluations, 0);
}

} // namespace
} // namespace limber::solvers
