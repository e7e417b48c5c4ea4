#include <cmath>
#include <gtest/gtest.h>

#include "energies/von_mises.hpp"
#include "materials/neo_hookean.hpp"

namespace {

using namespace limber;
using Matrix = math::Matrix3<double>;

// A handful of roundings of numbers near 1.
constexpr double tolerance = 1e-14;

TEST(VonMises, closed_forms) {
  EXPECT_NEAR(energies::von_mises_stress(Matrix{{-2.5, 0, 0, 0, 0, 0, 0, 0, 0}}), 2.5, tolerance); // uniaxial
  EXPECT_NEAR(energies::von_mises_stress(Matrix{{3, 0, 0, 0, 3, 0, 0, 0, 3}}), 0.0, tolerance);    // hydrostatic
  EXPECT_NEAR(energies::von_mises_stress(Matrix{{0, 2, 0, 2, 0, 0, 0, 0, 0}}), 2.0 * std::sqrt(3.0),
              tolerance); // shear
  EXPECT_NEAR(energies::von_mises_stress(Matrix{{3, 0, 0, 0, 1, 0, 0, 0, -2}}), std::sqrt(19.0),
              tolerance); // ½ Σ(σi−σj)²
}

TEST(CauchyStress, neo_hookean_closed_form) { // σ = (μ (F Fᵀ − I) + λ ln J I)/J
  const double mu = 3.0, lambda = 7.0;
  const Matrix f{{1.1, 0.15, -0.25, 0.3, 0.8, 0.1, -0.2, 0.4, 1.3}};
  const double J = math::determinant(f);
  const auto sigma = energies::cauchy_stress(materials::NeoHookean<double>{mu, lambda}.stress(f), f);
  const auto b = f * math::transpose(f);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double expected = (mu * (b(i, j) - (i == j)) + (i == j) * lambda * std::log(J)) / J;
      EXPECT_NEAR(sigma(i, j), expected, tolerance * 10.0); // stresses of size 10
    }
}

} // namespace
