#pragma once
/// Compressible Mooney–Rivlin material:
///   Ψ(F) = C₁₀ (Ī₁ − 3) + C₀₁ (Ī₂ − 3) + K/2 (J − 1)²
///   Ī₁ = J^(−2/3) I₁,  Ī₂ = J^(−4/3) I₂,  I₁ = |F|²,  I₂ = |cof F|²,  J = det F
///   P    = C₁₀ J^(−2/3) (2 F − 2/3 I₁ A) + C₀₁ J^(−4/3) (2 (I₁ F − F FᵀF) − 4/3 I₂ A) + K (J − 1) J A,  A = F⁻ᵀ
/// C₁₀, C₀₁ [Pa] with C₁₀ + C₀₁ > 0; K: bulk modulus [Pa], K > 0; Ψ [J/m³], P [Pa]. Smooth for J > 0; +∞ for J ≤ 0,
/// which it approaches as J^(−2/3) where one stretch vanishes, whereas a volume that shrinks alike in all directions
/// costs no more than K/2. At small strain linear elasticity with μ = 2 (C₁₀ + C₀₁) and λ = K − 2/3 μ.
/// Holzapfel, Nonlinear Solid Mechanics, 2000, section 6.5.

#include <limits>

#include "materials/volume_change.hpp"

namespace limber::materials {

template <class T> struct MooneyRivlin {
  T c10;          ///< [Pa]
  T c01;          ///< [Pa]
  T bulk_modulus; ///< K [Pa]

  static constexpr bool infinite_at_inversion = true;

  /// Ψ(F), accurate for small strain. With c = J^(1/3), t = c − 1, E = F − I, D = cof F − I and the minors m of E:
  ///   I₁ − 3 c² = |E|² − 2 (J − 1 − tr E) + t² (2 c + 1)
  ///   I₂ − 3 c⁴ = |D|² − 2 m − 4 det E − t² (3 c² + 2 c + 1)
  LIMBER_HOST_DEVICE T energy(const math::Matrix3<T>& f) const {
    const auto v = volume_change(f);
    const T j = T(1.0) + v.minus_one;
    const T c = math::cbrt(j), c2 = c * c;
    const T t = v.minus_one / (c2 + c + T(1.0));
    const T trace = math::trace(v.e);
    auto d = math::cofactor(v.e) - math::transpose(v.e); // cof(I + E) = I + tr E I − Eᵀ + cof E
    for (int i = 0; i < 3; ++i) d(i, i) = d(i, i) + trace;
    const T first = math::contract(v.e, v.e) - T(2.0) * v.minus_one_and_trace + t * t * (T(2.0) * c + T(1.0));
    const T second = math::contract(d, d) - T(2.0) * v.minors - T(4.0) * (v.minus_one_and_trace - v.minors) -
                     t * t * (T(3.0) * c2 + T(2.0) * c + T(1.0));
    const T psi = c10 * first / c2 + c01 * second / (c2 * c2) + T(0.5) * bulk_modulus * v.minus_one * v.minus_one;
    return math::select(math::determinant(f) > T(0.0), psi, T(std::numeric_limits<double>::infinity()));
  }

  /// P = ∂Ψ/∂F; J > 0.
  LIMBER_HOST_DEVICE math::Matrix3<T> stress(const math::Matrix3<T>& f) const {
    const Terms t = terms(f);
    const T on_f = T(2.0) * t.a1 + T(2.0) * t.a2 * t.i1;
    const T on_a = bulk_modulus * t.j * t.volume - T(2.0 / 3.0) * t.a1 * t.i1 - T(4.0 / 3.0) * t.a2 * t.i2;
    const auto cubic = f * (math::transpose(f) * f);
    math::Matrix3<T> p;
    for (int i = 0; i < 9; ++i) p.m[i] = on_f * f.m[i] - T(2.0) * t.a2 * cubic.m[i] + on_a * t.a.m[i];
    return p;
  }

  /// C[a + 9 b] = ∂P_a/∂F_b over vec(F), index i + 3 j; symmetric; J > 0. With G = ∂I₂/∂F = 2 (I₁ F − F FᵀF),
  /// a₁ = C₁₀ J^(−2/3), a₂ = C₀₁ J^(−4/3), H = −4/3 (a₁ F + a₂ G):
  ///   C_ij,kl = (2 a₁ + 2 a₂ I₁) δ_ik δ_jl + α A_ij A_kl + β A_il A_kj + A_ij H_kl + H_ij A_kl
  ///             + a₂ (4 F_ij F_kl − 2 F_il F_kj − 2 δ_ik (FᵀF)_jl − 2 (F Fᵀ)_ik δ_jl)
  ///   α = 4/9 a₁ I₁ + 16/9 a₂ I₂ + K J (2 J − 1),  β = 2/3 a₁ I₁ + 4/3 a₂ I₂ − K J (J − 1)
  LIMBER_HOST_DEVICE void stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    const Terms t = terms(f);
    const auto columns = math::transpose(f) * f, rows = f * math::transpose(f), cubic = f * columns;
    math::Matrix3<T> h;
    for (int i = 0; i < 9; ++i) h.m[i] = T(-4.0 / 3.0) * (t.a1 * f.m[i] + T(2.0) * t.a2 * (t.i1 * f.m[i] - cubic.m[i]));
    const T two_a2 = T(2.0) * t.a2, diagonal = T(2.0) * t.a1 + two_a2 * t.i1;
    for (int col = 0; col < 9; ++col)
      for (int row = 0; row <= col; ++row) {
        const int i = row % 3, j = row / 3, k = col % 3, l = col / 3;
        T c = t.alpha * t.a.m[row] * t.a.m[col] + t.beta * t.a(i, l) * t.a(k, j) + t.a.m[row] * h.m[col] +
              h.m[row] * t.a.m[col] + two_a2 * (T(2.0) * f.m[row] * f.m[col] - f(i, l) * f(k, j));
        if (i == k) c = c - two_a2 * columns(j, l);
        if (j == l) c = c - two_a2 * rows(i, k);
        if (row == col) c = c + diagonal;
        C[row + 9 * col] = c;
        C[col + 9 * row] = c;
      }
  }

