#include "config/overrides.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/nearest.hpp"
#include "config/validate.hpp"

namespace limber::config {
namespace {

using Type = SchemaNode::Type;

/// "a.b[0].c" as a, b, 0, c; nothing where brackets do not match or a segment is empty.
std::optional<std::vector<std::string>> split(const std::string& path) {
  std::vector<std::string> segments;
  std::size_t i = 0;
  while (i < path.size()) {
    if (path[i] == '[') {
      const auto close = path.find(']', i);
      if (close == std::string::npos || close == i + 1 || segments.empty()) return std::nullopt;
      segments.push_back(path.substr(i + 1, close - i - 1));
      i = close + 1;
      if (i < path.size() && path[i] != '.' && path[i] != '[') return std::nullopt;
    } else {
      if (path[i] == '.' && !segments.empty()) ++i;
      const auto end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) return std::nullopt;
      segments.push_back(path.substr(i, end - i));
      i = end;
    }
  }
  if (segments.empty() || path.back() == '.') return std::nullopt;
  return segments;
}

/// Index of the entry that a segment means, by number or by name; -1: none.
int entry_index(const std::vector<Node>& items, const std::string& segment) {
  const bool digits = std::all_of(segment.begin(), segment.end(), [](unsigned char c) { return std::isdigit(c); });
  if (digits) {
    std::size_t index = items.size();
    std::from_chars(segment.data(), segment.data() + segment.size(), index);
    return index < items.size() ? static_cast<int>(index) : -1;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Node* name = items[i].find("name");
    if (name && name->text == segment) return static_cast<int>(i);
  }
  return -1;
}

std::string no_entry_text(const std::vector<Node>& items, const std::string& segment) {
  std::string text = "there is no entry '" + segment + "'";
  std::vector<std::string> names;
  for (const auto& item : items)
    if (const Node* name = item.find("name")) names.push_back(name->text);
  if (items.empty()) return text + "; the list is empty";
  text += "; expected an index from 0 to " + std::to_string(items.size() - 1);
  if (!names.empty()) text += " or a name (nearest: " + base::nearest(segment, names) + ")";
  return text;
}

bool is_value_list(Type type) {
  return type == Type::vector3 || type == Type::integers || type == Type::strings || type == Type::expression3 ||
         type == Type::variants;
}

/// A default stands in where the document has no list to change an entry of.
void start_list(Node& node, const SchemaNode& schema) {
  if (node.kind == Node::Kind::null && schema.default_value) node = *schema.default_value;
}

} // namespace

void apply_override(Node& document, const std::string& assignment, Issues& issues) {
  const Location where{"--set " + assignment, 0};
  const auto equals = assignment.find('=');
  const auto path = assignment.substr(0, equals);
  const auto segments = equals == std::string::npos ? std::nullopt : split(path);
  if (!segments) {
    issues.add(where, "", "expected path.to.key=value, such as simulation.time_step=0.01 or bodies[0].mass=lumped");
    return;
  }

  Issues value_issues;
  Node value = parse_document(assignment.substr(equals + 1), where.file, false, value_issues);
  if (!value_issues.empty()) {
    issues.add(where, path, "the value is not valid YAML; expected a value as in the file (lists as [a, b])");
    return;
  }

  // The document changes only when the whole path is known.
  Node changed = document;
  Node* node = &changed;
  const SchemaNode* at = &schema();
  for (const auto& segment : *segments) {
    if (at && at->type == Type::map) {
      const auto* key = at->find(segment);
      if (!key) {
        const bool last = &segment == &segments->back();
        issues.add(where, path, (last ? "" : "'" + segment + "': ") + unknown_key_text(*at, segment));
        return;
      }
      if (node->kind != Node::Kind::map) {
        const bool word = node->kind == Node::Kind::scalar && !at->words.empty();
        if (node->kind != Node::Kind::null && !word) return; // the document is at fault, and validation says so
        node->kind = Node::Kind::map;
        node->text.clear();
        node->where = where;
      }
      if (!node->find(segment)) {
        node->entries.push_back({segment, {}});
        node->entries.back().value.where = where;
      }
      node = node->find(segment);
      at = key;
    } else if (at && (at->type == Type::list || is_value_list(at->type))) {
      start_list(*node, *at);
      const int index = entry_index(node->items, segment);
      if (index < 0) {
        issues.add(where, path, no_entry_text(node->items, segment));
        return;
      }
      node = &node->items[static_cast<std::size_t>(index)];
      at = at->type == Type::list ? &at->items.front() : nullptr;
    } else {
      issues.add(where, path, "'" + segment + "': there is nothing below this key");
      return;
    }
  }
  *node = std::move(value);
  node->where = where;
  document = std::move(changed);
}

} // namespace limber::config
