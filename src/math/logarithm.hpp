#pragma once
/// Natural logarithm for doubles and packs, the same arithmetic for both.
/// Method and polynomial of fdlibm's e_log.c and s_log1p.c (Sun Microsystems, 1993), error below 1 ulp:
/// log(1+f) = f − f²/2 + s (f²/2 + R(s²)), s = f/(2+f), f in [√½ − 1, √2 − 1).

#include <limits>

#include "math/pack.hpp"

namespace limber::math {

template <class T> struct LogNearOne {
  T log;         ///< log u
  T log_minus_x; ///< log u − x, relatively accurate for small x, where it is about −x²/2
};

/// Logarithm of a positive, normal u where x = u − 1 is known more accurately than u tells.
template <class T> LIMBER_HOST_DEVICE LogNearOne<T> log_near_one(T u, T x) {
  T m, k;
  split_exponent(u, m, k);
  const auto near_one = k == T(0.0);
  const T f = select(near_one, x, m - T(1.0));
  const T s = f / (T(2.0) + f);
  const T z = s * s;
  const T w = z * z;
  const T even =
      w * (T(3.999999999940941908e-01) + w * (T(2.222219843214978396e-01) + w * T(1.531383769920937332e-01)));
  const T odd =
      z * (T(6.666666666666735130e-01) +
           w * (T(2.857142874366239149e-01) + w * (T(1.818357216161805012e-01) + w * T(1.479819860511658591e-01))));
  const T half = T(0.5) * f * f;
  const T rest = half - (s * (half + (even + odd)) + k * T(1.90821492927058770002e-10)); // k · (low part of ln 2)
  const T log = k * T(6.93147180369123816490e-01) - (rest - f);
  return {log, select(near_one, -rest, log - x)};
}

/// log u, −∞ for 0, NaN below and for NaN; u is not subnormal.
template <class T> LIMBER_HOST_DEVICE T log(T u) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  T result = log_near_one(u, u - T(1.0)).log;
  result = select(u < T(infinity), result, u);
  result = select(u > T(0.0), result, T(std::numeric_limits<double>::quiet_NaN()));
  return select(u == T(0.0), T(-infinity), result);
}

} // namespace limber::math
