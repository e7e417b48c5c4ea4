#pragma once
/// DIR/conditions.csv: the force and the moment of every boundary condition and load on its body, one row a step.

#include <optional>
#include <string>
#include <vector>

#include "mesh/distributed_mesh.hpp"
#include "output/table_writer.hpp"

namespace limber::output {

class ConditionForces {
public:
  /// \param names of all conditions, in the order of the configuration. Throws IoError, UserError. Collective.
  ConditionForces(const mesh::DistributedMesh& mesh, const std::string& directory,
                  const std::vector<std::string>& names, std::optional<std::int64_t> restart_step = std::nullopt);

  /// Sums over nodes and appends. Moments are about the origin, at the current positions. A held component counts for
  /// the condition that `holder` names. Throws IoError. Collective.
  /// \param positions 3 per local node [m] \param holder 3 per local node, −1: not held
  /// \param reactions forces on held components, 3 per owned node [N]
  /// \param loads of each condition, 3 per owned node [N], or empty
  void append(std::int64_t step, double time, const std::vector<double>& positions,
              const std::vector<std::int32_t>& holder, const std::vector<double>& reactions,
              const std::vector<std::vector<double>>& loads);

private:
  const mesh::DistributedMesh& mesh_;
  std::size_t conditions_;
  TableWriter table_;
};

} // namespace limber::output
