#pragma once
/// Symmetric Dirichlet material:
///   Ψ(F) = κ/2 (|F|² + |F⁻¹|² − 6)
///   P    = κ (F − A AᵀA),   A = F⁻ᵀ
/// κ: stiffness [Pa], κ > 0; Ψ [J/m³], P [Pa]. Smooth for J > 0; +∞ for J ≤ 0, and of size 1/s² where a stretch s → 0.
/// The published energy is larger by the constant 3 κ, left out so that Ψ = 0 at rest and small strains keep their
/// digits. At small strain linear elasticity with μ = 2 κ and λ = 0.
/// Smith and Schaefer, "Bijective parameterization with free boundaries", ACM TOG 34(4), 2015, for triangles.

#include <limits>

#include "materials/principal_stretches.hpp"

namespace limber::materials {

template <class T> struct SymmetricDirichlet {
  T kappa; ///< [Pa]

  static constexpr bool infinite_at_inversion = true;

  /// Ψ(F), accurate for small strain: with E = F − I and W = F⁻¹ − I = −F⁻¹E the first-order terms 2 tr E + 2 tr W are
  /// −2 tr(E W).
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const auto cof = math::cofactor(f);
    const T j = math::dot3(f.column(0), cof.column(0));
    const auto e = f - math::identity<T>();
    const auto w = (T(-1.0) / j) * (math::transpose(cof) * e);
    const T sum = math::contract(e, e) + math::contract(w, w) - T(2.0) * math::contract(math::transpose(e), w);
    return math::select(j > T(0.0), T(0.5) * kappa * sum, T(std::numeric_limits<double>::infinity()));
  }

  /// P = ∂Ψ/∂F; J > 0.
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    const auto a = inverse_transpose(f);
    return kappa * (f - a * (math::transpose(a) * a));
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric; J > 0.
  /// C_ij,kl = κ (δ_ik δ_jl + A_il M_kj + M_il A_kj + (A Aᵀ)_ik (AᵀA)_jl),   M = A AᵀA
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const auto a = inverse_transpose(f);
    const auto columns = math::transpose(a) * a, rows = a * math::transpose(a), m = a * columns;
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row <= col; ++row) {
        const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
        T c = a(i, l) * m(k, j) + m(i, l) * a(k, j) + rows(i, k) * columns(j, l);
        if (row == col) c = c + T(1.0);
        C[row + 9 * col] = kappa * c;
        C[col + 9 * row] = kappa * c;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative. With b = 1/s only the twists
  /// κ (1 − b_i b_j (b_i² − b_i b_j + b_j²)) can be negative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
    const auto svd = math::signed_svd(f);
    // The quotient of the other two stretches and J where that is the smaller error.
    const T b[3] = {T(1.0) / svd.s[0], T(1.0) / svd.s[1], svd.s[0] * svd.s[1] / math::determinant(f)};
    PrincipalStretchDerivative<T> d;
    d.stretch = kappa * math::identity<T>(); // less than it is, and positive
    for (int k = 0; k < 3; ++k) {
      const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
      d.twist[k] = kappa * (T(1.0) - b[i] * b[j] * (b[i] * b[i] - b[i] * b[j] + b[j] * b[j]));
      d.flip[k] = kappa;
    }
    lift_negative_eigenvalues(svd, d, C);
  }

private:
  LIMBER_HOST_DEVICE static math::Matrix3<T> inverse_transpose(const math::Matrix3<T>& f) {
    const auto cof = math::cofactor(f);
    return (T(1.0) / math::dot3(f.column(0), cof.column(0))) * cof;
  }
};

} // namespace limber::materials
