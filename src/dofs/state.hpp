#pragma once
/// What one time step hands to the next.

#include <cstdint>
#include <string>
#include <vector>

#include "base/archive.hpp"

namespace limber::dofs {

/// Work done on the bodies, and energy taken from them, since the start of the run [J].
struct EnergyLedger {
  double load_work = 0.0;     ///< of tractions, pressures and body forces, and of gravity where it changes in time
  double boundary_work = 0.0; ///< of the forces that move held nodes
  double dissipated = 0.0;    ///< by damping
};

/// A nodal field that a state may have or not, alike on all ranks (a rank without nodes has an empty one).
struct OptionalField {
  std::int64_t present = 0;
  std::vector<double> values; ///< 3 per local node, ghosts up to date

  void set(std::vector<double> v) {
    present = 1;
    values = std::move(v);
  }
  void serialize(base::Archive& archive, const std::string& name, std::size_t size) {
    archive.value(name + "/present", present);
    if (present == 0) return;
    values.resize(size);
    archive.node_field(name + "/values", values, 3);
  }
};

struct State {
  std::int64_t step = 0;
  double time = 0.0;              ///< [s]
  std::vector<double> positions;  ///< 3 per local node [m], ghosts up to date
  std::vector<double> velocities; ///< 3 per local node [m/s], ghosts up to date

  // Where the integrator keeps them.
  double previous_step = 0.0;        ///< size of the last step [s]; 0: there was none
  OptionalField previous_positions;  ///< one step before [m]
  OptionalField previous_velocities; ///< one step before [m/s]
  OptionalField accelerations;       ///< [m/s²]

  EnergyLedger ledger;
  OptionalField reactions;     ///< forces on held components in the last step [N], valid at owned nodes; 0 elsewhere
  double damping_power = -1.0; ///< what damping dissipates at the end of the last step [W]; < 0: there was none

  /// After reading, ghosts are out of date: call update_ghosts().
  void serialize(base::Archive& archive) {
    archive.value("step", step);
    archive.value("time", time);
    archive.node_field("positions", positions, 3);
    archive.node_field("velocities", velocities, 3);
    archive.value("previous_step", previous_step);
    previous_positions.serialize(archive, "previous_positions", positions.size());
    previous_velocities.serialize(archive, "previous_velocities", positions.size());
    accelerations.serialize(archive, "accelerations", positions.size());
    archive.value("ledger/load_work", ledger.load_work);
    archive.value("ledger/boundary_work", ledger.boundary_work);
    archive.value("ledger/dissipated", ledger.dissipated);
    archive.value("ledger/damping_power", damping_power);
    reactions.serialize(archive, "reactions", positions.size());
  }

  /// Collective. \param mesh a mesh::DistributedMesh
  template <class Mesh> void update_ghosts(const Mesh& mesh) {
    mesh.update_ghosts(positions);
    mesh.update_ghosts(velocities);
    for (auto* field : {&previous_positions, &previous_velocities, &accelerations})
      if (field->present) mesh.update_ghosts(field->values);
  }
};

} // namespace limber::dofs
