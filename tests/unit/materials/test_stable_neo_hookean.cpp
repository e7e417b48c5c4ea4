#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "materials/stable_neo_hookean.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix3<double>;
using Material = materials::StableNeoHookean<double>;

Matrix diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

/// F of mean stretch `stretch` with noise, of either orientation.
Matrix random_deformation(std::mt19937& random, double stretch, double noise) {
  std::normal_distribution<double> normal;
  Matrix f;
  for (int i = 0; i < 9; ++i) f.m[i] = (i % 4 == 0 ? stretch : 0.0) + noise * normal(random);
  return f;
}

Eigen::Matrix<double, 9, 9> derivative(const Material& material, const Matrix& f, bool project) {
  Eigen::Matrix<double, 9, 9> C;
  if (project) material.projected_stress_derivative(f, C.data());
  else material.stress_derivative(f, C.data());
  return C;
}

/// The projection against Eigen's. Round-off of the eigen-solver and of the decomposition, about 1e-14 each.
void expect_nearest_semi_definite(const Material& material, const Matrix& f) {
  const auto C = derivative(material, f, false), projected = derivative(material, f, true);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(C);
  const Eigen::Matrix<double, 9, 9> expected =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
  EXPECT_LE((projected - expected).cwiseAbs().maxCoeff(), 1e-12 * C.cwiseAbs().maxCoeff());
  EXPECT_EQ(projected, projected.transpose().eval());
}

TEST(StableNeoHookean, agrees_with_the_reference) { test::check_material(Material{3.0, 7.0}, "stable_neo_hookean"); }

TEST(StableNeoHookean, energy_keeps_its_digits_at_small_strain) {
  const Material material{3.0, 7.0};
  for (const double strain : {1e-2, 1e-4, 1e-7}) {
    const double stretches[3] = {1.0 + strain, 1.0 - 0.3 * strain, 1.0 + 0.5 * strain};
    long double a[3];
    for (int i = 0; i < 3; ++i) a[i] = static_cast<long double>(stretches[i]) - 1.0L;
    const long double second = a[0] * a[1] + a[1] * a[2] + a[0] * a[2] + a[0] * a[1] * a[2];
    const long double volume = a[0] + a[1] + a[2] + second;
    const long double squares = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const auto expected = static_cast<double>(3.0L * (0.5L * squares - second) + 3.5L * volume * volume);
    // A dozen roundings; the textbook form would lose all digits at 1e-7.
    EXPECT_NEAR(material.energy(diagonal(stretches[0], stretches[1], stretches[2])) / expected, 1.0, 1e-14) << strain;
  }
}

TEST(StableNeoHookean, small_strain_is_linear_elasticity_with_lambda_minus_mu) {
  const Material material{3.0, 7.0};
  const auto C = derivative(material, math::identity<double>(), false);
  const auto id = [](int a, int b) { return a == b ? 1.0 : 0.0; };
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) {
      const int i = a % 3, j = a / 3, k = b % 3, l = b / 3;
      const double expected = 4.0 * id(i, j) * id(k, l) + 3.0 * (id(i, k) * id(j, l) + id(i, l) * id(j, k));
      EXPECT_EQ(C(a, b), expected) << a << " " << b; // small integers
    }
}

TEST(StableNeoHookean, projection_is_the_nearest_semi_definite_matrix) {
  std::mt19937 random(17);
  int convex = 0, missed = 0, inverted = 0, stretch_blocks = 0;
  for (int i = 0; i < 4000; ++i) {
    SCOPED_TRACE(i);
    const Material material{1.0, i % 2 ? 5.0 : 30.0};
    const Matrix f = random_deformation(random, 0.1 + 0.1 * (i % 15), i % 3 ? 0.3 : 0.03);
    expect_nearest_semi_definite(material, f);
    const auto C = derivative(material, f, false);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(C);
    inverted += math::determinant(f) < 0.0;
    const auto svd = math::signed_svd(f);
    const double s = material.lambda * (math::determinant(f) - 1.0) - material.mu;
    // Fewer twists and flips below zero than eigenvalues: the stretch block has one.
    int below = 0;
    for (const double stretch : svd.s) below += (material.mu + s * stretch < 0.0) + (material.mu - s * stretch < 0.0);
    stretch_blocks += (eigen.eigenvalues().array() < -1e-9).count() > below;
    if (material.surely_convex(f)) {
      ++convex;
      EXPECT_GE(eigen.eigenvalues()[0], -1e-13);
      // Unchanged, but the compiler may fuse other operations in the two functions.
      EXPECT_LE((derivative(material, f, true) - C).cwiseAbs().maxCoeff(), 1e-14 * C.cwiseAbs().maxCoeff());
    } else if (eigen.eigenvalues()[0] > 1e-6) ++missed;
  }
  EXPECT_GT(convex, 50);
  EXPECT_EQ(missed, 0); // the test is necessary, too, up to its margin of 1e-12
  EXPECT_GT(inverted, 300);
  EXPECT_GT(stretch_blocks, 100);
}

