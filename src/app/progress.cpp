#include "app/progress.hpp"

#include <cmath>
#include <cstdio>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/collective.hpp"
#include "base/log.hpp"

namespace limber::app {
namespace {

/// mpirun gives its processes a pipe or a pseudo-terminal; whether a person watches, its own output tells.
bool on_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  char target[64] = {};
  const std::string parent = "/proc/" + std::to_string(getppid()) + "/fd/1";
  if (readlink(parent.c_str(), target, sizeof target - 1) < 0) return true;
  return std::string(target).rfind("/dev/pts/", 0) == 0 || std::string(target).rfind("/dev/tty", 0) == 0;
}

std::string as_clock(double seconds) {
  const long s = std::lround(seconds);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

} // namespace

Progress::Progress(MPI_Comm comm, double start_time, double duration, bool quiet)
    : root_(base::rank(comm) == 0), quiet_(quiet), terminal_(root_ && !quiet && on_terminal()), start_time_(start_time),
      duration_(duration), started_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (terminal_ && width_ > 0) std::printf("\n");
}

void Progress::report(std::int64_t step, double time, const std::string& details) {
  if (!root_) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const double done = (time - start_time_) / (duration_ - start_time_);
  const std::string left = done > 0.0 ? as_clock(elapsed * (1.0 - done) / done) : "?";
  const std::string line =
      fmt::format("step {:>5}  t {:.6g}/{:g} s  {}  left {}", step, time, duration_, details, left);
  if (!terminal_) {
    spdlog::info(line);
    return;
  }
  base::log_to_file_only(line);
  std::printf("\r%-*s", int(width_), line.c_str());
  std::fflush(stdout);
  width_ = line.size();
}

} // namespace limber::app
