#pragma once
/// Quartic material with a volume term:
///   Ψ(F) = μ/4 |FᵀF − I|² + λ/2 (J − 1)²,   J = det F
///   P    = μ F (FᵀF − I) + λ (J − 1) cof F
/// μ, λ: Lamé parameters [Pa], μ > 0, 3 λ + 2 μ > 0; Ψ [J/m³], P [Pa]. A polynomial, finite for every F, inverted ones
/// included. Linear elasticity at small strain.
/// Li, Jiang et al., "Physics-Based Simulation", 2026, equation (13.1.1).

#include "materials/st_venant_kirchhoff.hpp"
#include "materials/volume_change.hpp"

namespace limber::materials {

template <class T> struct QuarticVolume {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  /// Ψ(F)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const T volume = volume_change(f).minus_one;
    return shear().energy(f) + T(0.5) * lambda * volume * volume;
  }

  /// P = ∂Ψ/∂F
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    return shear().stress(f) + (lambda * volume_change(f).minus_one) * math::cofactor(f);
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    shear().stress_derivative(f, C);
    add_volume_derivative(f, lambda * volume_change(f).minus_one, lambda, C);
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
    const auto svd = math::signed_svd(f);
    auto d = shear().in_stretches(svd.s, T(0.0)); // λ = 0: the trace does not matter
    add_volume_stretches(svd.s, lambda * volume_change(f).minus_one, lambda, d);
    lift_negative_eigenvalues(svd, d, C);
  }

private:
  LIMBER_HOST_DEVICE StVenantKirchhoff<T> shear() const { return {mu, T(0.0)}; }
};

} // namespace limber::materials
