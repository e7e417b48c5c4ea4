#pragma once
/// What is written, where and how often, as the configuration states it.

#include <string>
#include <vector>

namespace limber::output {

struct OutputOptions {
  std::string directory = "out"; ///< relative to the working directory
  int every = 1;                 ///< steps between frames
  double every_seconds = 0.0;    ///< [s] of simulated time between frames; 0: use every
  std::vector<std::string> fields{"displacement", "velocity", "von_mises", "jacobian"};
  int checkpoint_every = 50; ///< steps; 0: only where the run stops early
};

} // namespace limber::output
