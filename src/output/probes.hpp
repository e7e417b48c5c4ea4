#pragma once
/// DIR/probes.csv: values at chosen nodes, one row a step.

#include <optional>
#include <string>
#include <vector>

#include "mesh/distributed_mesh.hpp"
#include "output/output_options.hpp"
#include "output/table_writer.hpp"

namespace limber::output {

/// The node that a probe has taken.
struct ProbeNode {
  GlobalIndex node_id = 0; ///< of the body's file
  Vector3 position{};      ///< at rest [m]
  double distance = 0.0;   ///< from the point asked for [m]
  LocalIndex local = -1;   ///< on its owner; −1 elsewhere
};

/// The nearest node of the probe's body to each point; of several, that of lowest id. Throws UserError for an unknown
/// body. Collective.
std::vector<ProbeNode> find_probe_nodes(const mesh::DistributedMesh& mesh, const std::vector<ProbeOptions>& probes);

class Probes {
public:
  /// Throws IoError, UserError. Collective.
  Probes(const mesh::DistributedMesh& mesh, const std::string& directory, const std::vector<ProbeOptions>& options,
         std::vector<ProbeNode> nodes, std::optional<std::int64_t> restart_step = std::nullopt);

  /// Throws IoError. Collective. \param positions,velocities 3 per local node \param stress 6 per local node, nodal
  /// averages \param von_mises 1 per local node
  void append(std::int64_t step, double time, const std::vector<double>& positions,
              const std::vector<double>& velocities, const std::vector<double>& stress,
              const std::vector<double>& von_mises);

private:
  const mesh::DistributedMesh& mesh_;
  std::vector<ProbeNode> nodes_;
  TableWriter table_;
};

} // namespace limber::output
