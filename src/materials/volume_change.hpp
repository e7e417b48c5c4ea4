#pragma once
/// What strain energies with a term in the volume ratio J = det F have in common.

#include "materials/principal_stretches.hpp"

namespace limber::materials {

/// J and what is left of it at small strain, with E = F − I.
template <class T> struct VolumeChange {
  math::Matrix3<T> e;    ///< F − I
  T minors;              ///< sum of the principal 2×2 minors of E, of second order
  T minus_one_and_trace; ///< J − 1 − tr E, of second order
  T minus_one;           ///< J − 1
};

/// Without the cancellation of det F − 1.
template <class T> LIMBER_HOST_DEVICE VolumeChange<T> volume_change(const math::Matrix3<T>& f) {
  VolumeChange<T> v;
  v.e = f - math::identity<T>();
  const auto& e = v.e;
  v.minors = (e(0, 0) * e(1, 1) - e(0, 1) * e(1, 0)) + (e(1, 1) * e(2, 2) - e(1, 2) * e(2, 1)) +
             (e(0, 0) * e(2, 2) - e(0, 2) * e(2, 0));
  v.minus_one_and_trace = v.minors + math::determinant(e);
  v.minus_one = math::trace(e) + v.minus_one_and_trace;
  return v;
}

/// C += second ∂J/∂F ⊗ ∂J/∂F + first ∂²J/∂F∂F for an energy with the derivatives `first`, `second` by J; ∂J/∂F = cof F,
/// ∂²J/∂F_ij∂F_kl = ε_ikm ε_jln F_mn. \param C 9×9, a + 9 b over vec(F), index i + 3 j
template <class T>
LIMBER_HOST_DEVICE void add_volume_derivative(const math::Matrix3<T>& f, const T& first, const T& second, T C[81]) {
  const auto cof = math::cofactor(f);
  for (int col = 0; col < 9; ++col)
    for (int row = 0; row <= col; ++row) {
      T c = second * cof.m[row] * cof.m[col];
      const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
      if (i != k && j != l) {
        const T minor = first * f(3 - i - k, 3 - j - l);
        const bool same = ((k - i + 3) % 3 == 1) == ((l - j + 3) % 3 == 1);
        c = same ? c + minor : c - minor;
      }
      c = C[row + 9 * col] + c;
      C[row + 9 * col] = c;
      C[col + 9 * row] = c;
    }
}

/// The same in principal stretches.
template <class T>
LIMBER_HOST_DEVICE void add_volume_stretches(const T s[3], const T& first, const T& second,
                                             PrincipalStretchDerivative<T>& d) {
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const T pair = first * s[k], area = s[i] * s[j];
    const T mixed = second * area * s[k] * s[k] + pair;
    d.stretch(k, k) = d.stretch(k, k) + second * area * area;
    d.stretch(i, j) = d.stretch(i, j) + mixed;
    d.stretch(j, i) = d.stretch(j, i) + mixed;
    d.twist[k] = d.twist[k] + pair;
    d.flip[k] = d.flip[k] - pair;
  }
}

} // namespace limber::materials
