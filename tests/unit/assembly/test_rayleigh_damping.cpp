/// Damping in the potential: against the dense C = α M + β K, and energy → gradient → Hessian.

#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

constexpr double velocity_time = 0.03; ///< ĥ [s]

/// The three bodies with three kinds of damping; the scene's potential has none.
struct Damped : test::ThreeBodies {
  IncrementalPotential damped;
  std::vector<double> origin;

  Damped()
      : damped(mesh,
               {{masses[0].density, masses[0].options, {2.0, 0.5}},
                {masses[1].density, masses[1].options, {0.0, 0.2}},
                {masses[2].density, masses[2].options, {3.0, 0.0}}},
               materials),
        origin(test::moved(x, 0.05, test::random_numbers(x.size(), 21))) {
    damped.lag_damping(local(whole.points)); // stiffness at rest, deformed by now
    start_step(potential.constraints());
  }
  void start_step(const dofs::Constraints& constraints) {
    damped.start_step({.target = local(reference.target),
                       .scale = reference.scale,
                       .gravity = gravity,
                       .loads = {},
                       .constraints = constraints,
                       .velocity_time = velocity_time,
                       .velocity_origin = local(origin)});
  }
  /// α M + β K at rest, without the scale of the step.
  Eigen::MatrixXd expected_damping() {
    const double alpha[] = {2.0, 0.0, 3.0}, beta[] = {0.5, 0.2, 0.0};
    const bool inertia = std::exchange(reference.has_inertia, false);
    const Eigen::MatrixXd K = reference.full_hessian(whole.points, true) / reference.scale;
    reference.has_inertia = inertia;
    Eigen::MatrixXd C = K;
    for (Eigen::Index i = 0; i < C.rows(); ++i)
      for (Eigen::Index j = 0; j < C.cols(); ++j) {
        const auto body = std::size_t(whole.node_bodies[std::size_t(i / 3)]);
        C(i, j) = beta[body] * K(i, j) + (i % 3 == j % 3 ? alpha[body] * reference.nodal_mass(i / 3, j / 3) : 0.0);
      }
    return C;
  }
  Eigen::VectorXd damped_gradient(const std::vector<double>& at) {
    std::vector<double> g(3 * std::size_t(mesh.owned_nodes));
    damped.gradient(local(at), g.data());
    const auto all = test::to_whole(mesh, g);
    return Eigen::Map<const Eigen::VectorXd>(all.data(), Eigen::Index(all.size()));
  }
  Eigen::MatrixXd damped_hessian(const std::vector<double>& at) {
    damped.assemble_hessian(local(at), false);
    return test::dense(mesh, damped.matrix());
  }
};

Eigen::VectorXd as_vector(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), Eigen::Index(v.size()));
}

TEST(RayleighDamping, AddsItsMatrixToGradientAndHessian) {
  Damped scene;
  const Eigen::MatrixXd C = scene.reference.scale / velocity_time * scene.expected_damping();
  const Eigen::VectorXd v = as_vector(scene.x) - as_vector(scene.origin);
  // Sums in another order: as in test_reference.cpp.
  const Eigen::VectorXd g = scene.damped_gradient(scene.x) - scene.gradient(scene.x);
  EXPECT_LE((g - C * v).cwiseAbs().maxCoeff(), 1e-12 * (C * v).cwiseAbs().maxCoeff());
  const Eigen::MatrixXd H = scene.damped_hessian(scene.x) - scene.hessian(scene.x, false);
  EXPECT_LE((H - C).cwiseAbs().maxCoeff(), 1e-12 * C.cwiseAbs().maxCoeff());
  EXPECT_GT(C.cwiseAbs().maxCoeff(), 0.1 * scene.hessian(scene.x, false).cwiseAbs().maxCoeff()) << "of some size";
}

TEST(RayleighDamping, EnergyDifferencesBelongToTheGradient) {
  Damped scene;
  const auto d = test::random_numbers(scene.x.size(), 22);
  const auto slope = [&](double step) {
    scene.damped.set_base(scene.local(test::moved(scene.x, -step, d)));
    return scene.damped.difference(scene.local(test::moved(scene.x, step, d))).value / (2.0 * step);
  };
  // As in test_energy_difference.cpp.
  const double step = 3e-4;
  const auto g = scene.damped_gradient(scene.x);
  EXPECT_NEAR((4.0 * slope(0.5 * step) - slope(step)) / 3.0, g.dot(as_vector(d)), 1e-8 * g.cwiseAbs().sum());
}

TEST(RayleighDamping, HeldComponentsAreLeftOut) {
  Damped scene;
  std::vector<std::uint8_t> held(scene.x.size(), 0);
  for (std::size_t i = 0; i < held.size(); i += 5) held[i] = 1;
  const auto displacement = test::random_numbers(scene.x.size(), 23);
  const Eigen::MatrixXd full = scene.damped_hessian(scene.x);
  scene.start(displacement, held);
  scene.start_step(scene.potential.constraints());
  const auto H = scene.damped_hessian(scene.x);
  const auto lifting = test::to_whole(scene.mesh, scene.damped.lifting());
  for (Eigen::Index i = 0; i < H.rows(); ++i) {
    double expected = 0.0;
    for (Eigen::Index j = 0; j < H.cols(); ++j) {
      if (held[std::size_t(i)] || held[std::size_t(j)]) {
        if (i != j) {
          EXPECT_EQ(H(i, j), 0.0);
        } else {
          EXPECT_GT(H(i, i), 0.0);
        }
      } else {
        EXPECT_NEAR(H(i, j), full(i, j), 1e-12 * full.cwiseAbs().maxCoeff());
      }
      if (!held[std::size_t(i)] && held[std::size_t(j)]) expected += full(i, j) * displacement[std::size_t(j)];
    }
    EXPECT_NEAR(lifting[std::size_t(i)], expected, 1e-11 * full.cwiseAbs().maxCoeff());
  }
}

TEST(RayleighDamping, PowerAndForces) {
  Damped scene;
  const auto v = test::random_numbers(scene.x.size(), 24);
  const Eigen::MatrixXd C = scene.expected_damping();
  const Eigen::VectorXd Cv = C * as_vector(v);
  const double power = as_vector(v).dot(Cv);
  EXPECT_NEAR(scene.damped.damping_power(scene.local(v)), power, 1e-12 * power);
  EXPECT_EQ(scene.potential.damping_power(scene.local(v)), 0.0);
  std::vector<double> with, without;
  scene.damped.forces(scene.local(scene.x), scene.local(v), with);
  scene.potential.forces(scene.local(scene.x), scene.local(v), without);
  const Eigen::VectorXd difference =
      as_vector(test::to_whole(scene.mesh, without)) - as_vector(test::to_whole(scene.mesh, with));
  EXPECT_LE((difference - Cv).cwiseAbs().maxCoeff(), 1e-11 * Cv.cwiseAbs().maxCoeff());
}

} // namespace
} // namespace limber::assembly