/// Over all ratios λ/μ, so that each of the test's conditions decides somewhere.
TEST(StableNeoHookean, convexity_test_is_exact_up_to_its_margin) {
  std::mt19937 random(37);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int convex = 0, not_convex = 0;
  for (int i = 0; i < 20000; ++i) {
    const Material material{2.0, 0.02 * std::pow(10.0, 3.5 * uniform(random))};
    const Matrix f = random_deformation(random, 1.4 * uniform(random), 0.2 * uniform(random));
    const auto C = derivative(material, f, false);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(C, Eigen::EigenvaluesOnly);
    const double least = eigen.eigenvalues()[0] / eigen.eigenvalues()[8];
    if (material.surely_convex(f)) EXPECT_GE(least, -1e-14) << i; // round-off of the eigen-solver
    else EXPECT_LE(least, 1e-9) << i;                             // the margin, 1e-12, over the other eigenvalues
    ++(material.surely_convex(f) ? convex : not_convex);
  }
  EXPECT_GT(convex, 2000);
  EXPECT_GT(not_convex, 2000);
}

TEST(StableNeoHookean, projection_at_equal_vanishing_and_inverted_stretches) {
  const Matrix turn{{0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6}};
  for (const double lambda : {2.0, 7.0, 300.0})
    for (const auto& f : {diagonal(1, 1, 1), diagonal(0.5, 0.5, 0.5), diagonal(1.2, 1.2, 0.7), diagonal(0.8, 1.3, 1.3),
                          diagonal(0, 0, 0), diagonal(1, 0, 0), diagonal(1, 1, 0), diagonal(1, 1, -1),
                          diagonal(-1, -1, -1), diagonal(0.4, 0.4, -0.4), diagonal(2, 0.3, -0.3), diagonal(3, 3, 3)}) {
      SCOPED_TRACE(testing::Message() << "lambda " << lambda << ", F " << f.m[0] << " " << f.m[4] << " " << f.m[8]);
      const Material material{3.0, lambda};
      expect_nearest_semi_definite(material, f);
      expect_nearest_semi_definite(material, turn * f * math::transpose(turn));
      EXPECT_TRUE(std::isfinite(material.energy(f)));
    }
}

TEST(StableNeoHookean, convexity_test_is_sharp_enough_to_be_useful) {
  const Material material{1.0, 5.0};
  EXPECT_TRUE(material.surely_convex(diagonal(1.03, 1.02, 1.04)));
  EXPECT_TRUE(material.surely_convex(diagonal(1.001, 1.001, 1.001)));
  EXPECT_FALSE(material.surely_convex(diagonal(0.99, 1.0, 1.0)));
  EXPECT_FALSE(material.surely_convex(diagonal(1.0, 1.0, 1.0))); // on the border
  EXPECT_FALSE(material.surely_convex(diagonal(1.5, 1.5, 1.5)));
}

/// A stencil's result must be the same bits in any lane, beside any other stencil.
TEST(StableNeoHookean, packs_are_lane_independent_and_agree_with_doubles) {
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  std::mt19937 random(19);
  const materials::StableNeoHookean<NativePack> packed{NativePack(1.0), NativePack(5.0)};
  const Material material{1.0, 5.0};
  for (int i = 0; i < 300; ++i) {
    math::Matrix3<NativePack> mixed, alone;
    const int chosen = i % width, other = (i + 1) % width;
    Matrix f;
    for (int lane = 0; lane < width; ++lane) { // convex, compressed or inverted, inflated
      const double stretch = lane % 3 == 0 ? 1.04 : lane % 3 == 1 ? 0.5 : 1.4;
      const Matrix g = random_deformation(random, stretch, lane % 3 ? 0.3 : 0.005);
      for (int k = 0; k < 9; ++k) {
        mixed.m[k].set(lane, g.m[k]);
        if (lane == chosen) alone.m[k] = NativePack(g.m[k]);
      }
      if (lane == chosen) f = g;
    }
    NativePack C[81], D[81];
    packed.projected_stress_derivative(mixed, C);
    packed.projected_stress_derivative(alone, D);
    const auto expected = derivative(material, f, true);
    // Doubles: the same operations, but the compiler may fuse other multiplications and additions.
    for (int k = 0; k < 81; ++k) {
      EXPECT_EQ(C[k][chosen], D[k][other]);
      EXPECT_NEAR(C[k][chosen], expected.data()[k], 1e-12 * expected.cwiseAbs().maxCoeff());
    }
    const auto p = packed.stress(mixed), q = packed.stress(alone);
    const auto expected_p = material.stress(f);
    for (int k = 0; k < 9; ++k) {
      EXPECT_EQ(p.m[k][chosen], q.m[k][other]);
      EXPECT_NEAR(p.m[k][chosen], expected_p.m[k], 1e-13 * expected.cwiseAbs().maxCoeff());
    }
    EXPECT_EQ(packed.energy(mixed)[chosen], packed.energy(alone)[other]);
    EXPECT_NEAR(packed.energy(mixed)[chosen], material.energy(f), 1e-13 * (1.0 + material.energy(f)));
  }
}

} // namespace
