#pragma once
/// St. Venant–Kirchhoff material:
///   Ψ(F) = μ |E|² + λ/2 tr²E,   E = (FᵀF − I)/2
///   P    = F S,   S = 2 μ E + λ tr E I
/// μ, λ: Lamé parameters [Pa], μ > 0, 3 λ + 2 μ > 0; Ψ [J/m³], P [Pa]. A polynomial, finite for every F, inverted ones
/// included. Soft under compression: at J → 0 both Ψ and P stay finite, and a stretch s of uniaxial strain resists less
/// from s = 1/√3 on. Linear elasticity at small strain. Bonet and Wood, Nonlinear Continuum Mechanics for Finite
/// Element Analysis, 2nd ed., chapter 6.

#include "materials/principal_stretches.hpp"

namespace limber::materials {

template <class T> struct StVenantKirchhoff {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  /// Ψ(F)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const auto strain = green_strain(f);
    const T volume = math::trace(strain);
    return mu * math::contract(strain, strain) + T(0.5) * lambda * volume * volume;
  }

  /// P = ∂Ψ/∂F
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const { return f * second_stress(f); }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  /// C_ij,kl = δ_ik S_jl + μ (δ_jl (F Fᵀ)_ik + F_il F_kj) + λ F_ij F_kl
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const auto s = second_stress(f);
    const auto rows = f * math::transpose(f);
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row <= col; ++row) {
        const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
        T c = lambda * f.m[row] * f.m[col] + mu * f(i, l) * f(k, j);
        if (i == k) c = c + s(j, l);
        if (j == l) c = c + mu * rows(i, k);
        C[row + 9 * col] = c;
        C[col + 9 * row] = c;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
    if (math::all(surely_convex(f))) return;
    const auto svd = math::signed_svd(f);
    lift_negative_eigenvalues(svd, in_stretches(svd.s, math::trace(green_strain(f))), C);
  }

  /// Whether dP/dF is positive semi-definite beyond doubt: where S is positive definite and λ ≥ 0 all terms are.
  LIMBER_HOST_DEVICE auto surely_convex(const math::Matrix3<T>& f) const {
    const T size = (mu + math::abs(lambda)) * (T(3.0) + math::contract(f, f));
    return math::surely_positive_definite(second_stress(f), size) & (lambda >= T(0.0));
  }

  /// ∂²Ψ/∂s_i∂s_j, (Ψ_i ± Ψ_j)/(s_i ± s_j) with Ψ_i = s_i (μ (s_i² − 1) + λ tr E).
  LIMBER_HOST_DEVICE PrincipalStretchDerivative<T> in_stretches(const T s[3], const T& strain_trace) const {
    PrincipalStretchDerivative<T> d;
    const T pressure = lambda * strain_trace;
    for (int k = 0; k < 3; ++k) {
      const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
      const T product = s[i] * s[j], squares = s[i] * s[i] + s[j] * s[j] - T(1.0);
      d.stretch(k, k) = mu * (T(3.0) * s[k] * s[k] - T(1.0)) + lambda * s[k] * s[k] + pressure;
      d.stretch(i, j) = d.stretch(j, i) = lambda * product;
      d.twist[k] = mu * (squares - product) + pressure;
      d.flip[k] = mu * (squares + product) + pressure;
    }
    return d;
  }

  /// E = (FᵀF − I)/2, accurate for small strain.
  LIMBER_HOST_DEVICE static math::Matrix3<T> green_strain(const math::Matrix3<T>& f) {
    const auto e = f - math::identity<T>();
    math::Matrix3<T> strain;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i <= j; ++i) {
        strain(i, j) = T(0.5) * ((e(i, j) + e(j, i)) + math::dot3(e.column(i), e.column(j)));
        strain(j, i) = strain(i, j);
      }
    return strain;
  }

private:
  /// S
  LIMBER_HOST_DEVICE math::Matrix3<T> second_stress(const math::Matrix3<T>& f) const {
    const auto strain = green_strain(f);
    auto s = (T(2.0) * mu) * strain;
    const T pressure = lambda * math::trace(strain);
    for (int i = 0; i < 3; ++i) s(i, i) = s(i, i) + pressure;
    return s;
  }
};

} // namespace limber::materials
