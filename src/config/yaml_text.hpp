#pragma once
/// Values as YAML text that reads back as the same values.

#include <string>

namespace limber::config {

/// The shortest text that reads back as the same double, with a '.' before any exponent (YAML 1.1 readers take
/// 1e+05 for a string).
std::string number_text(double x);

/// A string, in double quotes unless it is a plain word that no reader takes for anything else.
std::string string_text(const std::string& text);

/// A text of the user for a message: on one line, at most about 80 bytes, control characters replaced by '?'.
std::string excerpt(const std::string& text);

/// \return true if a reader may take the plain word for a boolean or for nothing
bool is_boolean(const std::string& word);
bool is_null(const std::string& word);

} // namespace limber::config
