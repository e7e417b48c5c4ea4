#include "output/probes.hpp"

#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "base/collective.hpp"
#include "base/error.hpp"

namespace limber::output {
namespace {

constexpr const char* columns[] = {"ux",  "uy",  "uz",  "vx",  "vy",  "vz",       "sxx",
                                   "syy", "szz", "sxy", "syz", "sxz", "von_mises"};
constexpr std::size_t width = std::size(columns);

std::string header(const std::vector<ProbeOptions>& probes) {
  std::string text = "step,time";
  for (const auto& probe : probes)
    for (const char* column : columns) text += fmt::format(",{}_{}", probe.name, column);
  return text;
}

int find_body(const mesh::DistributedMesh& mesh, const ProbeOptions& probe) {
  for (std::size_t b = 0; b < mesh.bodies.size(); ++b)
    if (mesh.bodies[b].name == probe.body) return int(b);
  throw base::UserError("there is no body '" + probe.body + "'",
                        {.file = probe.config_file, .line = probe.config_line, .key = probe.config_key, .advice = {}});
}

} // namespace

std::vector<ProbeNode> find_probe_nodes(const mesh::DistributedMesh& mesh, const std::vector<ProbeOptions>& probes) {
  std::vector<ProbeNode> found;
  for (const auto& probe : probes) {
    const int body = find_body(mesh, probe);
    double nearest = std::numeric_limits<double>::infinity();
    LocalIndex node = -1;
    for (LocalIndex n = 0; n < mesh.owned_nodes; ++n) {
      if (mesh.node_bodies[std::size_t(n)] != body) continue;
      const double* X = &mesh.rest_positions[3 * std::size_t(n)];
      const double distance = std::hypot(X[0] - probe.point[0], X[1] - probe.point[1], X[2] - probe.point[2]);
      const bool first =
          node >= 0 && distance == nearest && mesh.node_ids[std::size_t(n)] < mesh.node_ids[std::size_t(node)];
      if (!(distance < nearest) && !first) continue;
      nearest = distance;
      node = n;
    }
    const double distance = base::global_min(mesh.comm, nearest);
    GlobalIndex id =
        node >= 0 && nearest == distance ? mesh.node_ids[std::size_t(node)] : std::numeric_limits<GlobalIndex>::max();
    GlobalIndex lowest = id;
    MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT64_T, MPI_MIN, mesh.comm);
    ProbeNode result{lowest - mesh.bodies[std::size_t(body)].first_node_id, {}, distance, id == lowest ? node : -1};
    std::vector<double> position(3, 0.0);
    if (result.local >= 0)
      for (std::size_t k = 0; k < 3; ++k) position[k] = mesh.rest_positions[3 * std::size_t(node) + k];
    base::global_sum(mesh.comm, position);
    result.position = {position[0], position[1], position[2]};
    found.push_back(result);
  }
  return found;
}

Probes::Probes(const mesh::DistributedMesh& mesh, const std::string& directory,
               const std::vector<ProbeOptions>& options, std::vector<ProbeNode> nodes,
               std::optional<std::int64_t> restart_step)
    : mesh_(mesh), nodes_(std::move(nodes)),
      table_(mesh.comm, directory + "/probes.csv", header(options), restart_step) {}

void Probes::append(std::int64_t step, double time, const std::vector<double>& positions,
                    const std::vector<double>& velocities, const std::vector<double>& stress,
                    const std::vector<double>& von_mises) {
  std::vector<double> values(width * nodes_.size(), 0.0); // zero but on the owner
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    if (nodes_[p].local < 0) continue;
    const auto n = std::size_t(nodes_[p].local);
    double* row = &values[width * p];
    for (std::size_t k = 0; k < 3; ++k) {
      row[k] = positions[3 * n + k] - mesh_.rest_positions[3 * n + k];
      row[3 + k] = velocities[3 * n + k];
    }
    for (std::size_t k = 0; k < 6; ++k) row[6 + k] = stress[6 * n + k];
    row[12] = von_mises[n];
  }
  base::global_sum(mesh_.comm, values);
  std::string text = fmt::format("{},{}", step, time);
  for (const double value : values) text += fmt::format(",{}", value);
  table_.append(text);
}

} // namespace limber::output
