#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "materials/neo_hookean.hpp"
#include "materials/stable_neo_hookean.hpp"
#include "support/energy_harness.hpp"
#include "unit/energies/quadratic_elements.hpp"

namespace {

using namespace limber;
using energies::QuadratureP2;
using Elements = std::vector<double>;
using Entries = Eigen::Map<const Eigen::VectorXd>;

const materials::NeoHookean<double> neo_hookean{3.0, 7.0};
const materials::StableNeoHookean<double> stable{3.0, 10.0};

const Elements straight = test::straight_element(test::generic_vertices);
const Elements curved = test::displaced(straight, 0.04, 5);

Eigen::Matrix3d turn() { return Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 1, 2).normalized()).toRotationMatrix(); }

/// The harness's view; the projected reference integrates Gᵀ C⁺ G with C⁺ from a 9×9 eigen-solver and G, F from the
/// shape functions' derivatives.
template <int N, class M> test::StencilEnergy as_stencil(const M& m, const Elements& X) {
  const auto rest = energies::make_tetrahedron_p2_rest<N>(X.data());
  return {.dofs = 30,
          .value = [=](const double* x) { return energies::tetrahedron_p2_energy(m, rest, x); },
          .gradient = [=](const double* x, double* g) { energies::tetrahedron_p2_energy_gradient(m, rest, x, g); },
          .hessian = [=](const double* x, bool project,
                         double* H) { energies::tetrahedron_p2_hessian(m, rest, x, project, H); },
          .projected_reference =
              [=](const double* x, double* H) {
                Eigen::Map<Eigen::MatrixXd> result(H, 30, 30);
                result.setZero();
                for (int q = 0; q < N; ++q) {
                  const auto point = energies::tetrahedron_quadrature_point<N>(q);
                  double dN[10][3];
                  energies::tetrahedron_p2_shape_derivative(point.barycentric + 1, dN);
                  const Eigen::Map<const Eigen::Matrix<double, 3, 10>> nodes(X.data()), positions(x);
                  const Eigen::Map<const Eigen::Matrix<double, 10, 3, Eigen::RowMajor>> slopes(&dN[0][0]);
                  const Eigen::Matrix3d jacobian = nodes * slopes;
                  const Eigen::Matrix<double, 10, 3> gradients = slopes * jacobian.inverse();
                  const Eigen::Matrix3d F = positions * gradients;
                  math::Matrix3<double> f;
                  Eigen::Map<Eigen::Matrix3d>(f.m) = F;
                  Eigen::Matrix<double, 9, 9> C;
                  m.stress_derivative(f, C.data());
                  Eigen::Matrix<double, 9, 30> G = Eigen::Matrix<double, 9, 30>::Zero();
                  for (int a = 0; a < 30; ++a)
                    for (int j = 0; j < 3; ++j) G(a % 3 + 3 * j, a) = gradients(a / 3, j);
                  result +=
                      point.weight / 6.0 * jacobian.determinant() * G.transpose() * test::numerical_projection(C) * G;
                }
              }};
}

template <int N> void expect_degree(int degree) {
  double first_error = 0.0;
  for (int i = 0; i <= degree + 1; ++i)
    for (int j = 0; i + j <= degree + 1; ++j)
      for (int k = 0; i + j + k <= degree + 1; ++k) {
        double sum = 0.0;
        for (int q = 0; q < N; ++q) {
          const auto p = energies::tetrahedron_quadrature_point<N>(q);
          sum +=
              p.weight * std::pow(p.barycentric[1], i) * std::pow(p.barycentric[2], j) * std::pow(p.barycentric[3], k);
        }
        const double exact =
            6.0 * std::tgamma(i + 1) * std::tgamma(j + 1) * std::tgamma(k + 1) / std::tgamma(i + j + k + 4);
        if (i + j + k <= degree) {
          EXPECT_NEAR(sum, exact, 1e-15) << i << j << k; // a handful of roundings of numbers below 1
        } else first_error = std::max(first_error, std::abs(sum - exact));
      }
  EXPECT_GT(first_error, 1e-6) << "of higher degree than documented";
  for (int q = 0; q < N; ++q) {
    const auto p = energies::tetrahedron_quadrature_point<N>(q);
    EXPECT_GT(p.weight, 0.0);
    double total = 0.0;
    for (const double L : p.barycentric) {
      if (N == QuadratureP2::barrier) {
        EXPECT_GE(L, 0.0);
      } else {
        EXPECT_GT(L, 0.0);
      }
      total += L;
    }
    EXPECT_NEAR(total, 1.0, 1e-15); // roundings of three additions
  }
}

