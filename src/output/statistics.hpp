#pragma once
/// DIR/statistics.csv: one row a step.

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>

#include "base/types.hpp"
#include "output/table_writer.hpp"

namespace limber::output {

/// One row; a member without a value becomes an empty cell.
struct StepStatistics {
  std::int64_t step = 0;
  double time = 0.0;               ///< [s]
  std::optional<double> time_step; ///< [s]
  std::optional<std::int64_t> newton_iterations;
  std::optional<std::int64_t> linear_iterations;
  std::optional<std::int64_t> line_search_evaluations;
  std::optional<double> residual;       ///< the last ‖p‖∞/h [m/s]
  std::optional<double> kinetic_energy; ///< energies without h² [J]
  std::optional<double> elastic_energy;
  std::optional<double> gravity_energy; ///< −Σ m g·x
  std::optional<double> contact_energy;
  std::optional<double> friction_energy;   ///< work dissipated so far
  std::optional<double> total_energy;      ///< kinetic + elastic + gravity + contact
  std::optional<Vector3> momentum;         ///< [kg m/s]
  std::optional<Vector3> angular_momentum; ///< about the origin [kg m²/s]
  std::optional<std::int64_t> contact_pairs;
  std::optional<double> min_distance;  ///< [m]
  std::optional<double> min_jacobian;  ///< over the whole element
  std::optional<double> step_seconds;  ///< wall time
  std::optional<double> load_energy;   ///< −Σ f·(x − X) of tractions, pressures and body forces, as they are now
  std::optional<double> load_work;     ///< done by loads and by changes of gravity so far
  std::optional<double> boundary_work; ///< done by the forces that move held nodes so far
  std::optional<double> dissipated_energy; ///< by damping so far
  std::optional<double> energy_balance;    ///< total + dissipated − load_work − boundary_work
};

/// The first line of the file, without a line end.
const std::string& statistics_header();

/// Numbers in the shortest form that reads back exactly.
class StatisticsWriter {
public:
  /// See TableWriter. Collective.
  StatisticsWriter(MPI_Comm comm, const std::string& directory,
                   std::optional<std::int64_t> restart_step = std::nullopt);

  /// The values of rank 0 count. Throws IoError. Collective.
  void append(const StepStatistics& row);

private:
  TableWriter table_;
};

} // namespace limber::output
