/// The assembled potential against the slow reference, entry by entry.

#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

// Packs and scalars evaluate the same formulas and sum in another order: about 1e-16 for each of a few hundred
// operations.
constexpr double round_off = 1e-13;

template <class Scene> class AgainstReference : public ::testing::Test {
protected:
  Scene scene;
};
using Scenes = ::testing::Types<test::ThreeBodies, test::MixedOrders>;
TYPED_TEST_SUITE(AgainstReference, Scenes);

TYPED_TEST(AgainstReference, TheSceneIsFitForTheTest) {
  auto& scene = this->scene;
  double lowest = 1.0;
  for (std::size_t c = 0; c < scene.whole.cell_count(); ++c)
    lowest = std::min(lowest, scene.reference.lowest_ratio(scene.x, scene.whole.points, c));
  EXPECT_GT(lowest, 0.1);
  EXPECT_LT(lowest, 0.8);
  const auto exact = scene.reference.full_hessian(scene.x, false),
             projected = scene.reference.full_hessian(scene.x, true);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    double difference = 0.0;
    for (std::size_t i = 0; i < scene.x.size(); ++i)
      for (std::size_t j = 0; j < scene.x.size() && scene.whole.node_bodies[i / 3] == int(b); ++j)
        difference = std::max(difference, std::abs(projected(Eigen::Index(i), Eigen::Index(j)) -
                                                   exact(Eigen::Index(i), Eigen::Index(j))));
    EXPECT_GT(difference, 1e-3 * exact.cwiseAbs().maxCoeff()) << "projection does something to body " << b;
  }
}

TYPED_TEST(AgainstReference, Difference) {
  auto& scene = this->scene;
  const auto y = test::moved(scene.x, 0.004, test::random_numbers(scene.x.size(), 9));
  const double expected = scene.reference.energy(y) - scene.reference.energy(scene.x);
  EXPECT_NEAR(scene.difference(scene.x, y), expected, round_off * scene.reference.energy(y));
  EXPECT_EQ(scene.difference(y, y), 0.0);
}

TYPED_TEST(AgainstReference, DifferenceIsInfiniteOutsideTheDomain) {
  auto& scene = this->scene;
  auto y = scene.x;
  // Vertex 0 of the first cell through the opposite face.
  const std::size_t vertex = std::size_t(scene.whole.cells[0]), other = std::size_t(scene.whole.cells[1]);
  for (std::size_t k = 0; k < 3; ++k) y[3 * vertex + k] += 2.0 * (y[3 * other + k] - y[3 * vertex + k]);
  scene.potential.set_base(scene.local(scene.x));
  EXPECT_EQ(scene.potential.difference(scene.local(y)).value, std::numeric_limits<double>::infinity());
}

TYPED_TEST(AgainstReference, Gradient) {
  auto& scene = this->scene;
  const auto expected = scene.reference.full_gradient(scene.x);
  EXPECT_LE((scene.gradient(scene.x) - expected).cwiseAbs().maxCoeff(), round_off * expected.cwiseAbs().maxCoeff());
}

TYPED_TEST(AgainstReference, Hessian) {
  auto& scene = this->scene;
  for (const bool project : {false, true}) {
    const auto expected = scene.reference.full_hessian(scene.x, project);
    const auto found = scene.hessian(scene.x, project);
    // The projection's singular value decomposition is accurate to 1e-14 of the largest stretch.
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 10.0 * round_off * expected.cwiseAbs().maxCoeff());
    EXPECT_LE((found - found.transpose()).cwiseAbs().maxCoeff(), round_off * expected.cwiseAbs().maxCoeff());
    for (double u : scene.potential.lifting()) EXPECT_EQ(u, 0.0);
  }
}

TYPED_TEST(AgainstReference, HeldComponents) {
  auto& scene = this->scene;
  // Whole nodes, single components, all of a cell; a motion for each.
  std::vector<std::uint8_t> held(scene.x.size(), 0);
  for (std::size_t n = 0; n < scene.whole.node_count(); ++n)
    for (std::size_t k = 0; k < 3; ++k) held[3 * n + k] = n < 6 || n % 5 == k ? 1 : 0;
  for (LocalIndex n : scene.reference.cell(scene.whole.cell_count() - 1))
    std::fill_n(held.begin() + 3 * std::ptrdiff_t(n), 3, std::uint8_t(1));
  const auto displacement = test::random_numbers(scene.x.size(), 10);
  scene.start(displacement, held);

  for (const bool project : {false, true}) {
    const auto full = scene.reference.full_hessian(scene.x, project);
    const auto found = scene.hessian(scene.x, project);
    const double tolerance = 10.0 * round_off * full.cwiseAbs().maxCoeff();
    Eigen::VectorXd expected_lifting = Eigen::VectorXd::Zero(full.rows());
    double worst_free = 0.0, worst_held = 0.0, least_diagonal = 1.0;
    for (Eigen::Index i = 0; i < full.rows(); ++i)
      for (Eigen::Index j = 0; j < full.cols(); ++j) {
        const bool row_held = held[std::size_t(i)] != 0, column_held = held[std::size_t(j)] != 0;
        if (!row_held && !column_held) worst_free = std::max(worst_free, std::abs(found(i, j) - full(i, j)));
        else if (i != j) worst_held = std::max(worst_held, std::abs(found(i, j)));
        else least_diagonal = std::min(least_diagonal, found(i, i) - std::abs(full(i, i)));
        if (!row_held && column_held) expected_lifting[i] += full(i, j) * displacement[std::size_t(j)];
      }
    EXPECT_LE(worst_free, tolerance);
    EXPECT_EQ(worst_held, 0.0);
    EXPECT_GE(least_diagonal, -tolerance) << "of the size of what was there";
    const auto lifting = test::to_whole(scene.mesh, scene.potential.lifting());
    const auto gradient = scene.gradient(scene.x), expected_gradient = scene.reference.full_gradient(scene.x);
    for (std::size_t i = 0; i < held.size(); ++i) {
      EXPECT_NEAR(lifting[i], expected_lifting[Eigen::Index(i)], 20.0 * tolerance); // some dozens of terms
      EXPECT_NEAR(gradient[Eigen::Index(i)], held[i] ? 0.0 : expected_gradient[Eigen::Index(i)],
                  held[i] ? 0.0 : round_off * expected_gradient.cwiseAbs().maxCoeff());
    }

    scene.potential.scale_held_displacement(0.25);
    scene.potential.assemble_hessian(scene.local(scene.x), project);
    const auto quarter = test::to_whole(scene.mesh, scene.potential.lifting());
    for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(quarter[i], 0.25 * lifting[i]); // powers of two are exact
    scene.potential.scale_held_displacement(4.0);
  }
}