TEST(TetrahedronP2, quadrature_rules_have_their_degree) {
  expect_degree<QuadratureP2::affine>(2);
  expect_degree<QuadratureP2::barrier>(3);
  expect_degree<QuadratureP2::curved>(5);
}

TEST(TetrahedronP2, shape_functions) {
  const auto nodes = test::straight_element(test::corner_vertices); // ξ of the nodes
  for (int n = 0; n < 10; ++n) {
    double shape[10];
    energies::tetrahedron_p2_shape(&nodes[3 * n], shape);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(shape[i], i == n ? 1.0 : 0.0); // halves: exact
  }
  const double xi[3] = {0.2, 0.35, 0.15}, h = 1e-3;
  double derivative[10][3];
  energies::tetrahedron_p2_shape_derivative(xi, derivative);
  for (int k = 0; k < 3; ++k) {
    double forward[3] = {xi[0], xi[1], xi[2]}, backward[3] = {xi[0], xi[1], xi[2]}, above[10], below[10], sum = 0.0;
    forward[k] += h;
    backward[k] -= h;
    energies::tetrahedron_p2_shape(forward, above);
    energies::tetrahedron_p2_shape(backward, below);
    for (int i = 0; i < 10; ++i) { // central differences of quadratics are exact up to 1e-16/h
      EXPECT_NEAR(derivative[i][k], (above[i] - below[i]) / (2.0 * h), 1e-12);
      sum += derivative[i][k];
    }
    EXPECT_NEAR(sum, 0.0, 1e-14);
  }
}

template <int N> void check_harness(const Elements& X) {
  const Eigen::Matrix3d f = test::generic_deformation();
  Eigen::Matrix3d compressed = turn() * Eigen::Vector3d(0.6, 0.7, 0.5).asDiagonal() * turn();
  Eigen::Matrix3d stretched = turn() * Eigen::Vector3d(2.5, 1.2, 0.8).asDiagonal() * turn();
  int index = 0;
  for (const auto& x :
       {X, test::mapped(X, turn()), test::displaced(test::mapped(X, f), 0.05, 1),
        test::displaced(test::mapped(X, stretched), 0.05, 2), test::displaced(test::mapped(X, compressed), 0.02, 3)}) {
    SCOPED_TRACE(index++);
    // Positions matter over about an edge node's share of the compressed element.
    test::check_stencil_energy(as_stencil<N>(neo_hookean, X), x, 0.3);
    test::check_stencil_energy(as_stencil<N>(stable, X), x, 0.3);
  }
  // Far beyond inversion.
  const Eigen::Matrix3d mirror = Eigen::Vector3d(1.0, -0.8, 1.1).asDiagonal();
  test::check_stencil_energy(as_stencil<N>(stable, X), test::displaced(test::mapped(X, mirror), 0.1, 4), 0.3);
  test::check_stencil_energy(as_stencil<N>(stable, X), test::displaced(X, 0.4, 6), 0.3);
}

TEST(TetrahedronP2, passes_the_harness_straight) { check_harness<QuadratureP2::affine>(straight); }
TEST(TetrahedronP2, passes_the_harness_with_the_barrier_rule) {
  check_harness<QuadratureP2::barrier>(straight);
  check_harness<QuadratureP2::barrier>(curved);
}
TEST(TetrahedronP2, passes_the_harness_curved) { check_harness<QuadratureP2::curved>(curved); }

template <int N> void expect_like_p1(const Elements& X) {
  const auto rest = energies::make_tetrahedron_p2_rest<N>(X.data());
  double volume = 0.0;
  for (const double w : rest.weight) volume += w;
  const auto x = test::mapped(X, test::generic_deformation());
  const auto p1 = energies::make_tetrahedron_rest(test::generic_vertices);
  const double vertices_energy = energies::tetrahedron_energy(neo_hookean, p1, x.data());
  const double density = vertices_energy / p1.volume; // the vertices of `curved` are displaced, too
  math::Matrix3<double> f;
  Eigen::Map<Eigen::Matrix3d>(f.m) = test::generic_deformation();
  // A constant F, in a handful of roundings.
  EXPECT_NEAR(energies::tetrahedron_p2_energy(neo_hookean, rest, x.data()), volume * neo_hookean.energy(f), 1e-13);
  if (N == QuadratureP2::affine) {
    EXPECT_NEAR(volume, p1.volume, 1e-15);
    EXPECT_NEAR(density, neo_hookean.energy(f), 1e-13);
  }
}

