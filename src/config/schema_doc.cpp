#include "config/schema.hpp"
#include "config/schema_tree.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

using Type = SchemaNode::Type;

std::string node_text(const Node& node, Type type) {
  if (node.kind == Node::Kind::list) {
    std::string text = "[";
    for (const auto& item : node.items)
      text += (text.size() > 1 ? ", " : "") + (item.kind == Node::Kind::list ? node_text(item, type)
                                               : item.quoted                 ? string_text(item.text)
                                                                             : item.text);
    return text + "]";
  }
  return type == Type::string ? string_text(node.text) : node.text;
}

std::string facts(const SchemaNode& schema, bool alternative) {
  std::string text = type_name(schema.type);
  if (!schema.unit.empty()) text += " [" + schema.unit + "]";
  const auto range = describe_range(schema);
  if (!range.empty()) text += ", " + range;
  if (!schema.choices.empty())
    text += ", " + std::string(schema.type == Type::strings ? "any of " : "") + join_or(schema.choices);
  if (!schema.words.empty()) text += " or the word " + join_or(schema.words);
  const auto& map = schema.type == Type::list ? schema.items.front() : schema;
  if (!map.one_of.empty())
    text +=
        std::string(schema.type == Type::list ? ", in each entry" : ",") + " exactly one of " + one_of_text(map, " + ");
  if (!map.one_of_with_key.empty()) text += " with " + map.one_of_with_key + ": " + map.one_of_with_value;
  if (!schema.at_most_one.empty()) text += ", at most one of " + join_or(schema.at_most_one);
  if (!schema.pattern_text.empty()) text += ", " + schema.pattern_text;
  if (!schema.only_with_key.empty()) text += ", only with " + only_with_text(schema);
  if (!schema.required_unless_key.empty())
    text += ", not needed with " + schema.required_unless_key + ": " + schema.required_unless_value;
  if (schema.required) text += ", required";
  else if (schema.default_value) text += ", default " + node_text(*schema.default_value, schema.type);
  else if (!schema.default_text.empty()) text += ", default: " + schema.default_text;
  else if (alternative) text += ", one of the alternatives";
  else text += ", optional";
  return text;
}

void write_comment(const SchemaNode& map, const SchemaNode& key, const std::string& indent, std::string& out) {
  out += indent + "# " + key.text + "\n";
  out += indent + "# (" + facts(key, map.alternative(key.key)) + ")\n";
}

void write_map(const SchemaNode& map, const std::string& indent, std::string& out) {
  for (const auto& key : map.keys) {
    if (key.type == Type::variants) {
      for (const auto& variant : key.variants) write_comment(map, variant, indent, out);
    } else write_comment(map, key, indent, out);
    out += indent + key.key + ":";
    if (key.type == Type::list && key.items.front().type == Type::map) {
      out += "\n" + indent + "  -\n";
      write_map(key.items.front(), indent + "    ", out);
    } else if (key.type == Type::map) {
      out += "\n";
      write_map(key, indent + "  ", out);
    } else {
      const auto& definition = key.type == Type::variants ? key.variants.front() : key;
      const auto& shown = definition.default_value ? definition.default_value : definition.example;
      out += (shown ? " " + node_text(*shown, definition.type) : "") + "\n";
    }
  }
}

} // namespace

std::string schema_as_yaml_doc() {
  std::string text = "# Every key of a configuration. After each text: type [unit], range, default.\n"
                     "# Values are the defaults, or examples where there is none. SI units.\n";
  write_map(schema(), "", text);
  return text;
}

} // namespace limber::config
