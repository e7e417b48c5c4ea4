#pragma once
/// The schema as a tree; schema.yaml says what the members mean.

#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"

namespace limber::config {

struct SchemaNode {
  enum class Type {
    map,
    list,
    string,
    number,
    integer,
    boolean,
    vector3,
    integers,
    strings,
    expression,
    expression3,
    variants
  };

  std::string key; ///< empty for the root and for items of lists
  Type type = Type::map;
  std::string text, unit;
  bool required = false;
  std::string required_unless_key, required_unless_value; ///< empty: no exception
  std::optional<Node> default_value, example;
  std::string default_text;
  std::optional<double> above, below, min, max;
  std::vector<std::string> choices, words, later;
  std::string pattern, pattern_text;
  std::string only_with_key;
  std::vector<std::string> only_with_values; ///< empty: any
  std::vector<SchemaNode> variants;          ///< with this node's key

  std::vector<SchemaNode> keys;
  std::vector<std::vector<std::string>> one_of;
  std::string one_of_with_key, one_of_with_value; ///< empty: one_of holds always
  std::vector<std::string> at_most_one;

  std::vector<SchemaNode> items; ///< one element for a list, none otherwise
  int min_items = 0;
  std::string unique;

  const SchemaNode* find(const std::string& name) const;
  std::vector<std::string> key_names() const;
  /// True for a key of one of the sets in one_of.
  bool alternative(const std::string& name) const;
};

/// The embedded schema. Throws base::InternalError if schema.yaml is malformed.
const SchemaNode& schema();

/// Name of a type as schema.yaml writes it.
std::string type_name(SchemaNode::Type type);

/// The condition of only_with as a user writes it: "type: prescribed", "type: fixed or prescribed", "file".
std::string only_with_text(const SchemaNode& schema);

/// The sets of one_of in words, with `glue` between the keys of a set: "a, b with c or d".
std::string one_of_text(const SchemaNode& schema, const std::string& glue);

/// The range in words: "above 0, at most 30"; empty without bounds.
std::string describe_range(const SchemaNode& schema);

/// What a value must be, in words: "a number above 0 [s]".
std::string describe(const SchemaNode& schema);

} // namespace limber::config
