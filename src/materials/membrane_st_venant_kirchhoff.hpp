#pragma once
/// St. Venant–Kirchhoff material of surfaces; its two-dimensional form:
///   Ψ(F) = μ E : E + λ/2 tr²E,   E = (FᵀF − I)/2
///   P    = F S,   S = 2 μ E + λ tr E I
/// F is 3×2. μ, λ: parameters [Pa]; Ψ [J/m³], P [Pa]. A polynomial in F, finite everywhere; weak in compression, where
/// a surface may collapse. Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 2nd ed.,
/// section 6.3.

#include "materials/membrane_stretches.hpp"

namespace limber::materials {

template <class T> struct MembraneStVenantKirchhoff {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  LIMBER_HOST_DEVICE T energy(const math::Matrix32<T>& f) const {
    const Strain e = strain(f);
    const T trace = e.e00 + e.e11;
    return mu * (e.e00 * e.e00 + e.e11 * e.e11 + T(2.0) * e.e01 * e.e01) + T(0.5) * lambda * trace * trace;
  }

  /// P = ∂Ψ/∂F.
  LIMBER_HOST_DEVICE math::Matrix32<T> stress(const math::Matrix32<T>& f) const {
    const Strain s = second_stress(f);
    math::Matrix32<T> p;
    for (int i = 0; i < 3; ++i) {
      p(i, 0) = f(i, 0) * s.e00 + f(i, 1) * s.e01;
      p(i, 1) = f(i, 0) * s.e01 + f(i, 1) * s.e11;
    }
    return p;
  }

  /// C[a + 6 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  /// C_ij,kl = δ_ik S_jl + μ (F_il F_kj + (F Fᵀ)_ik δ_jl) + λ F_ij F_kl.
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix32<T>& f, T C[36]) const {
    const Strain s = second_stress(f);
    const T stress[3] = {s.e00, s.e01, s.e11}; // by j + l
    for (int col = 0; col < 6; ++col)
      for (int row = 0; row <= col; ++row) {
        const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
        T c = mu * (f(i, l) * f(k, j)) + lambda * f.m[row] * f.m[col];
        if (j == l) c = c + mu * (f(i, 0) * f(k, 0) + f(i, 1) * f(k, 1));
        if (i == k) c = c + stress[j + l];
        C[row + 6 * col] = c;
        C[col + 6 * row] = c;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix32<T>& f, T C[36]) const {
    stress_derivative(f, C);
    const auto svd = math::svd(f);
    const T a = svd.s[0] * svd.s[0], b = svd.s[1] * svd.s[1], ab = svd.s[0] * svd.s[1];
    const T q = T(0.5) * lambda * (a + b - T(2.0)) - mu; // S_i = μ s_i² + q
    MembraneStretchDerivative<T> d;
    d.stretch[0] = (T(3.0) * mu + lambda) * a + q;
    d.stretch[1] = lambda * ab;
    d.stretch[2] = (T(3.0) * mu + lambda) * b + q;
    d.twist = mu * (a - ab + b) + q;
    d.flip = mu * (a + ab + b) + q;
    d.out_of_plane[0] = mu * a + q;
    d.out_of_plane[1] = mu * b + q;
    lift_negative_eigenvalues(svd, d, C);
  }

private:
  struct Strain {
    T e00, e01, e11;
  };
  LIMBER_HOST_DEVICE static Strain strain(const math::Matrix32<T>& f) {
    const auto c = metric(f);
    return {T(0.5) * (c.c[0] - T(1.0)), T(0.5) * c.c[1], T(0.5) * (c.c[2] - T(1.0))};
  }
  LIMBER_HOST_DEVICE Strain second_stress(const math::Matrix32<T>& f) const {
    const Strain e = strain(f);
    const T pressure = lambda * (e.e00 + e.e11);
    return {T(2.0) * mu * e.e00 + pressure, T(2.0) * mu * e.e01, T(2.0) * mu * e.e11 + pressure};
  }
};

} // namespace limber::materials
