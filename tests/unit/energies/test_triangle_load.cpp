#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "energies/triangle_load.hpp"
#include "unit/energies/quadratic_elements.hpp"

namespace {

using namespace limber;
using Eigen::Vector3d;

const double flat[9] = {0.1, 0.2, -0.3, 1.3, 0.1, 0.0, 0.2, 1.1, 0.15};

std::vector<double> six_nodes(const double x[9]) {
  std::vector<double> y(x, x + 9);
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i) y.push_back(0.5 * (x[3 * a + i] + x[3 * ((a + 1) % 3) + i]));
  return y;
}

std::vector<energies::TriangleLoadPoint<3>> points3(const double* x) {
  std::vector<energies::TriangleLoadPoint<3>> p(3);
  energies::triangle_load_points(x, p.data());
  return p;
}

std::vector<energies::TriangleLoadPoint<6>> points6(const std::vector<double>& x) {
  std::vector<energies::TriangleLoadPoint<6>> p(7);
  energies::triangle_load_points(x.data(), p.data());
  return p;
}

/// Nodal forces of a traction field; its total force and moment about the origin.
template <int N, class Field>
void integrate(const std::vector<energies::TriangleLoadPoint<N>>& points, const Field& traction, const double* x,
               Vector3d nodal[N], Vector3d& force, Vector3d& moment) {
  for (int a = 0; a < N; ++a) nodal[a].setZero();
  for (const auto& p : points) {
    const Vector3d t = traction(Vector3d::Map(p.position)) * Vector3d::Map(p.area).norm();
    for (int a = 0; a < N; ++a) nodal[a] += p.shape[a] * t;
  }
  force.setZero();
  moment.setZero();
  for (int a = 0; a < N; ++a) {
    force += nodal[a];
    moment += Vector3d::Map(x + 3 * a).cross(nodal[a]);
  }
}

// Sums of a few dozen numbers of size 1.
constexpr double tolerance = 1e-14;

TEST(TriangleLoad, constant_traction_on_flat_triangles) {
  const Vector3d t(0.3, -1.2, 0.7);
  const auto constant = [&](const Vector3d&) { return t; };
  const Vector3d a = Vector3d::Map(flat), b = Vector3d::Map(flat + 3), c = Vector3d::Map(flat + 6);
  const double area = 0.5 * (b - a).cross(c - a).norm();
  const Vector3d center = (a + b + c) / 3.0;
  Vector3d nodal[6], force, moment;

  integrate<3>(points3(flat), constant, flat, nodal, force, moment);
  for (int i = 0; i < 3; ++i) EXPECT_LE((nodal[i] - area / 3.0 * t).norm(), tolerance);
  EXPECT_LE((moment - center.cross(area * t)).norm(), tolerance);

  const auto x = six_nodes(flat);
  integrate<6>(points6(x), constant, x.data(), nodal, force, moment);
  for (int i = 0; i < 3; ++i) EXPECT_LE(nodal[i].norm(), tolerance); // nothing at the corners
  for (int i = 3; i < 6; ++i) EXPECT_LE((nodal[i] - area / 3.0 * t).norm(), tolerance);
  EXPECT_LE((moment - center.cross(area * t)).norm(), tolerance);
}

/// ∫ over the triangle by the edge midpoints, exact for quadratic integrands.
template <class F> Vector3d reference_integral(const F& f) {
  const Vector3d a = Vector3d::Map(flat), u = Vector3d::Map(flat + 3) - a, v = Vector3d::Map(flat + 6) - a;
  const double area = 0.5 * u.cross(v).norm();
  return area / 3.0 * (f(a + 0.5 * u) + f(a + 0.5 * v) + f(a + 0.5 * (u + v)));
}

TEST(TriangleLoad, linear_traction_gives_the_exact_force_and_moment) {
  const auto field = [](const Vector3d& x) { return Vector3d(1.0 + x[1], x[0] - 2.0 * x[2], 0.5 * x[2]); };
  const Vector3d exact_force = reference_integral(field);
  const Vector3d exact_moment = reference_integral([&](const Vector3d& x) { return x.cross(field(x)).eval(); });
  Vector3d nodal[6], force, moment;
  integrate<3>(points3(flat), field, flat, nodal, force, moment);
  EXPECT_LE((force - exact_force).norm(), tolerance);
  EXPECT_LE((moment - exact_moment).norm(), tolerance);
  const auto x = six_nodes(flat);
  integrate<6>(points6(x), field, x.data(), nodal, force, moment);
  EXPECT_LE((force - exact_force).norm(), tolerance);
  EXPECT_LE((moment - exact_moment).norm(), tolerance);
}

TEST(TriangleLoad, seven_points_are_of_degree_five) {
  const double unit[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const auto x = six_nodes(unit);
  double sixth = 0.0;
  for (int i = 0; i <= 6; ++i)
    for (int j = 0; i + j <= 6; ++j) {
      double sum = 0.0;
      for (const auto& p : points6(x)) sum += p.area[2] * std::pow(p.position[0], i) * std::pow(p.position[1], j);
      const double exact = std::tgamma(i + 1) * std::tgamma(j + 1) / std::tgamma(i + j + 3);
      if (i + j <= 5) EXPECT_NEAR(sum, exact, 1e-15) << i << j;
      else sixth = std::max(sixth, std::abs(sum - exact));
    }
  EXPECT_GT(sixth, 1e-6);
}

TEST(TriangleLoad, shapes_interpolate_the_positions) {
  auto x = six_nodes(flat);
  x[11] += 0.2;
  for (const auto& p : points6(x)) {
    Vector3d sum = Vector3d::Zero();
    double total = 0.0;
    for (int a = 0; a < 6; ++a) {
      sum += p.shape[a] * Vector3d::Map(&x[3 * a]);
      total += p.shape[a];
    }
    EXPECT_LE((sum - Vector3d::Map(p.position)).norm(), tolerance);
    EXPECT_NEAR(total, 1.0, tolerance);
  }
}

/// The four faces of a curved tetrahedron, nodes of a face counterclockwise seen from outside.
constexpr int faces[4][6] = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}};

TEST(TriangleLoad, areas_of_a_closed_curved_surface) {
  const auto X = test::displaced(test::straight_element(test::generic_vertices), 0.05, 11);
  double volume = 0.0;
  const auto rest = energies::make_tetrahedron_p2_rest<energies::QuadratureP2::curved>(X.data());
  for (const double w : rest.weight) volume += w;
  Vector3d force = Vector3d::Zero(), moment = force;
  double enclosed = 0.0;
  for (const auto& face : faces) {
    std::vector<double> x;
    for (const int node : face) x.insert(x.end(), &X[3 * node], &X[3 * node] + 3);
    for (const auto& p : points6(x)) {
      const Vector3d area = Vector3d::Map(p.area);
      for (int a = 0; a < 6; ++a) {
        force += p.shape[a] * area;
        moment += Vector3d::Map(&x[3 * a]).cross(p.shape[a] * area);
      }
    }
    for (const auto& p : points6(x)) enclosed += Vector3d::Map(p.position).dot(Vector3d::Map(p.area)) / 3.0;
  }
  // All integrands are of degree 4 at most. A uniform pressure neither moves nor turns a closed body.
  EXPECT_LE(force.norm(), tolerance);
  EXPECT_LE(moment.norm(), tolerance);
  EXPECT_NEAR(enclosed, volume, tolerance); // divergence theorem
}

} // namespace
