#pragma once
/// 3×2 matrices, column-major: entry (i, j) is m[i + 3 j]. The deformation gradient of a surface in space is one: it
/// maps the plane of the rest surface to space. A planar problem has a third row of zeros.

#include "math/eigen3.hpp"

namespace limber::math {

template <class T> struct Matrix32 {
  T m[6];

  LIMBER_HOST_DEVICE T& operator()(int i, int j) { return m[i + 3 * j]; }
  LIMBER_HOST_DEVICE const T& operator()(int i, int j) const { return m[i + 3 * j]; }
  LIMBER_HOST_DEVICE T* column(int j) { return m + 3 * j; }
  LIMBER_HOST_DEVICE const T* column(int j) const { return m + 3 * j; }
};

/// The rotation that makes the symmetric 2×2 matrix [xx xy; xy yy] diagonal, with the eigenvalues xx − t xy and yy + t
/// xy. Its first eigenvector is (c, −s), the second (s, c).
template <class T> LIMBER_HOST_DEVICE JacobiRotation<T> jacobi_rotation(const T& xx, const T& xy, const T& yy) {
  return JacobiRotation<T>::make(yy - xx, xy, xy * xy > T(0.0));
}

/// F = Σ s_j u_j v_jᵀ with s[0] ≥ s[1] ≥ 0, u_0, u_1, n orthonormal and right-handed, v an orthonormal basis of the
/// plane. v(i, j) is v[i + 2 j].
template <class T> struct Svd32 {
  T u0[3], u1[3], n[3];
  T s[2];
  T v[4];
};

/// One-sided Jacobi: turns the columns until they are orthogonal. Errors of the factors' product and of the stretches
/// are a few ulp of the largest stretch, for every F, singular and zero included.
template <class T> LIMBER_HOST_DEVICE Svd32<T> svd(const Matrix32<T>& f) {
  Svd32<T> result;
  T* v = result.v;
  T b[2][3];
  for (int i = 0; i < 3; ++i) {
    b[0][i] = f(i, 0);
    b[1][i] = f(i, 1);
  }
  v[0] = v[3] = T(1.0);
  v[1] = v[2] = T(0.0);
  for (int sweep = 0; sweep < 2; ++sweep) { // the second removes the round-off of the first
    const auto r = jacobi_rotation(dot3(b[0], b[0]), dot3(b[0], b[1]), dot3(b[1], b[1]));
    r.apply(b[0], b[1]);
    for (int i = 0; i < 2; ++i) {
      const T first = r.c * v[i] - r.s * v[2 + i];
      v[2 + i] = r.s * v[i] + r.c * v[2 + i];
      v[i] = first;
    }
  }
  const auto swap = dot3(b[1], b[1]) > dot3(b[0], b[0]);
  const auto exchange = [&](T& x, T& y) {
    const T first = select(swap, y, x);
    y = select(swap, x, y);
    x = first;
  };
  for (int i = 0; i < 3; ++i) exchange(b[0][i], b[1][i]);
  for (int i = 0; i < 2; ++i) exchange(v[i], v[2 + i]);

  const T norm2 = dot3(b[0], b[0]);
  const auto nonzero = norm2 > T(0.0);
  result.s[0] = sqrt(norm2);
  const T scale0 = T(1.0) / select(nonzero, result.s[0], T(1.0));
  for (int i = 0; i < 3; ++i) result.u0[i] = select(nonzero, scale0 * b[0][i], T(i == 0 ? 1.0 : 0.0));
  const T overlap = dot3(result.u0, b[1]);
  for (int i = 0; i < 3; ++i) result.u1[i] = b[1][i] - overlap * result.u0[i];
  const T rest2 = dot3(result.u1, result.u1);
  const auto rank_two = rest2 > T(1e-31) * norm2;
  result.s[1] = sqrt(rest2);
  const T scale1 = T(1.0) / select(rank_two, result.s[1], T(1.0));
  T any_direction[3]; // orthogonal to u_0: Duff et al., "Building an orthonormal basis, revisited", JCGT 6(1), 2017
  const T* a = result.u0;
  const T sign = select(a[2] < T(0.0), T(-1.0), T(1.0));
  const T q = T(-1.0) / (sign + a[2]);
  any_direction[0] = T(1.0) + sign * a[0] * a[0] * q;
  any_direction[1] = sign * a[0] * a[1] * q;
  any_direction[2] = -sign * a[0];
  for (int i = 0; i < 3; ++i) result.u1[i] = select(rank_two, scale1 * result.u1[i], any_direction[i]);
  cross3(result.u0, result.u1, result.n);
  return result;
}

} // namespace limber::math
