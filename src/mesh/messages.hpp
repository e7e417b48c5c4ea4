#pragma once
/// What the messages of this folder are made with.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace limber::mesh {

/// Throws UserError with the context's place and the advice.
[[noreturn]] inline void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

/// Four significant digits.
inline std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

/// The ending of a file's name in lower case, with its dot.
inline std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

} // namespace limber::mesh
