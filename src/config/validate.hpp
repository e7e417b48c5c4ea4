#pragma once
/// Checks a document against the schema and fills in the defaults.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "config/schema_tree.hpp"
#include "dofs/expression.hpp"

namespace limber::config {

/// A checked value; which member holds it follows from the schema's type.
struct Value {
  struct Entry;

  const SchemaNode* schema = nullptr;
  Location where;
  std::string path;   ///< key path, bodies[0].material.density
  bool given = false; ///< false: a default
  std::string text;   ///< string, or the word given for a map
  double number = 0.0;
  std::int64_t integer = 0;
  bool boolean = false;
  Vector3 vector{};
  std::vector<std::int64_t> integers;
  std::vector<std::string> strings;
  std::vector<dofs::Expression> expressions; ///< one, or three for expression3
  std::vector<Value> items;                  ///< list
  std::vector<Entry> entries;                ///< map, in the order of the schema

  const Value* find(const std::string& key) const;
  /// The value at a key that validation guarantees; throws InternalError otherwise.
  const Value& at(const std::string& key) const;
};

struct Value::Entry {
  std::string key;
  Value value;
};

/// The value of the whole document, with defaults where keys are not given. Whatever is wrong is added to
/// `issues`; wrong values are left out of the result.
Value validate(const Node& document, Issues& issues);

/// The message for a key that a map does not have: the nearest one, or that this version lacks it.
std::string unknown_key_text(const SchemaNode& map, const std::string& key);

} // namespace limber::config
