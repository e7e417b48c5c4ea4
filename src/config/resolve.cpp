#include "config/resolve.hpp"

#include <cmath>
#include <filesystem>

#include "config/build_options.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

using Type = SchemaNode::Type;

template <class Container, class Text> std::string bracketed(const Container& values, Text text) {
  std::string result = "[";
  for (const auto& x : values) result += (result.size() > 1 ? ", " : "") + text(x);
  return result + "]";
}

/// A constant as a number, whichever way it was written.
std::string expression_text(const dofs::Expression& x) {
  const double origin[3]{};
  const double value = x.is_constant() ? x(0.0, origin) : std::nan("");
  return std::isfinite(value) ? number_text(value) : string_text(x.text());
}

std::string leaf_text(const Value& value) {
  switch (value.schema->type) {
  case Type::number:
    return number_text(value.number);
  case Type::integer:
    return std::to_string(value.integer);
  case Type::boolean:
    return value.boolean ? "true" : "false";
  case Type::expression:
    return expression_text(value.expressions.front());
  case Type::expression3:
    return bracketed(value.expressions, expression_text);
  case Type::vector3:
    return bracketed(value.vector, number_text);
  case Type::integers:
    return bracketed(value.integers, [](std::int64_t i) { return std::to_string(i); });
  case Type::strings:
    return bracketed(value.strings, string_text);
  case Type::map:
    return value.text; // one of its words
  default:
    return string_text(value.text);
  }
}

std::string comment(const SchemaNode& schema) { return schema.unit.empty() ? "" : "  # [" + schema.unit + "]"; }

class Writer {
public:
  explicit Writer(const std::string& config_file) : config_file_(config_file) {}

  void map(const Value& value, const std::string& indent) {
    for (const auto& key : value.schema->keys) {
      if (const auto* entry = value.find(key.key)) member(*entry->schema, *entry, indent);
      else if (!key.default_text.empty()) text_ += indent + "# " + key.key + " not given: " + key.default_text + "\n";
    }
  }

  std::string take() { return std::move(text_); }

private:
  void member(const SchemaNode& key, const Value& value, const std::string& indent) {
    text_ += indent + key.key + ":";
    if (key.type == Type::list) {
      if (value.items.empty()) text_ += " []";
      text_ += "\n";
      for (const auto& item : value.items) list_item(item, indent);
    } else if (key.type == Type::map && value.text.empty()) {
      text_ += "\n";
      map(value, indent + "  ");
    } else if (key.key == "file") {
      const auto path = std::filesystem::absolute(mesh_path(value.text, config_file_));
      text_ += " " + string_text(path.string()) + "\n";
    } else text_ += " " + leaf_text(value) + comment(key) + "\n";
  }

  void list_item(const Value& item, const std::string& indent) {
    if (item.schema->type != Type::map) {
      text_ += indent + "  - " + leaf_text(item) + "\n";
      return;
    }
    const auto start = text_.size();
    map(item, indent + "    ");
    text_[start + indent.size() + 2] = '-';
  }

  std::string config_file_;
  std::string text_;
};

} // namespace

std::string resolve(const Value& scene, const std::string& config_file) {
  Value complete = scene;
  for (auto& [name, section] : complete.entries) {
    if (name != "output" || section.find("directory")) continue;
    Value directory;
    directory.schema = section.schema->find("directory");
    directory.text = output_directory(scene);
    section.entries.push_back({"directory", std::move(directory)});
  }
  Writer writer(config_file);
  writer.map(complete, "");
  return "# The whole configuration with its defaults; SI units.\n" + writer.take();
}

} // namespace limber::config
