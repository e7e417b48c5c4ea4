/// Cauchy stresses by cell and by node.

#include "assembly_test_support.hpp"
#include "energies/von_mises.hpp"

namespace limber::assembly {
namespace {

using Tensor = math::Matrix3<double>;

/// Entries of a symmetric tensor in the order of StressTensor.
StressTensor entries(const Tensor& t) { return {t(0, 0), t(1, 1), t(2, 2), t(0, 1), t(1, 2), t(0, 2)}; }

/// Neo-Hookean: σ = (μ (F Fᵀ − 1) + λ ln J 1)/J; the stable one: (μ F Fᵀ + (λ (J − 1) − μ) J 1)/J.
Tensor analytic_stress(const materials::MaterialOptions& material, const Tensor& F) {
  const double J = math::determinant(F), mu = material.lame_mu, lambda = material.lame_lambda;
  const double isotropic = material.model == "neo_hookean" ? lambda * std::log(J) - mu : (lambda * (J - 1.0) - mu) * J;
  Tensor sigma = F * math::transpose(F);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sigma(i, j) = (mu * sigma(i, j) + (i == j ? isotropic : 0.0)) / J;
  return sigma;
}

TEST(Stresses, OfAUniformDeformationAreTheAnalyticOnesEverywhere) {
  test::MixedOrders scene;
  const Tensor F{{1.1, 0.05, -0.1, 0.2, 0.9, 0.15, 0.0, -0.1, 1.2}}; // by columns; σ has six different entries
  auto x = scene.whole.points;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    const double* X = scene.whole.points.data() + i;
    for (int k = 0; k < 3; ++k) x[i + std::size_t(k)] = F(k, 0) * X[0] + F(k, 1) * X[1] + F(k, 2) * X[2] + 0.3 * k;
  }
  const auto fields = scene.potential.elastic().cell_fields(scene.local(x));
  const auto nodal = scene.potential.nodal_stress(scene.local(x));
  ASSERT_EQ(fields.stress.size(), std::size_t(scene.mesh.counted_cells));
  ASSERT_EQ(nodal.size(), 6 * std::size_t(scene.mesh.local_nodes));
  // F is right to 1e-15 times the inverse of an edge, the stress to that times the moduli, below 1e6 Pa.
  const double tolerance = 1e-8;
  for (std::size_t c = 0; c < fields.stress.size(); ++c) {
    const auto sigma = analytic_stress(scene.materials[std::size_t(scene.mesh.cell_bodies[c])], F);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(fields.stress[c][i], entries(sigma)[i], tolerance) << c << " " << i;
    EXPECT_NEAR(fields.von_mises[c], energies::von_mises_stress(sigma), 3.0 * tolerance);
    EXPECT_NEAR(fields.jacobian[c], math::determinant(F), 1e-12);
  }
  const auto von_mises = von_mises_of(nodal);
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n) { // ghosts included
    const auto sigma = analytic_stress(scene.materials[std::size_t(scene.mesh.node_bodies[n])], F);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(nodal[6 * n + i], entries(sigma)[i], 10.0 * tolerance) << n << " " << i; // extrapolation times 2.2
    EXPECT_NEAR(von_mises[n], energies::von_mises_stress(sigma), 30.0 * tolerance);
  }
}

/// A displacement with linear strains, small enough for linear elasticity: u = ε (quadratic polynomials of X).
constexpr double small = 1e-7;
Vector3 bending(const double* X) {
  return {small * (X[0] * X[1] + 0.3 * X[2] * X[2]), small * (-0.5 * X[0] * X[0] + 0.2 * X[1] * X[2]),
          small * (0.4 * X[2] * X[0] + 0.1 * X[1] * X[1])};
}
Tensor bending_stress(const materials::MaterialOptions& material, const double* X) {
  Tensor gradient{}; // ∂u_i/∂X_j
  gradient(0, 0) = X[1], gradient(0, 1) = X[0], gradient(0, 2) = 0.6 * X[2];
  gradient(1, 0) = -X[0], gradient(1, 1) = 0.2 * X[2], gradient(1, 2) = 0.2 * X[1];
  gradient(2, 0) = 0.4 * X[2], gradient(2, 1) = 0.2 * X[1], gradient(2, 2) = 0.4 * X[0];
  const double lambda = material.lame_lambda - (material.model == "stable_neo_hookean" ? material.lame_mu : 0.0);
  Tensor sigma;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sigma(i, j) = small * (material.lame_mu * (gradient(i, j) + gradient(j, i)) +
                             (i == j ? lambda * math::trace(gradient) : 0.0));
  return sigma;
}

