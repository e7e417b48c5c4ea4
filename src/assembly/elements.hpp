#pragma once
/// The elements as ElasticCellsOf wants them: one interface over the kernels of energies/.

#include "energies/inversion_bound.hpp"
#include "energies/jacobian_bound.hpp"
#include "energies/spring.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "energies/triangle_p1.hpp"
#include "energies/von_mises.hpp"
#include "materials/membrane_stretches.hpp"
#include "math/pack.hpp"

namespace limber::assembly {

struct LinearTetrahedron {
  static constexpr int nodes = 4;
  static constexpr bool has_deformation_gradient = true; ///< 3×3; others have stresses() instead
  static constexpr int points = 1;                       ///< of the integration
  static constexpr int stress_points = 1;                ///< where stresses are evaluated for output
  template <class T> using Rest = energies::TetrahedronRest<T>;

  template <class T> static Rest<T> make_rest(const T X[12]) { return energies::make_tetrahedron_rest(X); }
  template <class Material, class T> static T energy(const Material& material, const Rest<T>& rest, const T x[12]) {
    return energies::tetrahedron_energy(materials::material_at(material, 0), rest, x);
  }
  template <class Material, class T>
  static T energy_gradient(const Material& material, const Rest<T>& rest, const T x[12], T g[12]) {
    return energies::tetrahedron_energy_gradient(materials::material_at(material, 0), rest, x, g);
  }
  template <class Material, class T>
  static void hessian(const Material& material, const Rest<T>& rest, const T x[12], bool project, T H[144]) {
    energies::tetrahedron_hessian(materials::material_at(material, 0), rest, x, project, H);
  }
  template <class T> static auto may_reach_inversion_bound(const T x[12], const T p[12], const T& limit, double keep) {
    return energies::may_reach_inversion_bound(x, p, limit, keep);
  }
  static double inversion_bound(const double x[12], const double p[12], double limit, double keep) {
    return energies::tetrahedron_inversion_bound(x, p, limit, keep);
  }
  /// The smallest det F in the cell.
  template <class T> static T min_jacobian(const Rest<T>& rest, const T*, const T x[12]) {
    return math::determinant(energies::deformation_gradient(rest, x));
  }
  /// F at the integration points.
  template <class T> static void deformation_gradients(const Rest<T>& rest, const T x[12], math::Matrix3<T> F[1]) {
    F[0] = energies::deformation_gradient(rest, x);
  }
  /// F and volume at the stress points.
  template <class T>
  static void deformation_gradients(const Rest<T>& rest, const T*, const T x[12], math::Matrix3<T> F[1], T volume[1]) {
    F[0] = energies::deformation_gradient(rest, x);
    volume[0] = rest.volume;
  }
  /// From the stress points to the nodes.
  template <class T> static void extrapolate(const T points[1], T nodal[4]) {
    for (int a = 0; a < 4; ++a) nodal[a] = points[0];
  }
};

/// \tparam Points one of energies::QuadratureP2
template <int Points> struct QuadraticTetrahedron {
  static constexpr int nodes = 10;
  static constexpr bool has_deformation_gradient = true;
  static constexpr int points = Points;
  static constexpr int stress_points = energies::QuadratureP2::affine;
  template <class T> using Rest = energies::TetrahedronP2Rest<T, Points>;

  template <class T> static Rest<T> make_rest(const T X[30]) { return energies::make_tetrahedron_p2_rest<Points>(X); }
  template <class Material, class T> static T energy(const Material& material, const Rest<T>& rest, const T x[30]) {
    return energies::tetrahedron_p2_energy(material, rest, x);
  }
  template <class Material, class T>
  static T energy_gradient(const Material& material, const Rest<T>& rest, const T x[30], T g[30]) {
    return energies::tetrahedron_p2_energy_gradient(material, rest, x, g);
  }
  template <class Material, class T>
  static void hessian(const Material& material, const Rest<T>& rest, const T x[30], bool project, T H[900]) {
    energies::tetrahedron_p2_hessian(material, rest, x, project, H);
  }
  template <class T> static auto may_reach_inversion_bound(const T x[30], const T p[30], const T& limit, double keep) {
    return energies::may_reach_inversion_bound_p2(x, p, limit, keep);
  }
  static double inversion_bound(const double x[30], const double p[30], double limit, double keep) {
    return energies::tetrahedron_p2_inversion_bound(x, p, limit, keep);
  }
  template <int W>
  static math::Pack<W> min_jacobian(const Rest<math::Pack<W>>&, const math::Pack<W> X[30], const math::Pack<W> x[30]) {
    math::Pack<W> result;
    for (int lane = 0; lane < W; ++lane) {
      double rest_positions[30], positions[30];
      for (int i = 0; i < 30; ++i) {
        rest_positions[i] = X[i][lane];
        positions[i] = x[i][lane];
      }
      result.set(lane, energies::min_jacobian_ratio(positions, rest_positions));
    }
    return result;
  }
  template <class T> static void deformation_gradients(const Rest<T>& rest, const T x[30], math::Matrix3<T> F[Points]) {
    for (int q = 0; q < Points; ++q) {
      const auto point = energies::tetrahedron_quadrature_point<Points>(q);
      F[q] = energies::tetrahedron_p2_jacobian(x, point.barycentric) * rest.inverse_jacobian[q];
    }
  }
  template <class T>
  static void deformation_gradients(const Rest<T>&, const T X[30], const T x[30], math::Matrix3<T> F[4], T volume[4]) {
    const auto rest = energies::make_tetrahedron_p2_rest<stress_points>(X);
    for (int q = 0; q < stress_points; ++q) {
      const auto point = energies::tetrahedron_quadrature_point<stress_points>(q);
      F[q] = energies::tetrahedron_p2_jacobian(x, point.barycentric) * rest.inverse_jacobian[q];
      volume[q] = rest.weight[q];
    }
  }
  /// The linear function through the values at the four points; edges get the mean of their ends.
  template <class T> static void extrapolate(const T points[4], T nodal[10]) {
    // Point q has the barycentric coordinate `own` at vertex q and `other` at the rest.
    const auto first = energies::tetrahedron_quadrature_point<stress_points>(0);
    const double own = first.barycentric[0], other = first.barycentric[1];
    const T sum = (points[0] + points[1]) + (points[2] + points[3]);
    for (int a = 0; a < 4; ++a) nodal[a] = T(1.0 / (own - other)) * (points[a] - T(other) * sum);
    for (int e = 0; e < 6; ++e)
      nodal[4 + e] =
          T(0.5) * (nodal[energies::tetrahedron_edge_vertex(e, 0)] + nodal[energies::tetrahedron_edge_vertex(e, 1)]);
  }
};

/// A membrane; its thickness is set beside the rest positions (ElasticCellsOf).
struct LinearTriangle {
  static constexpr int nodes = 3;
  static constexpr int points = 1;
  static constexpr bool has_deformation_gradient = false; ///< a square one
  static constexpr int stress_points = 1;
  template <class T> using Rest = energies::TriangleRest<T>;

