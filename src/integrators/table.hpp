#pragma once
/// The time integrators' table (docs/design.md); this version has backward Euler.

#include <vector>

namespace limber::integrators {

/// x̂ = xⁿ + h vⁿ
inline std::vector<double> backward_euler_target(const std::vector<double>& positions,
                                                 const std::vector<double>& velocities, double h) {
  std::vector<double> target(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) target[i] = positions[i] + h * velocities[i];
  return target;
}

/// β h² with β = 1 [s²]
inline double backward_euler_scale(double h) { return h * h; }

/// v = (x − xⁿ)/h
inline std::vector<double> backward_euler_velocities(const std::vector<double>& positions_t1,
                                                     const std::vector<double>& positions_t0, double h) {
  std::vector<double> velocities(positions_t1.size());
  for (std::size_t i = 0; i < velocities.size(); ++i) velocities[i] = (positions_t1[i] - positions_t0[i]) / h;
  return velocities;
}

} // namespace limber::integrators
