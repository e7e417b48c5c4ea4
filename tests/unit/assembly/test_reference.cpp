/// The assembled potential against the slow reference, entry by entry.

#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

// Packs and scalars evaluate the same formulas and sum in another order: about 1e-16 for each of a few hundred
// operations.
constexpr double round_off = 1e-13;

TEST(AgainstReference, TheSceneIsFitForTheTest) {
  test::ThreeBodies scene;
  ASSERT_EQ(scene.whole.cell_count(), 58u);
  double lowest = 1.0;
  for (std::size_t c = 0; c < scene.whole.cell_count(); ++c)
    lowest = std::min(lowest, scene.reference.jacobian(scene.x, c));
  EXPECT_GT(lowest, 0.1);
  EXPECT_LT(lowest, 0.8);
  const auto exact = scene.reference.full_hessian(scene.x, false),
             projected = scene.reference.full_hessian(scene.x, true);
  EXPECT_GT((projected - exact).cwiseAbs().maxCoeff(), 1e-3 * exact.cwiseAbs().maxCoeff())
      << "projection does something";
}

TEST(AgainstReference, Difference) {
  test::ThreeBodies scene;
  const auto y = test::moved(scene.x, 0.01, test::random_numbers(scene.x.size(), 9));
  const double expected = scene.reference.energy(y) - scene.reference.energy(scene.x);
  EXPECT_NEAR(scene.difference(scene.x, y), expected, round_off * scene.reference.energy(y));
  EXPECT_EQ(scene.difference(y, y), 0.0);
}

TEST(AgainstReference, DifferenceIsInfiniteOutsideTheDomain) {
  test::ThreeBodies scene;
  auto y = scene.x;
  // Vertex 0 of the first cell through the opposite face.
  const std::size_t vertex = std::size_t(scene.whole.cells[0]), other = std::size_t(scene.whole.cells[1]);
  for (std::size_t k = 0; k < 3; ++k) y[3 * vertex + k] += 2.0 * (y[3 * other + k] - y[3 * vertex + k]);
  scene.potential.set_base(scene.local(scene.x));
  EXPECT_EQ(scene.potential.difference(scene.local(y)).value, std::numeric_limits<double>::infinity());
}

TEST(AgainstReference, Gradient) {
  test::ThreeBodies scene;
  const auto expected = scene.reference.full_gradient(scene.x);
  EXPECT_LE((scene.gradient(scene.x) - expected).cwiseAbs().maxCoeff(), round_off * expected.cwiseAbs().maxCoeff());
}

class HessianTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Projected, HessianTest, ::testing::Bool());

TEST_P(HessianTest, AgainstReference) {
  test::ThreeBodies scene;
  const auto expected = scene.reference.full_hessian(scene.x, GetParam());
  const auto found = scene.hessian(scene.x, GetParam());
  // The projection's singular value decomposition is accurate to 1e-14 of the largest stretch.
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 10.0 * round_off * expected.cwiseAbs().maxCoeff());
  EXPECT_LE((found - found.transpose()).cwiseAbs().maxCoeff(), round_off * expected.cwiseAbs().maxCoeff());
  for (double u : scene.potential.lifting()) EXPECT_EQ(u, 0.0);
}

