#include "output/statistics.hpp"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collective.hpp"
#include "base/error.hpp"
#include "output/atomic_file.hpp"

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
  line += '\n';
  return line;
}

/// Header and rows up to `last_step` of an existing file; a last line without its line end (the run was killed while
/// writing) is dropped.
std::string rows_up_to(const std::string& path, std::int64_t last_step) {
  std::string kept = statistics_header() + '\n';
  std::ifstream file(path, std::ios::binary);
  if (!file) return kept;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  bool header = true;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (header && line != statistics_header())
      throw base::UserError("its columns are not those of this version of limber",
                            {.file = path,
                             .line = 1,
                             .key = {},
                             .advice = "Move the file away to continue with a new one, or restart in another folder "
                                       "with --output."});
    std::int64_t step = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), step);
    if (!header && parsed.ec == std::errc{} && step <= last_step) kept += line + '\n';
    header = false;
  }
  return kept;
}

} // namespace

const std::string& statistics_header() {
  static const std::string header =
      "step,time,time_step,newton_iterations,linear_iterations,line_search_evaluations,residual,kinetic_energy,"
      "elastic_energy,gravity_energy,contact_energy,friction_energy,total_energy,momentum_x,momentum_y,momentum_z,"
      "angular_momentum_x,angular_momentum_y,angular_momentum_z,contact_pairs,min_distance,min_jacobian,step_seconds";
  return header;
}

StatisticsWriter::StatisticsWriter(MPI_Comm comm, const std::string& directory,
                                   std::optional<std::int64_t> restart_step)
    : comm_(comm), path_(directory + "/statistics.csv") {
  base::all_or_throw(comm_, [&] {
    if (base::rank(comm_) != 0) return;
    write_file_atomically(path_, restart_step ? rows_up_to(path_, *restart_step) : statistics_header() + '\n');
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) throw base::IoError(write_failure(path_, errno));
  });
}

StatisticsWriter::~StatisticsWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StatisticsWriter::append(const StepStatistics& row) {
  base::all_or_throw(comm_, [&] {
    if (descriptor_ < 0) return;
    struct stat before = {};
    if (::fstat(descriptor_, &before) != 0) throw base::IoError(write_failure(path_, errno));
    if (const int error = write_all(descriptor_, format_row(row))) {
      // Half a row would be glued to the next one.
      if (::ftruncate(descriptor_, before.st_size) != 0) throw base::IoError(write_failure(path_, errno));
      throw base::IoError(write_failure(path_, error));
    }
  });
}

} // namespace limber::output
