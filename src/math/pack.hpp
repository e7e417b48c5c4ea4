#pragma once
/// SIMD packs: W doubles handled as one scalar, so that a kernel templated on its scalar T evaluates W stencils at
/// once. T is `double` or `Pack<W>`; the free functions below exist for both, and a comparison gives `bool` or
/// `Mask<W>`. Lanes never mix: a lane's result depends on that lane's inputs only.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifndef __CUDACC__
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#endif

#include "base/host_device.hpp"

namespace limber::math {

LIMBER_HOST_DEVICE inline double select(bool mask, double a, double b) { return mask ? a : b; }
LIMBER_HOST_DEVICE inline double sqrt(double a) { return std::sqrt(a); }
LIMBER_HOST_DEVICE inline double cbrt(double a) { return std::cbrt(a); }
LIMBER_HOST_DEVICE inline double abs(double a) { return std::fabs(a); }
LIMBER_HOST_DEVICE inline double min(double a, double b) { return a < b ? a : b; }
LIMBER_HOST_DEVICE inline double max(double a, double b) { return a > b ? a : b; }
LIMBER_HOST_DEVICE inline bool any(bool mask) { return mask; }
LIMBER_HOST_DEVICE inline bool all(bool mask) { return mask; }

/// Splits a positive, normal a into mantissa · 2^exponent with the mantissa in [√½, √2).
LIMBER_HOST_DEVICE inline void split_exponent(double a, double& mantissa, double& exponent) {
  std::uint64_t bits;
  std::memcpy(&bits, &a, sizeof a);
  bits += 0x3ff0000000000000u - 0x3fe6a09e00000000u;
  exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 0x3ff);
  bits = (bits & 0x000fffffffffffffu) + 0x3fe6a09e00000000u;
  std::memcpy(&mantissa, &bits, sizeof mantissa);
}

#ifndef __CUDACC__ // a device thread works on one stencil; packs are for the host

/// Doubles in the widest vector register that the compiler may use.
#if defined(__AVX512F__)
inline constexpr int native_pack_width = 8;
#elif defined(__AVX2__)
inline constexpr int native_pack_width = 4;
#else
inline constexpr int native_pack_width = 2;
#endif

namespace detail { // spelled out: GCC 12 drops a vector_size that depends on a template parameter
template <int W> struct Vectors;
template <> struct Vectors<2> {
  typedef double Real __attribute__((vector_size(16)));
  typedef std::int64_t Bits __attribute__((vector_size(16)));
};
template <> struct Vectors<4> {
  typedef double Real __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));
};
template <> struct Vectors<8> {
  typedef double Real __attribute__((vector_size(64)));
  typedef std::int64_t Bits __attribute__((vector_size(64)));
};
} // namespace detail

/// One truth value a lane: all bits set or none.
template <int W> struct Mask {
  using Vector = typename detail::Vectors<W>::Bits;
  Vector v;

  bool operator[](int lane) const { return v[lane] != 0; }
  friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
  friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
  friend Mask operator!(Mask a) { return {~a.v}; }
};

template <int W> struct Pack {
  using Vector = typename detail::Vectors<W>::Real;
  Vector v;

  Pack() = default;
  Pack(Vector vector) : v(vector) {}
  /// The same number in every lane.
  Pack(double a) : v(a - Vector{}) {}

  double operator[](int lane) const { return v[lane]; }
  void set(int lane, double a) { v[lane] = a; }

  friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend Pack operator-(Pack a) { return -a.v; }
  Pack& operator+=(Pack a) { return *this = *this + a; }
  Pack& operator-=(Pack a) { return *this = *this - a; }

  friend Mask<W> operator<(Pack a, Pack b) { return {a.v < b.v}; }
  friend Mask<W> operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend Mask<W> operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend Mask<W> operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  friend Mask<W> operator==(Pack a, Pack b) { return {a.v == b.v}; }
};

using NativePack = Pack<native_pack_width>;

template <int W> Pack<W> select(Mask<W> mask, std::type_identity_t<Pack<W>> a, std::type_identity_t<Pack<W>> b) {
  return mask.v ? a.v : b.v;
}

template <int W> Pack<W> min(Pack<W> a, std::type_identity_t<Pack<W>> b) { return a.v < b.v ? a.v : b.v; }
template <int W> Pack<W> max(Pack<W> a, std::type_identity_t<Pack<W>> b) { return a.v > b.v ? a.v : b.v; }

template <int W> Pack<W> abs(Pack<W> a) {
  using Bits = typename Mask<W>::Vector;
  return reinterpret_cast<typename Pack<W>::Vector>(reinterpret_cast<Bits>(a.v) & INT64_MAX);
}

/// Correctly rounded. GCC vectorizes no square root while errno must be kept, hence the intrinsics.
template <int W> Pack<W> sqrt(Pack<W> a) {
#ifdef __AVX512F__
  // With a full mask, as _mm512_sqrt_pd raises a false -Wmaybe-uninitialized (GCC bug 105593).
  if constexpr (W == 8) return reinterpret_cast<typename Pack<W>::Vector>(_mm512_maskz_sqrt_pd(0xff, a.v));
#endif
#ifdef __AVX__
  if constexpr (W == 4) return reinterpret_cast<typename Pack<W>::Vector>(_mm256_sqrt_pd(a.v));
#endif
#ifdef __SSE2__
  if constexpr (W == 2) return reinterpret_cast<typename Pack<W>::Vector>(_mm_sqrt_pd(a.v));
#endif
  for (int lane = 0; lane < W; ++lane) a.v[lane] = std::sqrt(a.v[lane]);
  return a;
}

/// Lane by lane, as the scalar does.
template <int W> Pack<W> cbrt(Pack<W> a) {
  for (int lane = 0; lane < W; ++lane) a.v[lane] = std::cbrt(a.v[lane]);
  return a;
}

/// Bit i is set where lane i is true.
template <int W> unsigned lane_bits(Mask<W> mask) {
#ifdef __AVX512F__
  if constexpr (W == 8) {
    const auto bits = reinterpret_cast<__m512i>(mask.v);
    return _mm512_test_epi64_mask(bits, bits);
  }
#endif
#ifdef __AVX__
  if constexpr (W == 4) return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask.v)));
#endif
  unsigned bits = 0;
  for (int lane = 0; lane < W; ++lane) bits |= static_cast<unsigned>(mask[lane]) << lane;
  return bits;
}
template <int W> bool any(Mask<W> mask) { return lane_bits(mask) != 0; }
template <int W> bool all(Mask<W> mask) { return lane_bits(mask) == (1u << W) - 1; }

template <int W> void split_exponent(Pack<W> a, Pack<W>& mantissa, Pack<W>& exponent) {
  using Bits = typename Mask<W>::Vector;
  using Vector = typename Pack<W>::Vector;
  const Bits bits = reinterpret_cast<Bits>(a.v) + (0x3ff0000000000000 - 0x3fe6a09e00000000);
  // 1.5·2^52 + n holds the integer n in its low bits: exact, and no 64-bit conversion instruction is needed.
  const Bits integer = (bits >> 52) - 0x3ff + 0x4338000000000000;
  exponent = reinterpret_cast<Vector>(integer) - 0x1.8p52;
  mantissa = reinterpret_cast<Vector>((bits & 0x000fffffffffffff) + 0x3fe6a09e00000000);
}

#endif

} // namespace limber::math