TYPED_TEST(AgainstReference, Statics) {
  auto& scene = this->scene;
  std::vector<std::uint8_t> held(scene.x.size(), 0);
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = i % 7 == 0 ? 1 : 0;
  auto loads = test::random_numbers(scene.x.size(), 13);
  for (double& f : loads) f *= 100.0;
  scene.start({}, held, false, loads);

  const auto full = scene.reference.full_gradient(scene.x);
  const auto gradient = scene.gradient(scene.x);
  const auto reactions = test::to_whole(scene.mesh, scene.potential.reactions(scene.local(scene.x)));
  const double tolerance = round_off * full.cwiseAbs().maxCoeff();
  double forces2 = 0.0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_NEAR(gradient[Eigen::Index(i)], held[i] ? 0.0 : full[Eigen::Index(i)], tolerance);
    EXPECT_NEAR(reactions[i], held[i] ? full[Eigen::Index(i)] : 0.0, tolerance);
    const double mass = scene.reference.nodal_mass.row(Eigen::Index(i / 3)).sum();
    const double force = held[i] ? full[Eigen::Index(i)] : mass * scene.gravity[i % 3] + loads[i];
    forces2 += force * force;
  }
  EXPECT_NEAR(scene.potential.force_norm(), std::sqrt(forces2), round_off * std::sqrt(forces2));

  const auto y = test::moved(scene.x, 0.004, test::random_numbers(scene.x.size(), 9));
  const double expected = scene.reference.energy(y) - scene.reference.energy(scene.x);
  // Of energies of some 1e4 J; gravity's is about as large.
  EXPECT_NEAR(scene.difference(scene.x, y), expected, 10.0 * round_off * scene.reference.elastic_energy(y));
  for (const bool project : {false, true}) {
    const auto hessian = scene.reference.full_hessian(scene.x, project), found = scene.hessian(scene.x, project);
    double worst = 0.0;
    for (Eigen::Index i = 0; i < hessian.rows(); ++i)
      for (Eigen::Index j = 0; j < hessian.cols(); ++j)
        if (!held[std::size_t(i)] && !held[std::size_t(j)])
          worst = std::max(worst, std::abs(found(i, j) - hessian(i, j)));
    EXPECT_LE(worst, 10.0 * round_off * hessian.cwiseAbs().maxCoeff());
  }

  dofs::State state;
  state.positions = scene.local(scene.x);
  state.velocities.assign(state.positions.size(), 0.0);
  const auto conserved = scene.potential.conserved(state, scene.gravity);
  EXPECT_NEAR(conserved.loads, scene.reference.load_energy(scene.x), round_off * 100.0 * double(held.size()));
  EXPECT_EQ(conserved.kinetic, 0.0);
}

TYPED_TEST(AgainstReference, HessianRepeatsItselfInTheSameMatrix) {
  auto& scene = this->scene;
  for (const bool project : {false, true}) {
    const auto first = scene.hessian(scene.x, project);
    scene.hessian(scene.whole.points, !project); // other values in between
    const auto again = scene.hessian(scene.x, project);
    EXPECT_TRUE(first == again);
  }
}

TYPED_TEST(AgainstReference, HessianIsDefiniteOnlyWhereProjected) {
  auto& scene = this->scene;
  for (double& x : scene.x) x *= 0.35; // strong compression
  scene.potential.start_step({.inertia = true,
                              .target = scene.local(scene.x),
                              .scale = 100.0,
                              .gravity = scene.gravity,
                              .loads = {},
                              .constraints = scene.potential.constraints()});
  for (const bool project : {false, true}) {
    const auto H = scene.hessian(scene.x, project);
    const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues()[0];
    // The mass, about 1 kg at a node, is all that bounds the projected Hessian from below, beside round-off.
    if (project) {
      EXPECT_GT(smallest, -1e-13 * H.cwiseAbs().maxCoeff());
    } else {
      EXPECT_LT(smallest, -1e-6 * H.cwiseAbs().maxCoeff());
    }
  }
}

TYPED_TEST(AgainstReference, ConservedQuantities) {
  auto& scene = this->scene;
  const auto v = test::random_numbers(scene.x.size(), 11);
  dofs::State state;
  state.positions = scene.local(scene.x);
  state.velocities = scene.local(v);
  const auto found = scene.potential.conserved(state, scene.gravity);
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
