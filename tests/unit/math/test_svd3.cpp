#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <random>

#include "math/svd3.hpp"

namespace {

using namespace limber;
using Eigen::Matrix3d;

// About fifteen rotations and a normalization, an ulp each; the documented bound.
constexpr double tolerance = 1e-14;

math::Matrix3<double> to_matrix(const Matrix3d& f) {
  math::Matrix3<double> m;
  Eigen::Map<Matrix3d>(m.m) = f;
  return m;
}

void check(const Matrix3d& f) {
  const auto svd = math::signed_svd(to_matrix(f));
  const Eigen::Map<const Matrix3d> u(svd.u.m), v(svd.v.m);
  const Eigen::Map<const Eigen::Vector3d> s(svd.s);
  ASSERT_TRUE(u.allFinite() && v.allFinite() && s.allFinite()) << f;
  const Eigen::Vector3d exact = f.jacobiSvd().singularValues();
  const double scale = exact[0];
  EXPECT_LE((u.transpose() * u - Matrix3d::Identity()).norm(), tolerance) << f;
  EXPECT_LE((v.transpose() * v - Matrix3d::Identity()).norm(), tolerance) << f;
  EXPECT_GT(u.determinant(), 0.0);
  EXPECT_GT(v.determinant(), 0.0);
  EXPECT_LE((f - u * s.asDiagonal() * v.transpose()).norm(), tolerance * scale) << f;
  EXPECT_LE((s.cwiseAbs() - exact).cwiseAbs().maxCoeff(), tolerance * scale) << f;
  EXPECT_GE(s[0], s[1] - tolerance * scale);
  EXPECT_GE(s[1], std::abs(s[2]) - tolerance * scale);
  EXPECT_GE(s[1], 0.0);
  const long double det = f.cast<long double>().determinant();
  // Otherwise the smallest stretch, or this determinant, is round-off.
  if (exact[2] > tolerance * scale && std::abs(det) > 1e-18L * scale * scale * scale) {
    EXPECT_EQ(s[2] < 0.0, det < 0.0L) << f;
  }
}

struct Random {
  std::mt19937 engine{5};
  std::normal_distribution<double> normal;
  Matrix3d matrix() {
    Matrix3d m;
    for (double& entry : m.reshaped()) entry = normal(engine);
    return m;
  }
  Matrix3d rotation() {
    Matrix3d q = Eigen::HouseholderQR<Matrix3d>(matrix()).householderQ();
    if (q.determinant() < 0) q.col(0) *= -1.0;
    return q;
  }
  Matrix3d stretched(double a, double b, double c) {
    return rotation() * Eigen::Vector3d(a, b, c).asDiagonal() * rotation().transpose();
  }
};

TEST(Svd3, random_matrices_of_either_sign) {
  Random random;
  for (int i = 0; i < 20000; ++i) check(random.matrix());
}

TEST(Svd3, small_strain) {
  Random random;
  for (const double strain : {1e-2, 1e-6, 1e-10, 1e-15})
    for (int i = 0; i < 1000; ++i) check(random.rotation() * (Matrix3d::Identity() + strain * random.matrix()));
}

TEST(Svd3, equal_and_nearly_equal_stretches) {
  Random random;
  for (const double gap : {0.0, 1e-16, 1e-12, 1e-8, 1e-4})
    for (int i = 0; i < 300; ++i) {
      check(random.stretched(1.3, 1.3 * (1 + gap), 1.3 * (1 - gap)));
      check(random.stretched(2.0, 2.0 * (1 + gap), 0.5));
      check(random.stretched(2.0, 0.5 * (1 + gap), 0.5));
      check(random.stretched(1.0, 1.0 + gap, -1.0));
    }
}

TEST(Svd3, graded_and_singular) {
  Random random;
  for (const double b : {1.0, 1e-4, 1e-8, 1e-12, 1e-16, 1e-20, 0.0})
    for (const double c : {1.0, 0.1, 1e-8, 1e-15, 0.0, -1e-8, -1.0})
      for (int i = 0; i < 100; ++i) check(random.stretched(1.0, b, b * c));
  check(Matrix3d::Zero());
  check(Matrix3d::Ones());
  check(Matrix3d::Identity());
  for (int k = 0; k < 9; ++k) { // one entry, every place and sign
    Matrix3d f = Matrix3d::Zero();
    f.reshaped()[k] = k % 2 ? -2.0 : 0.3;
    check(f);
  }
}

TEST(Svd3, reflections_and_permutations) {
  for (const double x : {1.0, -1.0})
    for (const double y : {0.7, -0.7})
      for (const double z : {0.2, -0.2, 3.0, -3.0}) {
        const Matrix3d d = Eigen::Vector3d(x, y, z).asDiagonal();
        check(d);
        Matrix3d permuted;
        permuted << d.col(1), d.col(2), d.col(0);
        check(permuted);
      }
}

TEST(Svd3, a_lane_does_not_depend_on_its_neighbors) {
  Random random;
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  for (int i = 0; i < 200; ++i) {
    math::Matrix3<NativePack> f, uniform;
    for (int lane = 0; lane < width; ++lane) { // lanes that need different numbers of sweeps
      const Matrix3d m = lane % 3 == 0   ? random.matrix()
                         : lane % 3 == 1 ? Matrix3d::Identity().eval()
                                         : random.stretched(1, 1, 1e-9);
      for (int k = 0; k < 9; ++k) {
        f.m[k].set(lane, m.reshaped()[k]);
        if (lane == 0) uniform.m[k] = NativePack(m.reshaped()[k]);
      }
    }
    const auto mixed = math::signed_svd(f);
    const auto alone = math::signed_svd(uniform); // lane 0's matrix in every lane
    for (int k = 0; k < 9; ++k) {
      EXPECT_EQ(mixed.u.m[k][0], alone.u.m[k][width - 1]);
      EXPECT_EQ(mixed.v.m[k][0], alone.v.m[k][width - 1]);
      EXPECT_EQ(mixed.s[k % 3][0], alone.s[k % 3][width - 1]);
    }
  }
}

} // namespace
