#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "materials/neo_hookean.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix3<double>;
using Material = materials::NeoHookean<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Matrix diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

/// F of mean stretch `stretch` with noise.
Matrix random_deformation(std::mt19937& random, double stretch, double noise) {
  std::normal_distribution<double> normal;
  Matrix f = diagonal(stretch, stretch, stretch);
  do
    for (int i = 0; i < 9; ++i) f.m[i] = (i % 4 == 0 ? stretch : 0.0) + noise * normal(random);
  while (math::determinant(f) < 0.02);
  return f;
}

Eigen::Matrix<double, 9, 9> derivative(const Material& material, const Matrix& f, bool project) {
  Eigen::Matrix<double, 9, 9> C;
  if (project) material.projected_stress_derivative(f, C.data());
  else material.stress_derivative(f, C.data());
  return C;
}

TEST(NeoHookean, agrees_with_the_reference) { test::check_material(Material{3.0, 7.0}, "neo_hookean"); }

TEST(NeoHookean, energy_is_infinite_at_and_beyond_inversion) {
  const Material material{3.0, 7.0};
  EXPECT_EQ(material.energy(diagonal(1, 1, 0)), infinity);
  EXPECT_EQ(material.energy(diagonal(1, 1, -0.5)), infinity);
  EXPECT_EQ(material.energy(diagonal(0, 0, 0)), infinity);
  EXPECT_EQ(material.energy(diagonal(-1, -1, -1)), infinity);
  EXPECT_LT(material.energy(diagonal(-1, -1, 1)), 1e-14); // a rotation
}

TEST(NeoHookean, energy_keeps_its_digits_at_small_strain) {
  const Material material{3.0, 7.0};
  for (const double strain : {1e-2, 1e-4, 1e-7}) {
    // Stretches 1 + a exactly as doubles hold them; a − log(1 + a) by its series.
    const double stretches[3] = {1.0 + strain, 1.0 - 0.3 * strain, 1.0 + 0.5 * strain};
    long double shear = 0.0L, log_j = 0.0L;
    for (const double stretch : stretches) {
      const long double a = static_cast<long double>(stretch) - 1.0L;
      long double remainder = 0.0L;
      for (int n = 30; n >= 2; --n) remainder += (n % 2 ? -1.0L : 1.0L) * std::pow(a, n) / n;
      shear += 0.5L * a * a + remainder;
      log_j += std::log1p(a);
    }
    const auto expected = static_cast<double>(3.0L * shear + 3.5L * log_j * log_j);
    const double psi = material.energy(diagonal(stretches[0], stretches[1], stretches[2]));
    // A dozen roundings; the textbook form would lose all digits at 1e-7.
    EXPECT_NEAR(psi / expected, 1.0, 1e-14) << strain;
  }
}

/// Eigen's projection of the exact derivative, over compression, tension, and J > exp(μ/λ) where the stretch block is
/// indefinite.
TEST(NeoHookean, projection_is_the_nearest_semi_definite_matrix) {
  std::mt19937 random(17);
  int stretch_blocks = 0, convex = 0;
  for (int i = 0; i < 3000; ++i) {
    const Material material{1.0, i % 2 ? 4.0 : 30.0};
    const Matrix f = random_deformation(random, 0.7 + 0.1 * (i % 9), i % 3 ? 0.2 : 0.02);
    const auto C = derivative(material, f, false), projected = derivative(material, f, true);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(C);
    const Eigen::Matrix<double, 9, 9> expected =
        eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
    // Round-off of the eigen-solver and of the decomposition, about 1e-14 each.
    EXPECT_LE((projected - expected).cwiseAbs().maxCoeff(), 1e-12 * C.cwiseAbs().maxCoeff()) << i;
    EXPECT_EQ(projected, projected.transpose().eval());
    const double log_j = std::log(math::determinant(f));
    if (log_j * material.lambda > 1.5 * material.mu) ++stretch_blocks;
    if (material.surely_convex(f)) {
      ++convex;
      EXPECT_GE(eigen.eigenvalues()[0], -1e-13);
      EXPECT_EQ(projected, C);
    }
  }
  EXPECT_GT(stretch_blocks, 200);
  EXPECT_GT(convex, 20);
}

