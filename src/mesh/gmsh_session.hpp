#pragma once
/// One use of the Gmsh library: initialized, quiet, and gone without a trace when the object dies.

#include <cfenv>
#include <clocale>
#include <csignal>
#include <functional>
#include <locale>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace limber::mesh {

/// Gmsh keeps global state, so only one session may live at a time. It reads no configuration file, prints nothing
/// (its messages are kept for errors), uses one thread, and puts back the locale, the signal handlers and the
/// floating-point environment that it found. Throws UserError when Gmsh cannot start.
class GmshSession {
public:
  GmshSession();
  ~GmshSession();
  GmshSession(const GmshSession&) = delete;
  GmshSession& operator=(const GmshSession&) = delete;

  /// Runs `work`; whatever Gmsh throws (some versions throw strings or integers) becomes a UserError that says
  /// `failure`, then quotes Gmsh's messages.
  void run(const std::string& failure, const base::ErrorContext& context, const std::function<void()>& work) const;

  /// Gmsh's warnings and errors so far, the last `limit` of them.
  std::vector<std::string> messages(std::size_t limit = 5) const;

private:
  void restore_process_state();

  std::fenv_t floating_point_;
  std::string c_locale_;
  std::locale cpp_locale_;
  std::vector<std::pair<int, struct sigaction>> signal_handlers_;
};

/// `failure`, with the messages on lines of their own.
std::string quote(const std::string& failure, const std::vector<std::string>& messages);

} // namespace limber::mesh
