#include "config/issues.hpp"

#include <algorithm>
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

  constexpr std::size_t most = 100; // more than anybody reads
  std::string message = sorted.front().message;
  for (std::size_t i = 1; i < std::min(sorted.size(), most); ++i) {
    const auto& issue = sorted[i];
    message += "\n" + issue.where.file;
    if (issue.where.line > 0) message += ":" + std::to_string(issue.where.line);
    message += ": ";
    if (!issue.key.empty()) message += issue.key + ": ";
    message += issue.message;
  }
  if (sorted.size() > most) message += "\n… and " + std::to_string(sorted.size() - most) + " more";
  std::string advice = sorted.size() > 1 ? std::to_string(sorted.size()) + " errors. " : "";
  advice += "`limber schema` shows every key.";
  const auto& first = sorted.front();
  throw base::UserError(message, {first.where.file, first.where.line, first.key, advice});
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
