#pragma once
/// Stable neo-Hookean material:
///   Ψ(F) = μ/2 (tr FᵀF − 3) − μ (J − 1) + λ/2 (J − 1)²,   J = det F
///   P    = μ F + s cof F,   s = λ (J − 1) − μ
/// μ, λ: parameters [Pa], μ > 0; Ψ [J/m³], P [Pa]. Smooth and finite for every F, inverted ones included; Ψ = 0 and
/// P = 0 at rest. At small strain it is linear elasticity with the Lamé parameters μ and λ − μ: for a material of given
/// Lamé parameters pass λ = λ_Lamé + μ.
/// Kim and Eberle, "Dynamic deformables", SIGGRAPH course 2022; Smith, de Goes, Kim, "Stable neo-Hookean flesh
/// simulation", ACM TOG 37(2), 2018.

#include "materials/principal_stretches.hpp"

namespace limber::materials {

template <class T> struct StableNeoHookean {
  T mu;     ///< [Pa]
  T lambda; ///< [Pa], the Lamé parameter plus μ

  static constexpr bool infinite_at_inversion = false;

  /// Ψ(F), accurate for small strain: written in E = F − I so that the first-order terms cancel symbolically.
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const Volume v = volume(f);
    return mu * (T(0.5) * math::contract(v.e, v.e) - v.j_minus_one_minus_trace) +
           T(0.5) * lambda * v.j_minus_one * v.j_minus_one;
  }

  /// P = ∂Ψ/∂F.
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    const T s = lambda * volume(f).j_minus_one - mu;
    const auto cof = math::cofactor(f);
    math::Matrix3<T> p;
    for (int i = 0; i < 9; ++i) p.m[i] = mu * f.m[i] + s * cof.m[i];
    return p;
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric.
  /// C_ij,kl = μ δ_ik δ_jl + λ cof_ij cof_kl + s ε_ikm ε_jln F_mn.
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const T s = lambda * volume(f).j_minus_one - mu;
    const auto cof = math::cofactor(f);
    const math::Matrix3<T> sf = s * f;
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row <= col; ++row) {
        T c = lambda * cof.m[row] * cof.m[col];
        const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
        if (i != k && j != l) {
          const T minor = sf(3 - i - k, 3 - j - l);
          const bool same = ((k - i + 3) % 3 == 1) == ((l - j + 3) % 3 == 1);
          c = same ? c + minor : c - minor;
        }
        if (row == col) c = c + mu;
        C[row + 9 * col] = c;
        C[col + 9 * row] = c;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
    if (math::all(surely_convex(f))) return;
    const T s = lambda * volume(f).j_minus_one - mu;
    const auto svd = math::signed_svd(f);
    PrincipalStretchDerivative<T> d;
    for (int k = 0; k < 3; ++k) {
      const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
      const T pair = s * svd.s[k];
      const T area = svd.s[i] * svd.s[j];
      d.stretch(k, k) = mu + lambda * area * area;
      d.stretch(i, j) = d.stretch(j, i) = lambda * area * svd.s[k] * svd.s[k] + pair;
      d.twist[k] = mu + pair;
      d.flip[k] = mu - pair;
    }
    lift_negative_eigenvalues(svd, d, C);
  }

  /// Whether dP/dF is positive semi-definite beyond doubt; cheap, without a singular value decomposition.
  /// For stretches s_k the twists and flips are μ ± s s_k: none is negative if μ² I − s² FᵀF is definite. The stretch
  /// block is A = μ I + s K + λ c cᵀ, where K has the entry s_k in row i and column j and c_k = s_i s_j. A symmetric
  /// matrix is definite if and only if its elementary symmetric functions are positive, and those of A are polynomials
  /// of invariants (c·c = |cof F|², c·K c = 2 J |F|², c·adj(K) c = 3 J², det K = 2 J, tr adj K = −|F|²):
  ///   e₁ = 3 μ + λ |cof F|²,   e₂ = 3 μ² − s² |F|² + 2 λ (μ |cof F|² − s J |F|²),
  ///   e₃ = μ³ − μ s² |F|² + 2 s³ J + λ (μ² |cof F|² − 2 μ s J |F|² + 3 s² J²).
  LIMBER_HOST_DEVICE auto surely_convex(const math::Matrix3<T>& f) const {
    const Volume v = volume(f);
    const T s = lambda * v.j_minus_one - mu;
    const T s2 = s * s, mu2 = mu * mu;
    math::Matrix3<T> m;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i <= j; ++i) {
        m(i, j) = -s2 * math::dot3(f.column(i), f.column(j));
        if (i == j) m(i, j) = mu2 + m(i, j);
      }
    const auto cof = math::cofactor(f);
    const T j = math::dot3(f.column(0), cof.column(0));
    const T f2 = math::contract(f, f), cof2 = math::contract(cof, cof);
    const T sj = s * j, sjf2 = sj * f2;
    const T e2 = T(3.0) * mu2 - s2 * f2 + T(2.0) * lambda * (mu * cof2 - sjf2);
    const T e3 =
        mu * (mu2 - s2 * f2) + T(2.0) * s2 * sj + lambda * (mu2 * cof2 - T(2.0) * mu * sjf2 + T(3.0) * sj * sj);
    // Margins over the round-off of each term: |J| ≤ |F|³ and |cof F| ≤ |F|² bound what J and cof F canceled from.
    const T f4 = f2 * f2, s_abs = math::abs(s), f3 = f2 * math::sqrt(f2);
    const T e2_scale = mu2 + s2 * f2 + lambda * (mu * f4 + s_abs * f3 * f2);
    const T e3_scale =
        mu * (mu2 + s2 * f2) + s2 * s_abs * f3 + lambda * (mu2 * f4 + mu * s_abs * f3 * f2 + s2 * f3 * f3);
    const T margin = T(1e-12);
    return math::surely_positive_definite(m, mu2) & (e2 > margin * e2_scale) & (e3 > margin * e3_scale) &
           (lambda >= T(0.0));
  }

private:
  struct Volume {
    math::Matrix3<T> e;        ///< F − I
    T j_minus_one;             ///< det F − 1
    T j_minus_one_minus_trace; ///< det F − 1 − tr E, of second order in E
  };

  LIMBER_HOST_DEVICE static Volume volume(const math::Matrix3<T>& f) {
    Volume v;
    v.e = f - math::identity<T>();
    const auto& e = v.e;
    const T minors = (e(0, 0) * e(1, 1) - e(0, 1) * e(1, 0)) + (e(1, 1) * e(2, 2) - e(1, 2) * e(2, 1)) +
                     (e(0, 0) * e(2, 2) - e(0, 2) * e(2, 0));
    v.j_minus_one_minus_trace = minors + math::determinant(e);
    v.j_minus_one = math::trace(e) + v.j_minus_one_minus_trace;
    return v;
  }
};

} // namespace limber::materials
