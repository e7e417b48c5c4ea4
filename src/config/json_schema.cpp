#include <utility>

#include "config/schema.hpp"
#include "config/schema_tree.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

using Type = SchemaNode::Type;

std::string quote(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) result += ' ';
    else result += c;
  }
  return result + "\"";
}

/// A JSON object that is written member by member.
class Object {
public:
  Object& add(const std::string& name, const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + quote(name) + ":" + json;
    return *this;
  }
  std::string json() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

template <class Container, class Text> std::string array(const Container& values, Text text) {
  std::string result;
  for (const auto& x : values) result += (result.empty() ? "" : ",") + text(x);
  return "[" + result + "]";
}

std::string strings(const std::vector<std::string>& words) { return array(words, quote); }

/// Of values that are JSON already.
std::string json_array(const std::vector<std::string>& values) {
  return array(values, [](const auto& x) { return x; });
}

std::string node_json(const Node& node, Type type) {
  if (node.kind == Node::Kind::list) {
    const auto item_type = type == Type::strings ? Type::string : Type::number;
    return array(node.items, [&](const Node& item) { return node_json(item, item_type); });
  }
  const bool plain = type == Type::number || type == Type::integer || type == Type::boolean;
  return plain ? node.text : quote(node.text);
}

void add_range(const SchemaNode& schema, Object& object) {
  if (schema.above) object.add("exclusiveMinimum", number_text(*schema.above));
  if (schema.min) object.add("minimum", number_text(*schema.min));
  if (schema.below) object.add("exclusiveMaximum", number_text(*schema.below));
  if (schema.max) object.add("maximum", number_text(*schema.max));
}

std::string json(const SchemaNode& schema);

std::string required(const std::vector<std::string>& keys) { return Object().add("required", strings(keys)).json(); }

std::string not_any(const std::vector<std::vector<std::string>>& sets, std::size_t chosen) {
  std::vector<std::string> excluded;
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const auto& key : sets[i])
      if (i != chosen) excluded.push_back(required({key}));
  return Object().add("anyOf", json_array(excluded)).json();
}

/// True for maps in which `key` is given and has one of the values (any, where there are none).
std::string given(const std::string& key, const std::vector<std::string>& values) {
  Object condition;
  if (!values.empty())
    condition.add("properties", Object().add(key, Object().add("enum", strings(values)).json()).json());
  return condition.add("required", strings({key})).json();
}

std::string property(const std::string& key, const std::string& json) {
  return Object().add("properties", Object().add(key, json).json()).json();
}

void add_variants(const SchemaNode& key, std::vector<std::string>& all) {
  std::vector<std::string> values;
  for (const auto& variant : key.variants) {
    values.insert(values.end(), variant.only_with_values.begin(), variant.only_with_values.end());
    Object then;
    then.add("properties", Object().add(key.key, json(variant)).json());
    if (variant.required) then.add("required", strings({key.key}));
    all.push_back(
        Object().add("if", given(variant.only_with_key, variant.only_with_values)).add("then", then.json()).json());
  }
  all.push_back(Object()
                    .add("if", given(key.variants.front().only_with_key, values))
                    .add("else", property(key.key, "false"))
                    .json());
}

/// Which keys exclude or need each other, as members of allOf.
std::vector<std::string> conditions(const SchemaNode& map) {
  std::vector<std::string> all;
  if (!map.one_of.empty()) {
    std::vector<std::string> sets;
    for (std::size_t i = 0; i < map.one_of.size(); ++i)
      sets.push_back(Object().add("required", strings(map.one_of[i])).add("not", not_any(map.one_of, i)).json());
    const auto rule = Object().add("oneOf", json_array(sets)).json();
    if (map.one_of_with_key.empty()) all.push_back(rule);
    else
      all.push_back(Object().add("if", given(map.one_of_with_key, {map.one_of_with_value})).add("then", rule).json());
  }
  if (!map.at_most_one.empty()) all.push_back(Object().add("not", required(map.at_most_one)).json());
  for (const auto& key : map.keys) {
    if (key.type == Type::variants) add_variants(key, all);
    if (!key.required_unless_key.empty())
      all.push_back(Object()
                        .add("if", given(key.required_unless_key, {key.required_unless_value}))
                        .add("else", required({key.key}))
                        .json());
    if (key.only_with_key.empty()) continue;
    Object rule;
    rule.add("if", given(key.only_with_key, key.only_with_values));
    if (key.required) rule.add("then", required({key.key}));
    rule.add("else", property(key.key, "false"));
    all.push_back(rule.json());
  }
  return all;
}

