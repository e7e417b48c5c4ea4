#pragma once
/// A .csv file that grows by a row a step and can be continued by a restarted run.

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>

namespace limber::output {

/// Writes on rank 0; a row is complete in the file when append() returns. The first column is the step.
class TableWriter {
public:
  /// Starts the file anew, or, given the step of the checkpoint that a run restarts from, keeps the rows up to that
  /// step and drops later ones. Throws IoError, and UserError if the file to continue has another header. Collective.
  /// \param header without line end
  TableWriter(MPI_Comm comm, std::string path, std::string header, std::optional<std::int64_t> restart_step);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// \param row without line end; that of rank 0 counts. Throws IoError; the file then ends with the row before.
  /// Collective.
  void append(const std::string& row);

private:
  MPI_Comm comm_;
  std::string path_;
  int descriptor_ = -1; ///< rank 0 only
};

} // namespace limber::output
