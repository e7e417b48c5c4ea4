#pragma once
/// What is written, where and how often, as the configuration states it.

#include <string>
#include <vector>

#include "base/types.hpp"

namespace limber::output {

/// A point where values are recorded: those of the body's node that is nearest to it.
struct ProbeOptions {
  std::string name; ///< unique; letters, digits, '_', '-' and '.'
  std::string body;
  Vector3 point{};         ///< [m], rest position
  std::string config_file; ///< for messages
  std::string config_key;  ///< for example output.probes[0]
  int config_line = 0;
};

struct OutputOptions {
  std::string directory = "out"; ///< relative to the working directory
  int every = 1;                 ///< steps between frames
  double every_seconds = 0.0;    ///< [s] of simulated time between frames; 0: use every
  std::vector<std::string> fields{"displacement", "velocity", "von_mises", "jacobian"};
  int checkpoint_every = 50; ///< steps; 0: only where the run stops early
  std::vector<ProbeOptions> probes;
};

} // namespace limber::output
