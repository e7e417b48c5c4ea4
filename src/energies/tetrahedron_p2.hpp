#pragma once
/// Strain energy of a quadratic (P2, 10-node, isoparametric) tetrahedron, ∫ Ψ(F) dX by numerical integration.
/// Nodes: vertices 0..3, then the edges 01, 12, 20, 03, 13, 23 (VTK_QUADRATIC_TETRA). Reference coordinates
/// ξ = (ξ, η, ζ) are the barycentric ones of vertices 1, 2, 3: L = (1 − ξ − η − ζ, ξ, η, ζ).
/// Shape functions: L_a (2 L_a − 1) of a vertex, 4 L_a L_b of an edge.
/// Arrays: x[30] and g[30] node-major [m], [N]; H[900] has entry (a, b) at a + 30 b and is symmetric, bitwise.
///
/// At a point the element is a linear tetrahedron: with ∇N_i = Σ_a α_ia ∇L_a, dx/dξ has the columns y_k − y_0 of the
/// "tangent tetrahedron" y_a = Σ_i α_ia x_i. Energy, forces y ↦ g_y and stiffness H_y are those of tetrahedron_p1.hpp;
/// then g = α g_y and H = α H_y αᵀ. A vertex has one α, an edge two.
/// Zienkiewicz, Taylor, Zhu, The Finite Element Method: Its Basis and Fundamentals, 7th ed., chapters 3 and 6.

#include "energies/tetrahedron_p1.hpp"
#include "materials/material_points.hpp"

