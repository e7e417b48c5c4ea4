#pragma once
/// 3×3 matrices, column-major: entry (i, j) is m[i + 3 j], which is also vec() of the strain energies.

#include "math/pack.hpp"

namespace limber::math {

template <class T> struct Matrix3 {
  T m[9];

  LIMBER_HOST_DEVICE T& operator()(int i, int j) { return m[i + 3 * j]; }
  LIMBER_HOST_DEVICE const T& operator()(int i, int j) const { return m[i + 3 * j]; }
  LIMBER_HOST_DEVICE T* column(int j) { return m + 3 * j; }
  LIMBER_HOST_DEVICE const T* column(int j) const { return m + 3 * j; }
};

template <class T> LIMBER_HOST_DEVICE Matrix3<T> identity() {
  return {{T(1.0), T(0.0), T(0.0), T(0.0), T(1.0), T(0.0), T(0.0), T(0.0), T(1.0)}};
}

template <class T> LIMBER_HOST_DEVICE T dot3(const T a[3], const T b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T> LIMBER_HOST_DEVICE void cross3(const T a[3], const T b[3], T c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

template <class T> LIMBER_HOST_DEVICE Matrix3<T> operator+(const Matrix3<T>& a, const Matrix3<T>& b) {
  Matrix3<T> c;
  for (int i = 0; i < 9; ++i) c.m[i] = a.m[i] + b.m[i];
  return c;
}

template <class T> LIMBER_HOST_DEVICE Matrix3<T> operator-(const Matrix3<T>& a, const Matrix3<T>& b) {
  Matrix3<T> c;
  for (int i = 0; i < 9; ++i) c.m[i] = a.m[i] - b.m[i];
  return c;
}

template <class T> LIMBER_HOST_DEVICE Matrix3<T> operator*(const T& s, const Matrix3<T>& a) {
  Matrix3<T> c;
  for (int i = 0; i < 9; ++i) c.m[i] = s * a.m[i];
  return c;
}

template <class T> LIMBER_HOST_DEVICE Matrix3<T> operator*(const Matrix3<T>& a, const Matrix3<T>& b) {
  Matrix3<T> c;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) c(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return c;
}

template <class T> LIMBER_HOST_DEVICE Matrix3<T> transpose(const Matrix3<T>& a) {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}

template <class T> LIMBER_HOST_DEVICE T trace(const Matrix3<T>& a) { return a.m[0] + a.m[4] + a.m[8]; }

/// A : B, the sum of the products of the entries.
template <class T> LIMBER_HOST_DEVICE T contract(const Matrix3<T>& a, const Matrix3<T>& b) {
  return dot3(a.column(0), b.column(0)) + dot3(a.column(1), b.column(1)) + dot3(a.column(2), b.column(2));
}

/// det(A) A⁻ᵀ, defined for singular A too; the derivative of the determinant.
template <class T> LIMBER_HOST_DEVICE Matrix3<T> cofactor(const Matrix3<T>& a) {
  Matrix3<T> c;
  cross3(a.column(1), a.column(2), c.column(0));
  cross3(a.column(2), a.column(0), c.column(1));
  cross3(a.column(0), a.column(1), c.column(2));
  return c;
}

template <class T> LIMBER_HOST_DEVICE T determinant(const Matrix3<T>& a) {
  T c[3];
  cross3(a.column(1), a.column(2), c);
  return dot3(a.column(0), c);
}

/// A⁻¹; infinite or NaN for singular A.
template <class T> LIMBER_HOST_DEVICE Matrix3<T> inverse(const Matrix3<T>& a) {
  const Matrix3<T> c = cofactor(a);
  return (T(1.0) / dot3(a.column(0), c.column(0))) * transpose(c);
}

/// Whether the symmetric A is positive definite beyond doubt: leading minors (Sylvester) with a margin over their
/// round-off. False may also mean "too close to call". Reads the upper triangle.
/// \param scale no smaller than the entries' magnitudes before whatever cancellation produced them
template <class T> LIMBER_HOST_DEVICE auto surely_positive_definite(const Matrix3<T>& a, const T& scale) {
  const T margin = T(1e-12) * scale;
  const T minor = a(0, 0) * a(1, 1) - a(0, 1) * a(0, 1);
  const T det = a(2, 2) * minor + (T(2.0) * a(0, 1) * a(0, 2) * a(1, 2) - a(0, 0) * a(1, 2) * a(1, 2)) -
                a(1, 1) * a(0, 2) * a(0, 2);
  return (a(0, 0) > margin) & (minor > margin * scale) & (det > margin * scale * scale);
}

} // namespace limber::math
