#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "energies/mass.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "unit/energies/quadratic_elements.hpp"

namespace {

using namespace limber;

TEST(TetrahedronMass, agrees_with_the_reference) {
  std::ifstream file(std::string(LIMBER_TEST_DATA) + "/mass_matrices.json");
  ASSERT_TRUE(file);
  const auto data = nlohmann::json::parse(file);
  const double rho = data["setup"]["rho"];
  for (const char* name : {"one_tet", "two_tets"}) {
    // one_tet's entries are exact decimals; those of two_tets are rounded to 12 digits, by up to 5e-12.
    const double tolerance = std::string(name) == "one_tet" ? 1e-12 : 5e-12;
    const auto X = data[name]["X"].get<std::vector<std::vector<double>>>();
    const auto tets = data[name]["tets"].get<std::vector<std::vector<int>>>();
    std::vector<std::vector<double>> consistent(X.size(), std::vector<double>(X.size(), 0.0));
    std::vector<double> lumped(X.size(), 0.0);
    for (const auto& tet : tets) {
      double positions[12];
      for (int i = 0; i < 12; ++i) positions[i] = X[tet[i / 3]][i % 3];
      const double volume = energies::make_tetrahedron_rest(positions).volume;
      for (int a = 0; a < 4; ++a) {
        lumped[tet[a]] += energies::tetrahedron_lumped_mass(rho, volume);
        for (int b = 0; b < 4; ++b)
          consistent[tet[a]][tet[b]] += energies::tetrahedron_consistent_mass(rho, volume, a, b);
      }
    }
    for (std::size_t a = 0; a < X.size(); ++a) {
      const double expected = data[name]["lumped_nodal"][a];
      EXPECT_NEAR(lumped[a], expected, tolerance * expected);
      for (std::size_t b = 0; b < X.size(); ++b) {
        const double entry = data[name]["consistent_nodal"][a][b];
        EXPECT_NEAR(consistent[a][b], entry, tolerance * entry) << name << " " << a << " " << b;
      }
    }
  }
}

using Mass = Eigen::Matrix<double, 10, 10>;

Mass consistent_p2(const std::vector<double>& X, double density) {
  Mass M;
  energies::tetrahedron_p2_consistent_mass(X.data(), density, M.data());
  return M;
}

/// ∫ ρ N_a N_b dX by a product Gauss rule of 6³ points on the cube, collapsed to the tetrahedron (exact to degree 9).
Mass integrated_mass(const std::vector<double>& X, double density) {
  const double nodes[3] = {0.23861918608319690863, 0.66120938646626451366, 0.93246951420315202781};
  const double weights[3] = {0.46791393457269104739, 0.36076157304813860757, 0.17132449237917034504};
  const auto node = [&](int i) { return 0.5 + 0.5 * (i < 3 ? -nodes[i] : nodes[i - 3]); };
  Mass M = Mass::Zero();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) {
        const double u = node(i), v = node(j), w = node(k);
        const double xi[3] = {u, v * (1.0 - u), w * (1.0 - u) * (1.0 - v)};
        const double weight =
            0.125 * weights[i % 3] * weights[j % 3] * weights[k % 3] * (1.0 - u) * (1.0 - u) * (1.0 - v);
        const double L[4] = {1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
        Eigen::Matrix<double, 10, 1> shape;
        energies::tetrahedron_p2_shape(xi, shape.data());
        const double det = math::determinant(energies::tetrahedron_p2_jacobian(X.data(), L));
        M += density * weight * det * shape * shape.transpose();
      }
  return M;
}

TEST(TetrahedronP2Mass, straight_elements_are_exact) {
  const double density = 1.3;
  const auto X = test::straight_element(test::generic_vertices);
  const double mass = density * energies::make_tetrahedron_rest(X.data()).volume;
  const Mass M = consistent_p2(X, density);
  // Entries of size 0.02, a few hundred roundings in the reference.
  EXPECT_LE((M - integrated_mass(X, density)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_NEAR(M.sum(), mass, 1e-15);
  for (int a = 0; a < 10; ++a) EXPECT_NEAR(M.row(a).sum(), mass * (a < 4 ? -1.0 / 20.0 : 1.0 / 5.0), 1e-15);
  auto almost = X; // just not straight: the integration rule takes over, exact for straight elements
  almost[15] += 1e-11;
  EXPECT_LE((consistent_p2(almost, density) - M).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(TetrahedronP2Mass, curved_elements) {
  const double density = 1.3;
  const auto X = test::displaced(test::straight_element(test::generic_vertices), 0.04, 5);
  const Mass M = consistent_p2(X, density), exact = integrated_mass(X, density);
  EXPECT_NEAR(M.sum(), exact.sum(), 1e-14); // the determinant is cubic: the rule is exact
  // For N_a N_b det, of degree 7, it is not: the error is that of the part beyond degree 5, proportional to the
  // curvature.
  EXPECT_LE((M - exact).cwiseAbs().maxCoeff(), 0.02 * exact.cwiseAbs().maxCoeff());
  EXPECT_EQ(M, M.transpose().eval());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mass>(M).eigenvalues()[0], 0.0);
}

TEST(TetrahedronP2Mass, lumped_masses_are_positive_and_add_up) {
  const double density = 1.3;
  const auto straight = test::straight_element(test::generic_vertices);
  for (const auto& X : {straight, test::displaced(straight, 0.04, 5)}) {
    const Mass M = consistent_p2(X, density);
    double m[10], total = 0.0;
    energies::tetrahedron_p2_lumped_mass(X.data(), density, m);
    for (int a = 0; a < 10; ++a) {
      EXPECT_GT(m[a], 0.0);
      EXPECT_NEAR(m[a] / m[0], M(a, a) / M(0, 0), 1e-13);
      total += m[a];
    }
    EXPECT_NEAR(total, M.sum(), 1e-15);
    if (X != straight) continue;
    for (int a = 0; a < 10; ++a) EXPECT_NEAR(m[a], total * (a < 4 ? 1.0 / 36.0 : 4.0 / 27.0), 1e-15);
  }
}

} // namespace
