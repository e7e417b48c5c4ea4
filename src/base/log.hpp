#pragma once
/// Messages to the user: rank 0 alone speaks, to the terminal and to log.txt.

#include <mpi.h>
#include <string>

namespace limber::base {

/// Sets up the default spdlog logger: rank 0 prints to stdout (warnings and errors to stderr), the others drop
/// everything. \param quiet drops what is less than a warning on the terminal, not in the file
void start_log(MPI_Comm comm, bool quiet);

/// Also writes to this file from now on (appends). Rank 0 only has an effect. Throws IoError.
void log_to_file(const std::string& path);

/// A line for that file alone: what the terminal shows in another way.
void log_to_file_only(const std::string& line);

} // namespace limber::base
