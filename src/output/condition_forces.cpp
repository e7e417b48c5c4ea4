#include "output/condition_forces.hpp"

#include <spdlog/fmt/fmt.h>

#include "base/collective.hpp"

namespace limber::output {
namespace {

std::string header(const std::vector<std::string>& names) {
  std::string text = "step,time";
  for (const auto& name : names)
    for (const char* column : {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"})
      text += fmt::format(",{}_{}", name, column);
  return text;
}

/// Adds a force at component k of a position, and its moment about the origin.
void add_force(double* sums, const double* x, std::size_t k, double force) {
  sums[k] += force;
  sums[3 + (k + 1) % 3] += x[(k + 2) % 3] * force; // x × e_k
  sums[3 + (k + 2) % 3] -= x[(k + 1) % 3] * force;
}

} // namespace

ConditionForces::ConditionForces(const mesh::DistributedMesh& mesh, const std::string& directory,
                                 const std::vector<std::string>& names, std::optional<std::int64_t> restart_step)
    : mesh_(mesh), conditions_(names.size()),
      table_(mesh.comm, directory + "/conditions.csv", header(names), restart_step) {}

void ConditionForces::append(std::int64_t step, double time, const std::vector<double>& positions,
                             const std::vector<std::int32_t>& holder, const std::vector<double>& reactions,
                             const std::vector<std::vector<double>>& loads) {
  std::vector<double> sums(6 * conditions_, 0.0);
  for (std::size_t i = 0; i < 3 * std::size_t(mesh_.owned_nodes); ++i) {
    const double* x = &positions[i - i % 3];
    if (i < holder.size() && holder[i] >= 0) add_force(&sums[6 * std::size_t(holder[i])], x, i % 3, reactions[i]);
    for (std::size_t c = 0; c < loads.size(); ++c)
      if (!loads[c].empty()) add_force(&sums[6 * c], x, i % 3, loads[c][i]);
  }
  if (!sums.empty()) base::global_sum(mesh_.comm, sums);
  std::string row = fmt::format("{},{}", step, time);
  for (const double sum : sums) row += fmt::format(",{}", sum);
  table_.append(row);
}

} // namespace limber::output
