#pragma once
/// Time stepping as the configuration states it.

#include <string>

#include "base/types.hpp"
#include "dofs/expression.hpp"

namespace limber::integrators {

struct TimeOptions {
  double duration = 1.0;   ///< [s]
  double time_step = 0.01; ///< [s]
  std::string integrator = "backward_euler";
  double newmark_beta = 0.25;
  double newmark_gamma = 0.5;
  dofs::ExpressionVector gravity{}; ///< [m/s²], of time alone
  bool ramp = true;                 ///< static only: loads, gravity and prescribed displacements times t/duration

  /// [m/s²]; not finite where an expression is not
  Vector3 gravity_at(double time) const {
    constexpr double X[3] = {0.0, 0.0, 0.0};
    return {gravity[0](time, X), gravity[1](time, X), gravity[2](time, X)};
  }
};

} // namespace limber::integrators
