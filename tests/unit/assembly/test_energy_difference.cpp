/// E → gradient → Hessian of the whole potential by finite differences, and the digits of small differences.

#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

using test::moved;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double dot(const Eigen::VectorXd& g, const std::vector<double>& d) {
  return g.dot(Eigen::Map<const Eigen::VectorXd>(d.data(), Eigen::Index(d.size())));
}
Eigen::VectorXd product(const Eigen::MatrixXd& H, const std::vector<double>& d) {
  return H * Eigen::Map<const Eigen::VectorXd>(d.data(), Eigen::Index(d.size()));
}

TEST(FiniteDifferences, EnergyToGradientToHessian) {
  test::ThreeBodies scene;
  const auto g = scene.gradient(scene.x);
  const auto H = scene.hessian(scene.x, false);
  for (unsigned seed : {1u, 2u, 3u}) {
    const auto d = test::random_numbers(scene.x.size(), 100 + seed);
    const auto slope = [&](double step) {
      return scene.difference(moved(scene.x, -step, d), moved(scene.x, step, d)) / (2.0 * step);
    };
    const auto column = [&](double step) -> Eigen::VectorXd {
      return (scene.gradient(moved(scene.x, step, d)) - scene.gradient(moved(scene.x, -step, d))) / (2.0 * step);
    };
    // Central differences with a Richardson step: (step/edge length)⁴ = 1e-11 for edges of 0.3 m under noise, with room
    // for a derivative's growth; round-off is 1e-16 · length/step = 1e-13.
    const double step = 3e-4, tolerance = 1e-8;
    EXPECT_NEAR((4.0 * slope(0.5 * step) - slope(step)) / 3.0, dot(g, d), tolerance * g.cwiseAbs().sum());
    const Eigen::VectorXd Hd = product(H, d), difference = (4.0 * column(0.5 * step) - column(step)) / 3.0;
    EXPECT_LE((difference - Hd).cwiseAbs().maxCoeff(), tolerance * H.cwiseAbs().maxCoeff());
  }
}

TEST(Difference, KeepsDigitsThatTheEnergyItselfHasLost) {
  test::ThreeBodies scene;
  // Inertia makes E large: x̂ is 1 km away.
  auto target = scene.x;
  for (double& x : target) x += 1000.0;
  scene.reference.target = target;
  scene.potential.start_step({.target = scene.local(target),
                              .scale = test::ThreeBodies::h * test::ThreeBodies::h,
                              .gravity = scene.gravity,
                              .loads = {},
                              .constraints = scene.potential.constraints()});
  const double energy = scene.reference.energy(scene.x);
  const auto g = scene.gradient(scene.x);
  const auto H = scene.hessian(scene.x, false);
  for (double step : {1e-6, 1e-9, 1e-12}) {
    auto y = moved(scene.x, step, test::random_numbers(scene.x.size(), 12));
    std::vector<double> d(y.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = y[i] - scene.x[i]; // what was really moved, exact
    const double expected = dot(g, d) + 0.5 * dot(product(H, d), d);
    // Third order: step³ ∂³E, at most the Hessian over an edge of 0.1 m, times the number of components; round-off: of
    // the elastic energies alone, and of the inertia's terms relative to themselves.
    const double third = std::pow(step, 3) * H.cwiseAbs().sum() * 10.0;
    const double own =
        1e-15 * (scene.reference.scale * scene.reference.elastic_energy(scene.x) + g.cwiseAbs().sum() * step);
    EXPECT_NEAR(scene.difference(scene.x, y), expected, third + own) << step;
    EXPECT_LT(own + third, 1e-3 * epsilon * energy) << "the point of the test, " << step;
  }
}

TEST(Difference, CountsOnlyWhatMoves) {
  test::ThreeBodies scene;
  // One node of the small body moves: the energies of all other cells must cancel without a trace.
  auto y = scene.x;
  const std::size_t node = scene.whole.node_count() - 1;
  y[3 * node] += 1e-10;
  scene.potential.set_base(scene.local(scene.x));
  const auto difference = scene.potential.difference(scene.local(y));
  const auto g = scene.gradient(scene.x);
  const double step = y[3 * node] - scene.x[3 * node];
  double at_node = 0.0, all = 0.0; // [J]
  for (std::size_t c = 0; c < scene.whole.cell_count(); ++c) {
    const auto* cell = scene.whole.cells.data() + 4 * c;
    const double energy = scene.reference.scale * scene.reference.cell_energy(scene.x, c);
    all += energy;
    if (std::find(cell, cell + 4, LocalIndex(node)) != cell + 4) at_node += energy;
  }
  // A dozen operations on the energies of the cells at the node; second order is 1e-10 times first order here.
  EXPECT_NEAR(difference.value, g[Eigen::Index(3 * node)] * step, 10.0 * epsilon * at_node);
  EXPECT_LT(at_node, 0.2 * all) << "the point of the test";
  // What the line search relies on: round-off is relative to the magnitude.
  EXPECT_NEAR(difference.value, g[Eigen::Index(3 * node)] * step, 8.0 * epsilon * difference.magnitude);
  EXPECT_GE(difference.magnitude, std::abs(difference.value));
}

} // namespace
} // namespace limber::assembly
