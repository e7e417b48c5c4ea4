#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <vector>

#include "energies/triangle_p1.hpp"
#include "materials/membrane_arap.hpp"
#include "materials/membrane_neo_hookean.hpp"
#include "materials/membrane_st_venant_kirchhoff.hpp"
#include "support/energy_harness.hpp"

namespace {

using namespace limber;
using Rest = energies::TriangleRest<double>;
using Matrix32 = Eigen::Matrix<double, 3, 2>;

const double rest_positions[9] = {0.1, 0.2, -0.3, 1.3, 0.1, 0.0, 0.2, 1.1, 0.15};
constexpr double thickness = 0.25;

/// The harness's view; the projected reference is V Gᵀ C⁺ G with C⁺ from a 6×6 eigen-solver.
template <class M> test::StencilEnergy as_stencil(const M& m, const Rest& rest) {
  return {
      .dofs = 9,
      .value = [=](const double* x) { return energies::triangle_energy(m, rest, x); },
      .gradient = [=](const double* x, double* g) { energies::triangle_energy_gradient(m, rest, x, g); },
      .hessian = [=](const double* x, bool project, double* H) { energies::triangle_hessian(m, rest, x, project, H); },
      .projected_reference =
          [=](const double* x, double* H) {
            Eigen::Matrix<double, 6, 6> C;
            m.stress_derivative(energies::triangle_deformation_gradient(rest, x), C.data());
            Eigen::Matrix<double, 6, 9> G; // F is linear in the positions
            for (int i = 0; i < 9; ++i) {
              double unit[9] = {};
              unit[i] = 1.0;
              G.col(i) =
                  Eigen::Map<const Eigen::Matrix<double, 6, 1>>(energies::triangle_deformation_gradient(rest, unit).m);
            }
            Eigen::Map<Eigen::Matrix<double, 9, 9>> result(H);
            result = rest.volume * G.transpose() * test::numerical_projection(C) * G;
          }};
}

/// Positions A X + t.
std::vector<double> deformed(const Eigen::Matrix3d& a) {
  std::vector<double> x(9);
  for (int v = 0; v < 3; ++v)
    Eigen::Vector3d::Map(&x[3 * v]) =
        a * Eigen::Map<const Eigen::Vector3d>(&rest_positions[3 * v]) + Eigen::Vector3d(0.2, -0.1, 0.4);
  return x;
}

struct Case {
  const char* name;
  Eigen::Matrix3d a;
  double length; ///< see check_stencil_energy
};

std::vector<Case> cases() {
  const auto diagonal = [](double a, double b, double c) {
    return Eigen::Matrix3d(Eigen::Vector3d(a, b, c).asDiagonal());
  };
  const auto turn = Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 1, 2).normalized()).toRotationMatrix();
  Eigen::Matrix3d generic;
  generic << 1.1, 0.3, -0.2, 0.15, 0.8, 0.4, -0.25, 0.1, 1.3;
  return {{"rest", Eigen::Matrix3d::Identity(), 1.0},
          {"turned", turn, 1.0},
          {"generic", generic, 1.0},
          {"stretched", turn * diagonal(2.5, 1.2, 0.8) * turn, 1.0},
          {"compressed", turn * diagonal(0.6, 0.5, 0.5), 0.5},
          {"nearly collapsed", turn * diagonal(1.0, 0.01, 0.02), 0.01}};
}

template <class Material> void check(const Material& material) {
  const auto rest = energies::make_triangle_rest(rest_positions, thickness);
  for (const auto& c : cases()) {
    SCOPED_TRACE(c.name);
    test::check_stencil_energy(as_stencil(material, rest), deformed(c.a), c.length);
  }
}

TEST(TriangleP1, passes_the_harness_with_neo_hookean) { check(materials::MembraneNeoHookean<double>{3.0, 7.0}); }
TEST(TriangleP1, passes_the_harness_with_st_venant_kirchhoff) {
  check(materials::MembraneStVenantKirchhoff<double>{3.0, 7.0});
}
TEST(TriangleP1, passes_the_harness_with_arap) { check(materials::MembraneArap<double>{3.0, 7.0}); }

