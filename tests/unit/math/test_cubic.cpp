/// The first root against evaluation in extended precision: never passed, and not stopped short of.

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "math/cubic.hpp"

namespace {

using namespace limber;
using Cubic = math::Cubic<double>;

long double exact(const Cubic& f, long double t) { return f.c[0] + t * (f.c[1] + t * (f.c[2] + t * f.c[3])); }

/// The slack that first_root documents, doubled for the roundings of the search itself.
long double slack(const Cubic& f, long double t) {
  const auto a = [&](int i) { return std::fabs(static_cast<long double>(f.c[i])); };
  return 32 * 2.3e-16L * (a(0) + t * (a(1) + t * (a(2) + t * a(3))));
}

void check(const Cubic& f, double limit) {
  const double root = math::first_root(f, limit);
  ASSERT_GE(root, 0.0);
  ASSERT_LE(root, limit);
  const auto text = [&] {
    return testing::Message() << f.c[0] << " " << f.c[1] << " " << f.c[2] << " " << f.c[3] << ", limit " << limit;
  };
  long double gap = 1.0L;
  for (int i = 0; i < 100; ++i, gap *= 0.7L) { // evenly, and ever closer to the root
    ASSERT_GT(exact(f, root * (i / 100.0L)), 0.0L) << text();
    ASSERT_GT(exact(f, root * (1.0L - gap)), 0.0L) << text();
  }
  if (root == limit) return;
  const long double beyond = root * (1.0L + 1e-13L);
  ASSERT_LE(exact(f, beyond), slack(f, beyond)) << text();
}

Cubic from_roots(double scale, double a, double b, double c) { // scale (t − a)(t − b)(t − c), positive at 0
  const double sign = -a * b * c > 0 ? scale : -scale;
  return {{-sign * a * b * c, sign * (a * b + a * c + b * c), -sign * (a + b + c), sign}};
}

TEST(Cubic, random_coefficients) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-12, 4);
  for (int i = 0; i < 50000; ++i) {
    Cubic f{{std::fabs(normal(random)) + 1e-6, normal(random), normal(random), normal(random)}};
    if (i % 2)
      for (int k = 1; k < 4; ++k) f.c[k] *= std::pow(10.0, exponent(random));
    for (int k = 1; k < 4; ++k)
      if (i % (5 + k) == 0) f.c[k] = 0.0;
    check(f, i % 3 ? 1.0 : std::pow(10.0, exponent(random)));
  }
}

TEST(Cubic, chosen_roots_double_triple_and_close) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> place(0.01, 3.0), exponent(-16, 0), sign(-1, 1);
  for (int i = 0; i < 50000; ++i) {
    const double a = place(random);
    const double gap = i % 10 ? std::pow(10.0, exponent(random)) : 0.0;
    const double b = a * (1.0 + gap);
    const double c = i % 4 == 0 ? b * (1.0 + gap) : place(random) * sign(random) * 10.0;
    if (c == 0.0) continue;
    const double scale = std::pow(10.0, 4.0 * sign(random));
    check(from_roots(scale, a, b, c), i % 3 ? 1.0 : 4.0);
    check(from_roots(scale, a, b, c), a); // the root is the limit
  }
}

TEST(Cubic, simple_roots_are_found_to_slack) {
  const auto relative = [](double root, double exact_root) { return (exact_root - root) / exact_root; };
  // Well separated roots: the slack of the coefficients moves them by some 1e-14.
  for (const double a : {1e-9, 1e-3, 0.3, 0.999}) {
    const Cubic cubics[] = {from_roots(1.0, a, 5.0, -7.0),
                            {{a, -1.0, 0.0, 0.0}},
                            {{a * a, 0.0, -1.0, 0.0}},
                            {{a * a * a, 0.0, 0.0, -1.0}},
                            {{a, -1.0, 1e-30, -1e-30}}};
    for (const auto& f : cubics) {
      const double error = relative(math::first_root(f, 1.0), a);
      EXPECT_GE(error, 0.0);
      EXPECT_LE(error, 1e-13);
    }
  }
}

TEST(Cubic, no_root_gives_the_limit) {
  EXPECT_EQ(math::first_root({{1.0, 0.0, 0.0, 0.0}}, 2.0), 2.0);
  EXPECT_EQ(math::first_root({{1.0, -0.4, 0.0, 0.0}}, 2.0), 2.0);
  EXPECT_EQ(math::first_root({{1.0, -1.9, 1.0, 0.0}}, 2.0), 2.0); // Bernstein coefficients of both signs
  EXPECT_TRUE(math::surely_positive(Cubic{{1.0, -0.4, 0.0, 0.0}}, 2.0));
  EXPECT_FALSE(math::surely_positive(Cubic{{1.0, -0.6, 0.0, 0.0}}, 2.0));
}

TEST(Cubic, bad_input_gives_zero) {
  EXPECT_EQ(math::first_root({{0.0, 1.0, 0.0, 0.0}}, 1.0), 0.0);
  EXPECT_EQ(math::first_root({{-1.0, 1.0, 0.0, 0.0}}, 1.0), 0.0);
  for (int k = 0; k < 4; ++k) {
    Cubic f{{1.0, 0.1, 0.1, 0.1}};
    f.c[k] = std::nan("");
    EXPECT_EQ(math::first_root(f, 1.0), 0.0) << k;
  }
}

} // namespace
