#pragma once
/// A YAML text as a plain tree that knows where each value was written. The only part that sees the YAML library.

#include <string>
#include <vector>

#include "config/issues.hpp"

namespace limber::config {

struct Node {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string text;    ///< scalar
  bool quoted = false; ///< scalar written in quotes: never a number
  std::vector<Node> items;
  std::vector<Entry> entries; ///< in the order of the text; keys are unique
  Location where;             ///< of the key, for a value of a map

  Node* find(const std::string& key);
  const Node* find(const std::string& key) const;
};

struct Node::Entry {
  std::string key;
  Node value;
};

/// Parses one YAML document. Duplicate keys are added to `issues` (the first one counts); a text that is not YAML
/// too (the result is then null). `line_numbers` false leaves lines 0, as for --set.
Node parse_document(const std::string& text, const std::string& file, bool line_numbers, Issues& issues);

} // namespace limber::config
