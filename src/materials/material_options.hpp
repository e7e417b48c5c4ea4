#pragma once
/// A body's material as the configuration states it.

#include <string>

namespace limber::materials {

struct MaterialOptions {
  std::string model = "neo_hookean";
  double density = 1000.0;  ///< [kg/m³]
  double lame_mu = 0.0;     ///< [Pa], coefficient of the model's energy
  double lame_lambda = 0.0; ///< [Pa], likewise: for stable_neo_hookean the first Lamé parameter plus μ
  double kappa = 0.0;       ///< [Pa], of symmetric_dirichlet and symmetric_gradient
  double c10 = 0.0, c01 = 0.0, bulk_modulus = 0.0; ///< [Pa], of mooney_rivlin
  double stiffness = 0.0;                          ///< [N/m], of mass_spring
};

/// μ = E / 2(1+ν) [Pa]
constexpr double lame_mu(double youngs_modulus, double poissons_ratio) {
  return youngs_modulus / (2.0 * (1.0 + poissons_ratio));
}

/// λ = E ν / (1+ν)(1−2ν) [Pa]
constexpr double lame_lambda(double youngs_modulus, double poissons_ratio) {
  return youngs_modulus * poissons_ratio / ((1.0 + poissons_ratio) * (1.0 - 2.0 * poissons_ratio));
}

} // namespace limber::materials
