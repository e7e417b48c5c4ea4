#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "math/matrix3.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix3<double>;

const Matrix a{{1.1, 0.3, -0.2, 0.15, 0.8, 0.4, -0.25, 0.1, 1.3}};
const Matrix b{{-0.3, 0.7, 0.2, 1.4, -0.6, 0.9, 0.5, 0.35, -1.2}};

Eigen::Map<const Eigen::Matrix3d> map(const Matrix& m) { return Eigen::Map<const Eigen::Matrix3d>(m.m); }

// Sums of at most three products of numbers near 1: a few 1e-16.
constexpr double tolerance = 5e-15;

TEST(Matrix3, is_column_major) {
  EXPECT_EQ(a(1, 0), 0.3);
  EXPECT_EQ(a.column(2)[0], -0.25);
}

TEST(Matrix3, agrees_with_eigen) {
  EXPECT_LE((map(a * b) - map(a) * map(b)).norm(), tolerance);
  EXPECT_LE((map(a + b) - (map(a) + map(b))).norm(), tolerance);
  EXPECT_LE((map(a - b) - (map(a) - map(b))).norm(), tolerance);
  EXPECT_LE((map(2.5 * a) - 2.5 * map(a)).norm(), tolerance);
  EXPECT_EQ(map(math::transpose(a)), map(a).transpose().eval());
  EXPECT_NEAR(math::determinant(a), map(a).determinant(), tolerance);
  EXPECT_NEAR(math::trace(a), map(a).trace(), tolerance);
  EXPECT_NEAR(math::contract(a, b), map(a).cwiseProduct(map(b)).sum(), tolerance);
  EXPECT_LE((map(math::inverse(a)) - map(a).inverse()).norm(), tolerance);
  EXPECT_LE((map(math::cofactor(a)) - map(a).determinant() * map(a).inverse().transpose()).norm(), tolerance);
}

TEST(Matrix3, definiteness_is_decided_with_a_margin) {
  const auto definite = [](double x, double y, double z, double off) {
    const Matrix m{{x, off, off, off, y, off, off, off, z}};
    return math::surely_positive_definite(m, 1.0);
  };
  EXPECT_TRUE(definite(1, 0.5, 0.3, 0.1));
  EXPECT_FALSE(definite(-1, 0.5, 0.3, 0.1));
  EXPECT_FALSE(definite(1, -0.5, 0.3, 0.0));
  EXPECT_FALSE(definite(1, 0.5, -0.3, 0.0));
  EXPECT_FALSE(definite(1, 1, 1, -0.6));  // an eigenvalue 1 − 1.2
  EXPECT_FALSE(definite(1, 1, 1, 1));     // singular
  EXPECT_FALSE(definite(1, 1, 1e-15, 0)); // too close to call
}

} // namespace
