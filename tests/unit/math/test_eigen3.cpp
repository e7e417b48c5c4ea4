#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <random>

#include "math/eigen3.hpp"

namespace {

using namespace limber;

void check(const Eigen::Matrix3d& a) {
  math::Matrix3<double> m;
  Eigen::Map<Eigen::Matrix3d>(m.m) = a;
  const auto eigen = math::symmetric_eigen(m);
  const Eigen::Map<const Eigen::Matrix3d> v(eigen.vectors.m);
  const Eigen::Map<const Eigen::Vector3d> values(eigen.values);
  // Some fifteen rotations, an ulp each.
  EXPECT_LE((v.transpose() * v - Eigen::Matrix3d::Identity()).norm(), 1e-14);
  EXPECT_LE((a - v * values.asDiagonal() * v.transpose()).norm(), 1e-14 * a.norm());
}

TEST(SymmetricEigen3, random_and_degenerate) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 10000; ++i) {
    Eigen::Matrix3d q;
    for (double& entry : q.reshaped()) entry = normal(random);
    q = Eigen::HouseholderQR<Eigen::Matrix3d>(q).householderQ();
    Eigen::Vector3d d(normal(random), normal(random), normal(random));
    if (i % 3 == 1) d[1] = d[0] * (1.0 + 1e-9 * normal(random));
    if (i % 3 == 2) d[2] = 1e-8 * d[1];
    if (i % 7 == 0) d[1] = d[0];
    const Eigen::Matrix3d a = q * d.asDiagonal() * q.transpose();
    check(0.5 * (a + a.transpose()));
  }
  check(Eigen::Matrix3d::Zero());
  check(Eigen::Matrix3d::Identity());
  check(Eigen::Matrix3d::Ones());
}

} // namespace
