#pragma once
/// Time stepping as the configuration states it.

#include <string>

#include "base/types.hpp"

namespace limber::integrators {

struct TimeOptions {
  double duration = 1.0;   ///< [s]
  double time_step = 0.01; ///< [s]
  std::string integrator = "backward_euler";
  Vector3 gravity{}; ///< [m/s²]
  bool ramp = true;  ///< static only: loads, gravity and prescribed displacements times t/duration
};

} // namespace limber::integrators