TEST(Stresses, ThatAreLinearAreFoundAtTheNodesOfStraightQuadraticCells) {
  test::MixedOrders scene;
  auto x = scene.whole.points;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    const auto u = bending(scene.whole.points.data() + i);
    for (std::size_t k = 0; k < 3; ++k) x[i + k] += u[k];
  }
  const auto nodal = scene.potential.nodal_stress(scene.local(x));
  int compared = 0;
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n) {
    const int body = scene.mesh.node_bodies[n];
    if (body != 1 && body != 4) continue;
    const auto sigma = bending_stress(scene.materials[std::size_t(body)], scene.mesh.rest_positions.data() + 3 * n);
    for (std::size_t i = 0; i < 6; ++i) {
      // The second order is 1e-7 of the first with the gradients' size of up to 4 squared; round-off 1e-15/1e-7.
      EXPECT_NEAR(nodal[6 * n + i], entries(sigma)[i], 1e-5 * small * 1e6) << n << " " << i;
      ++compared;
    }
  }
  EXPECT_GT(base::global_sum(MPI_COMM_WORLD, GlobalIndex(compared)), 0);
}

TEST(Stresses, OfACellAreItsMean) {
  test::MixedOrders scene;
  auto x = scene.whole.points;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    const auto u = bending(scene.whole.points.data() + i);
    for (std::size_t k = 0; k < 3; ++k) x[i + k] += u[k];
  }
  const auto fields = scene.potential.elastic().cell_fields(scene.local(x));
  for (LocalIndex c = 0; c < scene.mesh.counted_cells; ++c) {
    const int body = scene.mesh.cell_bodies[std::size_t(c)];
    if (body != 1 && body != 4) continue;
    double center[3] = {0.0, 0.0, 0.0}; // a linear function's mean is its value there
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t k = 0; k < 3; ++k)
        center[k] += 0.25 * scene.mesh.rest_positions[3 * std::size_t(scene.mesh.cell(c)[a]) + k];
    const auto sigma = bending_stress(scene.materials[std::size_t(body)], center);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(fields.stress[std::size_t(c)][i], entries(sigma)[i], 1e-5 * small * 1e6);
  }
}

TEST(Stresses, AtNodesOfLinearCellsAreVolumeAverages) {
  test::ThreeBodies scene;
  const auto nodal = scene.potential.nodal_stress(scene.local(scene.x));
  // Put together from every rank's counted cells.
  const auto fields = scene.potential.elastic().cell_fields(scene.local(scene.x));
  const auto nodes = std::size_t(scene.mesh.global_nodes);
  std::vector<double> sums(6 * nodes, 0.0), volumes(nodes, 0.0);
  for (LocalIndex c = 0; c < scene.mesh.counted_cells; ++c) {
    double X[12];
    for (std::size_t i = 0; i < 12; ++i)
      X[i] = scene.mesh.rest_positions[3 * std::size_t(scene.mesh.cell(c)[i / 3]) + i % 3];
    const double volume = energies::make_tetrahedron_rest(X).volume;
    for (LocalIndex n : scene.mesh.cell(c)) {
      const auto ordinal = std::size_t(scene.mesh.ordinals[std::size_t(n)]);
      volumes[ordinal] += volume;
      for (std::size_t i = 0; i < 6; ++i) sums[6 * ordinal + i] += volume * fields.stress[std::size_t(c)][i];
    }
  }
  base::global_sum(MPI_COMM_WORLD, sums);
  base::global_sum(MPI_COMM_WORLD, volumes);
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
    for (std::size_t i = 0; i < 6; ++i) {
      const auto ordinal = std::size_t(scene.mesh.ordinals[n]);
      EXPECT_NEAR(nodal[6 * n + i], sums[6 * ordinal + i] / volumes[ordinal], 1e-8); // of up to 1e6 Pa
    }
}

} // namespace
} // namespace limber::assembly
