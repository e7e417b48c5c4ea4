#pragma once
/// Quadratic tetrahedra for the tests of the kernels on them.

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "energies/tetrahedron_p2.hpp"

namespace limber::test {

inline const double corner_vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
inline const double generic_vertices[12] = {0.1, 0.2, -0.3, 1.3, 0.1, 0.0, 0.2, 1.1, 0.15, -0.1, 0.3, 0.9};

/// Edge nodes at the midpoints.
inline std::vector<double> straight_element(const double vertices[12]) {
  std::vector<double> x(vertices, vertices + 12);
  for (int e = 0; e < 6; ++e)
    for (int i = 0; i < 3; ++i)
      x.push_back(0.5 * (vertices[3 * energies::tetrahedron_edge_vertex(e, 0) + i] +
                         vertices[3 * energies::tetrahedron_edge_vertex(e, 1) + i]));
  return x;
}

/// Every coordinate displaced by normal noise.
inline std::vector<double> displaced(std::vector<double> x, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (double& coordinate : x) coordinate += noise * normal(random);
  return x;
}

/// F x + t for every node.
inline std::vector<double> mapped(std::vector<double> x, const Eigen::Matrix3d& f,
                                  const Eigen::Vector3d& t = Eigen::Vector3d(0.2, -0.1, 0.4)) {
  for (std::size_t node = 0; node < x.size() / 3; ++node) {
    const Eigen::Vector3d moved = f * Eigen::Vector3d::Map(&x[3 * node]) + t;
    Eigen::Vector3d::Map(&x[3 * node]) = moved;
  }
  return x;
}

/// An ordinary F, no symmetry, det F = 1.13.
inline Eigen::Matrix3d generic_deformation() {
  Eigen::Matrix3d f;
  f << 1.1, 0.3, -0.2, 0.15, 0.8, 0.4, -0.25, 0.1, 1.3;
  return f;
}

} // namespace limber::test
