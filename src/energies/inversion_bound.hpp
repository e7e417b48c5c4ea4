#pragma once
/// How far a tetrahedron can move along a line before its volume has shrunk too much.
/// The volume along x + α p is a cubic in α: with the edges D of x and Q of p,
/// det(D + α Q) = det D + α cof D : Q + α² cof Q : D + α³ det Q.

#include "energies/tetrahedron_p1.hpp"
#include "math/cubic.hpp"

namespace limber::energies {

/// det(x + α p) − keep det(x), the determinant of the edges [m³], as a cubic in α. x[12], p[12] vertex-major.
template <class T>
LIMBER_HOST_DEVICE math::Cubic<T> tetrahedron_volume_margin(const T x[12], const T p[12], double keep) {
  const auto d = tetrahedron_edges(x), q = tetrahedron_edges(p);
  const auto cof_d = math::cofactor(d), cof_q = math::cofactor(q);
  const T det = math::dot3(d.column(0), cof_d.column(0));
  return {{T(1.0 - keep) * det, math::contract(cof_d, q), math::contract(cof_q, d),
           math::dot3(q.column(0), cof_q.column(0))}};
}

/// The largest α in [0, limit] such that det(x + a p) ≥ keep det(x) for all a ≤ α, short of it by slack
/// (math::first_root). 0 if det(x) ≤ 0. The rest orientation is taken to be positive. \param keep in (0, 1), the part
/// of the present volume that must be left
LIMBER_HOST_DEVICE inline double tetrahedron_inversion_bound(const double x[12], const double p[12], double limit,
                                                             double keep) {
  return math::first_root(tetrahedron_volume_margin(x, p, keep), limit);
}

/// Lanes (or, for double, whether this one) where the bound may be less than `limit`; the others need no further look.
template <class T>
LIMBER_HOST_DEVICE auto may_reach_inversion_bound(const T x[12], const T p[12], const T& limit, double keep) {
  return !math::surely_positive(tetrahedron_volume_margin(x, p, keep), limit);
}

} // namespace limber::energies