  /// The nearest positive semi-definite matrix to dP/dF; layout of stress_derivative.
  LIMBER_HOST_DEVICE void projected_stress_derivative(const math::Matrix3<T>& f, T C[81]) const {
    stress_derivative(f, C);
    const Terms t = terms(f);
    const auto svd = math::signed_svd(f);
    const T* s = svd.s;
    // 1/s_i; the quotient of the other two and J where that is the smaller error.
    const T b[3] = {T(1.0) / s[0], T(1.0) / s[1], s[0] * s[1] / t.j};
    const T two_a1 = T(2.0) * t.a1, two_a2 = T(2.0) * t.a2;
    T h[3];
    for (int i = 0; i < 3; ++i) h[i] = T(-4.0 / 3.0) * s[i] * (t.a1 + two_a2 * (t.i1 - s[i] * s[i]));
    PrincipalStretchDerivative<T> d;
    for (int k = 0; k < 3; ++k) {
      const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
      d.stretch(k, k) =
          two_a1 + two_a2 * (t.i1 - s[k] * s[k]) + (t.alpha + t.beta) * b[k] * b[k] + T(2.0) * b[k] * h[k];
      d.stretch(i, j) = d.stretch(j, i) =
          t.alpha * b[i] * b[j] + b[i] * h[j] + h[i] * b[j] + T(2.0) * two_a2 * s[i] * s[j];
      d.twist[k] = two_a1 + two_a2 * (s[k] * s[k] + s[i] * s[j]) - t.beta * b[i] * b[j];
      d.flip[k] = two_a1 + two_a2 * (s[k] * s[k] - s[i] * s[j]) + t.beta * b[i] * b[j];
    }
    lift_negative_eigenvalues(svd, d, C);
  }

private:
  struct Terms {
    math::Matrix3<T> a; ///< F⁻ᵀ
    T j, volume;        ///< J, J − 1
    T i1, i2;
    T a1, a2; ///< C₁₀ J^(−2/3), C₀₁ J^(−4/3)
    T alpha, beta;
  };

  LIMBER_HOST_DEVICE Terms terms(const math::Matrix3<T>& f) const {
    Terms t;
    const auto cof = math::cofactor(f);
    t.j = math::dot3(f.column(0), cof.column(0));
    t.volume = volume_change(f).minus_one;
    t.a = (T(1.0) / t.j) * cof;
    t.i1 = math::contract(f, f);
    t.i2 = math::contract(cof, cof);
    const T c = math::cbrt(t.j);
    t.a1 = c10 / (c * c);
    t.a2 = c01 / (c * t.j);
    t.alpha = T(4.0 / 9.0) * t.a1 * t.i1 + T(16.0 / 9.0) * t.a2 * t.i2 + bulk_modulus * t.j * (t.j + t.volume);
    t.beta = T(2.0 / 3.0) * t.a1 * t.i1 + T(4.0 / 3.0) * t.a2 * t.i2 - bulk_modulus * t.j * t.volume;
    return t;
  }
};

} // namespace limber::materials
