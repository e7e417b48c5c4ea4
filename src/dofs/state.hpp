#pragma once
/// What one time step hands to the next.

#include <vector>

#include "base/archive.hpp"

namespace limber::dofs {

struct State {
  std::int64_t step = 0;
  double time = 0.0;              ///< [s]
  std::vector<double> positions;  ///< 3 per local node [m], ghosts up to date
  std::vector<double> velocities; ///< 3 per local node [m/s], ghosts up to date

  /// After reading, ghosts are out of date: call DistributedMesh::update_ghosts.
  void serialize(base::Archive& archive) {
    archive.value("step", step);
    archive.value("time", time);
    archive.node_field("positions", positions, 3);
    archive.node_field("velocities", velocities, 3);
  }
};

} // namespace limber::dofs
