#include "config/yaml_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace limber::config {
namespace {

std::string lower(std::string s) {
  for (auto& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

} // namespace

std::string number_text(double x) {
  std::array<char, 64> buffer{};
  const double size = std::abs(x);
  const bool fixed = x == 0.0 || (size >= 1e-3 && size < 1e15);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, format).ptr;
  std::string text(buffer.data(), end);
  const auto exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string string_text(const std::string& text) {
  const bool word = !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) || text.front() == '/') &&
                    std::all_of(text.begin(), text.end(), [](unsigned char c) {
                      return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
                    });
  if (word && !is_boolean(text) && !is_null(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned>(c));
      quoted += code.data();
    } else quoted += c;
  }
  return quoted + "\"";
}

std::string excerpt(const std::string& text) {
  constexpr std::size_t longest = 80;
  std::size_t end = std::min(text.size(), longest);
  // Not within a character of several bytes.
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  std::string result = text.substr(0, end);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return end < text.size() ? result + "…" : result;
}

bool is_boolean(const std::string& word) {
  const auto w = lower(word);
  return w == "true" || w == "false" || w == "yes" || w == "no" || w == "on" || w == "off";
}

bool is_null(const std::string& word) { return word.empty() || word == "~" || lower(word) == "null"; }

} // namespace limber::config
