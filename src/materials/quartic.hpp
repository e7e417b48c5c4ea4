#pragma once
/// Quartic material:
///   Ψ(F) = μ/4 |FᵀF − I|²
///   P    = μ F (FᵀF − I)
/// μ: shear modulus [Pa], μ > 0; Ψ [J/m³], P [Pa]. St. Venant–Kirchhoff with λ = 0: a polynomial, finite for every F;
/// mirror images of the rest state cost nothing. At small strain linear elasticity with λ = 0, whatever the material
/// is. Li, Jiang et al., "Physics-Based Simulation", 2026, equation (13.3.2).

#include "materials/st_venant_kirchhoff.hpp"

namespace limber::materials {

template <class T> struct Quartic {
  T mu; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  // As in StVenantKirchhoff.

  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const { return with_lambda_zero().energy(f); }
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const { return with_lambda_zero().stress(f); }
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    with_lambda_zero().stress_derivative(f, C);
  }
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    with_lambda_zero().projected_stress_derivative(f, C);
  }

private:
  LIMBER_HOST_DEVICE StVenantKirchhoff<T> with_lambda_zero() const { return {mu, T(0.0)}; }
};

} // namespace limber::materials
