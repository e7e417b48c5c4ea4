#pragma once
/// The first positive root of a quartic, found conservatively: the step bound of triangles rests on it.

#include <limits>

#include "math/pack.hpp"

namespace limber::math {

/// c[0] + c[1] t + c[2] t² + c[3] t³ + c[4] t⁴
template <class T> struct Quartic { T c[5]; };

/// Bernstein coefficients on [0, limit] of the quartic with every coefficient lowered by more than the round-off of an
/// evaluation: where all are positive the quartic is.
template <class T> LIMBER_HOST_DEVICE void lowered_bernstein(const Quartic<T>& f, const T& limit, T b[5]) {
  const T slack = T(16.0 * std::numeric_limits<double>::epsilon());
  T power = T(1.0), a[5]; // of t/limit
  for (int i = 0; i < 5; ++i) {
    a[i] = power * (f.c[i] - slack * abs(f.c[i]));
    power = power * limit;
  }
  b[0] = a[0];
  b[1] = a[0] + T(0.25) * a[1];
  b[2] = a[0] + T(0.5) * a[1] + T(1.0 / 6.0) * a[2];
  b[3] = a[0] + T(0.75) * a[1] + T(0.5) * a[2] + T(0.25) * a[3];
  b[4] = a[0] + a[1] + a[2] + a[3] + a[4];
}

/// Whether the quartic is positive on all of [0, limit] because its Bernstein coefficients are. False may also mean
/// "look closer".
template <class T> LIMBER_HOST_DEVICE auto surely_positive(const Quartic<T>& f, const T& limit) {
  T b[5];
  lowered_bernstein(f, limit, b);
  return (b[0] > T(0.0)) & (b[1] > T(0.0)) & (b[2] > T(0.0)) & (b[3] > T(0.0)) & (b[4] > T(0.0));
}

/// The largest t in [0, limit] such that the quartic is surely positive on [0, t): `limit` if it is positive on all of
/// it, otherwise short of the first root by a relative 1e-12 of limit and what a change of 16 ulp in each coefficient
/// would move it. Halves the interval (de Casteljau) until the sign is known. 0 if f(0) is not positive or a
/// coefficient is NaN.
LIMBER_HOST_DEVICE inline double first_root(const Quartic<double>& f, double limit) {
  constexpr int depth = 40;
  double stack[depth + 1][5]; // the pieces still to be looked at, the leftmost on top; each half as long as the last
  int level[depth + 1];
  int size = 1;
  lowered_bernstein(f, limit, stack[0]);
  level[0] = 0;
  double t = 0.0;
  while (size > 0) {
    double* b = stack[size - 1];
    const int at = level[size - 1];
    if (b[0] > 0.0 && b[1] > 0.0 && b[2] > 0.0 && b[3] > 0.0 && b[4] > 0.0) {
      double length = limit;
      for (int i = 0; i < at; ++i) length *= 0.5;
      t += length;
      --size;
      continue;
    }
    if (!(b[0] > 0.0) || at == depth) return t;
    double left[5], right[5] = {b[0], b[1], b[2], b[3], b[4]};
    for (int i = 0; i < 5; ++i) {
      left[i] = right[0];
      for (int k = 0; k < 4 - i; ++k) right[k] = 0.5 * (right[k] + right[k + 1]);
    }
    for (int i = 0; i < 5; ++i) {
      b[i] = right[i];
      stack[size][i] = left[i];
    }
    level[size - 1] = level[size] = at + 1;
    ++size;
  }
  return limit;
}

} // namespace limber::math
