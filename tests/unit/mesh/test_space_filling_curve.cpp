#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "mesh/space_filling_curve.hpp"
#include "support/box_mesh.hpp"

namespace limber::mesh {
namespace {

std::vector<std::size_t> along_the_curve(const std::vector<double>& points) {
  const auto keys = hilbert_keys(points);
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  return order;
}

std::size_t distinct(std::vector<std::uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  return std::size_t(std::unique(keys.begin(), keys.end()) - keys.begin());
}

TEST(HilbertKeys, NeighborsAlongTheCurveAreNeighborsInSpace) {
  for (int k = 1; k <= 4; ++k) {
    const int n = 1 << k;
    std::vector<double> points;
    for (int x = 0; x < n; ++x)
      for (int y = 0; y < n; ++y)
        for (int z = 0; z < n; ++z) points.insert(points.end(), {3.0 + 0.5 * x, -1.0 + 0.5 * y, 0.5 * z});
    const auto order = along_the_curve(points);
    for (std::size_t i = 1; i < order.size(); ++i) {
      double distance = 0.0;
      for (std::size_t d = 0; d < 3; ++d) distance += std::abs(points[3 * order[i] + d] - points[3 * order[i - 1] + d]);
      ASSERT_EQ(distance, 0.5) << "level " << k << ", step " << i; // multiples of 0.5 are exact
    }
  }
}

TEST(HilbertKeys, AreUniqueForDistinctPoints) {
  const auto points = test::random_numbers(3 * 20000, 3);
  EXPECT_EQ(distinct(hilbert_keys(points)), 20000u);
  std::vector<double> flat = points; // a plane: only two axes tell points apart
  for (std::size_t i = 2; i < flat.size(); i += 3) flat[i] = 7.0;
  EXPECT_EQ(distinct(hilbert_keys(flat)), 20000u);
}

TEST(HilbertKeys, TakeDegenerateInput) {
  EXPECT_TRUE(hilbert_keys({}).empty());
  EXPECT_EQ(hilbert_keys({1.0, 2.0, 3.0}).size(), 1u);
  const auto same = hilbert_keys({1.0, 2.0, 3.0, 1.0, 2.0, 3.0});
  EXPECT_EQ(same[0], same[1]);
}

TEST(HilbertKeys, DoNotDependOnPlaceAndSize) {
  const auto points = test::random_numbers(300, 4);
  auto moved = points;
  for (double& x : moved) x = 4.0 * x;
  EXPECT_EQ(hilbert_keys(moved), hilbert_keys(points)); // a power of two changes no digit
}

} // namespace
} // namespace limber::mesh
