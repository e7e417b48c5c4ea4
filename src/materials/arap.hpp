#pragma once
/// As-rigid-as-possible material:
///   Ψ(F) = μ |F − R|² = μ Σ (s_i − 1)²
///   P    = 2 μ (F − R)
/// R: the rotation closest to F, s: the signed stretches (math/svd3.hpp). μ: shear modulus [Pa], μ > 0; Ψ [J/m³],
/// P [Pa]. Finite for every F; inverted elements are pulled back. Where the two smallest stretches add up to zero (flat
/// on a line, or mirrored) Ψ has a crease and R is one of several. At small strain linear elasticity with λ = 0,
/// whatever the material is. The form κ/2 |S − I|², F = R S, has κ = 2 μ.
/// Li, Jiang et al., "Physics-Based Simulation", 2026, chapter 13; Smith, de Goes, Kim, "Analytic eigensystems for
/// isotropic distortion energies", ACM TOG 38(1), 2019.

#include "materials/principal_stretches.hpp"

namespace limber::materials {

/// Sum of two stretches below which dR/dF, 2 / sum, is cut off: it has a pole at zero.
inline constexpr double smallest_stretch_sum = 1e-12;

/// C = ∂(2 μ (F − R))/∂F = 2 μ I − Σ w_k t_k t_kᵀ with the twists t_k of principal_stretches.hpp.
/// \param weights w_k; exactly 4 μ / (s_i + s_j)
template <class T>
LIMBER_HOST_DEVICE void rotation_distance_derivative(const math::Svd3<T>& svd, const T& mu, const T weights[3],
                                                     T C[81]) {
  for (int b = 0; b < 9; ++b)
    for (int a = 0; a <= b; ++a) C[a + 9 * b] = a == b ? T(2.0) * mu : T(0.0);
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    math::Matrix3<T> t;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) t(r, c) = svd.u(r, i) * svd.v(c, j) - svd.u(r, j) * svd.v(c, i);
    for (int b = 0; b < 9; ++b) {
      const T scaled = T(-0.5) * weights[k] * t.m[b];
      for (int a = 0; a <= b; ++a) C[a + 9 * b] = C[a + 9 * b] + scaled * t.m[a];
    }
  }
  for (int b = 0; b < 9; ++b)
    for (int a = 0; a < b; ++a) C[b + 9 * a] = C[a + 9 * b];
}

/// 4 μ / (s_i + s_j), cut off at the pole. \param k the stretch that is neither s_i nor s_j
template <class T> LIMBER_HOST_DEVICE T rotation_weight(const T s[3], const T& mu, int k) {
  const T sum = s[k == 0 ? 1 : 0] + s[k == 2 ? 1 : 2];
  return T(4.0) * mu / math::max(sum, T(smallest_stretch_sum));
}

template <class T> struct Arap {
  T mu; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  /// Ψ(F)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const auto svd = math::signed_svd(f);
    T sum = T(0.0);
    for (const T& s : svd.s) sum = sum + (s - T(1.0)) * (s - T(1.0));
    return mu * sum;
  }

  /// P = ∂Ψ/∂F
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    return (T(2.0) * mu) * (f - math::closest_rotation(math::signed_svd(f)));
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const auto svd = math::signed_svd(f);
    T weights[3];
    for (int k = 0; k < 3; ++k) weights[k] = rotation_weight(svd.s, mu, k);
    rotation_distance_derivative(svd, mu, weights, C);
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative. Only twists, 2 μ − w_k, are
  /// negative, and only these need no pole.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const auto svd = math::signed_svd(f);
    T weights[3];
    for (int k = 0; k < 3; ++k) weights[k] = math::min(rotation_weight(svd.s, mu, k), T(2.0) * mu);
    rotation_distance_derivative(svd, mu, weights, C);
  }
};

} // namespace limber::materials
