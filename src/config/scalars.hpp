#pragma once
/// Numbers and words from YAML scalars, strictly.

#include <cstdint>
#include <string>

#include "config/document.hpp"
#include "dofs/expression.hpp"

namespace limber::config {

/// What was found, for messages: "'abc'", "a list", "nothing".
std::string found(const Node& node);

/// Whether the text is a number but for a comma in place of the decimal point, as 0,5.
bool has_decimal_comma(const std::string& text);

/// Decimal numbers only, 1, -2.5, .5, 1e5: no NaN or infinity, no quotes, nothing behind the number.
/// \param problem set to the message's first part ("found 'abc'") where the result is false
bool read_number(const Node& node, double& x, std::string& problem);

/// Decimal whole numbers only.
bool read_integer(const Node& node, std::int64_t& x, std::string& problem);

/// true or false, without quotes.
bool read_boolean(const Node& node, bool& x, std::string& problem);

/// A number, or a text that dofs::Expression takes, in quotes or not.
bool read_expression(const Node& node, dofs::Expression& x, std::string& problem);

/// Any scalar but nothing and booleans; a number without quotes is taken as its text (groups may be numbered).
bool read_string(const Node& node, std::string& x, std::string& problem);

} // namespace limber::config
