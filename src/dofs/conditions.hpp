#pragma once
/// Boundary conditions: which components of which nodes are held, and where they go in a step.

#include <cstdint>
#include <vector>

#include "dofs/body_options.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::dofs {

/// What holds during one step, per local degree of freedom (3 per local node, ghosts included).
struct Constraints {
  std::vector<std::uint8_t> held;   ///< 1: the component is prescribed
  std::vector<double> displacement; ///< [m] from the start of the step to its end; 0 where not held
  bool any_motion = false;          ///< some held component moves in this step, on any rank
};

class Conditions {
public:
  /// Finds the nodes of every condition. Throws UserError when a condition names an unknown body or group, selects no
  /// node, or when two conditions move the same component of a node differently at the same time. Collective.
  Conditions(const mesh::DistributedMesh& mesh, const std::vector<ConditionOptions>& options);

  /// The step from `time` to `time + h`. A condition counts if its interval [from, until] overlaps the step; its nodes
  /// then move for the time of the overlap; conditions that take turns within the step add up. Collective.
  Constraints constraints(double time, double h) const;

  /// Selected nodes of a condition over all ranks.
  const std::vector<GlobalIndex>& selected() const { return selected_; }

private:
  struct Condition {
    ConditionOptions options;
    std::vector<LocalIndex> nodes; ///< local, ghosts included
  };
  void refuse_contradictions() const;

  const mesh::DistributedMesh& mesh_;
  std::vector<Condition> conditions_;
  std::vector<GlobalIndex> selected_;
};

} // namespace limber::dofs
