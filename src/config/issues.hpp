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

  /// Throws one base::UserError that lists all issues, a line each, in the order of the file and then --set.
  /// The context holds the first one's file, line and key. Does nothing where there are none.
  void throw_if_any() const;

private:
  struct Issue {
    Location where;
    std::string key;
    std::string message;
  };
  std::vector<Issue> issues_;
};

/// Number of insertions, deletions, replacements and swaps of neighbors that turn one word into the other
/// (optimal string alignment distance).
int edit_distance(const std::string& a, const std::string& b);

/// The candidate with the smallest edit distance, ignoring case; the first of several; empty without candidates.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b or c"
std::string join_or(const std::vector<std::string>& words);

} // namespace limber::config
