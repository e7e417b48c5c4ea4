#pragma once
/// How the minimization of one time step ended: failure to converge is a value, not an exception.

#include <string>

namespace limber::solvers {

struct StepOutcome {
  bool converged = false;
  std::string reason; ///< why not, in words
  std::string advice; ///< what the user can do, where that follows from the reason
  int newton_iterations = 0;
  int linear_iterations = 0;
  int line_search_evaluations = 0;
  double residual = 0.0; ///< last ‖p‖∞/h [m/s]
};

} // namespace limber::solvers
