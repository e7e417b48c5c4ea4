#pragma once
/// Strain energy of a linear triangle in space as a membrane, V Ψ(F) with V = rest area × thickness: F = D_s D_m⁻¹ is
/// 3×2 and constant, with the edges x_1 − x_0, x_2 − x_0 as the columns of D_s and the rest edges, in a basis of the
/// rest plane, as those of D_m. It resists stretching and shearing, not bending. Arrays: positions x[9] and gradient
/// g[9] are vertex-major [m]; Hessians H[81] have entry (a, b) at a + 9 b and are symmetric, bitwise. Material: a
/// strain energy density of surfaces (materials/membrane_*.hpp). Bonet and Wood, chapter 9; Kim and Eberle, "Dynamic
/// deformables", SIGGRAPH course 2022, chapter 9.

#include "math/matrix32.hpp"
#include "math/quartic.hpp"

namespace limber::energies {

template <class T> struct TriangleRest {
  T inverse_edges[4]; ///< D_m⁻¹ [1/m], entry (k, j) at k + 2 j; row k belongs to vertex k + 1
  T volume;           ///< rest area × thickness [m³]
};

/// Columns x_1 − x_0, x_2 − x_0; also of velocities or steps.
template <class T> LIMBER_HOST_DEVICE math::Matrix32<T> triangle_edges(const T x[9]) {
  math::Matrix32<T> d;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) d(i, k) = x[3 * (k + 1) + i] - x[i];
  return d;
}

/// Area [m²] of the triangle of x[9].
template <class T> LIMBER_HOST_DEVICE T triangle_area(const T x[9]) {
  const auto d = triangle_edges(x);
  T n[3];
  math::cross3(d.column(0), d.column(1), n);
  return T(0.5) * math::sqrt(math::dot3(n, n));
}

/// Rest data from the rest positions X[9] and the thickness [m]; a triangle without area gives infinite or NaN entries.
/// The basis of the rest plane has its first vector along the first edge.
template <class T> LIMBER_HOST_DEVICE TriangleRest<T> make_triangle_rest(const T X[9], const T& thickness) {
  const auto d = triangle_edges(X);
  const T length = math::sqrt(math::dot3(d.column(0), d.column(0)));
  const T along = math::dot3(d.column(0), d.column(1)) / length;
  const T area = triangle_area(X), height = T(2.0) * area / length;
  // D_m = [length along; 0 height]
  return {{T(1.0) / length, T(0.0), -along / (length * height), T(1.0) / height}, area * thickness};
}

template <class T>
LIMBER_HOST_DEVICE math::Matrix32<T> triangle_deformation_gradient(const TriangleRest<T>& rest, const T x[9]) {
  const auto d = triangle_edges(x);
  const T* b = rest.inverse_edges;
  math::Matrix32<T> f;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i) f(i, j) = d(i, 0) * b[2 * j] + d(i, 1) * b[1 + 2 * j];
  return f;
}

/// V Ψ(F) [J]; +∞ where the material says so.
template <class Material, class T>
LIMBER_HOST_DEVICE T triangle_energy(const Material& material, const TriangleRest<T>& rest, const T x[9]) {
  return rest.volume * material.energy(triangle_deformation_gradient(rest, x));
}

/// Returns the energy [J], writes the gradient [N]; F must be in the material's domain.
template <class Material, class T>
LIMBER_HOST_DEVICE T triangle_energy_gradient(const Material& material, const TriangleRest<T>& rest, const T x[9],
                                              T g[9]) {
  const auto f = triangle_deformation_gradient(rest, x);
  const auto p = material.stress(f);
  const T* b = rest.inverse_edges;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 2; ++k) g[3 * (k + 1) + i] = rest.volume * (p(i, 0) * b[k] + p(i, 1) * b[k + 2]);
    g[i] = -(g[3 + i] + g[6 + i]);
  }
  return rest.volume * material.energy(f);
}

