#include "output/statistics.hpp"

#include <spdlog/fmt/fmt.h>

namespace limber::output {
namespace {

template <class T> void add_cell(std::string& line, const std::optional<T>& value) {
  line += ',';
  if (value) line += fmt::format("{}", *value); // fmt: shortest form that reads back exactly
}

void add_cells(std::string& line, const std::optional<Vector3>& value) {
  for (int i = 0; i < 3; ++i) add_cell(line, value ? std::optional<double>((*value)[i]) : std::nullopt);
}

std::string format_row(const StepStatistics& row) {
  std::string line = fmt::format("{},{}", row.step, row.time);
  add_cell(line, row.time_step);
  add_cell(line, row.newton_iterations);
  add_cell(line, row.linear_iterations);
  add_cell(line, row.line_search_evaluations);
  add_cell(line, row.residual);
  add_cell(line, row.kinetic_energy);
  add_cell(line, row.elastic_energy);
  add_cell(line, row.gravity_energy);
  add_cell(line, row.contact_energy);
  add_cell(line, row.friction_energy);
  add_cell(line, row.total_energy);
  add_cells(line, row.momentum);
  add_cells(line, row.angular_momentum);
  add_cell(line, row.contact_pairs);
  add_cell(line, row.min_distance);
  add_cell(line, row.min_jacobian);
  add_cell(line, row.step_seconds);
  add_cell(line, row.load_energy);
  add_cell(line, row.load_work);
  add_cell(line, row.boundary_work);
  add_cell(line, row.dissipated_energy);
  add_cell(line, row.energy_balance);
  return line;
}

} // namespace

const std::string& statistics_header() {
  static const std::string header =
      "step,time,time_step,newton_iterations,linear_iterations,line_search_evaluations,residual,kinetic_energy,"
      "elastic_energy,gravity_energy,contact_energy,friction_energy,total_energy,momentum_x,momentum_y,momentum_z,"
      "angular_momentum_x,angular_momentum_y,angular_momentum_z,contact_pairs,min_distance,min_jacobian,step_seconds,"
      "load_energy,load_work,boundary_work,dissipated_energy,energy_balance";
  return header;
}

StatisticsWriter::StatisticsWriter(MPI_Comm comm, const std::string& directory,
                                   std::optional<std::int64_t> restart_step)
    : table_(comm, directory + "/statistics.csv", statistics_header(), restart_step) {}

void StatisticsWriter::append(const StepStatistics& row) { table_.append(format_row(row)); }

} // namespace limber::output
