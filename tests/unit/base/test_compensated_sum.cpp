#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "base/compensated_sum.hpp"

namespace limber::base {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(CompensatedSum, IsZeroWithoutTerms) { EXPECT_EQ(CompensatedSum().value(), 0.0); }

TEST(CompensatedSum, KeepsWhatCancellationWouldLose) {
  CompensatedSum sum;
  for (double x : {1.0, 1e100, 1.0, -1e100}) sum.add(x);
  EXPECT_EQ(sum.value(), 2.0); // Neumaier's own example: plain and Kahan's sums give 0
}

TEST(CompensatedSum, AgreesWithLongDouble) {
  std::mt19937 generator(1);
  CompensatedSum sum;
  long double exact = 0.0L, magnitude = 0.0L;
  double plain = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(double(generator()) - 2147483648.0, int(generator() % 40) - 20);
    sum.add(x);
    plain += x;
    exact += x;
    magnitude += std::fabs((long double)x);
  }
  // The compensated sum is off by an ulp of the result and n² eps² (4e-22 here) of the terms; long double's own error
  // is a random walk of 2^-64: 450 of these, 3e-17 of the sum that is reached, far below an ulp of it.
  const double tolerance =
      2.0 * std::numeric_limits<double>::epsilon() * double(std::fabs(exact)) + 1e-18 * double(magnitude);
  EXPECT_NEAR(sum.value(), double(exact), tolerance);
  EXPECT_GT(std::fabs(plain - double(exact)), tolerance) << "the terms are too tame to show anything";
}

TEST(CompensatedSum, StaysInfinite) {
  CompensatedSum sum;
  for (double x : {1.0, infinity, 2.0, 1e300}) sum.add(x);
  EXPECT_EQ(sum.value(), infinity);
  CompensatedSum negative;
  for (double x : {1.0, -infinity, 2.0}) negative.add(x);
  EXPECT_EQ(negative.value(), -infinity);
}

TEST(CompensatedSum, StaysNaN) {
  CompensatedSum sum;
  for (double x : {1.0, std::numeric_limits<double>::quiet_NaN(), 2.0}) sum.add(x);
  EXPECT_TRUE(std::isnan(sum.value()));
  CompensatedSum opposite;
  for (double x : {infinity, -infinity}) opposite.add(x);
  EXPECT_TRUE(std::isnan(opposite.value()));
}

} // namespace
} // namespace limber::base
