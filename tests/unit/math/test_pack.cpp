/// Packs do in every lane exactly what doubles do.

#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "math/pack.hpp"

namespace {

using namespace limber;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double values[] = {0.0, -0.0, 1.0, -1.0, 0.1, 3.7e-300, -2.5e200, 1e-8, 7.0, infinity, -infinity, 2.0};
constexpr int count = std::size(values);

std::uint64_t bits(double a) { return std::isnan(a) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(a); }

template <class Pack> struct PackTest : testing::Test {
  static constexpr int width = sizeof(Pack) / sizeof(double);
  static Pack load(int start) {
    Pack p;
    for (int i = 0; i < width; ++i) p.set(i, values[(start + i) % count]);
    return p;
  }
  template <class F> static void check(const F& f) {
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) {
        const Pack result = f(load(a), load(b));
        for (int i = 0; i < width; ++i)
          EXPECT_EQ(bits(result[i]), bits(f(values[(a + i) % count], values[(b + i) % count]))) << "lane " << i;
      }
  }
};

using Packs = testing::Types<math::Pack<2>, math::NativePack>;
TYPED_TEST_SUITE(PackTest, Packs);

TYPED_TEST(PackTest, arithmetic_equals_double) {
  this->check([](auto a, auto b) { return a + b; });
  this->check([](auto a, auto b) { return a - b; });
  this->check([](auto a, auto b) { return a * b; });
  this->check([](auto a, auto b) { return a / b; });
  this->check([](auto a, auto) { return -a; });
  this->check([](auto a, auto) { return math::abs(a); });
  this->check([](auto a, auto) { return math::sqrt(a); });
  this->check([](auto a, auto) { return math::cbrt(a); });
  this->check([](auto a, auto b) { return math::min(a, b); });
  this->check([](auto a, auto b) { return math::max(a, b); });
}

TYPED_TEST(PackTest, comparisons_select_as_double) {
  this->check([](auto a, auto b) { return math::select(a < b, a, b); });
  this->check([](auto a, auto b) { return math::select(a > b, a, b); });
  this->check([](auto a, auto b) { return math::select(a <= b, 1.0, b); });
  this->check([](auto a, auto b) { return math::select(a >= b, 1.0, b); });
  this->check([](auto a, auto b) { return math::select(a == b, a, 5.0); });
  this->check([](auto a, auto b) { return math::select((a > b) & (a > decltype(a)(0.0)), a, b); });
  this->check([](auto a, auto b) { return math::select((a > b) | (a > decltype(a)(0.0)), a, b); });
  this->check([](auto a, auto b) { return math::select(!(a > b), a, b); });
}

TYPED_TEST(PackTest, masks_reduce) {
  constexpr int width = TestFixture::width;
  const TypeParam zero(0.0);
  EXPECT_FALSE(math::any(zero > zero));
  EXPECT_TRUE(math::all(zero == zero));
  for (int i = 0; i < width; ++i) {
    TypeParam one_lane(0.0);
    one_lane.set(i, 1.0);
    EXPECT_TRUE(math::any(one_lane > zero));
    EXPECT_FALSE(math::all(one_lane > zero));
    EXPECT_FALSE(math::all(one_lane == zero));
    EXPECT_EQ(math::lane_bits(one_lane > zero), 1u << i);
  }
}

TYPED_TEST(PackTest, broadcast_keeps_the_sign_of_zero) { EXPECT_TRUE(std::signbit(TypeParam(-0.0)[0])); }

TYPED_TEST(PackTest, exponents_split_exactly) {
  for (const double a : {1.0, 0.7, 0.71, 1.41, 1.42, 3.0, 1e-300, 1e300, 0.1}) {
    double m, k;
    math::split_exponent(a, m, k);
    EXPECT_EQ(std::ldexp(m, static_cast<int>(k)), a);
    EXPECT_GE(m, 0.7071);
    EXPECT_LT(m, 1.4143);
    TypeParam packed_m, packed_k;
    math::split_exponent(TypeParam(a), packed_m, packed_k);
    EXPECT_EQ(packed_m[0], m);
    EXPECT_EQ(packed_k[TestFixture::width - 1], k);
  }
}

} // namespace