/// Hessian [N/m]; F must be in the material's domain.
/// \param project replace dP/dF by the nearest positive semi-definite matrix
template <class Material, class T>
LIMBER_HOST_DEVICE void triangle_hessian(const Material& material, const TriangleRest<T>& rest, const T x[9],
                                         bool project, T H[81]) {
  const auto f = triangle_deformation_gradient(rest, x);
  T C[36];
  if (project) material.projected_stress_derivative(f, C);
  else material.stress_derivative(f, C);
  const T* b = rest.inverse_edges;
  for (int node = 0; node < 2; ++node) // columns 3 (node + 1) + k
    for (int k = 0; k < 3; ++k) {
      T w[6]; // V ∂P/∂x, one column
      for (int a = 0; a < 6; ++a) w[a] = rest.volume * (b[node] * C[a + 6 * k] + b[node + 2] * C[a + 6 * (k + 3)]);
      const int col = 3 * (node + 1) + k;
      for (int row = 3; row <= col; ++row) {
        const int m = row / 3 - 1, i = row % 3;
        const T h = b[m] * w[i] + b[m + 2] * w[i + 3];
        H[row + 9 * col] = h;
        H[col + 9 * row] = h;
      }
    }
  for (int col = 3; col < 9; ++col)
    for (int i = 0; i < 3; ++i) {
      const T h = -(H[3 + i + 9 * col] + H[6 + i + 9 * col]);
      H[i + 9 * col] = h;
      H[col + 9 * i] = h;
    }
  for (int col = 0; col < 3; ++col)
    for (int row = 0; row <= col; ++row) {
      const T h = -(H[row + 9 * (3 + col)] + H[row + 9 * (6 + col)]);
      H[row + 9 * col] = h;
      H[col + 9 * row] = h;
    }
}

/// Entry (a, b) of the consistent nodal mass matrix over ρV: (1 + δ_ab)/12.
LIMBER_HOST_DEVICE constexpr double triangle_mass_share(int a, int b) { return a == b ? 2.0 / 12.0 : 1.0 / 12.0; }

/// area²(x + α p) − keep² area²(x), times 4, as a quartic in α: the normal n(α) is a quadratic polynomial of α. In a
/// plane a triangle that turns over has no area on the way, so that a positive margin rules it out.
template <class T> LIMBER_HOST_DEVICE math::Quartic<T> triangle_area_margin(const T x[9], const T p[9], double keep) {
  const auto d = triangle_edges(x), q = triangle_edges(p);
  T n0[3], n1[3], n2[3], mixed[3];
  math::cross3(d.column(0), d.column(1), n0);
  math::cross3(d.column(0), q.column(1), n1);
  math::cross3(q.column(0), d.column(1), mixed);
  math::cross3(q.column(0), q.column(1), n2);
  for (int i = 0; i < 3; ++i) n1[i] = n1[i] + mixed[i];
  return {{T(1.0 - keep * keep) * math::dot3(n0, n0), T(2.0) * math::dot3(n0, n1),
           math::dot3(n1, n1) + T(2.0) * math::dot3(n0, n2), T(2.0) * math::dot3(n1, n2), math::dot3(n2, n2)}};
}

/// The largest α in [0, limit] such that the area of x + a p is at least keep times that of x for all a ≤ α, short of
/// it by slack (math::first_root). 0 for a triangle without area. \param keep in (0, 1)
LIMBER_HOST_DEVICE inline double triangle_collapse_bound(const double x[9], const double p[9], double limit,
                                                         double keep) {
  return math::first_root(triangle_area_margin(x, p, keep), limit);
}

/// Lanes (or, for double, whether this one) where the bound may be less than `limit`; the others need no further look.
template <class T>
LIMBER_HOST_DEVICE auto may_reach_collapse_bound(const T x[9], const T p[9], const T& limit, double keep) {
  return !math::surely_positive(triangle_area_margin(x, p, keep), limit);
}

} // namespace limber::energies
