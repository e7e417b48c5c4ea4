#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "energies/jacobian_bound.hpp"
#include "unit/energies/quadratic_elements.hpp"

namespace {

using namespace limber;
using Element = std::vector<double>;

const Element corner = test::straight_element(test::corner_vertices);
const Element generic = test::straight_element(test::generic_vertices);

double determinant_at(const Element& x, const double L[4]) {
  return math::determinant(energies::tetrahedron_p2_jacobian(x.data(), L));
}

/// Calls visit(L) on a lattice of barycentric coordinates.
template <class Visit> void for_each_point(int n, const Visit& visit) {
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j)
      for (int k = 0; i + j + k <= n; ++k) {
        const double L[4] = {double(n - i - j - k) / n, double(i) / n, double(j) / n, double(k) / n};
        visit(L);
      }
}

double sampled_minimum(const Element& x, int n) {
  double least = std::numeric_limits<double>::infinity();
  for_each_point(n, [&](const double L[4]) { least = std::min(least, determinant_at(x, L)); });
  return least;
}

Element moved(const Element& x, const Element& p, double alpha) {
  Element y = x;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += alpha * p[i];
  return y;
}

/// Elements that are valid, by a margin, yet have a negative Bernstein coefficient.
std::vector<Element> valid_with_a_negative_coefficient() {
  std::vector<Element> found;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const auto x = test::displaced(corner, 0.08, seed);
    double b[20];
    energies::jacobian_coefficients(x.data(), b);
    if (*std::min_element(b, b + 20) < 0.0 && sampled_minimum(x, 20) > 0.05) found.push_back(x);
  }
  return found;
}

TEST(JacobianBound, coefficients_are_those_of_the_determinant) {
  const auto x = test::displaced(generic, 0.1, 3);
  double b[20];
  energies::jacobian_coefficients(x.data(), b);
  for_each_point(5, [&](const double L[4]) { // Σ b_abc times the Bernstein polynomial
    double sum = 0.0;
    for (int v = 0; v < 4; ++v) {
      sum += b[v] * L[v] * L[v] * L[v];
      for (int k = 0; k < 3; ++k) sum += b[4 + 3 * v + k] * 3.0 * L[v] * L[v] * L[k < v ? k : k + 1];
      double others = 1.0;
      for (int w = 0; w < 4; ++w) others *= w == v ? 1.0 : L[w];
      sum += b[16 + v] * 6.0 * others;
    }
    EXPECT_NEAR(sum, determinant_at(x, L), 1e-13); // sums of products of numbers of size 1
  });
}

TEST(JacobianBound, packs_give_the_coefficients_of_doubles) {
  using math::NativePack;
  NativePack x[30], b[20];
  for (int lane = 0; lane < math::native_pack_width; ++lane) {
    const auto element = test::displaced(generic, 0.1, lane);
    for (int i = 0; i < 30; ++i) x[i].set(lane, element[i]);
  }
  energies::jacobian_coefficients(x, b);
  for (int lane = 0; lane < math::native_pack_width; ++lane) {
    double expected[20];
    energies::jacobian_coefficients(test::displaced(generic, 0.1, lane).data(), expected);
    for (int i = 0; i < 20; ++i) EXPECT_NEAR(b[i][lane], expected[i], 1e-14); // fused differently
  }
}

TEST(JacobianBound, parts_cover_the_element) { // integrals of the determinant add up
  const auto d = energies::detail::corner_jacobians(test::displaced(generic, 0.1, 4).data());
  const auto mean = [](const energies::detail::CornerJacobians<double>& part) {
    double b[20], sum = 0.0;
    energies::detail::jacobian_coefficients(part, b);
    for (const double coefficient : b) sum += coefficient / 20.0;
    return sum;
  };
  double sum = 0.0;
  for (int part = 0; part < 8; ++part) sum += mean(energies::detail::part_of(d, part)) / 8.0;
  EXPECT_NEAR(sum, mean(d), 1e-14);
}

