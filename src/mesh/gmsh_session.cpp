#include "mesh/gmsh_session.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <gmsh.h>
#include <mpi.h>
#include <new>

namespace limber::mesh {

namespace {

constexpr int kGuardedSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGBUS};

bool session_open = false;

/// A script can end the process with its Exit command; then nobody would ever say why, and other ranks would wait.
void explain_exit() {
  if (!session_open) return;
  std::fputs("limber: the Gmsh script ended the program with its command Exit: remove it from the script\n", stderr);
  std::fflush(stderr);
  int running = 0, stopped = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&stopped);
  if (running && !stopped) MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

void set_up() {
  static const bool registered = std::atexit(explain_exit) == 0;
  session_open = registered;
  // No arguments and no configuration files: the same input gives the same mesh for every user.
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  gmsh::option::setNumber("General.Verbosity", 2); // errors and warnings
  gmsh::option::setNumber("General.NumThreads", 1);
  gmsh::logger::start();
}

} // namespace

GmshSession::GmshSession() : c_locale_(std::setlocale(LC_ALL, nullptr)) {
  // Gmsh divides by zero here and there, which would stop a run that traps floating-point exceptions.
  std::feholdexcept(&floating_point_);
  for (const int signal : kGuardedSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    signal_handlers_.emplace_back(signal, action);
  }
  // Gmsh reads and writes numbers with the C and C++ libraries, which must see decimal points.
  cpp_locale_ = std::locale::global(std::locale::classic());

  std::string reason = "unknown";
  try {
    set_up();
    return;
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (const std::string& error) {
    reason = error;
  } catch (...) {
  }
  restore_process_state();
  throw base::UserError("Gmsh cannot be started: " + reason,
                        {.file = {}, .line = 0, .key = {}, .advice = "Check the Gmsh installation."});
}

GmshSession::~GmshSession() {
  try {
    gmsh::logger::stop();
  } catch (...) {
  }
  try {
    gmsh::finalize();
  } catch (...) {
  }
  restore_process_state();
}

void GmshSession::restore_process_state() {
  session_open = false;
  std::locale::global(cpp_locale_);
  std::setlocale(LC_ALL, c_locale_.c_str());
  for (const auto& [signal, action] : signal_handlers_) sigaction(signal, &action, nullptr);
  std::fesetenv(&floating_point_);
}

void GmshSession::run(const std::string& failure, const base::ErrorContext& context,
                      const std::function<void()>& work) const {
  std::string reason;
  try {
    work();
    return;
  } catch (const base::UserError&) {
    throw;
  } catch (const base::InternalError&) {
    throw;
  } catch (const std::bad_alloc&) {
    reason = "out of memory";
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (const std::string& error) {
    reason = error;
  } catch (const char* error) {
    reason = error;
  } catch (...) {
    reason = "Gmsh gives no reason";
  }
  std::vector<std::string> quoted = messages();
  // The exception usually repeats the last message of the log.
  bool repeated = false;
  for (const std::string& message : quoted) repeated = repeated || message.find(reason) != std::string::npos;
  if (!repeated) quoted.push_back(reason);
  throw base::UserError(quote(failure, quoted), context);
}

std::vector<std::string> GmshSession::messages(std::size_t limit) const {
  std::vector<std::string> log;
  try {
    gmsh::logger::get(log);
  } catch (...) {
  }
  std::vector<std::string> kept;
  for (const std::string& message : log)
    if (message.starts_with("Error") || message.starts_with("Warning")) kept.push_back(message);
  if (kept.size() > limit) kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(limit));
  return kept;
}

std::string quote(const std::string& failure, const std::vector<std::string>& messages) {
  std::string text = failure;
  for (const std::string& message : messages) text += "\n  Gmsh: " + message;
  return text;
}

} // namespace limber::mesh