TEST(TriangleP1, rest_data_and_deformation_gradient) {
  const auto rest = energies::make_triangle_rest(rest_positions, thickness);
  const Eigen::Map<const Eigen::Vector3d> x0(rest_positions), x1(rest_positions + 3), x2(rest_positions + 6);
  const double area = 0.5 * (x1 - x0).cross(x2 - x0).norm();
  EXPECT_NEAR(rest.volume, thickness * area, 1e-15);
  for (const auto& c : cases()) {
    // The rest basis: along the first edge, and across it.
    const Eigen::Vector3d t0 = (x1 - x0).normalized();
    const Eigen::Vector3d t1 = (x2 - x0 - t0.dot(x2 - x0) * t0).normalized();
    Matrix32 expected;
    expected << c.a * t0, c.a * t1;
    const auto f = energies::triangle_deformation_gradient(rest, deformed(c.a).data());
    // Differences of positions of size 1, divided by edges of size 1.
    EXPECT_LE((Eigen::Map<const Matrix32>(f.m) - expected).cwiseAbs().maxCoeff(), 1e-14) << c.name;
    EXPECT_NEAR(materials::area_ratio(f), expected.col(0).cross(expected.col(1)).norm(), 1e-14) << c.name;
  }
}

double area_along(const std::vector<double>& x, const std::vector<double>& p, double alpha) {
  double moved[9];
  for (int i = 0; i < 9; ++i) moved[i] = x[i] + alpha * p[i];
  return energies::triangle_area(moved);
}

TEST(TriangleP1, collapse_bound_is_the_first_place_where_the_area_is_a_tenth) {
  // In the plane: the third vertex, at height 1, crosses the opposite edge at α = 1/2 and keeps a tenth at 9/20.
  const std::vector<double> flat{0, 0, 0, 1, 0, 0, 0.3, 1, 0}, across{0, 0, 0, 0, 0, 0, 0, -2, 0};
  EXPECT_NEAR(energies::triangle_collapse_bound(flat.data(), across.data(), 1.0, 0.1), 0.45, 1e-11);
  EXPECT_TRUE(energies::may_reach_collapse_bound(flat.data(), across.data(), 1.0, 0.1));
  EXPECT_EQ(energies::triangle_collapse_bound(flat.data(), across.data(), 0.4, 0.1), 0.4);
  // A long step across and back out on the other side ends with a large area, after a collapse.
  const std::vector<double> far{0, 0, 0, 0, 0, 0, 0, -10, 0};
  EXPECT_NEAR(energies::triangle_collapse_bound(flat.data(), far.data(), 1.0, 0.1), 0.09, 1e-11);
  // Out of the plane the same vertex passes beside the edge.
  const std::vector<double> beside{0, 0, 0, 0, 0, 0, 0, -2, 1};
  EXPECT_EQ(energies::triangle_collapse_bound(flat.data(), beside.data(), 1.0, 0.1), 1.0);
  // A triangle without area cannot move.
  const std::vector<double> line{0, 0, 0, 1, 0, 0, 2, 0, 0};
  EXPECT_EQ(energies::triangle_collapse_bound(line.data(), across.data(), 1.0, 0.1), 0.0);

  std::srand(5);
  int reached = 0;
  for (int i = 0; i < 300; ++i) {
    const auto x = deformed(cases()[2].a);
    std::vector<double> p(9);
    for (double& step : p) step = 2.0 * (2.0 * std::rand() / RAND_MAX - 1.0);
    if (i % 2)
      for (int v = 0; v < 3; ++v) { // in the triangle's plane
        const Eigen::Map<const Eigen::Vector3d> a(&x[0]), b(&x[3]), c(&x[6]);
        const Eigen::Vector3d n = (b - a).cross(c - a).normalized();
        Eigen::Map<Eigen::Vector3d> step(&p[3 * v]);
        step -= n * n.dot(step);
      }
    const double bound = energies::triangle_collapse_bound(x.data(), p.data(), 1.0, 0.1);
    const double least = 0.1 * area_along(x, p, 0.0);
    for (int k = 0; k <= 100; ++k) EXPECT_GE(area_along(x, p, bound * k / 100.0), least * (1.0 - 1e-12));
    if (bound == 1.0) continue;
    ++reached;
    EXPECT_NEAR(area_along(x, p, bound), least, 1e-6 * least); // simple roots, found to 1e-12
  }
  EXPECT_GT(reached, 50);
}

} // namespace
