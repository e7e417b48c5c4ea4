#pragma once
/// Linear elasticity:
///   Ψ(F) = μ |ε|² + λ/2 tr²ε,   ε = (F + Fᵀ)/2 − I
///   P    = 2 μ ε + λ tr ε I
/// μ, λ: Lamé parameters [Pa], μ > 0, 3 λ + 2 μ > 0; Ψ [J/m³], P [Pa]. Quadratic, convex and finite for every F; not
/// invariant under rotations, so for small rotations only. Bonet and Wood, Nonlinear Continuum Mechanics for Finite
/// Element Analysis, 2nd ed., chapter 6.

#include "math/matrix3.hpp"

namespace limber::materials {

template <class T> struct Linear {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  /// Ψ(F)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const auto strain = small_strain(f);
    const T volume = math::trace(strain);
    return mu * math::contract(strain, strain) + T(0.5) * lambda * volume * volume;
  }

  /// P = ∂Ψ/∂F
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    const auto strain = small_strain(f);
    auto p = (T(2.0) * mu) * strain;
    const T pressure = lambda * math::trace(strain);
    for (int i = 0; i < 3; ++i) p(i, i) = p(i, i) + pressure;
    return p;
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  /// C_ij,kl = μ (δ_ik δ_jl + δ_il δ_jk) + λ δ_ij δ_kl
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>&, T C[81]) const {
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row < 9; ++row) {
        const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
        T c = T(0.0);
        if (i == k && j == l) c = c + mu;
        if (i == l && j == k) c = c + mu;
        if (i == j && k == l) c = c + lambda;
        C[row + 9 * col] = c;
      }
  }

  /// dP/dF is positive semi-definite as it is.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
  }

private:
  LIMBER_HOST_DEVICE static math::Matrix3<T> small_strain(const math::Matrix3<T>& f) {
    const auto e = f - math::identity<T>();
    return T(0.5) * (e + math::transpose(e));
  }
};

} // namespace limber::materials
