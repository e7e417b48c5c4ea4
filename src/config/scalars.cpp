#include "config/scalars.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

// std::from_chars knows no leading plus.
std::string without_plus(const std::string& text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+' ? text.substr(1) : text;
}

template <class Number> bool read(const Node& node, Number& x, std::string& problem) {
  problem = "found " + found(node);
  if (node.kind != Node::Kind::scalar) return false;
  if (node.quoted) {
    problem += " in quotes";
    return false;
  }
  if (has_decimal_comma(node.text)) {
    problem += " (decimals are written with '.', not ',')";
    return false;
  }
  const auto text = without_plus(node.text);
  const auto* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, x);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return false;
  if (result.ec == std::errc::result_out_of_range) {
    problem += ", which is beyond the range of the number type";
    return false;
  }
  return true;
}

} // namespace

std::string found(const Node& node) {
  switch (node.kind) {
  case Node::Kind::list:
    return node.items.empty() ? "an empty list" : "a list of " + std::to_string(node.items.size());
  case Node::Kind::map:
    return "a map";
  case Node::Kind::scalar:
    return "'" + excerpt(node.text) + "'";
  default:
    return "nothing";
  }
}

bool has_decimal_comma(const std::string& text) {
  const auto comma = text.find(',');
  const auto digits = [](const std::string& part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
  };
  const auto begin = text.find_first_not_of("+-");
  if (comma == std::string::npos || begin == std::string::npos || begin > 1 || comma <= begin) return false;
  const auto fraction = text.substr(comma + 1);
  return digits(text.substr(begin, comma - begin)) && digits(fraction.substr(0, fraction.find_first_of("eE")));
}

bool read_number(const Node& node, double& x, std::string& problem) {
  return read(node, x, problem) && std::isfinite(x);
}

bool read_integer(const Node& node, std::int64_t& x, std::string& problem) { return read(node, x, problem); }

bool read_boolean(const Node& node, bool& x, std::string& problem) {
  problem = "found " + found(node) + (node.quoted ? " in quotes" : "");
  x = node.text == "true";
  return node.kind == Node::Kind::scalar && !node.quoted && (x || node.text == "false");
}

bool read_expression(const Node& node, dofs::Expression& x, std::string& problem) {
  double number = 0.0;
  if (read_number(node, number, problem)) {
    x = number;
    return true;
  }
  if (node.kind != Node::Kind::scalar) return false;
  try {
    x = dofs::Expression::parse(node.text);
    return true;
  } catch (const base::UserError& error) {
    problem = error.message();
    return false;
  }
}

bool read_string(const Node& node, std::string& x, std::string& problem) {
  problem = "found " + found(node);
  if (node.kind != Node::Kind::scalar) return false;
  if (!node.quoted && (node.text == "true" || node.text == "false")) {
    problem = "found the boolean " + node.text + " (quotes make it a text)";
    return false;
  }
  x = node.text;
  return true;
}

} // namespace limber::config
