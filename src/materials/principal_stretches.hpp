#pragma once
/// The closed-form eigen-system of dP/dF of isotropic materials in principal stretches, and the removal of its
/// negative part. Sources: Smith, de Goes, Kim, "Analytic eigensystems for isotropic distortion energies", ACM TOG
/// 38(1), 2019; Stomakhin et al., "Energetically consistent invertible elasticity", SCA 2012, section 3.
///
/// With F = U diag(s) Vᵀ and D_ij = u_i v_jᵀ, dP/dF leaves these spaces invariant:
///   stretch, span of D_00, D_11, D_22: the 3×3 matrix ∂²Ψ/∂s_i∂s_j;
///   twist, (D_ij − D_ji)/√2: eigenvalue (Ψ_i + Ψ_j)/(s_i + s_j);  flip, (D_ij + D_ji)/√2: (Ψ_i − Ψ_j)/(s_i − s_j).

#include "math/svd3.hpp"

namespace limber::materials {

template <class T> struct PrincipalStretchDerivative {
  math::Matrix3<T> stretch; ///< ∂²Ψ/∂s_i∂s_j, symmetric
  T twist[3];               ///< [k] belongs to the pair of the other two stretches: (1,2), (0,2), (0,1)
  T flip[3];                ///< as twist
};

namespace detail {

/// C += weight vec(Q) vec(Q)ᵀ, on the upper triangle.
template <class T> LIMBER_HOST_DEVICE void add_mode(T weight, const math::Matrix3<T>& q, T C[81]) {
  if (!math::any(weight > T(0.0))) return;
  for (int b = 0; b < 9; ++b) {
    const T scaled = weight * q.m[b];
    for (int a = 0; a <= b; ++a) C[a + 9 * b] = C[a + 9 * b] + scaled * q.m[a];
  }
}

} // namespace detail

/// Adds to C = dP/dF what lifts its negative eigenvalues to zero: C becomes the nearest positive semi-definite matrix.
/// Where there is none, C keeps its value exactly, whatever the other lanes do.
/// \param C 9×9, a + 9 b over vec(F) (index i + 3 j), symmetric
template <class T>
LIMBER_HOST_DEVICE void lift_negative_eigenvalues(const math::Svd3<T>& svd, const PrincipalStretchDerivative<T>& d,
                                                  T C[81]) {
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const T twist = T(0.5) * math::max(-d.twist[k], T(0.0));
    const T flip = T(0.5) * math::max(-d.flip[k], T(0.0));
    math::Matrix3<T> minus, plus;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) {
        const T ij = svd.u(r, i) * svd.v(c, j), ji = svd.u(r, j) * svd.v(c, i);
        minus(r, c) = ij - ji;
        plus(r, c) = ij + ji;
      }
    detail::add_mode(twist, minus, C);
    detail::add_mode(flip, plus, C);
  }

  const T scale = math::max(math::max(math::abs(d.stretch(0, 0)), math::abs(d.stretch(1, 1))), //
                            math::abs(d.stretch(2, 2)));
  const auto positive = math::surely_positive_definite(d.stretch, scale);
  if (!math::all(positive)) {
    const auto eigen = math::symmetric_eigen(d.stretch);
    for (int k = 0; k < 3; ++k) {
      const T weight = math::select(positive, T(0.0), math::max(-eigen.values[k], T(0.0)));
      math::Matrix3<T> q;
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
          q(r, c) = eigen.vectors(0, k) * (svd.u(r, 0) * svd.v(c, 0)) +
                    eigen.vectors(1, k) * (svd.u(r, 1) * svd.v(c, 1)) +
                    eigen.vectors(2, k) * (svd.u(r, 2) * svd.v(c, 2));
      detail::add_mode(weight, q, C);
    }
  }
  for (int b = 0; b < 9; ++b)
    for (int a = 0; a < b; ++a) C[b + 9 * a] = C[a + 9 * b];
}

} // namespace limber::materials
