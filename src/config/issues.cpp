#include "config/issues.hpp"

#include <algorithm>
#include <cctype>
#include <climits>

#include "base/error.hpp"

namespace limber::config {

void Issues::add(const Location& where, const std::string& key, const std::string& message) {
  issues_.push_back({where, key, message});
}

void Issues::throw_if_any() const {
  if (issues_.empty()) return;
  auto sorted = issues_;
  const auto order = [](const Issue& i) { return i.where.line > 0 ? i.where.line : INT_MAX; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Issue& a, const Issue& b) { return order(a) < order(b); });

  std::string message = sorted.front().message;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const auto& issue = sorted[i];
    message += "\n" + issue.where.file;
    if (issue.where.line > 0) message += ":" + std::to_string(issue.where.line);
    message += ": ";
    if (!issue.key.empty()) message += issue.key + ": ";
    message += issue.message;
  }
  std::string advice = sorted.size() > 1 ? std::to_string(sorted.size()) + " errors. " : "";
  advice += "`limber schema` shows every key.";
  const auto& first = sorted.front();
  throw base::UserError(message, {first.where.file, first.where.line, first.key, advice});
}

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      const int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[n][m];
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const auto lower = [](std::string s) {
    for (auto& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
  };
  std::string best;
  int best_distance = INT_MAX;
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string join_or(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

} // namespace limber::config
