#include "config/scalars.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

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
    return "'" + node.text + "'";
  default:
    return "nothing";
  }
}

bool read_number(const Node& node, double& x, std::string& problem) {
  return read(node, x, problem) && std::isfinite(x);
}

bool read_integer(const Node& node, std::int64_t& x, std::string& problem) { return read(node, x, problem); }

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
