#pragma once
/// Collects everything that is wrong with a configuration, to be reported at once.

#include <string>
#include <vector>

namespace limber::config {

/// Where a value was written.
struct Location {
  std::string file; ///< the file, or "--set key=value"
  int line = 0;     ///< one-based; 0 for --set
};

class Issues {
public:
  /// \param key key path such as bodies[0].material.density; empty: the file as a whole
  void add(const Location& where, const std::string& key, const std::string& message);
  bool empty() const { return issues_.empty(); }

  /// Throws one base::UserError that lists all issues (the first hundred), a line each, in the order of the file and
  /// then --set. The context holds the first one's file, line and key. Does nothing where there are none.
  void throw_if_any() const;

private:
  struct Issue {
    Location where;
    std::string key;
    std::string message;
  };
  std::vector<Issue> issues_;
};

/// "a, b or c"
std::string join_or(const std::vector<std::string>& words);

} // namespace limber::config
