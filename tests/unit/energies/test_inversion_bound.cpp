#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "energies/inversion_bound.hpp"

namespace {

using namespace limber;

const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

long double determinant_along(const double x[12], const double p[12], long double alpha) {
  math::Matrix3<long double> d;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) d(i, k) = (x[3 * k + 3 + i] + alpha * p[3 * k + 3 + i]) - (x[i] + alpha * p[i]);
  return math::determinant(d);
}

// A simple root of a cubic with coefficients near 1: first_root is short of it by some 1e-14.
void expect_just_below(double bound, double exact) {
  EXPECT_LE(bound, exact);
  EXPECT_GE(bound, exact * (1.0 - 1e-13));
}

TEST(InversionBound, linear_motion_of_one_vertex) {
  double p[12] = {};
  p[11] = -1.0;
  expect_just_below(energies::tetrahedron_inversion_bound(corner, p, 1.0, 0.1), 0.9);
  EXPECT_EQ(energies::tetrahedron_inversion_bound(corner, p, 0.85, 0.1), 0.85);
}

TEST(InversionBound, uniform_shrinking) { // (1 − α)³ = keep: the cubic is flat near its triple root
  double p[12];
  for (int i = 0; i < 12; ++i) p[i] = -corner[i];
  expect_just_below(energies::tetrahedron_inversion_bound(corner, p, 1.0, 0.125), 0.5);
  const double bound = energies::tetrahedron_inversion_bound(corner, p, 2.0, 1e-6);
  EXPECT_LE(bound, 0.99);
  EXPECT_GE(bound, 0.99 - 1e-9); // slope 3e-4 at the root: slack 1e-14/3e-4
}

TEST(InversionBound, harmless_motion_and_bad_states) {
  double translation[12], growth[12], flat[12], inverted[12], nan[12];
  for (int i = 0; i < 12; ++i) {
    translation[i] = i % 3 - 0.7;
    growth[i] = corner[i];
    flat[i] = i == 11 ? 0.0 : corner[i];
    inverted[i] = -corner[i];
    nan[i] = std::nan("");
  }
  EXPECT_EQ(energies::tetrahedron_inversion_bound(corner, translation, 10.0, 0.1), 10.0);
  EXPECT_EQ(energies::tetrahedron_inversion_bound(corner, growth, 10.0, 0.1), 10.0);
  EXPECT_EQ(energies::tetrahedron_inversion_bound(flat, growth, 1.0, 0.1), 0.0);
  EXPECT_EQ(energies::tetrahedron_inversion_bound(inverted, growth, 1.0, 0.1), 0.0);
  EXPECT_EQ(energies::tetrahedron_inversion_bound(corner, nan, 1.0, 0.1), 0.0);
}

TEST(InversionBound, random_steps_keep_the_volume_and_stop_only_there) {
  std::mt19937 random(29);
  std::normal_distribution<double> normal;
  int bounded = 0;
  for (int i = 0; i < 10000; ++i) {
    double x[12], p[12];
    do
      for (int k = 0; k < 12; ++k) x[k] = corner[k] + 0.2 * normal(random);
    while (determinant_along(x, x, 0.0L) < 0.01L);
    for (double& component : p) component = 0.3 * normal(random);
    const double keep = i % 2 ? 0.1 : 0.5, limit = i % 3 ? 1.0 : 5.0;
    const double bound = energies::tetrahedron_inversion_bound(x, p, limit, keep);
    const long double kept = keep * determinant_along(x, p, 0.0L);
    // The cubic's coefficients carry the round-off of products of edges of size 1 to 10: 1e-13 beside det ≥ 0.01.
    for (int s = 0; s <= 200; ++s) ASSERT_GE(determinant_along(x, p, bound * (s / 200.0L)), kept - 1e-13L) << i;
    if (bound < limit) {
      ++bounded;
      ASSERT_NEAR(static_cast<double>(determinant_along(x, p, bound) - kept), 0.0, 1e-12) << i;
    }
    if (!energies::may_reach_inversion_bound(x, p, limit, keep)) {
      ASSERT_EQ(bound, limit) << i;
    }
  }
  EXPECT_GT(bounded, 1000);
  EXPECT_LT(bounded, 9000);
}

TEST(InversionBound, packs_flag_the_lanes_to_look_at) {
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  for (int flagged = 0; flagged < width; ++flagged) {
    NativePack x[12], p[12];
    for (int i = 0; i < 12; ++i) {
      x[i] = NativePack(corner[i]);
      p[i] = NativePack(0.1 * corner[i]);
    }
    p[11].set(flagged, -1.0);
    EXPECT_EQ(math::lane_bits(energies::may_reach_inversion_bound(x, p, NativePack(1.0), 0.1)), 1u << flagged);
  }
}

} // namespace
