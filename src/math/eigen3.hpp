#pragma once
/// Jacobi rotations and the eigen-decomposition of symmetric 3×3 matrices, branch-free within a sweep.

#include "math/matrix3.hpp"

namespace limber::math {

/// The rotation p' = c p − s q, q' = s p + c q that annihilates an off-diagonal entry.
template <class T> struct JacobiRotation {
  T c, s, t; ///< cosine, sine, tangent; the angle is at most 45°

  /// \param difference a_qq − a_pp
  /// \param off a_pq
  /// \param active lanes that rotate; the others get exactly c = 1, s = 0
  template <class M> LIMBER_HOST_DEVICE static JacobiRotation make(T difference, T off, M active) {
    const T twice = T(2.0) * off;
    const T h = sqrt(difference * difference + twice * twice);
    const T t = select(active, twice / (difference + select(difference < T(0.0), -h, h)), T(0.0));
    const T c = T(1.0) / sqrt(T(1.0) + t * t);
    return {c, t * c, t};
  }

  LIMBER_HOST_DEVICE void apply(T p[3], T q[3]) const {
    for (int i = 0; i < 3; ++i) {
      const T old = p[i];
      p[i] = c * old - s * q[i];
      q[i] = s * old + c * q[i];
    }
  }
};

template <class T> struct SymmetricEigen3 {
  T values[3];        ///< not sorted
  Matrix3<T> vectors; ///< columns, orthonormal
};

/// Eigen-decomposition of a symmetric matrix, error a few ulp of the largest entry. Lanes that have converged stay
/// bitwise as they are, so a lane's result does not depend on its neighbors.
template <class T> LIMBER_HOST_DEVICE SymmetricEigen3<T> symmetric_eigen(Matrix3<T> a) {
  constexpr int max_sweeps = 8;             // 4 to 5 are taken
  const T tiny = T(1e-32) * contract(a, a); // squared round-off
  Matrix3<T> v = identity<T>();
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool rotated = false;
    for (int r = 2; r >= 0; --r) { // pairs (0,1), (0,2), (1,2)
      const int p = r == 0 ? 1 : 0, q = r == 2 ? 1 : 2;
      const T off = a(p, q);
      const auto active = off * off > tiny;
      rotated |= any(active);
      const auto rotation = JacobiRotation<T>::make(a(q, q) - a(p, p), off, active);
      rotation.apply(v.column(p), v.column(q));
      a(p, p) = a(p, p) - rotation.t * off;
      a(q, q) = a(q, q) + rotation.t * off;
      a(p, q) = select(active, T(0.0), off);
      a(q, p) = a(p, q);
      const T rp = rotation.c * a(r, p) - rotation.s * a(r, q);
      const T rq = rotation.s * a(r, p) + rotation.c * a(r, q);
      a(r, p) = a(p, r) = rp;
      a(r, q) = a(q, r) = rq;
    }
    if (!rotated) break;
  }
  return {{a(0, 0), a(1, 1), a(2, 2)}, v};
}

} // namespace limber::math