TEST(TetrahedronP2, affine_deformations_give_the_linear_element) {
  expect_like_p1<QuadratureP2::affine>(straight);
  expect_like_p1<QuadratureP2::curved>(curved);
  // Forces: an edge node's follow from virtual displacements of the vertices, which drag the edge nodes along.
  const auto x = test::mapped(straight, test::generic_deformation());
  const auto rest = energies::make_tetrahedron_p2_rest<QuadratureP2::affine>(straight.data());
  const auto p1 = energies::make_tetrahedron_rest(test::generic_vertices);
  double g[30], g1[12];
  energies::tetrahedron_p2_energy_gradient(neo_hookean, rest, x.data(), g);
  energies::tetrahedron_energy_gradient(neo_hookean, p1, x.data(), g1);
  for (int v = 0; v < 4; ++v)
    for (int i = 0; i < 3; ++i) {
      double sum = g[3 * v + i];
      for (int e = 0; e < 6; ++e)
        for (int side = 0; side < 2; ++side)
          if (energies::tetrahedron_edge_vertex(e, side) == v) sum += 0.5 * g[12 + 3 * e + i];
      EXPECT_NEAR(sum, g1[3 * v + i], 1e-13); // forces of size 1
    }
}

template <int N> void expect_stress_free(const Elements& X) {
  const auto rest = energies::make_tetrahedron_p2_rest<N>(X.data());
  for (const double far : {0.0, 1e3}) {
    const auto x = test::mapped(X, turn(), Eigen::Vector3d(far, -far, far));
    double g[30];
    const double energy = energies::tetrahedron_p2_energy_gradient(stable, rest, x.data(), g);
    // Positions are rounded by 1e-16 of their size; stiffness and element are of size 10 and 1.
    const double strain = 1e-15 * (1.0 + far);
    EXPECT_LE(Entries(g, 30).cwiseAbs().maxCoeff(), 100.0 * strain);
    EXPECT_LE(std::abs(energy), 1e-15); // F − I of a rotation is of size 1, its energy's terms cancel
  }
}

TEST(TetrahedronP2, rotations_and_translations_are_stress_free) {
  expect_stress_free<QuadratureP2::affine>(straight);
  expect_stress_free<QuadratureP2::curved>(curved);
}

TEST(TetrahedronP2, deformation_gradient_of_a_quadratic_field) { // which a straight element represents exactly
  Elements x = straight;
  const auto field = [](const double* X, double* y) {
    y[0] = X[0] + 0.1 * X[1] * X[1] + 0.2 * X[0] * X[2];
    y[1] = X[1] - 0.3 * X[0] * X[0];
    y[2] = 1.2 * X[2] + 0.1 * X[0] * X[1];
  };
  for (int n = 0; n < 10; ++n) field(&straight[3 * n], &x[3 * n]);
  const double xi[3] = {0.1, 0.4, 0.25};
  double shape[10], X[3] = {};
  energies::tetrahedron_p2_shape(xi, shape);
  for (int i = 0; i < 30; ++i) X[i % 3] += shape[i / 3] * straight[i];
  Eigen::Matrix3d expected;
  expected << 1 + 0.2 * X[2], 0.2 * X[1], 0.2 * X[0], -0.6 * X[0], 1, 0, 0.1 * X[1], 0.1 * X[0], 1.2;
  const auto f = energies::tetrahedron_p2_deformation_gradient(straight.data(), x.data(), xi);
  EXPECT_LE((Eigen::Map<const Eigen::Matrix3d>(f.m) - expected).cwiseAbs().maxCoeff(), 1e-14); // numbers of size 1
}

