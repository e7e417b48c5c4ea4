#include "assembly_test_support.hpp"

namespace limber::assembly {
namespace {

/// Σ over all owned nodes of one body. Collective.
double body_total(const test::Scene& scene, const MassMatrix& mass, int body) {
  double sum = 0.0;
  for (std::size_t n = 0; n < mass.row_sums().size(); ++n)
    if (scene.mesh.node_bodies[n] == body) sum += mass.row_sums()[n];
  return base::global_sum(MPI_COMM_WORLD, sum);
}

TEST(MassMatrix, HasTheMassOfTheBodies) {
  test::ThreeBodies scene;
  const auto sparsity = nodal_sparsity(scene.mesh);
  const double volumes[] = {0.0, 0.5 * 0.5 * 0.5 * 5.0 / 6.0, 0.3 * 0.4 * 0.5}; // the second lacks one of six parts
  for (auto kind : {dofs::MassKind::consistent, dofs::MassKind::lumped}) {
    const std::vector<BodyMass> masses{{1000.0, {kind, 0.0}}, {700.0, {kind, 0.0}}, {300.0, {kind, 0.0}}};
    const MassMatrix mass(scene.mesh, sparsity, masses);
    for (int body : {1, 2}) {
      const double expected = masses[std::size_t(body)].density * volumes[body];
      EXPECT_NEAR(body_total(scene, mass, body), expected, 1e-13 * expected); // sums of a few dozen positive terms
    }
  }
  const std::vector<BodyMass> masses(3, {1000.0, {dofs::MassKind::per_node, 2.5}});
  EXPECT_EQ(body_total(scene, MassMatrix(scene.mesh, sparsity, masses), 2), 8 * 2.5); // exact
}

void expect_like_reference(const test::Scene& scene) {
  const auto sparsity = nodal_sparsity(scene.mesh);
  const MassMatrix mass(scene.mesh, sparsity, scene.masses);
  const auto u = test::random_numbers(scene.x.size(), 30);
  std::vector<double> y;
  mass.multiply(scene.local(u), y);
  const auto found = test::to_whole(scene.mesh, y);
  const auto& M = scene.reference.nodal_mass;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double expected = 0.0;
    for (Eigen::Index b = 0; b < M.cols(); ++b) expected += M(Eigen::Index(i / 3), b) * u[3 * std::size_t(b) + i % 3];
    EXPECT_NEAR(found[i], expected, 1e-14 * M.maxCoeff() * 10.0); // at most some dozen terms
  }
}

TEST(MassMatrix, MultipliesLikeTheReference) {
  expect_like_reference(test::ThreeBodies());
  expect_like_reference(test::MixedOrders());
}

TEST(MassMatrix, OfQuadraticBodiesHasTheirMass) {
  test::MixedOrders scene;
  const auto sparsity = nodal_sparsity(scene.mesh);
  const double volumes[] = {0.0, 1.0 * 0.6 * 0.5, 0.0, 0.0, 0.5 * 0.5 * 0.5}; // of the straight ones
  for (auto kind : {dofs::MassKind::consistent, dofs::MassKind::lumped}) {
    const std::vector<BodyMass> masses(scene.bodies.size(), {800.0, {kind, 0.0}});
    const MassMatrix mass(scene.mesh, sparsity, masses);
    for (int body : {1, 4}) {
      const double expected = 800.0 * volumes[body];
      EXPECT_NEAR(body_total(scene, mass, body), expected, 1e-13 * expected); // sums of a few dozen terms
    }
    for (double m : mass.row_sums()) EXPECT_TRUE(m > 0.0 || kind == dofs::MassKind::consistent);
  }
}

TEST(MassMatrix, LumpedAndPerNodeAreDiagonal) {
  test::ThreeBodies scene;
  const auto sparsity = nodal_sparsity(scene.mesh);
  const MassMatrix mass(scene.mesh, sparsity, scene.masses);
  for (LocalIndex row = 0; row < scene.mesh.owned_nodes; ++row)
    for (auto e = sparsity.offsets[std::size_t(row)]; e < sparsity.offsets[std::size_t(row) + 1]; ++e) {
      const bool diagonal = sparsity.columns[std::size_t(e)] == row;
      const int body = scene.mesh.node_bodies[std::size_t(row)];
      const double value = mass.values()[std::size_t(e)];
      EXPECT_EQ(value > 0.0, diagonal || body == 0);
      if (body == 2) {
        EXPECT_EQ(value, diagonal ? 2.5 : 0.0);
      }
    }
}

} // namespace
} // namespace limber::assembly
