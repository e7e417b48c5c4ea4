#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "materials/membrane_arap.hpp"
#include "materials/membrane_neo_hookean.hpp"
#include "materials/membrane_st_venant_kirchhoff.hpp"
#include "unit/materials/material_reference.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix32<double>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Rows of a 3×2 or 2×2 matrix; a missing third row is zero.
Matrix to_matrix(const nlohmann::json& rows) {
  Matrix f{};
  for (int i = 0; i < int(rows.size()); ++i)
    for (int j = 0; j < 2; ++j) f(i, j) = rows[i][j].get<double>();
  return f;
}

template <class Material> Matrix6 derivative(const Material& material, const Matrix& f, bool project) {
  Matrix6 C;
  if (project) material.projected_stress_derivative(f, C.data());
  else material.stress_derivative(f, C.data());
  return C;
}

/// Compares P, dP/dF and the projection with `value`, whose matrices may be those of a 2×2 F: index i + 2 j.
template <class Material>
void check_value(const Material& material, const Matrix& f, const nlohmann::json& value, double tolerance) {
  const auto expected = to_matrix(value.at("P"));
  const auto p = material.stress(f);
  double scale = 0.0, error = 0.0;
  for (int i = 0; i < 6; ++i) {
    scale = std::max(scale, std::abs(expected.m[i]));
    error = std::max(error, std::abs(p.m[i] - expected.m[i]));
  }
  const double psi = value.at("Psi").get<double>();
  // F's own rounding times the stiffness (of size 10) remains where P and Ψ vanish.
  EXPECT_LE(error, tolerance * scale + 1e-14) << "P";
  EXPECT_NEAR(material.energy(f), psi, tolerance * psi + 1e-15) << "Psi";
  const int rows = int(value.at("dPdF").size()) / 2;
  double entries = 0.0; // the largest of dP/dF: the projection may vanish
  for (const auto& [key, project] : {std::pair("dPdF", false), std::pair("psd", true)}) {
    const Matrix6 C = derivative(material, f, project);
    EXPECT_EQ(C, C.transpose().eval());
    double difference = 0.0;
    for (int a = 0; a < 2 * rows; ++a)
      for (int b = 0; b < 2 * rows; ++b) {
        const double entry = value.at(key)[a][b];
        entries = std::max(entries, std::abs(entry));
        difference = std::max(difference, std::abs(C(a % rows + 3 * (a / rows), b % rows + 3 * (b / rows)) - entry));
      }
    EXPECT_LE(difference, tolerance * entries) << key;
  }
}

template <class Material> void check_material(const Material& material, const std::string& name) {
  const auto data = test::read_data("membrane_materials.json");
  const auto& values = data.at("materials").at(name);
  ASSERT_EQ(values.size(), 9u);
  for (const auto& [key, value] : values.items()) {
    SCOPED_TRACE(name + ", F = " + key);
    // A dozen roundings; near collapse (s_1 = 0.005) they grow by 1/s_1.
    check_value(material, to_matrix(data.at("F").at(key)), value, key == "nearly collapsed" ? 1e-11 : 1e-13);
  }
}

TEST(MembraneMaterials, agree_with_high_precision_differences) {
  check_material(materials::MembraneNeoHookean<double>{3.0, 7.0}, "neo_hookean");
  check_material(materials::MembraneStVenantKirchhoff<double>{3.0, 7.0}, "st_venant_kirchhoff");
  check_material(materials::MembraneArap<double>{3.0, 7.0}, "arap");
}

/// The independent planar reference has 12 digits; its projection comes from an eigen-solver in double.
TEST(MembraneMaterials, planar_neo_hookean_agrees_with_the_two_dimensional_reference) {
  const auto values = test::read_data("neo_hookean_2d.json").at("values");
  ASSERT_EQ(values.size(), 8u);
  for (const auto& [key, value] : values.items()) {
    SCOPED_TRACE(key);
    check_value(materials::MembraneNeoHookean<double>{3.0, 7.0}, to_matrix(value.at("F")), value, 1e-11);
  }
}

TEST(MembraneMaterials, neo_hookean_is_infinite_at_collapse) {
  const materials::MembraneNeoHookean<double> material{3.0, 7.0};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(material.energy({{1, 0, 0, 0, 0, 0}}), infinity);
  EXPECT_EQ(material.energy({{1, 2, 3, 2, 4, 6}}), infinity);
  EXPECT_EQ(material.energy({{0, 0, 0, 0, 0, 0}}), infinity);
  EXPECT_LT(material.energy({{1, 0, 0, 0, -1, 0}}), 1e-15); // seen from behind
}