TEST_P(HessianTest, WithHeldComponents) {
  test::ThreeBodies scene;
  // Whole nodes, single components, all of a cell; a motion for each.
  std::vector<std::uint8_t> held(scene.x.size(), 0);
  for (std::size_t n = 0; n < scene.whole.node_count(); ++n)
    for (std::size_t k = 0; k < 3; ++k) held[3 * n + k] = n < 6 || n % 5 == k ? 1 : 0;
  const auto displacement = test::random_numbers(scene.x.size(), 10);
  scene.start(displacement, held);

  const bool project = GetParam();
  const auto full = scene.reference.full_hessian(scene.x, project);
  const auto found = scene.hessian(scene.x, project);
  const double tolerance = 10.0 * round_off * full.cwiseAbs().maxCoeff();
  Eigen::VectorXd expected_lifting = Eigen::VectorXd::Zero(full.rows());
  for (Eigen::Index i = 0; i < full.rows(); ++i)
    for (Eigen::Index j = 0; j < full.cols(); ++j) {
      const bool free = !held[std::size_t(i)] && !held[std::size_t(j)];
      if (free) {
        EXPECT_NEAR(found(i, j), full(i, j), tolerance);
      } else if (i != j) {
        EXPECT_EQ(found(i, j), 0.0) << i << " " << j;
      } else {
        EXPECT_GE(found(i, i), std::abs(full(i, i)) - tolerance) << "of the size of what was there";
      }
      if (!held[std::size_t(i)] && held[std::size_t(j)])
        expected_lifting[i] += full(i, j) * displacement[std::size_t(j)];
    }
  const auto lifting = test::to_whole(scene.mesh, scene.potential.lifting());
  const auto gradient = scene.gradient(scene.x), expected_gradient = scene.reference.full_gradient(scene.x);
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_NEAR(lifting[i], expected_lifting[Eigen::Index(i)], 20.0 * tolerance); // up to 45 terms
    EXPECT_NEAR(gradient[Eigen::Index(i)], held[i] ? 0.0 : expected_gradient[Eigen::Index(i)],
                held[i] ? 0.0 : round_off * expected_gradient.cwiseAbs().maxCoeff());
  }

  scene.potential.scale_held_displacement(0.25);
  scene.potential.assemble_hessian(scene.local(scene.x), project);
  const auto quarter = test::to_whole(scene.mesh, scene.potential.lifting());
  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(quarter[i], 0.25 * lifting[i]); // powers of two are exact
}

TEST_P(HessianTest, RepeatsItselfInTheSameMatrix) {
  test::ThreeBodies scene;
  const auto first = scene.hessian(scene.x, GetParam());
  scene.hessian(scene.whole.points, !GetParam()); // other values in between
  const auto again = scene.hessian(scene.x, GetParam());
  EXPECT_TRUE(first == again);
}

TEST_P(HessianTest, IsDefiniteOnlyWhereProjected) {
  test::ThreeBodies scene;
  for (double& x : scene.x) x *= 0.35; // strong compression
  scene.reference.scale = 100.0;
  scene.potential.start_step(scene.local(scene.x), 100.0, scene.potential.constraints());
  const auto H = scene.hessian(scene.x, GetParam());
  const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues()[0];
  // The mass, about 1 kg at a node, is all that bounds the projected Hessian from below, beside round-off.
  if (GetParam()) {
    EXPECT_GT(smallest, -1e-13 * H.cwiseAbs().maxCoeff());
  } else {
    EXPECT_LT(smallest, -1e-6 * H.cwiseAbs().maxCoeff());
  }
}

TEST(AgainstReference, ConservedQuantities) {
  test::ThreeBodies scene;
  const auto v = test::random_numbers(scene.x.size(), 11);
  dofs::State state;
  state.positions = scene.local(scene.x);
  state.velocities = scene.local(v);
  const auto found = scene.potential.conserved(state);
  const auto& M = scene.reference.nodal_mass;
  double kinetic = 0.0;
  Vector3 momentum{}, angular{};
  for (Eigen::Index a = 0; a < M.rows(); ++a)
    for (Eigen::Index b = 0; b < M.cols(); ++b) {
      const double *xa = scene.x.data() + 3 * a, *va = v.data() + 3 * a, *vb = v.data() + 3 * b;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        kinetic += 0.5 * M(a, b) * va[k] * vb[k];
        momentum[k] += M(a, b) * vb[k];
        angular[k] += M(a, b) * (xa[i] * vb[j] - xa[j] * vb[i]);
      }
    }
  const double mass = M.sum(); // velocities are below 1 m/s, positions below 10 m
  EXPECT_NEAR(found.kinetic, kinetic, round_off * mass);
  EXPECT_NEAR(found.elastic, scene.reference.elastic_energy(scene.x), round_off * found.elastic);
  EXPECT_NEAR(found.gravity, scene.reference.gravity_energy(scene.x), round_off * mass * 100.0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.momentum[k], momentum[k], round_off * mass);
    EXPECT_NEAR(found.angular_momentum[k], angular[k], round_off * mass * 10.0);
  }
}

} // namespace
} // namespace limber::assembly
