/// What explicit integrators need: accelerations, and the fastest vibration.

#include <Eigen/Dense>

#include "solvers/highest_frequency.hpp"
#include "solvers/mass_solver.hpp"
#include "solvers_test_support.hpp"
#include "support/reference_potential.hpp"

namespace limber::solvers {
namespace {

/// Two bars of different mass and stiffness.
struct TwoBars {
  std::vector<mesh::BodyMesh> bodies;
  std::vector<assembly::BodyMass> masses;
  std::vector<materials::MaterialOptions> materials{
      {.model = "neo_hookean", .density = 1000.0, .lame_mu = 4e4, .lame_lambda = 8e4},
      {.model = "stable_neo_hookean", .density = 500.0, .lame_mu = 2e4, .lame_lambda = 9e4}};
  test::WholeMesh whole = test::concatenate(bodies);
  mesh::DistributedMesh mesh = test::distribute(bodies);
  assembly::IncrementalPotential potential{mesh, masses, materials};

  explicit TwoBars(dofs::MassKind kind)
      : bodies{test::make_box({.cubes = {3, 1, 1}, .size = {1.0, 0.3, 0.3}}),
               test::make_box({.cubes = {2, 1, 1}, .min = {2.0, 0.0, 0.0}, .size = {1.0, 0.4, 0.3}, .leave_out = 1})},
        masses{{1000.0, {kind, 0.0}}, {500.0, {kind, 0.0}}} {}
};

TEST(MassSolver, GivesTheAccelerationsOfFreeComponents) {
  for (const auto kind : {dofs::MassKind::consistent, dofs::MassKind::lumped}) {
    TwoBars scene(kind);
    const test::ReferencePotential reference(scene.whole, scene.masses, scene.materials, {}, {1, 1});
    const auto n = std::size_t(reference.dofs());
    const auto f = test::random_numbers(n, 1), given = test::random_numbers(n, 2);
    std::vector<std::uint8_t> held(3 * std::size_t(scene.mesh.local_nodes));
    std::vector<double> a = test::to_local(scene.mesh, given), owned = test::to_local(scene.mesh, f);
    const auto is_held = [](std::size_t i) { return i % 7 == 3; };
    for (std::size_t i = 0; i < held.size(); ++i)
      held[i] = is_held(3 * std::size_t(scene.mesh.ordinals[i / 3]) + i % 3);
    owned.resize(3 * std::size_t(scene.mesh.owned_nodes));

    const int iterations = MassSolver(scene.mesh, scene.potential.mass()).solve(owned, held, a);
    EXPECT_EQ(iterations == 0, kind == dofs::MassKind::lumped);
    EXPECT_LE(iterations, 40); // ln(2e13)·√5/2 = 35
    const auto all = test::to_whole(scene.mesh, a);
    double largest = 0.0;
    for (const double value : all) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < n; ++i) {
      if (is_held(i)) {
        EXPECT_EQ(all[i], given[i]);
        continue;
      }
      double product = 0.0;
      for (std::size_t b = 0; b < n / 3; ++b)
        product += reference.nodal_mass(Eigen::Index(i / 3), Eigen::Index(b)) * all[3 * b + i % 3];
      EXPECT_NEAR(product, f[i], 1e-12 * std::sqrt(double(n))); // 1e-13 of ‖f‖
    }
    // Ghosts are the owners'.
    EXPECT_EQ(a, test::to_local(scene.mesh, all));
  }
}

TEST(HighestFrequency, IsAnEstimateFromBelowWithinTheMargin) {
  for (const auto kind : {dofs::MassKind::consistent, dofs::MassKind::lumped})
    for (const bool clamped : {false, true}) {
      TwoBars scene(kind);
      test::ReferencePotential reference(scene.whole, scene.masses, scene.materials, {}, {1, 1});
      reference.has_inertia = false;
      reference.scale = 1.0;
      auto x = scene.whole.points;
      for (std::size_t i = 0; i < x.size(); i += 3) x[i] *= 0.9;

      std::vector<Eigen::Index> free;
      dofs::Constraints constraints;
      constraints.held.assign(3 * std::size_t(scene.mesh.local_nodes), 0);
      constraints.displacement.assign(constraints.held.size(), 0.0);
      constraints.holder.assign(constraints.held.size(), -1);
      const auto is_held = [&](std::size_t i) { return clamped && scene.whole.points[i - i % 3] < 0.4; };
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!is_held(i)) free.push_back(Eigen::Index(i));
      for (std::size_t i = 0; i < constraints.held.size(); ++i)
        constraints.held[i] = is_held(3 * std::size_t(scene.mesh.ordinals[i / 3]) + i % 3);
      const Eigen::MatrixXd K = reference.full_hessian(x, true);
      Eigen::MatrixXd M = Eigen::MatrixXd::Zero(K.rows(), K.cols());
      for (Eigen::Index i = 0; i < K.rows(); ++i)
        for (Eigen::Index j = i % 3; j < K.cols(); j += 3) M(i, j) = reference.nodal_mass(i / 3, j / 3);
      const Eigen::MatrixXd k = K(free, free), m = M(free, free);
      const double exact =
          std::sqrt(Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(k, m).eigenvalues().maxCoeff());

      const MassSolver mass(scene.mesh, scene.potential.mass());
      const double found = highest_frequency(scene.potential, mass, test::to_local(scene.mesh, x), constraints);
      EXPECT_LE(found, exact * (1.0 + 1e-12));
      EXPECT_GE(found, 0.92 * exact); // steps are 0.9 of the stable one
    }
}

} // namespace
} // namespace limber::solvers
