#pragma once
/// Compares a material with independent reference numbers: tests/data/materials.json and materials_psd.json, or a file
/// that has everything (mooney_rivlin.json).

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "math/matrix3.hpp"

namespace limber::test {

inline nlohmann::json read_data(const std::string& name) {
  std::ifstream file(std::string(LIMBER_TEST_DATA) + "/" + name);
  if (!file) throw std::runtime_error("cannot read " + name);
  return nlohmann::json::parse(file);
}

inline math::Matrix3<double> to_matrix3(const nlohmann::json& rows) {
  math::Matrix3<double> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = rows[i][j].get<double>();
  return m;
}

/// The F, by name, at which the data has values; those of the reference's setup.
inline math::Matrix3<double> reference_deformation(const nlohmann::json& data, const std::string& name,
                                                   const nlohmann::json& value) {
  return to_matrix3(value.contains("F") ? value.at("F") : data.at("setup").at("F").at(name));
}

inline void expect_matrix_near(const double C[81], const nlohmann::json& rows, double tolerance,
                               const std::string& what) {
  double scale = 0.0, error = 0.0;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) {
      const double expected = rows[a][b].get<double>();
      scale = std::max(scale, std::fabs(expected));
      error = std::max(error, std::fabs(C[a + 9 * b] - expected));
    }
  EXPECT_LE(error, tolerance * scale) << what;
}

/// Tolerances, relative to the largest entry of the same matrix: the data have 12 digits, hence 1e-11 for P and dP/dF;
/// the reference projection comes from an eigen-solver in double, 1e-10; at near_degenerate_1e-4 dP/dF is of size 1e8
/// beside eigenvalues of size 1, 1e-9.
/// \param rest_energy what the reference's energy has at rest, and the program's has not
template <class Material>
void check_material(const Material& material, const std::string& name, double rest_energy = 0.0,
                    const std::string& file = "materials.json", const std::string& psd_file = "materials_psd.json") {
  const auto data = read_data(file);
  const auto projected = read_data(psd_file).at("materials").at(name).at("values");
  const auto values = data.at("materials").at(name).at("values");
  ASSERT_GE(values.size(), 10u);
  for (const auto& [key, value] : values.items()) {
    SCOPED_TRACE(name + ", F = " + key);
    const auto f = reference_deformation(data, key, value);
    const double tolerance = key == "near_degenerate_1e-4" ? 1e-9 : 1e-11;
    const double psi = value.at("Psi");

    const auto p = material.stress(f);
    const auto expected = to_matrix3(value.at("P"));
    double scale = 0.0, error = 0.0;
    for (int i = 0; i < 9; ++i) {
      scale = std::max(scale, std::fabs(expected.m[i]));
      error = std::max(error, std::fabs(p.m[i] - expected.m[i]));
    }
    // Where P vanishes or is small, F's own rounding times the stiffness (of size 10) remains.
    EXPECT_LE(error, tolerance * scale + 1e-14) << "P";
    EXPECT_NEAR(material.energy(f) + rest_energy, psi, tolerance * std::fabs(psi) + 1e-14) << "Psi";

    double C[81];
    material.stress_derivative(f, C);
    expect_matrix_near(C, value.at("dPdF"), tolerance, "dP/dF");
    material.projected_stress_derivative(f, C);
    expect_matrix_near(C, projected[key]["psd"], std::max(tolerance, 1e-10), "projected dP/dF");
  }
}

} // namespace limber::test
