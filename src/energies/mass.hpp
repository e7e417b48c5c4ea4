#pragma once
/// Mass of linear and quadratic tetrahedra [kg]: density ρ [kg/m³], rest volume V [m³]. The 3 n × 3 n matrix is the
/// nodal one times I₃.

#include "energies/tetrahedron_p2.hpp"

namespace limber::energies {

/// Entry (a, b) of the consistent nodal mass matrix: ρ V (1 + δ_ab)/20.
template <class T> LIMBER_HOST_DEVICE T tetrahedron_consistent_mass(T density, T volume, int a, int b) {
  return density * volume * T(a == b ? 2.0 / 20.0 : 1.0 / 20.0);
}

/// Lumped mass of each node, the row sum: ρ V/4.
template <class T> LIMBER_HOST_DEVICE T tetrahedron_lumped_mass(T density, T volume) {
  return density * volume * T(0.25);
}

/// Entry (a, b) of ∫ N_a N_b dX/V on a straight-sided quadratic tetrahedron; nodes as in tetrahedron_p2.hpp. From
/// ∫ L_0^i L_1^j L_2^k L_3^l dX = 6 V i! j! k! l!/(i + j + k + l + 3)!.
LIMBER_HOST_DEVICE constexpr double tetrahedron_p2_straight_mass(int a, int b) {
  if (a > b) return tetrahedron_p2_straight_mass(b, a);
  if (b < 4) return (a == b ? 6.0 : 1.0) / 420.0;
  const int b0 = tetrahedron_edge_vertex(b - 4, 0), b1 = tetrahedron_edge_vertex(b - 4, 1);
  if (a < 4) return (a == b0 || a == b1 ? -4.0 : -6.0) / 420.0;
  if (a == b) return 32.0 / 420.0;
  const int a0 = tetrahedron_edge_vertex(a - 4, 0), a1 = tetrahedron_edge_vertex(a - 4, 1);
  return (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1 ? 16.0 : 8.0) / 420.0;
}

/// The consistent nodal mass matrix of a quadratic tetrahedron, M[a + 10 b], symmetric: exact if straight-sided, else
/// by the rule QuadratureP2::curved. \param X rest positions [30]
LIMBER_HOST_DEVICE inline void tetrahedron_p2_consistent_mass(const double X[30], double density, double M[100]) {
  if (tetrahedron_p2_is_straight(X, 1e-12)) {
    const double mass = density * make_tetrahedron_rest(X).volume; // the vertices come first
    for (int b = 0; b < 10; ++b)
      for (int a = 0; a < 10; ++a) M[a + 10 * b] = mass * tetrahedron_p2_straight_mass(a, b);
    return;
  }
  for (int i = 0; i < 100; ++i) M[i] = 0.0;
  for (int q = 0; q < QuadratureP2::curved; ++q) {
    const auto point = tetrahedron_quadrature_point<QuadratureP2::curved>(q);
    const double mass = density * point.weight / 6.0 * math::determinant(tetrahedron_p2_jacobian(X, point.barycentric));
    double shape[10];
    tetrahedron_p2_shape(point.barycentric + 1, shape);
    for (int b = 0; b < 10; ++b)
      for (int a = 0; a < 10; ++a) M[a + 10 * b] += mass * (shape[a] * shape[b]);
  }
}

/// Lumped masses m[10] of a quadratic tetrahedron: the diagonal of the consistent matrix, scaled to the total mass;
/// positive, whereas the row sums of the vertices are not. Hinton, Rock, Zienkiewicz, "A note on mass lumping and
/// related processes in the finite element method", Earthquake Eng. Struct. Dyn. 4, 1976.
LIMBER_HOST_DEVICE inline void tetrahedron_p2_lumped_mass(const double X[30], double density, double m[10]) {
  double M[100], total = 0.0, diagonal = 0.0;
  tetrahedron_p2_consistent_mass(X, density, M);
  for (int i = 0; i < 100; ++i) total += M[i];
  for (int a = 0; a < 10; ++a) diagonal += M[11 * a];
  for (int a = 0; a < 10; ++a) m[a] = M[11 * a] * (total / diagonal);
}

} // namespace limber::energies
