#pragma once
/// Strain energy of a linear (P1) tetrahedron, V Ψ(F): F is constant, F = D_s D_m⁻¹ with the edges x_k − x_0 (k = 1, 2,
/// 3) as the columns of D_s and the rest edges as those of D_m.
/// Arrays: positions x[12] and gradient g[12] are vertex-major (v0x v0y v0z v1x …) [m]; Hessians H[144] have entry
/// (a, b) at a + 12 b and are symmetric, bitwise. Rest data: D_m⁻¹ [1/m] and the volume V [m³].
/// Material: a strain energy density of materials/. Bonet and Wood, chapter 9; Kim and Eberle, "Dynamic deformables",
/// SIGGRAPH course 2022.

#include "math/matrix3.hpp"

namespace limber::energies {

template <class T> struct TetrahedronRest {
  math::Matrix3<T> inverse_edges; ///< D_m⁻¹ [1/m]; row k − 1 is the gradient of vertex k's shape function
  T volume;                       ///< [m³], negative if the vertices are in the wrong order
};

/// Columns x_1 − x_0, x_2 − x_0, x_3 − x_0; also of velocities or steps.
template <class T> LIMBER_HOST_DEVICE math::Matrix3<T> tetrahedron_edges(const T x[12]) {
  math::Matrix3<T> d;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) d(i, k) = x[3 * (k + 1) + i] - x[i];
  return d;
}

/// Rest data from the rest positions X[12]; a flat tetrahedron gives infinite or NaN entries.
template <class T> LIMBER_HOST_DEVICE TetrahedronRest<T> make_tetrahedron_rest(const T X[12]) {
  const auto edges = tetrahedron_edges(X);
  return {math::inverse(edges), math::determinant(edges) * T(1.0 / 6.0)};
}

template <class T>
LIMBER_HOST_DEVICE math::Matrix3<T> deformation_gradient(const TetrahedronRest<T>& rest, const T x[12]) {
  return tetrahedron_edges(x) * rest.inverse_edges;
}

namespace detail {

/// g_k = V P ∇N_k with the shape gradients ∇N_k; vertex 0 balances the others.
template <class T>
LIMBER_HOST_DEVICE void tetrahedron_forces(const TetrahedronRest<T>& rest, const math::Matrix3<T>& stress, T g[12]) {
  for (int i = 0; i < 3; ++i) {
    const T row[3] = {rest.volume * stress(i, 0), rest.volume * stress(i, 1), rest.volume * stress(i, 2)};
    for (int k = 0; k < 3; ++k) {
      const auto& b = rest.inverse_edges;
      g[3 * (k + 1) + i] = row[0] * b(k, 0) + row[1] * b(k, 1) + row[2] * b(k, 2);
    }
    g[i] = -(g[3 + i] + g[6 + i] + g[9 + i]);
  }
}

/// H = V Gᵀ C G for C = dP/dF [81] and G = dvec(F)/dx.
template <class T>
LIMBER_HOST_DEVICE void tetrahedron_stiffness(const TetrahedronRest<T>& rest, const T C[81], T H[144]) {
  const auto& b = rest.inverse_edges;
  for (int node = 0; node < 3; ++node) { // columns 3 (node + 1) + k
    const T weight[3] = {rest.volume * b(node, 0), rest.volume * b(node, 1), rest.volume * b(node, 2)};
    for (int k = 0; k < 3; ++k) {
      T w[9]; // V ∂P/∂x, one column
      for (int a = 0; a < 9; ++a)
        w[a] = weight[0] * C[a + 9 * k] + weight[1] * C[a + 9 * (k + 3)] + weight[2] * C[a + 9 * (k + 6)];
      const int col = 3 * (node + 1) + k;
      for (int row = 3; row <= col; ++row) {
        const int m = row / 3 - 1, i = row % 3;
        const T h = b(m, 0) * w[i] + b(m, 1) * w[i + 3] + b(m, 2) * w[i + 6];
        H[row + 12 * col] = h;
        H[col + 12 * row] = h;
      }
    }
  }
  for (int col = 3; col < 12; ++col)
    for (int i = 0; i < 3; ++i) {
      const T h = -(H[3 + i + 12 * col] + H[6 + i + 12 * col] + H[9 + i + 12 * col]);
      H[i + 12 * col] = h;
      H[col + 12 * i] = h;
    }
  for (int col = 0; col < 3; ++col)
    for (int row = 0; row <= col; ++row) {
      const T h = -(H[row + 12 * (3 + col)] + H[row + 12 * (6 + col)] + H[row + 12 * (9 + col)]);
      H[row + 12 * col] = h;
      H[col + 12 * row] = h;
    }
}

template <class Material, class T>
LIMBER_HOST_DEVICE void tetrahedron_hessian_at(const Material& material, const TetrahedronRest<T>& rest,
                                               const math::Matrix3<T>& f, bool project, T H[144]) {
  T C[81];
  if (project) material.projected_stress_derivative(f, C);
  else material.stress_derivative(f, C);
  tetrahedron_stiffness(rest, C, H);
}

} // namespace detail

/// V Ψ(F) [J]; +∞ where the material says so.
template <class Material, class T>
LIMBER_HOST_DEVICE T tetrahedron_energy(const Material& material, const TetrahedronRest<T>& rest, const T x[12]) {
  return rest.volume * material.energy(deformation_gradient(rest, x));
}

/// Returns the energy [J], writes the gradient [N]; F must be in the material's domain.
template <class Material, class T>
LIMBER_HOST_DEVICE T tetrahedron_energy_gradient(const Material& material, const TetrahedronRest<T>& rest,
                                                 const T x[12], T g[12]) {
  const auto f = deformation_gradient(rest, x);
  detail::tetrahedron_forces(rest, material.stress(f), g);
  return rest.volume * material.energy(f);
}

/// Hessian [N/m]; F must be in the material's domain.
/// \param project replace dP/dF by the nearest positive semi-definite matrix
template <class Material, class T>
LIMBER_HOST_DEVICE void tetrahedron_hessian(const Material& material, const TetrahedronRest<T>& rest, const T x[12],
                                            bool project, T H[144]) {
  detail::tetrahedron_hessian_at(material, rest, deformation_gradient(rest, x), project, H);
}

/// All of the above at once; cheaper than one after the other.
template <class Material, class T>
LIMBER_HOST_DEVICE T tetrahedron_energy_gradient_hessian(const Material& material, const TetrahedronRest<T>& rest,
                                                         const T x[12], bool project, T g[12], T H[144]) {
  const auto f = deformation_gradient(rest, x);
  detail::tetrahedron_forces(rest, material.stress(f), g);
  detail::tetrahedron_hessian_at(material, rest, f, project, H);
  return rest.volume * material.energy(f);
}

} // namespace limber::energies