TEST(MembraneMaterials, neo_hookean_keeps_its_digits_at_small_strain) {
  const materials::MembraneNeoHookean<double> material{3.0, 7.0};
  for (const double strain : {1e-2, 1e-4, 1e-7}) {
    const double a = 1.0 + strain, b = 1.0 - 0.3 * strain;
    long double shear = 0.0L, log_j = 0.0L;
    for (const double stretch : {a, b}) {
      const long double e = static_cast<long double>(stretch) - 1.0L;
      long double remainder = 0.0L;
      for (int n = 30; n >= 2; --n) remainder += (n % 2 ? -1.0L : 1.0L) * std::pow(e, n) / n;
      shear += 0.5L * e * e + remainder;
      log_j += std::log1p(e);
    }
    const auto expected = static_cast<double>(3.0L * shear + 3.5L * log_j * log_j);
    // The strain is a difference of squares: one ulp of 1 over the strain.
    EXPECT_NEAR(material.energy({{a, 0, 0, 0, b, 0}}) / expected, 1.0, 1e-14 + 1e-15 / strain) << strain;
  }
}

template <class Material> void check_projection(const Material& material, std::mt19937& random) {
  std::normal_distribution<double> normal;
  int lifted = 0;
  for (int i = 0; i < 2000; ++i) {
    Matrix f{{1, 0, 0, 0, 1, 0}};
    for (double& entry : f.m) entry = (0.4 + 0.1 * (i % 9)) * entry + (i % 3 ? 0.4 : 0.03) * normal(random);
    if (materials::area_ratio(f) < 0.02) continue;
    const auto C = derivative(material, f, false), projected = derivative(material, f, true);
    const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(C);
    const Matrix6 expected =
        eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
    // Round-off of the eigen-solver and of the decomposition, about 1e-14 each.
    EXPECT_LE((projected - expected).cwiseAbs().maxCoeff(), 1e-12 * C.cwiseAbs().maxCoeff()) << i;
    if (eigen.eigenvalues()[0] < -1e-3) ++lifted;
  }
  EXPECT_GT(lifted, 500);
}

TEST(MembraneMaterials, projection_is_the_nearest_semi_definite_matrix) {
  std::mt19937 random(31);
  check_projection(materials::MembraneNeoHookean<double>{1.0, 4.0}, random);
  check_projection(materials::MembraneStVenantKirchhoff<double>{1.0, 4.0}, random);
  check_projection(materials::MembraneArap<double>{1.0, 0.0}, random);
}

TEST(MembraneMaterials, projections_are_finite_at_collapse_where_the_energy_is) {
  for (const Matrix& f : {Matrix{{1.2, 0, 0, 0, 0, 0}}, Matrix{{0, 0, 0, 0, 0, 0}}, Matrix{{1, 1, 0, 1, 1, 0}}}) {
    EXPECT_TRUE(derivative(materials::MembraneArap<double>{3.0, 7.0}, f, true).allFinite());
    EXPECT_TRUE(derivative(materials::MembraneStVenantKirchhoff<double>{3.0, 7.0}, f, true).allFinite());
  }
}

/// A stencil's result must be the same bits in any lane, beside any other; and that of doubles up to fused operations.
template <template <class> class MaterialOf> void check_packs(std::mt19937& random) {
  using math::NativePack;
  constexpr int width = math::native_pack_width;
  std::normal_distribution<double> normal;
  const MaterialOf<NativePack> packed{NativePack(1.0), NativePack(4.0)};
  const MaterialOf<double> material{1.0, 4.0};
  for (int i = 0; i < 200; ++i) {
    math::Matrix32<NativePack> mixed, alone;
    Matrix single;
    const int chosen = i % width, other = (i + 1) % width;
    for (int lane = 0; lane < width; ++lane)
      for (int k = 0; k < 6; ++k) {
        const double entry =
            (k == 0 || k == 4 ? 0.8 + 0.2 * (lane % 3) : 0.0) + (lane % 2 ? 0.2 : 0.01) * normal(random);
        mixed.m[k].set(lane, entry);
        if (lane == chosen) alone.m[k] = NativePack(single.m[k] = entry);
      }
    NativePack C[36], D[36];
    packed.projected_stress_derivative(mixed, C);
    packed.projected_stress_derivative(alone, D);
    const auto expected = derivative(material, single, true);
    for (int k = 0; k < 36; ++k) {
      EXPECT_EQ(C[k][chosen], D[k][other]);
      EXPECT_NEAR(C[k][chosen], expected.data()[k], 1e-12 * expected.cwiseAbs().maxCoeff());
    }
    const auto p = packed.stress(mixed), q = packed.stress(alone);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(p.m[k][chosen], q.m[k][other]);
    const double energy = packed.energy(mixed)[chosen];
    EXPECT_EQ(energy, packed.energy(alone)[other]);
    EXPECT_NEAR(energy, material.energy(single), 1e-13 * (1.0 + energy));
  }
}

TEST(MembraneMaterials, packs_are_lane_independent_and_agree_with_doubles) {
  std::mt19937 random(37);
  check_packs<materials::MembraneNeoHookean>(random);
  check_packs<materials::MembraneStVenantKirchhoff>(random);
  check_packs<materials::MembraneArap>(random);
}

} // namespace
