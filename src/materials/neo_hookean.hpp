#pragma once
/// Logarithmic neo-Hookean material:
///   Ψ(F) = μ/2 (tr FᵀF − 3) − μ ln J + λ/2 ln²J,   J = det F
///   P    = μ F + (λ ln J − μ) F⁻ᵀ
/// μ, λ: Lamé parameters [Pa], μ > 0; Ψ [J/m³], P [Pa]. Smooth for J > 0, +∞ for J ≤ 0.
/// Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 2nd ed., section 6.4.3.

#include <limits>

#include "materials/principal_stretches.hpp"
#include "math/logarithm.hpp"

namespace limber::materials {

template <class T> struct NeoHookean {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = true;

  /// Ψ(F), accurate for small strain: written in E = F − I so that the first-order terms cancel symbolically.
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const Volume v = volume(f);
    const T shear = T(0.5) * math::contract(v.e, v.e) - v.j_minus_one_minus_trace - v.log.log_minus_x;
    const T psi = mu * shear + T(0.5) * lambda * v.log.log * v.log.log;
    return math::select(v.j > T(0.0), psi, T(std::numeric_limits<double>::infinity()));
  }

  /// P = ∂Ψ/∂F; J > 0.
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    const Volume v = volume(f);
    const T scale = (lambda * v.log.log - mu) / v.j;
    const auto cof = math::cofactor(f);
    math::Matrix3<T> p;
    for (int i = 0; i < 9; ++i) p.m[i] = mu * f.m[i] + scale * cof.m[i];
    return p;
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric; J > 0.
  /// With A = F⁻ᵀ, k = μ − λ ln J: C_ij,kl = μ δ_ik δ_jl + λ A_ij A_kl + k A_il A_kj.
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const Volume v = volume(f);
    const math::Matrix3<T> a = (T(1.0) / v.j) * math::cofactor(f);
    const T k = mu - lambda * v.log.log;
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row <= col; ++row) {
        T c = lambda * a.m[row] * a.m[col] + k * a(row % 3, col / 3) * a(col % 3, row / 3);
        if (row == col) c = c + mu;
        C[row + 9 * col] = c;
        C[col + 9 * row] = c;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
    if (math::all(surely_convex(f))) return;
    const Volume v = volume(f);
    const T k = mu - lambda * v.log.log;
    const auto svd = math::signed_svd(f);
    const T over_j = T(1.0) / v.j;
    PrincipalStretchDerivative<T> d;
    T b[3]; // 1/s_i; the quotient of the other two and J where that is the smaller error
    b[0] = T(1.0) / svd.s[0];
    b[1] = T(1.0) / svd.s[1];
    b[2] = svd.s[0] * svd.s[1] * over_j;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) d.stretch(i, j) = lambda * b[i] * b[j];
      d.stretch(i, i) = mu + (lambda + k) * b[i] * b[i];
      const T pair = k * svd.s[i] * over_j; // k/(s_j s_k)
      d.twist[i] = mu - pair;
      d.flip[i] = mu + pair;
    }
    lift_negative_eigenvalues(svd, d, C);
  }

  /// Whether dP/dF is positive semi-definite beyond doubt; cheap, without a singular value decomposition.
  /// For k ≥ 0 and λ ≥ 0 only the twists μ − k s_i/J can be negative: none is if J² I − (k/μ)² FᵀF is definite.
  LIMBER_HOST_DEVICE auto surely_convex(const math::Matrix3<T>& f) const {
    const Volume v = volume(f);
    const T k = mu - lambda * v.log.log;
    const T ratio = k / mu;
    const T j2 = v.j * v.j;
    const T ratio2 = ratio * ratio;
    math::Matrix3<T> m;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i <= j; ++i) {
        m(i, j) = -ratio2 * math::dot3(f.column(i), f.column(j));
        if (i == j) m(i, j) = j2 + m(i, j);
      }
    return math::surely_positive_definite(m, j2) & (k >= T(0.0)) & (lambda >= T(0.0));
  }

private:
  struct Volume {
    math::Matrix3<T> e;        ///< F − I
    T j;                       ///< det F
    T j_minus_one_minus_trace; ///< det F − 1 − tr E, of second order in E
    math::LogNearOne<T> log;   ///< of det F
  };

  LIMBER_HOST_DEVICE static Volume volume(const math::Matrix3<T>& f) {
    Volume v;
    v.e = f - math::identity<T>();
    const auto& e = v.e;
    const T minors = (e(0, 0) * e(1, 1) - e(0, 1) * e(1, 0)) + (e(1, 1) * e(2, 2) - e(1, 2) * e(2, 1)) +
                     (e(0, 0) * e(2, 2) - e(0, 2) * e(2, 0));
    v.j_minus_one_minus_trace = minors + math::determinant(e);
    v.j = math::determinant(f);
    v.log = math::log_near_one(v.j, math::trace(e) + v.j_minus_one_minus_trace);
    return v;
  }
};

} // namespace limber::materials
