#pragma once
/// The line a step gets: rewritten in place on a terminal, appended elsewhere.

#include <chrono>
#include <mpi.h>
#include <string>

namespace limber::app {

class Progress {
public:
  Progress(MPI_Comm comm, double start_time, double duration, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// \param time simulated time reached [s]; \param details what else the line says
  void report(std::int64_t step, double time, const std::string& details);

private:
  bool root_, quiet_, terminal_;
  double start_time_, duration_;
  std::chrono::steady_clock::time_point started_;
  std::size_t width_ = 0; ///< of the line on the terminal
};

} // namespace limber::app
