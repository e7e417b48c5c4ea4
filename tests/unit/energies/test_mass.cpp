#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "energies/mass.hpp"
#include "energies/tetrahedron_p1.hpp"

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

} // namespace
