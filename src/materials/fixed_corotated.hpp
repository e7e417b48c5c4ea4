#pragma once
/// Fixed corotated material:
///   Ψ(F) = μ |F − R|² + λ/2 (J − 1)²,   J = det F
///   P    = 2 μ (F − R) + λ (J − 1) cof F
/// R: the rotation closest to F (math/svd3.hpp). μ, λ: Lamé parameters [Pa], μ > 0, 3 λ + 2 μ > 0; Ψ [J/m³], P [Pa].
/// Finite for every F, inverted ones included. Where the two smallest stretches add up to zero (flat on a line, or
/// mirrored) Ψ has a crease and R is one of several. Linear elasticity at small strain.
/// Stomakhin et al., "Energetically consistent invertible elasticity", SCA 2012.

#include "materials/arap.hpp"
#include "materials/volume_change.hpp"

namespace limber::materials {

template <class T> struct FixedCorotated {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = false;

  /// Ψ(F)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const T volume = volume_change(f).minus_one;
    return Arap<T>{mu}.energy(f) + T(0.5) * lambda * volume * volume;
  }

  /// P = ∂Ψ/∂F
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    return Arap<T>{mu}.stress(f) + (lambda * volume_change(f).minus_one) * math::cofactor(f);
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    Arap<T>{mu}.stress_derivative(f, C);
    add_volume_derivative(f, lambda * volume_change(f).minus_one, lambda, C);
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const auto svd = math::signed_svd(f);
    const T slope = lambda * volume_change(f).minus_one;
    PrincipalStretchDerivative<T> d;
    d.stretch = (T(2.0) * mu) * math::identity<T>();
    for (T& flip : d.flip) flip = T(2.0) * mu;
    // Twists, 2 μ − w_k + slope s_k, are lifted by taking less of w_k, which may be huge: nothing cancels then.
    T weights[3];
    for (int k = 0; k < 3; ++k) {
      weights[k] = math::min(rotation_weight(svd.s, mu, k), T(2.0) * mu + slope * svd.s[k]);
      d.twist[k] = T(0.0);
    }
    add_volume_stretches(svd.s, slope, lambda, d);
    for (T& twist : d.twist) twist = T(0.0);
    rotation_distance_derivative(svd, mu, weights, C);
    add_volume_derivative(f, slope, lambda, C);
    lift_negative_eigenvalues(svd, d, C);
  }
};

} // namespace limber::materials
