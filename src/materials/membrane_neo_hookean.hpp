#pragma once
/// Logarithmic neo-Hookean material of surfaces; its two-dimensional form:
///   Ψ(F) = μ/2 (tr FᵀF − 2) − μ ln J + λ/2 ln²J,   J = √det FᵀF
///   P    = μ F + (λ ln J − μ) A,   A = F (FᵀF)⁻¹ (F⁻ᵀ of a square F)
/// F is 3×2. μ, λ: parameters [Pa], μ > 0; Ψ [J/m³], P [Pa]. Smooth for J > 0, +∞ at J = 0 (collapse to a line). For
/// motions in a plane it is the planar energy of the case studies (Li et al., "Physics-based simulation", chapter 15),
/// that is plane strain with the Lamé parameters μ and λ.

#include <limits>

#include "materials/membrane_stretches.hpp"
#include "math/logarithm.hpp"

namespace limber::materials {

template <class T> struct MembraneNeoHookean {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa]

  static constexpr bool infinite_at_inversion = true;

  /// Ψ(F), accurate for small strain: with E = (FᵀF − I)/2 and J² = 1 + y, y = 2 tr E + 4 det E,
  /// Ψ = −μ/2 (ln(1 + y) − y) − 2 μ det E + λ/8 ln²(1 + y).
  LIMBER_HOST_DEVICE T energy(const math::Matrix32<T>& f) const {
    const Area a = area(f);
    const T psi = T(-0.5) * mu * a.log.log_minus_x - T(2.0) * mu * a.strain_determinant +
                  T(0.125) * lambda * a.log.log * a.log.log;
    // Squares of smaller areas are not normal numbers, whose logarithm is not known.
    return math::select(a.j2 >= T(std::numeric_limits<double>::min()), psi, T(std::numeric_limits<double>::infinity()));
  }

  /// P = ∂Ψ/∂F; J > 0.
  LIMBER_HOST_DEVICE math::Matrix32<T> stress(const math::Matrix32<T>& f) const {
    const Area a = area(f);
    const T k = mu - T(0.5) * lambda * a.log.log;
    const auto inverse = inverse_transpose(f, a);
    math::Matrix32<T> p;
    for (int i = 0; i < 6; ++i) p.m[i] = mu * f.m[i] - k * inverse.m[i];
    return p;
  }

  /// C[a + 6 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric; J > 0. With k = μ − λ ln J and the unit normal n:
  /// C_ij,kl = μ δ_ik δ_jl + λ A_ij A_kl + k (A_il A_kj − n_i n_k (FᵀF)⁻¹_jl).
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix32<T>& f, T C[36]) const {
    const Area a = area(f);
    const T k = mu - T(0.5) * lambda * a.log.log;
    const auto inverse = inverse_transpose(f, a);
    const auto c = metric(f);
    const T over_j2 = T(1.0) / a.j2, scale = k * over_j2 * over_j2;
    const T weight[3] = {scale * c.c[2], -scale * c.c[1], scale * c.c[0]}; // of the normal's products, by j + l
    for (int col = 0; col < 6; ++col)
      for (int row = 0; row <= col; ++row) {
        const int i = row % 3, j = row / 3, q = col % 3, l = col / 3;
        T entry = lambda * inverse.m[row] * inverse.m[col] + k * inverse(i, l) * inverse(q, j) -
                  weight[j + l] * (a.normal[i] * a.normal[q]);
        if (row == col) entry = entry + mu;
        C[row + 6 * col] = entry;
        C[col + 6 * row] = entry;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix32<T>& f, T C[36]) const {
    stress_derivative(f, C);
    const Area a = area(f);
    const T k = mu - T(0.5) * lambda * a.log.log;
    const auto svd = math::svd(f);
    const T over_j = T(1.0) / math::sqrt(a.j2);
    const T b[2] = {T(1.0) / svd.s[0], svd.s[0] * over_j}; // 1/s_i, the smaller one from J, which is more accurate
    MembraneStretchDerivative<T> d;
    d.stretch[0] = mu + (lambda + k) * b[0] * b[0];
    d.stretch[1] = lambda * over_j;
    d.stretch[2] = mu + (lambda + k) * b[1] * b[1];
    d.twist = mu - k * over_j;
    d.flip = mu + k * over_j;
    for (int i = 0; i < 2; ++i) d.out_of_plane[i] = mu - k * b[i] * b[i];
    lift_negative_eigenvalues(svd, d, C);
  }

private:
  struct Area {
    T normal[3];             ///< the columns' cross product, of length J
    T j2;                    ///< J²
    T strain_determinant;    ///< det E
    math::LogNearOne<T> log; ///< of J²
  };

  LIMBER_HOST_DEVICE static Area area(const math::Matrix32<T>& f) {
    Area a;
    math::cross3(f.column(0), f.column(1), a.normal);
    a.j2 = math::dot3(a.normal, a.normal);
    const auto c = metric(f);
    const T e00 = T(0.5) * (c.c[0] - T(1.0)), e11 = T(0.5) * (c.c[2] - T(1.0)), e01 = T(0.5) * c.c[1];
    a.strain_determinant = e00 * e11 - e01 * e01;
    a.log = math::log_near_one(a.j2, T(2.0) * (e00 + e11) + T(4.0) * a.strain_determinant);
    return a;
  }

  /// A: the derivative of ln J.
  LIMBER_HOST_DEVICE static math::Matrix32<T> inverse_transpose(const math::Matrix32<T>& f, const Area& a) {
    math::Matrix32<T> inverse;
    math::cross3(f.column(1), a.normal, inverse.column(0));
    math::cross3(a.normal, f.column(0), inverse.column(1));
    const T scale = T(1.0) / a.j2;
    for (int i = 0; i < 6; ++i) inverse.m[i] = scale * inverse.m[i];
    return inverse;
  }
};

} // namespace limber::materials
