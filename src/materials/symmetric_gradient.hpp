#pragma once
/// Symmetric gradient material:
///   Ψ(F) = κ/2 (|F|² − 3) − κ ln J,   J = det F
///   P    = κ (F − F⁻ᵀ)
/// κ: stiffness [Pa], κ > 0; Ψ [J/m³], P [Pa]. The logarithmic neo-Hookean material with μ = κ and λ = 0: smooth for
/// J > 0, +∞ for J ≤ 0. The published energy is larger by the constant 3/2 κ, left out so that Ψ = 0 at rest and small
/// strains keep their digits. At small strain linear elasticity with μ = κ and λ = 0.
/// Stein, Li, Solomon, "A splitting scheme for flip-free distortion energies", SIAM J. Imaging Sci. 15(2), 2022.

#include "materials/neo_hookean.hpp"

namespace limber::materials {

template <class T> struct SymmetricGradient {
  T kappa; ///< [Pa]

  static constexpr bool infinite_at_inversion = true;

  // As in NeoHookean.

  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const { return with_lambda_zero().energy(f); }
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const { return with_lambda_zero().stress(f); }
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    with_lambda_zero().stress_derivative(f, C);
  }
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    with_lambda_zero().projected_stress_derivative(f, C);
  }

private:
  LIMBER_HOST_DEVICE NeoHookean<T> with_lambda_zero() const { return {kappa, T(0.0)}; }
};

} // namespace limber::materials