void add_map(const SchemaNode& map, Object& object) {
  Object properties;
  std::vector<std::string> needed;
  for (const auto& key : map.keys) {
    properties.add(key.key, json(key));
    if (key.required && key.only_with_key.empty() && key.required_unless_key.empty()) needed.push_back(key.key);
  }
  object.add("type", quote("object")).add("properties", properties.json()).add("additionalProperties", "false");
  if (!needed.empty()) object.add("required", strings(needed));
  const auto all = conditions(map);
  if (!all.empty()) object.add("allOf", json_array(all));
}

void add_list(const std::string& item, const SchemaNode& schema, Object& object) {
  object.add("type", quote("array")).add("items", item);
  if (schema.min_items > 0) object.add("minItems", std::to_string(schema.min_items));
  if (schema.type != Type::list) object.add("uniqueItems", "true");
}

const char* const number_or_text = R"({"type":["number","string"]})";

void add_type(const SchemaNode& schema, Object& object) {
  switch (schema.type) {
  case Type::map:
    if (schema.words.empty()) add_map(schema, object);
    else {
      Object map;
      add_map(schema, map);
      object.add("oneOf", "[" + Object().add("enum", strings(schema.words)).json() + "," + map.json() + "]");
    }
    break;
  case Type::list:
    add_list(json(schema.items.front()), schema, object);
    break;
  case Type::string:
    if (!schema.choices.empty()) object.add("enum", strings(schema.choices));
    else object.add("type", strings({"string", "number"})); // a group may be called 5
    if (!schema.pattern.empty()) object.add("pattern", quote("^" + schema.pattern + "$"));
    break;
  case Type::number:
    object.add("type", quote("number"));
    add_range(schema, object);
    break;
  case Type::integer:
    object.add("type", quote("integer"));
    if (!schema.choices.empty()) object.add("enum", array(schema.choices, [](const auto& x) { return x; }));
    add_range(schema, object);
    break;
  case Type::boolean:
    object.add("type", quote("boolean"));
    break;
  case Type::expression:
    object.add("type", strings({"number", "string"}));
    break;
  case Type::expression3:
    object.add("type", quote("array")).add("items", number_or_text).add("minItems", "3").add("maxItems", "3");
    break;
  case Type::variants: // the map's allOf holds the definitions
    break;
  case Type::vector3: {
    Object item;
    item.add("type", quote("number"));
    add_range(schema, item);
    object.add("type", quote("array")).add("items", item.json()).add("minItems", "3").add("maxItems", "3");
    break;
  }
  case Type::integers: {
    Object item;
    item.add("type", quote("integer"));
    add_range(schema, item);
    add_list(item.json(), schema, object);
    break;
  }
  case Type::strings:
    add_list(Object().add("enum", strings(schema.choices)).json(), schema, object);
    break;
  }
}

std::string json(const SchemaNode& schema) {
  Object object;
  auto text = schema.text;
  if (!schema.unit.empty()) text += " [" + schema.unit + "]";
  if (!schema.default_text.empty()) text += " Default: " + schema.default_text + ".";
  if (!text.empty()) object.add("description", quote(text));
  add_type(schema, object);
  if (schema.default_value) object.add("default", node_json(*schema.default_value, schema.type));
  return object.json();
}

/// Line breaks and indentation; JSON in, the same JSON out.
std::string pretty(const std::string& json) {
  std::string out;
  std::size_t depth = 0;
  bool in_string = false;
  const auto new_line = [&] { out += "\n" + std::string(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\') out += json[++i];
      else if (c == '"') in_string = false;
    } else if (c == '{') {
      out += c;
      ++depth;
      new_line();
    } else if (c == '}') {
      --depth;
      new_line();
      out += c;
    } else if (c == ',') {
      out += c;
      new_line();
    } else {
      out += c;
      if (c == ':') out += ' ';
      if (c == '"') in_string = true;
    }
  }
  return out + "\n";
}

} // namespace

std::string schema_as_json_schema() {
  Object root;
  root.add("$schema", quote("https://json-schema.org/draft/2020-12/schema"));
  root.add("title", quote("limber configuration"));
  add_map(schema(), root);
  return pretty(root.json());
}

} // namespace limber::config