TEST(TetrahedronP2, straight_elements_are_recognized) {
  EXPECT_TRUE(energies::tetrahedron_p2_is_straight(straight.data(), 1e-14));
  EXPECT_FALSE(energies::tetrahedron_p2_is_straight(curved.data(), 1e-3));
  auto x = straight; // the longest edge is below 2
  x[20] += 1e-6;
  EXPECT_TRUE(energies::tetrahedron_p2_is_straight(x.data(), 1e-6));
  EXPECT_FALSE(energies::tetrahedron_p2_is_straight(x.data(), 0.4e-6));
}

TEST(TetrahedronP2, fused_variant_equals_the_single_ones_and_is_symmetric_bitwise) {
  const auto rest = energies::make_tetrahedron_p2_rest<QuadratureP2::curved>(curved.data());
  for (const bool project : {false, true}) {
    const auto x = test::displaced(test::mapped(curved, test::generic_deformation()), 0.05, 1);
    double g[30], fused_g[30];
    Eigen::Matrix<double, 30, 30> H, fused_H;
    const double energy = energies::tetrahedron_p2_energy_gradient(neo_hookean, rest, x.data(), g);
    energies::tetrahedron_p2_hessian(neo_hookean, rest, x.data(), project, H.data());
    const double fused =
        energies::tetrahedron_p2_energy_gradient_hessian(neo_hookean, rest, x.data(), project, fused_g, fused_H.data());
    // The same operations; fused multiply-adds may differ by inlining.
    const double tolerance = 1e-13 * H.cwiseAbs().maxCoeff();
    EXPECT_NEAR(fused, energy, 1e-14 * (1.0 + energy));
    EXPECT_NEAR(energies::tetrahedron_p2_energy(neo_hookean, rest, x.data()), energy, 1e-14 * (1.0 + energy));
    EXPECT_LE((Entries(g, 30) - Entries(fused_g, 30)).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LE((H - fused_H).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_EQ(H, H.transpose().eval());
  }
}

template <int N, template <class> class M> void check_packs(const Elements& X, const M<double>& material) {
  using math::NativePack;
  constexpr int width = math::native_pack_width, count = 9;
  const M<NativePack> packed{NativePack(material.mu), NativePack(material.lambda)};
  const auto positions = [&](int which) { // from stretched, which is convex, to compressed
    const Eigen::Matrix3d f = (1.2 - 0.07 * which) * turn();
    return test::displaced(test::mapped(X, f), 0.01, which);
  };
  std::vector<std::vector<double>> first(count); // the first result of each case, then required bitwise
  std::vector<NativePack> g(30), H(900);
  for (int shift = 0; shift < count; ++shift) {
    NativePack rest_positions[30], x[30];
    for (int lane = 0; lane < width; ++lane) {
      const auto lane_positions = positions((lane + shift) % count);
      for (int i = 0; i < 30; ++i) {
        rest_positions[i].set(lane, X[i]);
        x[i].set(lane, lane_positions[i]);
      }
    }
    const auto rest = energies::make_tetrahedron_p2_rest<N>(rest_positions);
    const auto energy = energies::tetrahedron_p2_energy_gradient_hessian(packed, rest, x, true, g.data(), H.data());
    for (int lane = 0; lane < width; ++lane) {
      const int which = (lane + shift) % count;
      std::vector<double> result{energy[lane]}, scalar(931);
      for (const auto& entry : g) result.push_back(entry[lane]);
      for (const auto& entry : H) result.push_back(entry[lane]);
      if (first[which].empty()) first[which] = result;
      EXPECT_EQ(result, first[which]) << which << ", lane " << lane;
      scalar[0] =
          energies::tetrahedron_p2_energy_gradient_hessian(material, energies::make_tetrahedron_p2_rest<N>(X.data()),
                                                           positions(which).data(), true, &scalar[1], &scalar[31]);
      const double scale = Entries(&scalar[31], 900).cwiseAbs().maxCoeff();
      // The same operations, fused differently by the compiler.
      EXPECT_LE((Entries(result.data(), 931) - Entries(scalar.data(), 931)).cwiseAbs().maxCoeff(), 1e-13 * scale);
    }
  }
}

TEST(TetrahedronP2, packs_are_lane_independent_and_agree_with_doubles) {
  check_packs<QuadratureP2::affine>(straight, neo_hookean);
  check_packs<QuadratureP2::affine>(straight, stable);
  check_packs<QuadratureP2::curved>(curved, neo_hookean);
}

} // namespace