TEST(JacobianBound, uniform_shrinking) { // (1 − α)³ = keep
  for (const auto& x : {corner, test::displaced(corner, 0.03, 7)}) {
    Element p = x;
    for (double& component : p) component = -component;
    const double bound = energies::tetrahedron_p2_inversion_bound(x.data(), p.data(), 1.0, 0.125);
    EXPECT_LE(bound, 0.5);
    EXPECT_GE(bound, 0.5 * (1.0 - 1e-12)); // the slack of a simple root
    EXPECT_EQ(energies::tetrahedron_p2_inversion_bound(x.data(), p.data(), 0.4, 0.125), 0.4);
    EXPECT_FALSE(energies::may_reach_inversion_bound_p2(x.data(), p.data(), 0.4, 0.125));
    EXPECT_TRUE(energies::may_reach_inversion_bound_p2(x.data(), p.data(), 0.6, 0.125));
  }
}

TEST(JacobianBound, one_edge_node_sliding_along_its_edge) { // det = 1 + 4 α (L_1 − L_0), least at vertex 0
  Element p(30, 0.0);
  p[12] = 1.0;
  const double bound = energies::tetrahedron_p2_inversion_bound(corner.data(), p.data(), 1.0, 0.2);
  EXPECT_LE(bound, 0.2);
  EXPECT_GE(bound, 0.2 * 0.98);
}

TEST(JacobianBound, an_edge_node_moving_across_shrinks_the_inside) { // exact value by bisection of samples
  Element p(30, 0.0);
  p[13] = p[14] = 1.0; // edge 01 inwards
  p[18] = p[20] = -0.7;
  const double keep = 0.3, bound = energies::tetrahedron_p2_inversion_bound(corner.data(), p.data(), 1.0, keep);
  double lo = 0.0, hi = 1.0;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (lo + hi);
    (sampled_minimum(moved(corner, p, middle), 40) > keep ? lo : hi) = middle; // det = 1 at rest
  }
  EXPECT_LE(bound, hi + 1e-9);
  EXPECT_GE(bound, 0.98 * lo);
}

TEST(JacobianBound, harmless_motions_and_bad_states) {
  Element translation(30), growth = corner, flat = corner, inverted = corner, nan(30, std::nan(""));
  for (int i = 0; i < 30; ++i) {
    translation[i] = i % 3 - 0.7;
    flat[i] *= i % 3 == 2 ? 0.0 : 1.0;
    inverted[i] = -inverted[i];
  }
  Element tangled = corner; // valid at the vertices' own linear tetrahedron only
  tangled[12] = -0.2;
  EXPECT_EQ(energies::tetrahedron_p2_inversion_bound(corner.data(), translation.data(), 10.0, 0.1), 10.0);
  EXPECT_EQ(energies::tetrahedron_p2_inversion_bound(corner.data(), growth.data(), 10.0, 0.1), 10.0);
  for (const auto& bad : {flat, inverted, tangled, nan}) {
    EXPECT_EQ(energies::tetrahedron_p2_inversion_bound(bad.data(), growth.data(), 1.0, 0.1), 0.0);
    EXPECT_TRUE(energies::may_reach_inversion_bound_p2(bad.data(), growth.data(), 1.0, 0.1));
    EXPECT_FALSE(energies::jacobian_is_positive(bad.data()));
  }
  EXPECT_EQ(energies::tetrahedron_p2_inversion_bound(corner.data(), nan.data(), 1.0, 0.1), 0.0);
  EXPECT_TRUE(energies::jacobian_is_positive(corner.data()));
}

TEST(JacobianBound, negative_coefficients_of_valid_elements_are_subdivided) {
  const auto elements = valid_with_a_negative_coefficient();
  EXPECT_GE(elements.size(), 5u);
  for (const auto& x : elements) {
    EXPECT_TRUE(energies::jacobian_is_positive(x.data()));
    Element p = x;
    for (double& component : p) component = -component;
    // (1 − α)³ = ⅛, everywhere in the element; the slack of a simple root.
    EXPECT_NEAR(energies::tetrahedron_p2_inversion_bound(x.data(), p.data(), 1.0, 0.125), 0.5, 1e-12);
    const double ratio = energies::min_jacobian_ratio(x.data(), corner.data());
    EXPECT_GT(ratio, 0.0);
    EXPECT_LE(ratio, sampled_minimum(x, 20) + 1e-14); // round-off of sums of products of numbers of size 1
  }
}

