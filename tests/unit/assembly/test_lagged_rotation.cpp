/// The rotation that corotated_linear keeps at each integration point from the last accepted state.

#include "assembly_test_support.hpp"
#include "base/collective.hpp"

namespace limber::assembly {
namespace {

using Tensor = math::Matrix3<double>;

/// Linear and quadratic cells, straight and curved: one, four and fourteen points.
struct CorotatedBodies : test::Scene {
  CorotatedBodies()
      : Scene({test::make_box({.cubes = {2, 1, 1}, .size = {1.0, 0.5, 0.5}, .leave_out = 1}),
               test::quadratic(test::make_box({.cubes = {2, 1, 1}, .min = {2.0, 0.0, 0.0}, .size = {1.0, 0.6, 0.5}})),
               test::quadratic(test::make_box({.cubes = {2, 1, 1}, .min = {0.0, 1.0, 0.0}, .size = {1.0, 0.5, 0.6}}),
                               test::bend_edges)},
              {{1000.0, {}}, {900.0, {}}, {800.0, {}}}, {of(1e5), of(2e5), of(3e5)}, 0.008) {}

  static materials::MaterialOptions of(double mu) {
    return {.model = "corotated_linear", .density = 1000.0, .lame_mu = mu, .lame_lambda = 1.5 * mu};
  }
  double energy(const std::vector<double>& at) {
    return base::global_sum(mesh.comm, potential.elastic().energy(local(at)));
  }
};

/// A turn by 130 degrees about (1, 2, 2)/3.
const Tensor turn = [] {
  const double c = std::cos(130.0 * M_PI / 180.0), s = std::sin(130.0 * M_PI / 180.0);
  const double a[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
  Tensor q;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) q(i, j) = (i == j ? c : 0.0) + (1.0 - c) * a[i] * a[j] + s * cross[i][j];
  return q;
}();

std::vector<double> turned(const std::vector<double>& x, double shift) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); i += 3)
    for (int k = 0; k < 3; ++k)
      y[i + std::size_t(k)] = turn(k, 0) * x[i] + turn(k, 1) * x[i + 1] + turn(k, 2) * x[i + 2] + shift;
  return y;
}

constexpr double modulus = 1e6; // the largest, λ + 2 μ [Pa]

TEST(LaggedRotation, IsThatOfTheRestPositionsAtFirst) {
  CorotatedBodies scene;
  EXPECT_LE(scene.energy(scene.whole.points), 1e-20 * modulus); // F − I is round-off
  EXPECT_GE(scene.energy(turned(scene.whole.points, 0.0)), 1e-2 * modulus);
}

TEST(LaggedRotation, OfTheStateMakesATurnCostNothing) {
  CorotatedBodies scene;
  const auto y = turned(scene.whole.points, 0.3);
  scene.potential.refresh_lag(scene.local(y));
  EXPECT_LE(scene.energy(y), 1e-20 * modulus);
  std::vector<double> g(3 * std::size_t(scene.mesh.local_nodes), 0.0);
  scene.potential.elastic().add_gradient(scene.local(y), 1.0, g);
  for (std::size_t i = 0; i < 3 * std::size_t(scene.mesh.owned_nodes); ++i) EXPECT_NEAR(g[i], 0.0, 1e-13 * modulus);
  // Stresses are taken at other points than the integration's in curved cells.
  for (const auto& stress : scene.potential.elastic().cell_fields(scene.local(y)).stress)
    for (const double s : stress) EXPECT_NEAR(s, 0.0, 1e-12 * modulus); // F is right to 1e-15 times an inverse edge
  for (const double s : scene.potential.nodal_stress(scene.local(y))) EXPECT_NEAR(s, 0.0, 1e-11 * modulus);
}

TEST(LaggedRotation, OfADeformedStateTurnsAlong) {
  CorotatedBodies scene;
  const auto step = test::random_numbers(scene.x.size(), 3);
  const auto x_t1 = test::moved(scene.x, 0.01, step);
  scene.potential.refresh_lag(scene.local(scene.x));
  const double energy = scene.energy(x_t1);
  scene.potential.refresh_lag(scene.local(turned(scene.x, -0.2)));
  EXPECT_NEAR(scene.energy(turned(x_t1, 0.5)), energy, 1e-12 * energy); // round-off of F, 1e-14, over strains of 0.1
  EXPECT_GE(scene.energy(x_t1), 1.1 * energy);
}

/// E is a quadratic function while the lag stays: value, gradient and Hessian agree exactly.
TEST(LaggedRotation, IsConstantWithinAStep) {
  CorotatedBodies scene;
  scene.potential.refresh_lag(scene.local(scene.x));
  const auto step = test::random_numbers(scene.x.size(), 5);
  const auto to = test::moved(scene.x, 0.3, step);
  const Eigen::VectorXd d = 0.3 * Eigen::Map<const Eigen::VectorXd>(step.data(), Eigen::Index(step.size()));
  const Eigen::VectorXd g = scene.gradient(scene.x);
  for (const bool project : {false, true}) {
    const Eigen::VectorXd Hd = scene.hessian(scene.x, project) * d;
    const double expected = g.dot(d) + 0.5 * d.dot(Hd);
    EXPECT_NEAR(scene.difference(scene.x, to), expected,
                1e-12 * std::abs(expected)); // round-off of a few hundred terms
    EXPECT_LE((scene.gradient(to) - (g + Hd)).cwiseAbs().maxCoeff(), 1e-12 * Hd.cwiseAbs().maxCoeff());
  }
}

} // namespace
} // namespace limber::assembly