  template <class T> static Rest<T> make_rest(const T X[9], const T& thickness) {
    return energies::make_triangle_rest(X, thickness);
  }
  template <class Material, class T> static T energy(const Material& material, const Rest<T>& rest, const T x[9]) {
    return energies::triangle_energy(material, rest, x);
  }
  template <class Material, class T>
  static T energy_gradient(const Material& material, const Rest<T>& rest, const T x[9], T g[9]) {
    return energies::triangle_energy_gradient(material, rest, x, g);
  }
  template <class Material, class T>
  static void hessian(const Material& material, const Rest<T>& rest, const T x[9], bool project, T H[81]) {
    energies::triangle_hessian(material, rest, x, project, H);
  }
  template <class T> static auto may_reach_inversion_bound(const T x[9], const T p[9], const T& limit, double keep) {
    return energies::may_reach_collapse_bound(x, p, limit, keep);
  }
  static double inversion_bound(const double x[9], const double p[9], double limit, double keep) {
    return energies::triangle_collapse_bound(x, p, limit, keep);
  }
  /// The ratio of areas.
  template <class T> static T min_jacobian(const Rest<T>& rest, const T*, const T x[9]) {
    return materials::area_ratio(energies::triangle_deformation_gradient(rest, x));
  }
  /// σ = P Fᵀ/J in the plane of the triangle: force per length over the rest thickness.
  template <class Material, class T>
  static void stresses(const Material& material, const Rest<T>& rest, const T*, const T x[9], math::Matrix3<T> sigma[1],
                       T volume[1]) {
    const auto F = energies::triangle_deformation_gradient(rest, x);
    const auto P = material.stress(F);
    const T scale = T(1.0) / materials::area_ratio(F);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) sigma[0](i, j) = scale * (P(i, 0) * F(j, 0) + P(i, 1) * F(j, 1));
    volume[0] = rest.volume;
  }
  template <class T> static void extrapolate(const T points[1], T nodal[3]) {
    for (int a = 0; a < 3; ++a) nodal[a] = points[0];
  }
};

/// Its material is energies::SpringStiffness.
struct Spring {
  static constexpr int nodes = 2;
  static constexpr int points = 1;
  static constexpr bool has_deformation_gradient = false;
  static constexpr int stress_points = 1;
  template <class T> using Rest = energies::SpringRest<T>;

  template <class T> static Rest<T> make_rest(const T X[6]) { return energies::make_spring_rest(X); }
  template <class Material, class T> static T energy(const Material& material, const Rest<T>& rest, const T x[6]) {
    return energies::spring_energy(material, rest, x);
  }
  template <class Material, class T>
  static T energy_gradient(const Material& material, const Rest<T>& rest, const T x[6], T g[6]) {
    return energies::spring_energy_gradient(material, rest, x, g);
  }
  template <class Material, class T>
  static void hessian(const Material& material, const Rest<T>& rest, const T x[6], bool project, T H[36]) {
    energies::spring_hessian(material, rest, x, project, H);
  }
  /// The ratio of lengths.
  template <class T> static T min_jacobian(const Rest<T>& rest, const T*, const T x[6]) {
    return math::sqrt(energies::spring_ratio2(rest, x));
  }
  /// Springs have no stress.
  template <class Material, class T>
  static void stresses(const Material&, const Rest<T>&, const T*, const T*, math::Matrix3<T> sigma[1], T volume[1]) {
    for (T& entry : sigma[0].m) entry = T(0.0);
    volume[0] = T(1.0);
  }
  template <class T> static void extrapolate(const T points[1], T nodal[2]) { nodal[0] = nodal[1] = points[0]; }
};

} // namespace limber::assembly
