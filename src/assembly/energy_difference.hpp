#pragma once
/// E(x) − E(x₀), added stencil by stencil: the difference of two totals would drown in round-off.

#include <cmath>

#include "base/compensated_sum.hpp"

namespace limber::assembly {

/// This rank's share.
struct LocalDifference {
  base::CompensatedSum value;     ///< [J]
  base::CompensatedSum magnitude; ///< [J] what round-off is relative to: terms, and what they are differences of
  void add(double difference, double size) {
    value.add(difference);
    magnitude.add(size);
  }
};

/// Over all ranks.
struct EnergyDifference {
  double value = 0.0;     ///< [J]; +infinity where x is outside the domain
  double magnitude = 0.0; ///< [J]
};

} // namespace limber::assembly
