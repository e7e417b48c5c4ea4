#pragma once
/// Corotated linear elasticity with a lagged rotation: the linear energy, seen from a frame that turns along,
///   Ψ(F) = μ |ε|² + λ/2 tr²ε,   ε = (RᵀF + FᵀR)/2 − I
///   P    = R (2 μ ε + λ tr ε I)
/// R: the rotation of the polar decomposition of F at an earlier state, and constant here. μ, λ: Lamé parameters [Pa],
/// μ > 0, 3 λ + 2 μ > 0; Ψ [J/m³], P [Pa]. Quadratic, convex and finite for every F. With R of the present F it is
/// invariant under rotations, and linear elasticity at small strain; it errs by the rotation since R was set.
/// Müller and Gross, "Interactive virtual materials", Graphics Interface 2004, section 3.

#include "materials/linear.hpp"
#include "math/svd3.hpp"

namespace limber::materials {

template <class T> struct CorotatedLinear {
  T mu;                                            ///< [Pa]
  T lambda;                                        ///< [Pa]
  math::Matrix3<T> rotation = math::identity<T>(); ///< R

  static constexpr bool infinite_at_inversion = false;

  /// Makes R the rotation of this F; one of the closest ones where F is singular or inverted.
  LIMBER_HOST_DEVICE void set_lag(const math::Matrix3<T>& f) { rotation = math::closest_rotation(math::signed_svd(f)); }

  /// Ψ(F)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    return Linear<T>{mu, lambda}.energy(math::transpose(rotation) * f);
  }

  /// P = ∂Ψ/∂F
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    return rotation * Linear<T>{mu, lambda}.stress(math::transpose(rotation) * f);
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  /// C_ij,kl = μ (δ_ik δ_jl + R_il R_kj) + λ R_ij R_kl
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>&, T C[81]) const {
    const auto& r = rotation;
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row <= col; ++row) {
        T c = lambda * r.m[row] * r.m[col] + mu * r(row % 3, col / 3) * r(col % 3, row / 3);
        if (row == col) c = c + mu;
        C[row + 9 * col] = c;
        C[col + 9 * row] = c;
      }
  }

  /// dP/dF is positive semi-definite as it is.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
  }
};

} // namespace limber::materials
