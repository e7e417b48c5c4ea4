#pragma once
/// The elements as ElasticCellsOf wants them: one interface over the kernels of energies/.

#include "energies/inversion_bound.hpp"
#include "energies/jacobian_bound.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "math/pack.hpp"

namespace limber::assembly {

struct LinearTetrahedron {
  static constexpr int nodes = 4;
  static constexpr int points = 1;        ///< of the integration
  static constexpr int stress_points = 1; ///< where stresses are evaluated for output
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

} // namespace limber::assembly
