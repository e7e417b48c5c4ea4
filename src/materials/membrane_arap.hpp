#pragma once
/// As-rigid-as-possible material of surfaces; its two-dimensional form:
///   Ψ(F) = μ Σ (s_i − 1)² = μ |F − R|²,   R = Σ u_i v_iᵀ the rotation nearest to F
///   P    = 2 μ (F − R)
/// F is 3×2 with the stretches s_0 ≥ s_1 ≥ 0. μ [Pa]; Ψ [J/m³], P [Pa]. λ is not used. Finite everywhere, smooth except
/// where the surface collapses, s_1 = 0. Li et al., "Physics-based simulation", equation (13.3.2).

#include "materials/membrane_stretches.hpp"

namespace limber::materials {

template <class T> struct MembraneArap {
  T mu;     ///< [Pa]
  T lambda; ///< not used

  static constexpr bool infinite_at_inversion = false;

  LIMBER_HOST_DEVICE T energy(const math::Matrix32<T>& f) const {
    const auto svd = math::svd(f);
    const T a = svd.s[0] - T(1.0), b = svd.s[1] - T(1.0);
    return mu * (a * a + b * b);
  }

  /// P = ∂Ψ/∂F.
  LIMBER_HOST_DEVICE math::Matrix32<T> stress(const math::Matrix32<T>& f) const {
    const auto svd = math::svd(f);
    math::Matrix32<T> p;
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 3; ++i) p(i, j) = T(2.0) * mu * (f(i, j) - (svd.u0[i] * svd.v[j] + svd.u1[i] * svd.v[2 + j]));
    return p;
  }

  /// C[a + 6 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric; s_1 > 0. By its eigen-system: 2 μ except for the
  /// twist, 2 μ (1 − 2/(s_0 + s_1)), and the out-of-plane modes, 2 μ (1 − 1/s_i).
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix32<T>& f, T C[36]) const {
    const auto svd = math::svd(f);
    const T tiny = T(1e-100); // at collapse the entries are huge, but finite
    assemble(svd, T(2.0) / math::max(svd.s[0] + svd.s[1], tiny), T(1.0) / math::max(svd.s[0], tiny),
             T(1.0) / math::max(svd.s[1], tiny), C);
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative; for every F.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix32<T>& f, T C[36]) const {
    const auto svd = math::svd(f);
    const T one = T(1.0);
    assemble(svd, math::min(T(2.0) / (svd.s[0] + svd.s[1]), one), math::min(one / svd.s[0], one),
             math::min(one / svd.s[1], one), C);
  }

private:
  /// C = 2 μ (I − twist T Tᵀ − Σ out_i N_i N_iᵀ)
  LIMBER_HOST_DEVICE void assemble(const math::Svd32<T>& svd, const T& twist, const T& out0, const T& out1,
                                   T C[36]) const {
    const auto modes = detail::membrane_modes(svd);
    const T scale = T(2.0) * mu;
    for (int b = 0; b < 6; ++b)
      for (int a = 0; a <= b; ++a) C[a + 6 * b] = a == b ? scale : T(0.0);
    detail::add_mode(-scale * twist, modes.twist, C);
    detail::add_mode(-scale * out0, modes.out[0], C);
    detail::add_mode(-scale * out1, modes.out[1], C);
    detail::mirror_upper_triangle(C);
  }
};

} // namespace limber::materials
