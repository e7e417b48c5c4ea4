#pragma once
/// Signed singular value decomposition of 3×3 matrices.

#include "math/eigen3.hpp"

namespace limber::math {

/// F = U diag(s) Vᵀ with det U = det V = +1 and s[0] ≥ s[1] ≥ |s[2]|: the smallest stretch carries the sign of det F.
/// The rotation closest to F is U Vᵀ.
template <class T> struct Svd3 {
  Matrix3<T> u;
  T s[3];
  Matrix3<T> v;
};

namespace detail {

/// Exchanges columns p and q where |q| > |p|; the sign keeps the matrices' orientation.
template <class T> LIMBER_HOST_DEVICE void sort_columns(Matrix3<T>& b, Matrix3<T>& v, T norm2[3], int p, int q) {
  const auto swap = norm2[q] > norm2[p];
  const T larger = select(swap, norm2[q], norm2[p]);
  norm2[q] = select(swap, norm2[p], norm2[q]);
  norm2[p] = larger;
  for (int i = 0; i < 3; ++i) {
    const T bp = b(i, p), vp = v(i, p);
    b(i, p) = select(swap, b(i, q), bp);
    b(i, q) = select(swap, -bp, b(i, q));
    v(i, p) = select(swap, v(i, q), vp);
    v(i, q) = select(swap, -vp, v(i, q));
  }
}

/// A unit vector orthogonal to the unit vector a, without branches. Duff et al., "Building an orthonormal basis,
/// revisited", JCGT 6(1), 2017.
template <class T> LIMBER_HOST_DEVICE void orthogonal_unit_vector(const T a[3], T b[3]) {
  const T sign = select(a[2] < T(0.0), T(-1.0), T(1.0));
  const T f = T(-1.0) / (sign + a[2]);
  b[0] = T(1.0) + sign * a[0] * a[0] * f;
  b[1] = sign * a[0] * a[1] * f;
  b[2] = -sign * a[0];
}

} // namespace detail

/// One-sided Jacobi (Hestenes): rotates the columns of F until they are orthogonal. Errors of the factors' product and
/// of the stretches are below 1e-14 of the largest stretch, for every F, singular and zero included.
template <class T> LIMBER_HOST_DEVICE Svd3<T> signed_svd(const Matrix3<T>& f) {
  constexpr int max_sweeps = 8;        // 4 to 5 are taken
  constexpr double tolerance2 = 1e-30; // squared cosine of two columns, a few ulp
  Matrix3<T> b = f;
  Svd3<T> svd;
  svd.v = identity<T>();
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool rotated = false;
    for (int r = 2; r >= 0; --r) {
      const int p = r == 0 ? 1 : 0, q = r == 2 ? 1 : 2;
      const T pp = dot3(b.column(p), b.column(p));
      const T qq = dot3(b.column(q), b.column(q));
      const T pq = dot3(b.column(p), b.column(q));
      const auto active = pq * pq > T(tolerance2) * pp * qq;
      if (!any(active)) continue;
      rotated = true;
      const auto rotation = JacobiRotation<T>::make(qq - pp, pq, active);
      rotation.apply(b.column(p), b.column(q));
      rotation.apply(svd.v.column(p), svd.v.column(q));
    }
    if (!rotated) break;
  }

  T norm2[3];
  for (int j = 0; j < 3; ++j) norm2[j] = dot3(b.column(j), b.column(j));
  detail::sort_columns(b, svd.v, norm2, 0, 1);
  detail::sort_columns(b, svd.v, norm2, 0, 2);
  detail::sort_columns(b, svd.v, norm2, 1, 2);

  // The first two columns give U; where they vanish any direction serves. The third column of U follows from det U = 1
  // and keeps its accuracy, and s[2] its sign, however small the third column of F V is.
  svd.s[0] = sqrt(norm2[0]);
  const auto nonzero = norm2[0] > T(0.0);
  const T scale0 = T(1.0) / select(nonzero, svd.s[0], T(1.0));
  T* u0 = svd.u.column(0);
  T* u1 = svd.u.column(1);
  for (int i = 0; i < 3; ++i) u0[i] = select(nonzero, scale0 * b(i, 0), T(i == 0 ? 1.0 : 0.0));
  const T overlap = dot3(u0, b.column(1));
  for (int i = 0; i < 3; ++i) u1[i] = b(i, 1) - overlap * u0[i];
  const T rest2 = dot3(u1, u1);
  const auto rank_two = rest2 > T(1e-31) * norm2[0];
  svd.s[1] = sqrt(rest2);
  const T scale1 = T(1.0) / select(rank_two, svd.s[1], T(1.0));
  T any_direction[3];
  detail::orthogonal_unit_vector(u0, any_direction);
  for (int i = 0; i < 3; ++i) u1[i] = select(rank_two, scale1 * u1[i], any_direction[i]);
  cross3(u0, u1, svd.u.column(2));
  svd.s[2] = dot3(svd.u.column(2), b.column(2));
  return svd;
}

/// The rotation closest to F, that of its polar decomposition; one of several where the two smallest stretches add up
/// to zero. Orthogonal to a few ulp.
template <class T> LIMBER_HOST_DEVICE Matrix3<T> closest_rotation(const Svd3<T>& svd) {
  return svd.u * transpose(svd.v);
}

} // namespace limber::math
