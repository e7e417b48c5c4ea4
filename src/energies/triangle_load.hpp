#pragma once
/// Consistent nodal loads of tractions and pressures on boundary triangles, by numerical integration: with the points
/// of triangle_load_points, node i gets Σ_q N_i(q) |area(q)| t(position(q)) of a traction t [Pa], and −Σ_q N_i(q) p
/// area(q) of a pressure p. Nodes: the corners, then (6-node triangles) the edges 01, 12, 20. Positions node-major [m].

#include "math/matrix3.hpp"

namespace limber::energies {

template <int Nodes> struct TriangleLoadPoint {
  double position[3];  ///< [m]
  double shape[Nodes]; ///< N_i, adding up to 1
  double area[3];      ///< normal times area element times weight [m²]; outward if the nodes are counterclockwise seen
                       ///< from outside
};

/// Flat 3-node triangle: 3 points, exact for N_i times a linear load. \param x positions [9]
LIMBER_HOST_DEVICE inline void triangle_load_points(const double x[9], TriangleLoadPoint<3> points[3]) {
  double first[3], second[3], normal[3];
  for (int i = 0; i < 3; ++i) {
    first[i] = x[3 + i] - x[i];
    second[i] = x[6 + i] - x[i];
  }
  math::cross3(first, second, normal);
  for (int q = 0; q < 3; ++q) {
    auto& p = points[q];
    for (int a = 0; a < 3; ++a) p.shape[a] = a == q ? 2.0 / 3.0 : 1.0 / 6.0;
    for (int i = 0; i < 3; ++i) {
      p.position[i] = p.shape[0] * x[i] + p.shape[1] * x[3 + i] + p.shape[2] * x[6 + i];
      p.area[i] = normal[i] * (1.0 / 6.0);
    }
  }
}

/// 6-node triangle, curved or flat: 7 points of degree 5 (Radon, 1948), exact for N_i times a linear pressure if flat
/// and times a constant one if curved. \param x positions [18]
LIMBER_HOST_DEVICE inline void triangle_load_points(const double x[18], TriangleLoadPoint<6> points[7]) {
  constexpr double root15 = 3.87298334620741688518;
  for (int q = 0; q < 7; ++q) {
    // Point 0 is the center; then two triples with one coordinate apart.
    const double sign = q < 4 ? -1.0 : 1.0;
    const double same = q == 0 ? 1.0 / 3.0 : (6.0 + sign * root15) / 21.0;
    const double weight = q == 0 ? 9.0 / 40.0 : (155.0 + sign * root15) / 1200.0;
    double L[3];
    for (int a = 0; a < 3; ++a) L[a] = q > 0 && a == (q - 1) % 3 ? 1.0 - 2.0 * same : same;

    auto& p = points[q];
    double slope[2][6]; // dN/dL_1, dN/dL_2 with L_0 = 1 − L_1 − L_2
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3; // the edge ab
      p.shape[a] = L[a] * (2.0 * L[a] - 1.0);
      p.shape[3 + a] = 4.0 * L[a] * L[b];
      for (int k = 0; k < 2; ++k) {
        const double da = a == 0 ? -1.0 : a == k + 1 ? 1.0 : 0.0, db = b == 0 ? -1.0 : b == k + 1 ? 1.0 : 0.0;
        slope[k][a] = (4.0 * L[a] - 1.0) * da;
        slope[k][3 + a] = 4.0 * (da * L[b] + L[a] * db);
      }
    }
    double tangent[2][3] = {};
    for (int i = 0; i < 3; ++i) {
      p.position[i] = 0.0;
      for (int a = 0; a < 6; ++a) {
        p.position[i] += p.shape[a] * x[3 * a + i];
        for (int k = 0; k < 2; ++k) tangent[k][i] += slope[k][a] * (x[3 * a + i] - x[i]);
      }
    }
    math::cross3(tangent[0], tangent[1], p.area);
    for (double& component : p.area) component *= 0.5 * weight;
  }
}

} // namespace limber::energies