namespace limber::energies {

/// Vertex at either end (side 0 or 1) of an edge, 0..5.
LIMBER_HOST_DEVICE constexpr int tetrahedron_edge_vertex(int edge, int side) {
  return side == 0 ? edge % 3 : edge < 3 ? (edge + 1) % 3 : 3;
}

/// Barycentric coordinates of a point and its weight; the weights of a rule add up to 1.
struct TetrahedronPoint {
  double barycentric[4];
  double weight;
};

/// The integration rules by their number of points; all weights positive.
struct QuadratureP2 {
  static constexpr int affine = 4;   ///< degree 2, inside; for straight-sided elements
  static constexpr int barrier = 11; ///< degree 3, vertices, middles of edges and the center; for energies that are
                                     ///< infinite at J = 0: elements fold along their edges, which points inside miss
  static constexpr int curved = 14;  ///< degree 5, inside; for curved elements
};

/// Point q of the rule with N points: 4 (Hammer and Stroud, 1956), 11 (determined by its degree) or 14
/// (Grundmann and Möller, 1978; Walkington, "Quadrature on simplices of arbitrary dimension", 2000).
template <int N> LIMBER_HOST_DEVICE constexpr TetrahedronPoint tetrahedron_quadrature_point(int q) {
  static_assert(N == QuadratureP2::affine || N == QuadratureP2::barrier || N == QuadratureP2::curved);
  if constexpr (N == QuadratureP2::barrier) {
    TetrahedronPoint p{{0.25, 0.25, 0.25, 0.25}, 8.0 / 15.0};
    if (q == 10) return p;
    p.weight = q < 4 ? 1.0 / 60.0 : 1.0 / 15.0;
    for (int a = 0; a < 4; ++a)
      p.barycentric[a] =
          q < 4 ? (a == q ? 1.0 : 0.0)
                : (a == tetrahedron_edge_vertex(q - 4, 0) || a == tetrahedron_edge_vertex(q - 4, 1) ? 0.5 : 0.0);
    return p;
  }
  TetrahedronPoint p{};
  double most = 0.0, rest = 0.0; // of two or of one vertex, and of the others
  if constexpr (N == QuadratureP2::affine) {
    rest = 0.13819660112501051518; // (5 − √5)/20
    p.weight = 0.25;
  } else if (q < 4) {
    rest = 0.31088591926330060980;
    p.weight = 0.11268792571801585080;
  } else if (q < 8) {
    rest = 0.092735250310891226402;
    p.weight = 0.073493043116361949544;
  } else {
    rest = 0.045503704125649649492;
    p.weight = 0.042546020777081466438;
  }
  const bool on_edge = q >= 8;
  most = on_edge ? 0.5 - rest : 1.0 - 3.0 * rest;
  for (int a = 0; a < 4; ++a) {
    const bool chosen =
        on_edge ? a == tetrahedron_edge_vertex(q - 8, 0) || a == tetrahedron_edge_vertex(q - 8, 1) : a == q % 4;
    p.barycentric[a] = chosen ? most : rest;
  }
  return p;
}

/// (dX/dξ)⁻¹ [1/m] and the weight times det(dX/dξ)/6 [m³] at the points of a rule; N is one of QuadratureP2. The
/// weights add up to the volume.
template <class T, int N> struct TetrahedronP2Rest {
  math::Matrix3<T> inverse_jacobian[N];
  T weight[N];
};

/// N_i at ξ.
LIMBER_HOST_DEVICE inline void tetrahedron_p2_shape(const double xi[3], double shape[10]) {
  const double L[4] = {1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
  for (int a = 0; a < 4; ++a) shape[a] = L[a] * (2.0 * L[a] - 1.0);
  for (int e = 0; e < 6; ++e) shape[4 + e] = 4.0 * L[tetrahedron_edge_vertex(e, 0)] * L[tetrahedron_edge_vertex(e, 1)];
}

namespace detail {

/// α at a point: of each vertex, and of each edge towards the vertex at either end.
struct TangentWeights {
  double vertex[4];
  double edge[6][2];
};

LIMBER_HOST_DEVICE constexpr TangentWeights tangent_weights(const double barycentric[4]) {
  TangentWeights w{};
  for (int a = 0; a < 4; ++a) w.vertex[a] = 4.0 * barycentric[a] - 1.0;
  for (int e = 0; e < 6; ++e)
    for (int side = 0; side < 2; ++side) w.edge[e][side] = 4.0 * barycentric[tetrahedron_edge_vertex(e, 1 - side)];
  return w;
}

/// Positions relative to node 0, so that the tangent tetrahedra lose no digits far from the origin.
template <class T> LIMBER_HOST_DEVICE void relative_positions(const T x[30], T u[30]) {
  for (int i = 0; i < 30; ++i) u[i] = x[i] - x[i % 3];
}

template <class T> LIMBER_HOST_DEVICE void tangent_tetrahedron(const TangentWeights& w, const T u[30], T y[12]) {
  for (int i = 0; i < 12; ++i) y[i] = T(w.vertex[i / 3]) * u[i];
  for (int e = 0; e < 6; ++e)
    for (int side = 0; side < 2; ++side) {
      T* vertex = y + 3 * tetrahedron_edge_vertex(e, side);
      const T weight = T(w.edge[e][side]);
      for (int i = 0; i < 3; ++i) vertex[i] = vertex[i] + weight * u[12 + 3 * e + i];
    }
}

/// g += α g_y
template <class T> LIMBER_HOST_DEVICE void add_tangent_forces(const TangentWeights& w, const T gy[12], T g[30]) {
  for (int i = 0; i < 12; ++i) g[i] = g[i] + T(w.vertex[i / 3]) * gy[i];
  for (int e = 0; e < 6; ++e) {
    const T* first = gy + 3 * tetrahedron_edge_vertex(e, 0);
    const T* second = gy + 3 * tetrahedron_edge_vertex(e, 1);
    for (int i = 0; i < 3; ++i) {
      T& out = g[12 + 3 * e + i];
      out = out + (T(w.edge[e][0]) * first[i] + T(w.edge[e][1]) * second[i]);
    }
  }
}

/// H += α H_y αᵀ, on the upper triangle.
template <class T> LIMBER_HOST_DEVICE void add_tangent_stiffness(const TangentWeights& w, const T Hy[144], T H[900]) {
  for (int col = 0; col < 30; ++col) {
    const int node = col / 3, k = col % 3;
    T column[12]; // of H_y αᵀ
    if (node < 4) {
      for (int i = 0; i < 12; ++i) column[i] = T(w.vertex[node]) * Hy[i + 12 * col];
    } else {
      const T* first = Hy + 12 * (3 * tetrahedron_edge_vertex(node - 4, 0) + k);
      const T* second = Hy + 12 * (3 * tetrahedron_edge_vertex(node - 4, 1) + k);
      const T a = T(w.edge[node - 4][0]), b = T(w.edge[node - 4][1]);
      for (int i = 0; i < 12; ++i) column[i] = a * first[i] + b * second[i];
    }
    T* h = H + 30 * col;
    for (int row = 0; row < 12 && row <= col; ++row) h[row] = h[row] + T(w.vertex[row / 3]) * column[row];
    for (int row = 12; row <= col; ++row) {
      const int e = row / 3 - 4, i = row % 3;
      h[row] = h[row] + (T(w.edge[e][0]) * column[3 * tetrahedron_edge_vertex(e, 0) + i] +
                         T(w.edge[e][1]) * column[3 * tetrahedron_edge_vertex(e, 1) + i]);
    }
  }
}

/// The linear tetrahedron at one point: its rest data, its F, and how it hangs on the ten nodes.
template <class T> struct TangentPoint {
  TangentWeights weights;
  TetrahedronRest<T> rest;
  math::Matrix3<T> f;
};

template <class T, int N>
LIMBER_HOST_DEVICE TangentPoint<T> tangent_point(const TetrahedronP2Rest<T, N>& rest, const T u[30], int q) {
  TangentPoint<T> p;
  p.weights = tangent_weights(tetrahedron_quadrature_point<N>(q).barycentric);
  p.rest = {rest.inverse_jacobian[q], rest.weight[q]};
  T y[12];
  tangent_tetrahedron(p.weights, u, y);
  p.f = tetrahedron_edges(y) * p.rest.inverse_edges;
  return p;
}

template <class Material, class T, int N>
LIMBER_HOST_DEVICE T tetrahedron_p2_sum(const Material& material, const TetrahedronP2Rest<T, N>& rest, const T x[30],
                                        bool project, T* g, T* H) {
  T u[30];
  relative_positions(x, u);
  T energy = T(0.0);
  if (g)
    for (int i = 0; i < 30; ++i) g[i] = T(0.0);
  if (H)
    for (int i = 0; i < 900; ++i) H[i] = T(0.0);
  for (int q = 0; q < N; ++q) {
    const TangentPoint<T> p = tangent_point(rest, u, q);
    const auto& here = materials::material_at(material, q);
    if (g) {
      T gy[12];
      tetrahedron_forces(p.rest, here.stress(p.f), gy);
      add_tangent_forces(p.weights, gy, g);
      energy = energy + p.rest.volume * here.energy(p.f);
    }
    if (H) {
      T Hy[144];
      tetrahedron_hessian_at(here, p.rest, p.f, project, Hy);
      add_tangent_stiffness(p.weights, Hy, H);
    }
  }
  if (H)
    for (int col = 0; col < 30; ++col)
      for (int row = 0; row < col; ++row) H[col + 30 * row] = H[row + 30 * col];
  return energy;
}

} // namespace detail

/// dN_i/dξ_k at ξ.
LIMBER_HOST_DEVICE inline void tetrahedron_p2_shape_derivative(const double xi[3], double derivative[10][3]) {
  const double L[4] = {1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
  const auto w = detail::tangent_weights(L);
  const auto slope = [](int vertex, int k) { return vertex == 0 ? -1.0 : vertex == k + 1 ? 1.0 : 0.0; };
  for (int k = 0; k < 3; ++k) {
    for (int a = 0; a < 4; ++a) derivative[a][k] = w.vertex[a] * slope(a, k);
    for (int e = 0; e < 6; ++e)
      derivative[4 + e][k] = w.edge[e][0] * slope(tetrahedron_edge_vertex(e, 0), k) +
                             w.edge[e][1] * slope(tetrahedron_edge_vertex(e, 1), k);
  }
}

/// dx/dξ at the point with the given barycentric coordinates [m].
template <class T>
LIMBER_HOST_DEVICE math::Matrix3<T> tetrahedron_p2_jacobian(const T x[30], const double barycentric[4]) {
  T u[30], y[12];
  detail::relative_positions(x, u);
  detail::tangent_tetrahedron(detail::tangent_weights(barycentric), u, y);
  return tetrahedron_edges(y);
}

/// F at ξ for the rest positions X[30].
template <class T>
LIMBER_HOST_DEVICE math::Matrix3<T> tetrahedron_p2_deformation_gradient(const T X[30], const T x[30],
                                                                        const double xi[3]) {
  const double L[4] = {1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
  return tetrahedron_p2_jacobian(x, L) * math::inverse(tetrahedron_p2_jacobian(X, L));
}

/// Whether every edge node is the midpoint of its edge, to within tolerance times the longest edge.
LIMBER_HOST_DEVICE inline bool tetrahedron_p2_is_straight(const double X[30], double tolerance) {
  double longest2 = 0.0, farthest2 = 0.0;
  for (int e = 0; e < 6; ++e) {
    const double* a = X + 3 * tetrahedron_edge_vertex(e, 0);
    const double* b = X + 3 * tetrahedron_edge_vertex(e, 1);
    double edge[3], off[3];
    for (int i = 0; i < 3; ++i) {
      edge[i] = b[i] - a[i];
      off[i] = 0.5 * ((X[12 + 3 * e + i] - a[i]) + (X[12 + 3 * e + i] - b[i]));
    }
    longest2 = math::max(longest2, math::dot3(edge, edge));
    farthest2 = math::max(farthest2, math::dot3(off, off));
  }
  return farthest2 <= tolerance * tolerance * longest2;
}

/// Rest data from the rest positions X[30], for the rule with N points. Where X is degenerate entries are infinite, NaN
/// or, for the weights, not positive.
template <int N, class T> LIMBER_HOST_DEVICE TetrahedronP2Rest<T, N> make_tetrahedron_p2_rest(const T X[30]) {
  TetrahedronP2Rest<T, N> rest;
  for (int q = 0; q < N; ++q) {
    const auto point = tetrahedron_quadrature_point<N>(q);
    const auto jacobian = tetrahedron_p2_jacobian(X, point.barycentric);
    rest.inverse_jacobian[q] = math::inverse(jacobian);
    rest.weight[q] = T(point.weight * (1.0 / 6.0)) * math::determinant(jacobian);
  }
  return rest;
}

/// Σ_q weight_q Ψ(F_q) [J]; +∞ where the material says so.
template <class Material, class T, int N>
LIMBER_HOST_DEVICE T tetrahedron_p2_energy(const Material& material, const TetrahedronP2Rest<T, N>& rest,
                                           const T x[30]) {
  T u[30];
  detail::relative_positions(x, u);
  T energy = T(0.0);
  for (int q = 0; q < N; ++q)
    energy = energy + rest.weight[q] * materials::material_at(material, q).energy(detail::tangent_point(rest, u, q).f);
  return energy;
}

/// Returns the energy [J], writes the gradient [N]; every F_q must be in the material's domain.
template <class Material, class T, int N>
LIMBER_HOST_DEVICE T tetrahedron_p2_energy_gradient(const Material& material, const TetrahedronP2Rest<T, N>& rest,
                                                    const T x[30], T g[30]) {
  return detail::tetrahedron_p2_sum(material, rest, x, false, g, static_cast<T*>(nullptr));
}

/// Hessian [N/m]; every F_q must be in the material's domain.
/// \param project replace each dP/dF by the nearest positive semi-definite matrix
template <class Material, class T, int N>
LIMBER_HOST_DEVICE void tetrahedron_p2_hessian(const Material& material, const TetrahedronP2Rest<T, N>& rest,
                                               const T x[30], bool project, T H[900]) {
  detail::tetrahedron_p2_sum(material, rest, x, project, static_cast<T*>(nullptr), H);
}

/// All of the above at once; cheaper than one after the other.
template <class Material, class T, int N>
LIMBER_HOST_DEVICE T tetrahedron_p2_energy_gradient_hessian(const Material& material,
                                                            const TetrahedronP2Rest<T, N>& rest, const T x[30],
                                                            bool project, T g[30], T H[900]) {
  return detail::tetrahedron_p2_sum(material, rest, x, project, g, H);
}

} // namespace limber::energies
