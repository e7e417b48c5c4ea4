#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "math/logarithm.hpp"

namespace {

using namespace limber;

double ulp(double a) { return std::nextafter(std::fabs(a), INFINITY) - std::fabs(a); }

TEST(Logarithm, within_two_ulp_in_double_and_pack) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> wide(-700.0, 700.0), narrow(-0.5, 0.5);
  for (int i = 0; i < 100000; ++i) {
    const double u = i % 2 ? std::exp(wide(random)) : 1.0 + narrow(random);
    const double exact = static_cast<double>(std::log(static_cast<long double>(u)));
    // fdlibm's bound is 1 ulp of the exact value; the comparison's own rounding adds a half.
    EXPECT_NEAR(math::log(u), exact, 2.0 * ulp(exact)) << u;
    EXPECT_NEAR(math::log(math::NativePack(u))[0], exact, 2.0 * ulp(exact)) << u;
  }
}

TEST(Logarithm, special_values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(math::log(math::NativePack(0.0))[0], -infinity);
  EXPECT_EQ(math::log(math::NativePack(infinity))[0], infinity);
  EXPECT_TRUE(std::isnan(math::log(math::NativePack(-1.0))[0]));
  EXPECT_TRUE(std::isnan(math::log(math::NativePack(std::nan("")))[0]));
  EXPECT_EQ(math::log(1.0), 0.0);
}

TEST(Logarithm, remainder_keeps_its_digits_near_one) {
  for (double x : {1e-1, -2e-1, 1e-3, -1e-3, 1e-6, -1e-8, 1e-12}) {
    // log(1+x) − x = −x²/2 + x³/3 − …, summed from the small end.
    long double series = 0.0L;
    for (int n = 40; n >= 2; --n) series += (n % 2 ? 1.0L : -1.0L) * std::pow(static_cast<long double>(x), n) / n;
    const auto result = math::log_near_one(1.0 + x, x);
    // A few roundings, none amplified.
    EXPECT_NEAR(result.log_minus_x / static_cast<double>(series), 1.0, 1e-15) << x;
    EXPECT_NEAR(result.log / std::log1p(x), 1.0, 1e-15) << x;
  }
  const auto far = math::log_near_one(5.0, 4.0);
  EXPECT_NEAR(far.log_minus_x, std::log(5.0) - 4.0, 4e-15); // 2 ulp of the larger term and result
}

} // namespace
