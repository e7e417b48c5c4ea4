#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/load.hpp"
#include "config/schema.hpp"
#include "config/schema_tree.hpp"

namespace limber::config {
namespace {

using Type = SchemaNode::Type;

/// Every key has a text; one without a default has an example, a computed default or is optional with its range.
void expect_documented(const SchemaNode& node, const std::string& path) {
  EXPECT_FALSE(node.text.empty()) << path;
  if (node.required && node.type != Type::map && node.type != Type::list) {
    EXPECT_TRUE(node.example.has_value()) << path << " has no example";
  }
  if (node.type == Type::map) {
    EXPECT_FALSE(node.keys.empty()) << path;
  }
  if (node.type == Type::list) {
    ASSERT_EQ(node.items.size(), 1U) << path;
  }
  if (node.type == Type::variants) {
    EXPECT_GE(node.variants.size(), 2U) << path;
  }
  for (const auto& variant : node.variants) expect_documented(variant, path);
  for (const auto& key : node.keys) expect_documented(key, path + "." + key.key);
  for (const auto& item : node.items)
    for (const auto& key : item.keys) expect_documented(key, path + "[]." + key.key);
}

TEST(Schema, EveryKeyIsDocumented) {
  for (const auto& key : schema().keys) expect_documented(key, key.key);
}

/// The map has the key, and the key can have the values.
void expect_choices(const SchemaNode& map, const std::string& key, const std::vector<std::string>& values) {
  const auto* neighbor = map.find(key);
  ASSERT_NE(neighbor, nullptr) << key;
  for (const auto& value : values)
    EXPECT_EQ(std::count(neighbor->choices.begin(), neighbor->choices.end(), value), 1) << key << ": " << value;
}

/// Keys that other keys refer to exist.
void expect_consistent(const SchemaNode& node) {
  for (const auto& set : node.one_of)
    for (const auto& key : set) EXPECT_NE(node.find(key), nullptr) << key;
  for (const auto& key : node.at_most_one) EXPECT_NE(node.find(key), nullptr) << key;
  if (!node.one_of_with_key.empty()) expect_choices(node, node.one_of_with_key, {node.one_of_with_value});
  for (const auto& key : node.keys) {
    if (!key.only_with_key.empty()) expect_choices(node, key.only_with_key, key.only_with_values);
    if (!key.required_unless_key.empty()) {
      EXPECT_TRUE(key.required) << key.key;
      expect_choices(node, key.required_unless_key, {key.required_unless_value});
    }
    for (const auto& variant : key.variants) {
      EXPECT_EQ(variant.only_with_key, key.variants.front().only_with_key) << key.key;
      EXPECT_FALSE(variant.only_with_values.empty()) << key.key;
      expect_choices(node, variant.only_with_key, variant.only_with_values);
    }
    expect_consistent(key);
  }
  for (const auto& item : node.items) {
    if (!node.unique.empty()) {
      EXPECT_NE(item.find(node.unique), nullptr) << node.unique;
    }
    expect_consistent(item);
  }
}

TEST(Schema, RefersToItsOwnKeys) { expect_consistent(schema()); }

/// The object that describes a map: itself, or the alternative to its words.
const nlohmann::json& map_of(const nlohmann::json& json) {
  if (json.contains("properties")) return json;
  for (const auto& alternative : json.at("oneOf"))
    if (alternative.contains("properties")) return alternative;
  return json;
}

void expect_same_keys(const SchemaNode& node, const nlohmann::json& json, const std::string& path) {
  SCOPED_TRACE(path);
  if (node.type == Type::list) return expect_same_keys(node.items.front(), json.at("items"), path + "[]");
  if (node.type != Type::map) return;
  const auto& map = map_of(json);
  EXPECT_EQ(map.at("additionalProperties"), false);
  ASSERT_EQ(map.at("properties").size(), node.keys.size());
  for (const auto& key : node.keys) {
    ASSERT_TRUE(map.at("properties").contains(key.key)) << key.key;
    expect_same_keys(key, map.at("properties").at(key.key), path + "." + key.key);
  }
}

TEST(Schema, JsonSchemaNamesEveryKey) {
  const auto json = nlohmann::json::parse(schema_as_json_schema());
  EXPECT_EQ(json.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
  expect_same_keys(schema(), json, "");
  const auto& material = json.at("properties").at("bodies").at("items").at("properties").at("material");
  const auto& ratio = material.at("properties").at("poissons_ratio");
  EXPECT_EQ(ratio.at("exclusiveMinimum"), -1.0);
  EXPECT_EQ(ratio.at("exclusiveMaximum"), 0.5);
  EXPECT_FALSE(material.contains("required")); // a density, but not for springs: a rule in allOf
  EXPECT_EQ(json.at("properties").at("solver").at("properties").at("tolerance").at("default"), 1e-3);
  EXPECT_EQ(json.at("required"), nlohmann::json::array({"simulation", "bodies"}));
  EXPECT_EQ(json.at("properties").at("simulation").at("properties").at("ramp").at("default"), true);
  const auto& condition = json.at("properties").at("boundary_conditions").at("items").at("properties");
  EXPECT_EQ(condition.at("velocity").at("items").at("type"), nlohmann::json::array({"number", "string"}));
}

void expect_named(const SchemaNode& node, const Node& doc, const std::string& path) {
  SCOPED_TRACE(path);
  if (node.type == Type::list) {
    ASSERT_EQ(doc.items.size(), 1U);
    return expect_named(node.items.front(), doc.items.front(), path + "[]");
  }
  for (const auto& key : node.keys) {
    const auto* entry = doc.find(key.key);
    ASSERT_NE(entry, nullptr) << key.key;
    expect_named(key, *entry, path + "." + key.key);
  }
}

TEST(Schema, YamlDocNamesEveryKeyAndParses) {
  const auto text = schema_as_yaml_doc();
  Issues issues;
  const auto doc = parse_document(text, "doc", true, issues);
  EXPECT_TRUE(issues.empty());
  expect_named(schema(), doc, "");
  for (const char* part :
       {"(number [s], above 0, required)", "default [0, 0, 0]", "exactly one of youngs_modulus + poissons_ratio",
        "above -1 and below 0.5", "out/NAME", "only with type: prescribed",
        "exactly one of velocity or displacement with type: prescribed", "(boolean, only with integrator: static, ",
        "(expression3 [Pa], only with type: traction, required)",
        "(expression [Pa], only with type: pressure, required)", "  value: [0, 0, \"1e4*sin(2*pi*t)\"]\n",
        "components: [x, y, z]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Schema, ShippedConfigurationsAreValid) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW(load_scene(read_text(entry.path()), entry.path(), {})) << entry.path();
  }
  EXPECT_GE(count, 2);
}

} // namespace
} // namespace limber::config
