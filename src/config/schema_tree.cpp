#include "config/schema_tree.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "config/schema_text.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

constexpr std::pair<SchemaNode::Type, const char*> type_names[] = {{SchemaNode::Type::map, "map"},
                                                                   {SchemaNode::Type::list, "list"},
                                                                   {SchemaNode::Type::string, "string"},
                                                                   {SchemaNode::Type::number, "number"},
                                                                   {SchemaNode::Type::integer, "integer"},
                                                                   {SchemaNode::Type::vector3, "vector3"},
                                                                   {SchemaNode::Type::integers, "integers"},
                                                                   {SchemaNode::Type::strings, "strings"},
                                                                   {SchemaNode::Type::boolean, "boolean"},
                                                                   {SchemaNode::Type::expression, "expression"},
                                                                   {SchemaNode::Type::expression3, "expression3"},
                                                                   {SchemaNode::Type::variants, "variants"}};

[[noreturn]] void malformed(const Node& node, const std::string& what) {
  throw base::InternalError("schema.yaml:" + std::to_string(node.where.line) + ": " + what);
}

double number(const Node& node) {
  double x = 0.0;
  const auto* end = node.text.data() + node.text.size();
  if (std::from_chars(node.text.data(), end, x).ptr != end) malformed(node, "expected a number");
  return x;
}

std::vector<std::string> strings(const Node& node) {
  std::vector<std::string> result;
  for (const auto& item : node.items) result.push_back(item.text);
  return result;
}

SchemaNode::Type type_of(const Node& node) {
  for (const auto& [type, name] : type_names)
    if (node.text == name) return type;
  malformed(node, "unknown type '" + node.text + "'");
}

SchemaNode read(const std::string& key, const Node& node) {
  SchemaNode result;
  result.key = key;
  for (const auto& [name, value] : node.entries) {
    if (name == "type") result.type = type_of(value);
    else if (name == "text") result.text = value.text;
    else if (name == "unit") result.unit = value.text;
    else if (name == "required") result.required = value.text == "true";
    else if (name == "required_unless") {
      if (const auto* k = value.find("key")) result.required_unless_key = k->text;
      if (const auto* v = value.find("value")) result.required_unless_value = v->text;
    } else if (name == "default") result.default_value = value;
    else if (name == "default_text") result.default_text = value.text;
    else if (name == "example") result.example = value;
    else if (name == "above") result.above = number(value);
    else if (name == "below") result.below = number(value);
    else if (name == "min") result.min = number(value);
    else if (name == "max") result.max = number(value);
    else if (name == "choices") result.choices = strings(value);
    else if (name == "words") result.words = strings(value);
    else if (name == "later") result.later = strings(value);
    else if (name == "pattern") result.pattern = value.text;
    else if (name == "pattern_text") result.pattern_text = value.text;
    else if (name == "at_most_one") result.at_most_one = strings(value);
    else if (name == "min_items") result.min_items = static_cast<int>(number(value));
    else if (name == "unique") result.unique = value.text;
    else if (name == "items") result.items = {read("", value)};
    else if (name == "one_of")
      for (const auto& set : value.items) result.one_of.push_back(strings(set));
    else if (name == "only_with") {
      if (const auto* k = value.find("key")) result.only_with_key = k->text;
      if (const auto* v = value.find("value"))
        result.only_with_values = v->kind == Node::Kind::list ? strings(*v) : std::vector<std::string>{v->text};
    } else if (name == "one_of_with") {
      if (const auto* k = value.find("key")) result.one_of_with_key = k->text;
      if (const auto* v = value.find("value")) result.one_of_with_value = v->text;
    } else if (name == "variants")
      for (const auto& variant : value.items) result.variants.push_back(read(key, variant));
    else if (name == "keys")
      for (const auto& entry : value.entries) result.keys.push_back(read(entry.key, entry.value));
    else malformed(value, "unknown property '" + name + "'");
  }
  return result;
}

SchemaNode read_schema() {
  Issues issues;
  const auto root = parse_document(schema_text, "schema.yaml", true, issues);
  if (!issues.empty()) malformed(root, "not valid YAML, or a key twice");
  return read("", root);
}

} // namespace

