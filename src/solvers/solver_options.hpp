#pragma once
/// The nonlinear and linear solver as the configuration states them.

#include <string>

namespace limber::solvers {

struct SolverOptions {
  std::string method = "newton";
  double tolerance = 1e-3;     ///< [m/s] on ‖p‖∞/h
  int max_iterations = 100;    ///< Newton iterations a step
  int max_step_halvings = 8;   ///< how often a step that failed is tried with half its size
  std::string linear = "auto"; ///< auto | cholesky | cg_amg
  std::string petsc_options;   ///< below the command line, above the program's defaults
};

} // namespace limber::solvers
