#include "config/validate.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <regex>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "config/scalars.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

using Type = SchemaNode::Type;

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool in_range(const SchemaNode& schema, double x) {
  return (!schema.above || x > *schema.above) && (!schema.below || x < *schema.below) &&
         (!schema.min || x >= *schema.min) && (!schema.max || x <= *schema.max);
}

std::string join(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

std::string indexed(const std::string& path, std::size_t i) { return path + "[" + std::to_string(i) + "]"; }

/// [0,5, 0, 1] and [min(t, 1), 0, 0] are lists of four.
std::string why_split(const Node& list) {
  if (list.kind != Node::Kind::list || list.items.size() <= 3) return {};
  const bool numbers = std::all_of(list.items.begin(), list.items.end(), [](const Node& item) {
    double x = 0.0;
    std::string problem;
    return read_number(item, x, problem);
  });
  return numbers ? " (decimals are written with '.', not ',')" : " (an expression with a comma needs quotes)";
}

/// {density: 0,5} has a key 5.
bool is_decimals(const Node::Entry& entry) {
  return entry.value.kind == Node::Kind::null && !entry.key.empty() &&
         entry.key.find_first_not_of("0123456789") == std::string::npos;
}

/// Where the whole schema has a key of this name, as a key path with [] for lists; empty: nowhere.
std::string path_of_key(const SchemaNode& map, const std::string& name, const std::string& path = "") {
  if (map.find(name)) return join(path, name);
  for (const auto& child : map.keys) {
    const auto inner = join(path, child.key);
    const auto& target = child.type == Type::list ? child.items.front() : child;
    const auto result = path_of_key(target, name, child.type == Type::list ? inner + "[]" : inner);
    if (!result.empty()) return result;
  }
  return {};
}

class Validator {
public:
  explicit Validator(Issues& issues) : issues_(issues) {}

  std::optional<Value> value(const SchemaNode& schema, const Node& node, const std::string& path, bool given) {
    Value result;
    result.schema = &schema;
    result.where = node.where;
    result.path = path;
    result.given = given;
    bool good = true;
    switch (schema.type) {
    case Type::map:
      good = map(schema, node, result);
      break;
    case Type::list:
      good = list(schema, node, result);
      break;
    case Type::string:
      good = string(schema, node, path, result.text);
      break;
    case Type::number:
      good = number(schema, node, path, result.number);
      break;
    case Type::integer:
      good = integer(schema, node, path, result);
      break;
    case Type::boolean:
      good = boolean(schema, node, result);
      break;
    case Type::expression:
    case Type::expression3:
      good = expressions(schema, node, result);
      break;
    case Type::variants:
      throw base::InternalError("schema.yaml: variants are no value");
    case Type::vector3:
      good = vector(schema, node, result);
      break;
    case Type::integers:
      good = integers(schema, node, result);
      break;
    case Type::strings:
      good = strings(schema, node, result);
      break;
    }
    if (!good) return std::nullopt;
    return result;
  }

private:
  bool refuse(const Node& node, const std::string& path, const std::string& found_text,
              const std::string& expected_text) {
    issues_.add(node.where, path, found_text + "; expected " + expected_text);
    return false;
  }
  bool refuse(const SchemaNode& schema, const Node& node, const std::string& path) {
    return refuse(node, path, "found " + found(node), describe(schema));
  }

  bool string(const SchemaNode& schema, const Node& node, const std::string& path, std::string& text) {
    std::string problem;
    if (!read_string(node, text, problem)) return refuse(node, path, problem, describe(schema));
    if (!schema.choices.empty()) return choice(schema, node, path, text);
    if (text.empty() && !(schema.default_value && schema.default_value->text.empty()))
      return refuse(node, path, "found an empty text", describe(schema));
    if (!schema.pattern.empty() && !std::regex_match(text, std::regex(schema.pattern)))
      return refuse(schema, node, path);
    return true;
  }

  bool choice(const SchemaNode& schema, const Node& node, const std::string& path, const std::string& text) {
    if (contains(schema.choices, text)) return true;
    const auto expected = (schema.choices.size() > 1 ? "one of " : "") + join_or(schema.choices);
    if (contains(schema.later, text))
      return refuse(node, path, "found '" + text + "', which is known but not available in this version", expected);
    return refuse(node, path, "found '" + text + "'",
                  expected + " (nearest: " + base::nearest(text, schema.choices) + ")");
  }

  bool number(const SchemaNode& schema, const Node& node, const std::string& path, double& x) {
    std::string problem;
    if (!read_number(node, x, problem)) return refuse(node, path, problem, describe(schema));
    return in_range(schema, x) || refuse(schema, node, path);
  }

  bool integer(const SchemaNode& schema, const Node& node, const std::string& path, Value& result) {
    std::string problem;
    if (!read_integer(node, result.integer, problem)) return refuse(node, path, problem, describe(schema));
    if (!schema.choices.empty()) return choice(schema, node, path, std::to_string(result.integer));
    if (result.integer > std::numeric_limits<std::int32_t>::max())
      return refuse(node, path, "found " + found(node), describe(schema) + ", at most 2147483647");
    return in_range(schema, static_cast<double>(result.integer)) || refuse(schema, node, path);
  }

  bool boolean(const SchemaNode& schema, const Node& node, Value& result) {
    std::string problem;
    return read_boolean(node, result.boolean, problem) || refuse(node, result.path, problem, describe(schema));
  }

  bool expressions(const SchemaNode& schema, const Node& node, Value& result) {
    if (schema.type == Type::expression) {
      result.expressions.emplace_back();
      return expression(schema, node, result.path, result.expressions.front());
    }
    if (node.kind != Node::Kind::list || node.items.size() != 3) {
      return refuse(node, result.path, "found " + found(node), describe(schema) + why_split(node));
    }
    SchemaNode entry = schema;
    entry.type = Type::expression;
    result.expressions.resize(3);
    bool good = true;
    for (std::size_t i = 0; i < 3; ++i)
      good = expression(entry, node.items[i], indexed(result.path, i), result.expressions[i]) && good;
    return good;
  }

  bool expression(const SchemaNode& schema, const Node& node, const std::string& path, dofs::Expression& x) {
    std::string problem;
    return read_expression(node, x, problem) || refuse(node, path, problem, describe(schema));
  }

  bool vector(const SchemaNode& schema, const Node& node, Value& result) {
    if (node.kind != Node::Kind::list || node.items.size() != 3)
      return refuse(node, result.path, "found " + found(node), describe(schema) + why_split(node));
    bool good = true;
    SchemaNode entry = schema;
    entry.type = Type::number;
    for (std::size_t i = 0; i < 3; ++i)
      good = number(entry, node.items[i], indexed(result.path, i), result.vector[i]) && good;
    return good;
  }

  bool integers(const SchemaNode& schema, const Node& node, Value& result) {
    if (!is_list(schema, node, result.path)) return false;
    bool good = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto path = indexed(result.path, i);
      std::int64_t x = 0;
      std::string problem;
      if (!read_integer(node.items[i], x, problem) || !in_range(schema, static_cast<double>(x))) {
        const auto range = describe_range(schema);
        good = refuse(node.items[i], path, problem, "a whole number" + (range.empty() ? "" : " " + range));
      } else if (std::find(result.integers.begin(), result.integers.end(), x) != result.integers.end()) {
        good = refuse(node.items[i], path, "found " + found(node.items[i]) + " twice", "each number once");
      } else result.integers.push_back(x);
    }
    return good;
  }

  bool strings(const SchemaNode& schema, const Node& node, Value& result) {
    if (!is_list(schema, node, result.path)) return false;
    bool good = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto path = indexed(result.path, i);
      std::string word, problem;
      if (!read_string(node.items[i], word, problem))
        good = refuse(node.items[i], path, problem, "one of " + join_or(schema.choices));
      else if (!choice(schema, node.items[i], path, word)) good = false;
      else if (contains(result.strings, word))
        good = refuse(node.items[i], path, "found '" + word + "' twice", "each entry once");
      else result.strings.push_back(word);
    }
    return good;
  }

  bool is_list(const SchemaNode& schema, const Node& node, const std::string& path) {
    if (node.kind == Node::Kind::list && static_cast<int>(node.items.size()) >= schema.min_items) return true;
    return refuse(schema, node, path);
  }

  bool list(const SchemaNode& schema, const Node& node, Value& result) {
    if (!is_list(schema, node, result.path)) return false;
    const auto& item_schema = schema.items.front();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (auto item = value(item_schema, node.items[i], indexed(result.path, i), result.given))
        result.items.push_back(std::move(*item));
    }
    if (!schema.unique.empty()) unique(schema.unique, result);
    return true;
  }

  void unique(const std::string& key, const Value& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Value* a = list.items[i].find(key);
      for (std::size_t j = 0; a && j < i; ++j) {
        const Value* b = list.items[j].find(key);
        if (!b || a->text != b->text) continue;
        issues_.add(a->where, a->path,
                    "found '" + a->text + "', which " + b->path + " is called already; expected a " + key +
                        " that differs from all others");
        break;
      }
    }
  }

  bool map(const SchemaNode& schema, const Node& node, Value& result) {
    if (!schema.words.empty() && node.kind == Node::Kind::scalar) {
      if (contains(schema.words, node.text)) {
        result.text = node.text;
        return true;
      }
      auto candidates = schema.words;
      const auto keys = schema.key_names();
      candidates.insert(candidates.end(), keys.begin(), keys.end());
      return refuse(node, result.path, "found " + found(node),
                    describe(schema) + " (nearest: " + base::nearest(node.text, candidates) + ")");
    }
    if (node.kind != Node::Kind::map) return refuse(schema, node, result.path);
    unknown_keys(schema, node, result.path);
    exclusions(schema, node, result.path);
    for (const auto& key : schema.keys) {
      if (auto entry = map_entry(schema, key, node, result)) result.entries.push_back({key.key, std::move(*entry)});
    }
    return true;
  }

  void unknown_keys(const SchemaNode& schema, const Node& node, const std::string& path) {
    for (const auto& entry : node.entries) {
      if (schema.find(entry.key)) continue;
      issues_.add(entry.value.where, join(path, excerpt(entry.key)),
                  is_decimals(entry) ? "found a number; expected `key: value` (decimals are written with '.', not ',')"
                                     : unknown_key_text(schema, entry.key));
    }
  }

  void exclusions(const SchemaNode& schema, const Node& node, const std::string& path) {
    std::vector<std::string> given;
    for (const auto& key : schema.at_most_one)
      if (node.find(key)) given.push_back(key);
    if (given.size() > 1)
      issues_.add(node.find(given.back())->where, join(path, given.back()),
                  "found beside " + given.front() + "; expected only one of " + join_or(schema.at_most_one));
    if (schema.one_of.empty()) return;
    if (schema.one_of_with_key.empty()) return one_of(schema, node, path, describe(schema));
    const Node* neighbor = node.find(schema.one_of_with_key);
    if (neighbor && neighbor->text == schema.one_of_with_value)
      one_of(schema, node, path,
             "exactly one of " + one_of_text(schema, " with ") + " for `" + schema.one_of_with_key + ": " +
                 neighbor->text + "`");
  }

  void one_of(const SchemaNode& schema, const Node& node, const std::string& path, const std::string& expected) {
    std::vector<std::string> found_keys; // the first given key of each set
    const std::vector<std::string>* chosen = nullptr;
    for (const auto& set : schema.one_of) {
      const auto it = std::find_if(set.begin(), set.end(), [&](const auto& k) { return node.find(k) != nullptr; });
      if (it == set.end()) continue;
      found_keys.push_back(*it);
      chosen = &set;
    }
    if (found_keys.empty()) issues_.add(node.where, path, "found none of them; expected " + expected);
    else if (found_keys.size() > 1)
      issues_.add(node.find(found_keys.back())->where, join(path, found_keys.back()),
                  "found beside " + found_keys.front() + "; expected " + expected);
    else if (chosen)
      for (const auto& key : *chosen)
        if (!node.find(key))
          issues_.add(node.where, join(path, key),
                      "found nothing, but " + found_keys.front() + "; expected both, " + describe(*schema.find(key)));
  }

  std::optional<Value> map_entry(const SchemaNode& map_schema, const SchemaNode& key, const Node& map,
                                 const Value& parent) {
    if (key.type == Type::variants) return variant(map_schema, key, map, parent);
    const auto path = join(parent.path, key.key);
    const Node* node = map.find(key.key);
    const bool allowed = !only_with_refused(map_schema, key, map);
    if (node && !allowed) {
      issues_.add(node->where, path, "found without `" + only_with_text(key) + "`; expected only together with it");
      return std::nullopt;
    }
    if (node) return value(key, *node, path, parent.given);
    if (!allowed || map_schema.alternative(key.key) || excluded(map_schema, key, map)) return std::nullopt;
    if (key.required && !required_unless(map_schema, key, map)) {
      issues_.add(map.where, path, "missing; expected " + describe(key));
      return std::nullopt;
    }
    Node default_node;
    if (key.default_value) default_node = *key.default_value;
    else if (key.type == Type::map) default_node.kind = Node::Kind::map;
    else return std::nullopt;
    default_node.where = map.where;
    return value(key, default_node, path, false);
  }

  /// The definition that the neighbor's value chooses.
  std::optional<Value> variant(const SchemaNode& map_schema, const SchemaNode& key, const Node& map,
                               const Value& parent) {
    const auto& neighbor = key.variants.front().only_with_key;
    const Node* chosen = known_choice(map_schema, neighbor, map);
    if (!chosen) return std::nullopt;
    std::vector<std::string> values;
    for (const auto& definition : key.variants) {
      if (contains(definition.only_with_values, chosen->text)) return map_entry(map_schema, definition, map, parent);
      values.insert(values.end(), definition.only_with_values.begin(), definition.only_with_values.end());
    }
    if (const Node* node = map.find(key.key))
      issues_.add(node->where, join(parent.path, key.key),
                  "found with `" + neighbor + ": " + chosen->text + "`; expected only with `" + neighbor + ": " +
                      join_or(values) + "`");
    return std::nullopt;
  }

  /// The value of a key with choices, be it a default; null where it is missing or itself wrong.
  static const Node* known_choice(const SchemaNode& map_schema, const std::string& key, const Node& map) {
    const auto* schema = map_schema.find(key);
    const Node* node = map.find(key);
    if (!node && schema && schema->default_value) node = &*schema->default_value;
    return node && schema && contains(schema->choices, node->text) ? node : nullptr;
  }

  static bool only_with_refused(const SchemaNode& map_schema, const SchemaNode& key, const Node& map) {
    if (key.only_with_key.empty()) return false;
    if (key.only_with_values.empty()) return !map.find(key.only_with_key);
    // A neighbor that is itself wrong or missing is one error, not two.
    const Node* neighbor = known_choice(map_schema, key.only_with_key, map);
    return neighbor ? !contains(key.only_with_values, neighbor->text) : !map.find(key.key);
  }

  static bool required_unless(const SchemaNode& map_schema, const SchemaNode& key, const Node& map) {
    if (key.required_unless_key.empty()) return false;
    const Node* neighbor = known_choice(map_schema, key.required_unless_key, map);
    return neighbor && neighbor->text == key.required_unless_value;
  }

  static bool excluded(const SchemaNode& map_schema, const SchemaNode& key, const Node& map) {
    const auto& group = map_schema.at_most_one;
    return contains(group, key.key) &&
           std::any_of(group.begin(), group.end(), [&](const auto& other) { return map.find(other) != nullptr; });
  }

  Issues& issues_;
};

} // namespace

const Value* Value::find(const std::string& key) const {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &it->value;
}

const Value& Value::at(const std::string& key) const {
  const auto* value = find(key);
  if (!value) throw base::InternalError("schema.yaml and the options disagree on " + join(path, key));
  return *value;
}

std::string unknown_key_text(const SchemaNode& map, const std::string& key) {
  if (contains(map.later, key)) return "known but not available in this version; remove it";
  std::string text = "unknown key; the nearest valid key here is '" + base::nearest(key, map.key_names()) + "'";
  const auto elsewhere = path_of_key(schema(), key);
  if (!elsewhere.empty()) text += " (there is " + elsewhere + "; check the indentation)";
  return text;
}

Value validate(const Node& document, Issues& issues) {
  auto result = Validator(issues).value(schema(), document, "", true);
  return result ? std::move(*result) : Value{};
}

} // namespace limber::config
