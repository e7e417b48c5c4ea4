#pragma once
/// Surfaces in space: the closed-form eigen-system of dP/dF of isotropic materials for 3×2 deformation gradients, and
/// the removal of its negative part. As principal_stretches.hpp for solids, with one more kind of mode. Derived from
/// Smith, de Goes, Kim, "Analytic eigensystems for isotropic distortion energies", ACM TOG 38(1), 2019, by letting the
/// third stretch's derivative vanish.
///
/// With F = Σ s_i u_i v_iᵀ, the normal n, and D_ij = u_i v_jᵀ, dP/dF leaves these spaces invariant:
///   stretch, span of D_00, D_11: the 2×2 matrix ∂²Ψ/∂s_i∂s_j;
///   twist, (D_01 − D_10)/√2: eigenvalue (Ψ_0 + Ψ_1)/(s_0 + s_1);  flip, (D_01 + D_10)/√2: (Ψ_0 − Ψ_1)/(s_0 − s_1);
///   out of plane, n v_iᵀ: Ψ_i/s_i, the tension that keeps the surface flat.

#include "math/matrix32.hpp"

namespace limber::materials {

template <class T> struct MembraneStretchDerivative {
  T stretch[3];      ///< ∂²Ψ/∂s_0², ∂²Ψ/∂s_0∂s_1, ∂²Ψ/∂s_1²
  T twist, flip;     ///< eigenvalues
  T out_of_plane[2]; ///< likewise
};

namespace detail {

/// The modes as 3×2 matrices, unit length.
template <class T> struct MembraneModes { math::Matrix32<T> d[2], twist, flip, out[2]; };
template <class T> LIMBER_HOST_DEVICE MembraneModes<T> membrane_modes(const math::Svd32<T>& svd) {
  MembraneModes<T> modes;
  const T half = T(0.70710678118654752440); // 1/√2
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i) {
      const T d01 = svd.u0[i] * svd.v[2 + j], d10 = svd.u1[i] * svd.v[j];
      modes.d[0](i, j) = svd.u0[i] * svd.v[j];
      modes.d[1](i, j) = svd.u1[i] * svd.v[2 + j];
      modes.twist(i, j) = half * (d01 - d10);
      modes.flip(i, j) = half * (d01 + d10);
      for (int k = 0; k < 2; ++k) modes.out[k](i, j) = svd.n[i] * svd.v[2 * k + j];
    }
  return modes;
}

/// C += weight vec(Q) vec(Q)ᵀ, on the upper triangle.
template <class T> LIMBER_HOST_DEVICE void add_mode(const T& weight, const math::Matrix32<T>& q, T C[36]) {
  for (int b = 0; b < 6; ++b) {
    const T scaled = weight * q.m[b];
    for (int a = 0; a <= b; ++a) C[a + 6 * b] = C[a + 6 * b] + scaled * q.m[a];
  }
}

template <class T> LIMBER_HOST_DEVICE void mirror_upper_triangle(T C[36]) {
  for (int b = 0; b < 6; ++b)
    for (int a = 0; a < b; ++a) C[b + 6 * a] = C[a + 6 * b];
}

} // namespace detail

/// Adds to C = dP/dF what lifts its negative eigenvalues to zero: C becomes the nearest positive semi-definite matrix.
/// \param C 6×6, a + 6 b over vec(F) (index i + 3 j), symmetric
template <class T>
LIMBER_HOST_DEVICE void lift_negative_eigenvalues(const math::Svd32<T>& svd, const MembraneStretchDerivative<T>& d,
                                                  T C[36]) {
  const auto modes = detail::membrane_modes(svd);
  const auto lift = [](const T& eigenvalue) { return math::max(-eigenvalue, T(0.0)); };
  const auto r = math::jacobi_rotation(d.stretch[0], d.stretch[1], d.stretch[2]);
  math::Matrix32<T> first, second;
  for (int k = 0; k < 6; ++k) {
    first.m[k] = r.c * modes.d[0].m[k] - r.s * modes.d[1].m[k];
    second.m[k] = r.s * modes.d[0].m[k] + r.c * modes.d[1].m[k];
  }
  detail::add_mode(lift(d.stretch[0] - r.t * d.stretch[1]), first, C);
  detail::add_mode(lift(d.stretch[2] + r.t * d.stretch[1]), second, C);
  detail::add_mode(lift(d.twist), modes.twist, C);
  detail::add_mode(lift(d.flip), modes.flip, C);
  for (int k = 0; k < 2; ++k) detail::add_mode(lift(d.out_of_plane[k]), modes.out[k], C);
  detail::mirror_upper_triangle(C);
}

/// FᵀF: entries 00, 01, 11.
template <class T> struct MembraneMetric { T c[3]; };
template <class T> LIMBER_HOST_DEVICE MembraneMetric<T> metric(const math::Matrix32<T>& f) {
  const T *a = f.column(0), *b = f.column(1);
  return {{math::dot3(a, a), math::dot3(a, b), math::dot3(b, b)}};
}

/// The ratio of areas, √det FᵀF ≥ 0: a surface in space cannot be told from its mirror image.
template <class T> LIMBER_HOST_DEVICE T area_ratio(const math::Matrix32<T>& f) {
  T n[3];
  math::cross3(f.column(0), f.column(1), n);
  return math::sqrt(math::dot3(n, n));
}

} // namespace limber::materials
