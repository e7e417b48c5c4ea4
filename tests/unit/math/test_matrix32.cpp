#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "math/matrix32.hpp"
#include "math/quartic.hpp"

namespace {

using namespace limber::math;

void check_svd(const Matrix32<double>& f) {
  const auto s = svd(f);
  double size = 0.0;
  for (const double entry : f.m) size = std::max(size, std::abs(entry));
  EXPECT_GE(s.s[0], s.s[1]);
  EXPECT_GE(s.s[1], 0.0);
  // A few ulp.
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(s.s[0] * s.u0[i] * s.v[j] + s.s[1] * s.u1[i] * s.v[2 + j], f(i, j), 3e-15 * size);
  const double* u[3] = {s.u0, s.u1, s.n};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) EXPECT_NEAR(dot3(u[a], u[b]), a == b ? 1.0 : 0.0, 2e-15);
  EXPECT_NEAR(s.v[0] * s.v[2] + s.v[1] * s.v[3], 0.0, 2e-15);
  EXPECT_NEAR(s.v[0] * s.v[0] + s.v[1] * s.v[1], 1.0, 2e-15);
}

TEST(Matrix32, singular_values_and_vectors) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    Matrix32<double> f;
    for (double& entry : f.m) entry = normal(random) * (i % 5 == 4 ? 1e-160 : 1.0);
    if (i % 5 == 1)
      for (int k = 0; k < 3; ++k) f(k, 1) = 0.7 * f(k, 0) + 1e-9 * f(k, 1);
    if (i % 5 == 2)
      for (int k = 0; k < 3; ++k) f(k, 1) = -2.0 * f(k, 0);
    if (i % 5 != 4) check_svd(f);
  }
  check_svd({{0, 0, 0, 0, 0, 0}});
  check_svd({{1, 0, 0, 0, 1, 0}});
  check_svd({{0, 0, 0, 0, 0, -2}});
  check_svd({{1, 1, 1, 1, 1, 1}});
}

double value(const Quartic<double>& f, double t) {
  return f.c[0] + t * (f.c[1] + t * (f.c[2] + t * (f.c[3] + t * f.c[4])));
}

TEST(Quartic, first_root) {
  // (1 − 4t)(2 − t)(1 + t²) = 2 − 9t + 6t² − 9t³ + 4t⁴
  EXPECT_NEAR(first_root({{2, -9, 6, -9, 4}}, 1.0), 0.25, 1e-11);
  EXPECT_LE(first_root({{2, -9, 6, -9, 4}}, 1.0), 0.25);
  EXPECT_EQ(first_root({{2, -9, 6, -9, 4}}, 0.2), 0.2);
  EXPECT_EQ(first_root({{1, 0, 0, 0, 0}}, 1.0), 1.0);
  EXPECT_EQ(first_root({{0, 1, 0, 0, 0}}, 1.0), 0.0);
  EXPECT_EQ(first_root({{-1, 9, 0, 0, 0}}, 1.0), 0.0);
  EXPECT_EQ(first_root({{1, std::nan(""), 0, 0, 0}}, 1.0), 0.0);
  // (1 − 2t)²: a double root counts, found to the square root of the slack.
  EXPECT_NEAR(first_root({{1, -4, 4, 0, 0}}, 1.0), 0.5, 1e-6);
  EXPECT_LE(first_root({{1, -4, 4, 0, 0}}, 1.0), 0.5);
  // (1 − 2t)² + 1e-9: no root, though near one.
  EXPECT_EQ(first_root({{1 + 1e-9, -4, 4, 0, 0}}, 1.0), 1.0);
}

TEST(Quartic, first_root_against_a_scan) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    Quartic<double> f;
    for (double& c : f.c) c = 3.0 * normal(random);
    f.c[0] = std::abs(normal(random));
    const double root = first_root(f, 1.0);
    double first = 1.0; // where a scan first sees a value that is not positive
    for (int k = 0; k <= 1000 && first == 1.0; ++k)
      if (!(value(f, k / 1000.0) > 0.0)) first = k / 1000.0;
    EXPECT_LE(root, first);
    for (int k = 0; k < 100; ++k) EXPECT_GT(value(f, root * k / 100.0), 0.0);
    if (root == 1.0) continue;
    ++found;
    EXPECT_LT(std::abs(value(f, root)), 1e-9); // slopes of size 10, roots found to 1e-12
  }
  EXPECT_GT(found, 500);
}

} // namespace