TEST(NeoHookean, convexity_test_is_sharp_enough_to_be_useful) {
  const Material material{1.0, 4.0};
  EXPECT_TRUE(material.surely_convex(diagonal(1.03, 1.02, 1.04)));
  EXPECT_TRUE(material.surely_convex(diagonal(1.001, 1.001, 1.001)));
  EXPECT_FALSE(material.surely_convex(diagonal(0.99, 1.0, 1.0)));
  EXPECT_FALSE(material.surely_convex(diagonal(1.0, 1.0, 1.0))); // on the border
  EXPECT_FALSE(material.surely_convex(diagonal(1.5, 1.5, 1.5))); // J > exp(μ/λ)
}

/// A stencil's result must be the same bits wherever it is evaluated: in any lane, beside any other stencil.
TEST(NeoHookean, a_lane_does_not_depend_on_its_neighbors) {
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  std::mt19937 random(19);
  const materials::NeoHookean<NativePack> material{NativePack(1.0), NativePack(4.0)};
  const auto expect_lane_equal = [](const NativePack& a, int lane_a, const NativePack& b, int lane_b) {
    EXPECT_EQ(a[lane_a], b[lane_b]);
  };
  for (int i = 0; i < 300; ++i) {
    math::Matrix3<NativePack> mixed, alone;
    const int chosen = i % width, other = (i + 1) % width;
    for (int lane = 0; lane < width; ++lane) { // convex, compressed, inflated
      const Matrix f = random_deformation(random,
                                          lane % 3 == 0   ? 1.04
                                          : lane % 3 == 1 ? 0.9
                                                          : 1.4,
                                          lane % 3 ? 0.1 : 0.005);
      for (int k = 0; k < 9; ++k) {
        mixed.m[k].set(lane, f.m[k]);
        if (lane == chosen) alone.m[k] = NativePack(f.m[k]);
      }
    }
    NativePack C[81], D[81];
    material.projected_stress_derivative(mixed, C);
    material.projected_stress_derivative(alone, D);
    for (int k = 0; k < 81; ++k) expect_lane_equal(C[k], chosen, D[k], other);
    const auto p = material.stress(mixed), q = material.stress(alone);
    for (int k = 0; k < 9; ++k) expect_lane_equal(p.m[k], chosen, q.m[k], other);
    expect_lane_equal(material.energy(mixed), chosen, material.energy(alone), other);
  }
}

TEST(NeoHookean, packs_agree_with_doubles) {
  using math::NativePack;
  std::mt19937 random(23);
  const materials::NeoHookean<NativePack> packed{NativePack(3.0), NativePack(7.0)};
  const Material material{3.0, 7.0};
  for (int i = 0; i < 300; ++i) {
    const Matrix f = random_deformation(random, 1.1, 0.15);
    math::Matrix3<NativePack> g;
    for (int k = 0; k < 9; ++k) g.m[k] = NativePack(f.m[k]);
    NativePack C[81];
    packed.projected_stress_derivative(g, C);
    const auto expected = derivative(material, f, true);
    // The same operations, but the compiler may fuse other multiplications and additions.
    for (int k = 0; k < 81; ++k) EXPECT_NEAR(C[k][0], expected.data()[k], 1e-12 * expected.cwiseAbs().maxCoeff());
    EXPECT_NEAR(packed.energy(g)[0], material.energy(f), 1e-13 * (1.0 + material.energy(f)));
  }
  math::Matrix3<NativePack> f = math::identity<NativePack>();
  f.m[8].set(0, -1.0); // only lane 0 is inverted
  const NativePack energy = packed.energy(f);
  EXPECT_EQ(energy[0], infinity);
  EXPECT_EQ(energy[1], 0.0);
}

} // namespace