TEST(JacobianBound, random_steps_keep_the_determinant_and_stop_only_there) {
  std::mt19937 random(29);
  std::normal_distribution<double> normal;
  int bounded = 0, close = 0, valid = 0;
  for (int i = 0; i < 400; ++i) {
    const auto x = test::displaced(i % 2 ? generic : corner, 0.05, 100 + i);
    if (sampled_minimum(x, 8) < 0.02) continue;
    Element p(30);
    for (double& component : p) component = 0.1 * normal(random);
    const double keep = i % 3 ? 0.1 : 0.5, limit = i % 5 ? 1.0 : 3.0;
    const double bound = energies::tetrahedron_p2_inversion_bound(x.data(), p.data(), limit, keep);
    for (int s = 1; s <= 10; ++s) {
      const auto y = moved(x, p, bound * s / 10.0);
      // Round-off of sums of products of numbers of size 1.
      for_each_point(12, [&](const double L[4]) {
        ASSERT_GE(determinant_at(y, L), keep * determinant_at(x, L) - 1e-13) << i << ", step " << s;
      });
    }
    if (!energies::may_reach_inversion_bound_p2(x.data(), p.data(), limit, keep)) {
      ASSERT_EQ(bound, limit) << i;
    }
    ++valid;
    if (bound == limit) continue;
    ++bounded;
    const auto beyond =
        moved(x, p, 1.03 * bound); // 1 percent of branch and bound, 2 for the lattice and the subdivision
    bool reached = false;
    for_each_point(24, [&](const double L[4]) { reached |= determinant_at(beyond, L) < keep * determinant_at(x, L); });
    close += reached;
  }
  EXPECT_GT(valid, 300);
  EXPECT_GT(bounded, 100);
  EXPECT_GE(close, bounded * 95 / 100); // at some, four subdivisions or the lattice do not suffice
}

TEST(JacobianBound, packs_flag_the_lanes_to_look_at) {
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  for (int flagged = 0; flagged < width; ++flagged) {
    NativePack x[30], p[30];
    for (int i = 0; i < 30; ++i) {
      x[i] = NativePack(corner[i]);
      p[i] = NativePack(0.1 * corner[i]);
    }
    p[12].set(flagged, 1.0);
    EXPECT_EQ(math::lane_bits(energies::may_reach_inversion_bound_p2(x, p, NativePack(1.0), 0.1)), 1u << flagged);
  }
}

TEST(JacobianRatio, is_one_at_rest) {
  for (const auto& X : {corner, generic, test::displaced(generic, 0.05, 1), test::displaced(generic, 0.05, 2)})
    EXPECT_EQ(energies::min_jacobian_ratio(X.data(), X.data()), 1.0);
}

TEST(JacobianRatio, is_a_close_lower_bound) {
  int inverted = 0;
  for (int i = 0; i < 200; ++i) {
    const auto X = test::displaced(generic, 0.03, i);
    const auto x = test::displaced(test::mapped(X, test::generic_deformation()), i % 2 ? 0.05 : 0.2, 1000 + i);
    if (!energies::jacobian_is_positive(X.data())) continue;
    double least = std::numeric_limits<double>::infinity();
    for_each_point(48,
                   [&](const double L[4]) { least = std::min(least, determinant_at(x, L) / determinant_at(X, L)); });
    const double ratio = energies::min_jacobian_ratio(x.data(), X.data());
    EXPECT_LE(ratio, least + 1e-13 * std::abs(least)) << i; // round-off
    // 1 percent, and as much for the lattice; where the least is small, the last subdivision's gap, of the order of
    // 1/256 of the differences between the coefficients, which are of size 1.
    EXPECT_GE(ratio, least - std::max(0.02 * std::abs(least), 0.01)) << i;
    inverted += least < 0.0;
  }
  EXPECT_GT(inverted, 20);
}

TEST(JacobianRatio, bad_input) {
  Element nan(30, std::nan("")), inverted = corner;
  for (double& coordinate : inverted) coordinate = -coordinate;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(energies::min_jacobian_ratio(nan.data(), corner.data()), -infinity);
  EXPECT_EQ(energies::min_jacobian_ratio(corner.data(), inverted.data()), -infinity);
  EXPECT_NEAR(energies::min_jacobian_ratio(inverted.data(), corner.data()), -1.0, 1e-14);
}

} // namespace
