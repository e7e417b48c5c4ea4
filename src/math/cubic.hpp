#pragma once
/// The first positive root of a cubic, found conservatively: the step bounds rest on it.

#include <cmath>
#include <limits>

#include "math/pack.hpp"

namespace limber::math {

/// c[0] + c[1] t + c[2] t² + c[3] t³
template <class T> struct Cubic {
  T c[4];

  LIMBER_HOST_DEVICE T operator()(const T& t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
  LIMBER_HOST_DEVICE T derivative(const T& t) const { return c[1] + t * (T(2.0) * c[2] + t * (T(3.0) * c[3])); }
};

/// Lowers every coefficient by more than the round-off of an evaluation: a lower bound of the cubic for t ≥ 0.
template <class T> LIMBER_HOST_DEVICE Cubic<T> lowered(const Cubic<T>& f) {
  const T slack = T(16.0 * std::numeric_limits<double>::epsilon());
  Cubic<T> g;
  for (int i = 0; i < 4; ++i) g.c[i] = f.c[i] - slack * abs(f.c[i]);
  return g;
}

/// Whether the cubic is positive on all of [0, limit] because its Bernstein coefficients are. False may also mean
/// "look closer".
template <class T> LIMBER_HOST_DEVICE auto surely_positive(const Cubic<T>& f, const T& limit) {
  const Cubic<T> g = lowered(f);
  const T a = limit * g.c[1] * T(1.0 / 3.0);
  const T b = limit * limit * g.c[2] * T(1.0 / 3.0);
  return (g.c[0] > T(0.0)) & (g.c[0] + a > T(0.0)) & (g.c[0] + a + a + b > T(0.0)) & (g(limit) > T(0.0));
}

namespace detail {

/// A point of [lo, hi] just below the root of g, given that g is monotone there, g(lo) > 0 and not g(hi) > 0.
LIMBER_HOST_DEVICE inline double just_below_root(const Cubic<double>& g, double lo, double hi) {
  double t = 0.5 * (lo + hi);
  for (int i = 0; i < 100 && hi - lo > 1e-15 * hi; ++i) { // Newton, or bisection where Newton leaves the bracket
    const double value = g(t);
    (value > 0.0 ? lo : hi) = t;
    const double newton = t - value / g.derivative(t);
    const double next = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
    const bool converged = std::fabs(next - t) <= 1e-15 * t;
    t = next;
    if (converged) break;
  }
  for (double slack = 1e-15; slack < 1.0; slack *= 4.0) {
    const double candidate = t * (1.0 - slack);
    if (candidate <= lo) break;
    if (g(candidate) > 0.0) return candidate;
  }
  return lo;
}

} // namespace detail

/// The largest t in [0, limit] such that the cubic is surely positive on [0, t), up to slack: never beyond the first
/// root, and `limit` if there is none before it. Short of the root by no more than a relative change of 16 ulp in each
/// coefficient would move it (about 1e-14 of a simple root; 1e-7 of a double one), and a relative 1e-14.
/// 0 if f(0) is not positive or a coefficient is NaN.
LIMBER_HOST_DEVICE inline double first_root(const Cubic<double>& f, double limit) {
  if (surely_positive(f, limit)) return limit;
  const Cubic<double> g = lowered(f);
  if (!(g.c[0] > 0.0)) return 0.0;

  // The cubic is monotone between the roots of its derivative; infinite and NaN ones fail the comparisons below.
  double turns[2] = {limit, limit};
  const double discriminant = g.c[2] * g.c[2] - 3.0 * g.c[3] * g.c[1];
  if (discriminant > 0.0) {
    const double q = -(g.c[2] + std::copysign(std::sqrt(discriminant), g.c[2]));
    const double roots[2] = {q / (3.0 * g.c[3]), g.c[1] / q};
    for (int i = 0; i < 2; ++i)
      if (roots[i] > 0.0 && roots[i] < limit) turns[i] = roots[i];
    const double first = min(turns[0], turns[1]);
    turns[1] = max(turns[0], turns[1]);
    turns[0] = first;
  }
  double lo = 0.0;
  const double ends[3] = {turns[0], turns[1], limit};
  for (const double hi : ends) {
    if (!(g(hi) > 0.0)) return detail::just_below_root(g, lo, hi);
    lo = hi;
  }
  return limit;
}

} // namespace limber::math