const SchemaNode* SchemaNode::find(const std::string& name) const {
  const auto it = std::find_if(keys.begin(), keys.end(), [&](const SchemaNode& k) { return k.key == name; });
  return it == keys.end() ? nullptr : &*it;
}

std::vector<std::string> SchemaNode::key_names() const {
  std::vector<std::string> names;
  for (const auto& k : keys) names.push_back(k.key);
  return names;
}

bool SchemaNode::alternative(const std::string& name) const {
  return std::any_of(one_of.begin(), one_of.end(),
                     [&](const auto& set) { return std::find(set.begin(), set.end(), name) != set.end(); });
}

const SchemaNode& schema() {
  static const SchemaNode tree = read_schema();
  return tree;
}

std::string type_name(SchemaNode::Type type) {
  for (const auto& [t, name] : type_names)
    if (t == type) return name;
  return {};
}

std::string only_with_text(const SchemaNode& schema) {
  const auto& values = schema.only_with_values;
  return schema.only_with_key + (values.empty() ? "" : ": " + join_or(values));
}

std::string one_of_text(const SchemaNode& schema, const std::string& glue) {
  std::vector<std::string> sets;
  for (const auto& set : schema.one_of) {
    std::string words;
    for (const auto& key : set) words += (words.empty() ? "" : glue) + key;
    sets.push_back(words);
  }
  return join_or(sets);
}

std::string describe_range(const SchemaNode& schema) {
  std::string text;
  const auto bound = [&](const char* word, const std::optional<double>& x) {
    if (x) text += (text.empty() ? "" : " and ") + std::string(word) + " " + number_text(*x);
  };
  bound("above", schema.above);
  bound("at least", schema.min);
  bound("below", schema.below);
  bound("at most", schema.max);
  return text;
}

std::string describe(const SchemaNode& schema) {
  const auto range = describe_range(schema);
  std::string text;
  switch (schema.type) {
  case SchemaNode::Type::map: {
    const bool choice = !schema.one_of.empty() && schema.one_of_with_key.empty();
    text = "a map with " +
           (choice ? "exactly one of " + one_of_text(schema, " with ") : "keys such as " + schema.keys.front().key);
    if (!schema.words.empty()) text = join_or(schema.words) + " or " + text;
    return text;
  }
  case SchemaNode::Type::list:
    return std::string("a list") + (schema.min_items > 0 ? " with at least one entry" : ", [] for none");
  case SchemaNode::Type::string:
    if (!schema.choices.empty()) return (schema.choices.size() > 1 ? "one of " : "") + join_or(schema.choices);
    return schema.pattern_text.empty() ? "a text" : "a text of " + schema.pattern_text;
  case SchemaNode::Type::strings:
    return std::string("a list of ") + (schema.min_items > 0 ? "one or more of " : "any of ") + join_or(schema.choices);
  case SchemaNode::Type::number:
    text = "a number";
    break;
  case SchemaNode::Type::integer:
    if (!schema.choices.empty()) return join_or(schema.choices);
    text = "a whole number";
    break;
  case SchemaNode::Type::boolean:
    text = "true or false";
    break;
  case SchemaNode::Type::expression:
    text = "a number or an expression of t, x, y, z";
    break;
  case SchemaNode::Type::expression3:
    text = "a list of 3 numbers or expressions of t, x, y, z";
    break;
  case SchemaNode::Type::variants: // one of them always takes its place
    break;
  case SchemaNode::Type::vector3:
    text = "a list of 3 numbers";
    break;
  case SchemaNode::Type::integers:
    text = "a list of whole numbers";
    break;
  }
  if (!range.empty()) text += (schema.type == SchemaNode::Type::vector3 ? ", each " : " ") + range;
  if (!schema.unit.empty()) text += " [" + schema.unit + "]";
  if (schema.only_with_values.size() == 1) text += " for `" + only_with_text(schema) + "`";
  return text;
}

} // namespace limber::config
