#include "config/document.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "config/yaml_structure.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

// No configuration is this deep.
constexpr std::size_t max_depth = 32;
// Aliases of aliases can multiply a few lines to anything.
constexpr int max_nodes = 1000000;
// Parsing takes about a second a megabyte where it is slow; long lists of nodes belong into the mesh.
constexpr std::size_t max_bytes = 4000000;

class Reader {
public:
  Reader(std::string file, bool line_numbers, Issues& issues)
      : file_(std::move(file)), line_numbers_(line_numbers), issues_(issues) {}

  Location at(const YAML::Mark& mark) const {
    return {file_, line_numbers_ && mark.line >= 0 ? mark.line + 1 : (line_numbers_ ? 1 : 0)};
  }

  Node read(const YAML::Node& yaml, const Location& where, const std::string& path) {
    Node node;
    node.where = where;
    if (too_deep_ || nodes_ > max_nodes) return node; // has been said
    if (inside(yaml)) {
      issues_.add(where, path, "found an alias '*' within what its anchor '&' names; expected a value");
      return node;
    }
    if (outer_.size() > max_depth) {
      too_deep_ = true;
      issues_.add(where, path, "nested more than " + std::to_string(max_depth) + " levels deep; remove brackets");
      return node;
    }
    if (++nodes_ > max_nodes) {
      issues_.add(where, path,
                  "found more than " + std::to_string(max_nodes) + " values; expected fewer (are aliases nested?)");
      return node;
    }
    outer_.push_back(yaml);
    switch (yaml.Type()) {
    case YAML::NodeType::Scalar:
      node.kind = Node::Kind::scalar;
      node.text = yaml.Scalar();
      node.quoted = yaml.Tag() == "!";
      break;
    case YAML::NodeType::Sequence:
      node.kind = Node::Kind::list;
      for (const auto& item : yaml)
        node.items.push_back(read(item, at(item.Mark()), path + "[" + std::to_string(node.items.size()) + "]"));
      break;
    case YAML::NodeType::Map:
      node.kind = Node::Kind::map;
      for (const auto& entry : yaml) read_entry(node, entry.first, entry.second, path);
      break;
    default:
      break;
    }
    outer_.pop_back();
    return node;
  }

private:
  /// Aliases can make a node contain itself.
  bool inside(const YAML::Node& yaml) const {
    return std::any_of(outer_.begin(), outer_.end(), [&](const YAML::Node& outer) { return outer.is(yaml); });
  }

  void read_entry(Node& map, const YAML::Node& key, const YAML::Node& value, const std::string& path) {
    const auto where = at(key.Mark());
    if (!key.IsScalar()) {
      issues_.add(where, path, "found a key that is not a word; expected `key: value`");
      return;
    }
    const std::string& name = key.Scalar();
    const std::string inner = path.empty() ? excerpt(name) : path + "." + excerpt(name);
    auto node = read(value, where, inner);
    if (const Node* first = map.find(name)) {
      std::string message = "duplicate key";
      if (first->where.line > 0) message += "; it was given on line " + std::to_string(first->where.line) + " already";
      issues_.add(where, inner, message + "; keep one of them");
      return;
    }
    map.entries.push_back({name, std::move(node)});
  }

  std::string file_;
  std::vector<YAML::Node> outer_; ///< the node that is read and those around it
  int nodes_ = 0;
  bool too_deep_ = false;
  bool line_numbers_;
  Issues& issues_;
};

std::string line_of(const std::string& text, int line) {
  std::istringstream in(text);
  std::string result;
  for (int i = 0; i < line && std::getline(in, result); ++i) {
  }
  if (!result.empty() && result.back() == '\r') result.pop_back();
  return result;
}

// The library's reasons, in words that say what to look for.
std::string explain(const std::string& reason) {
  using namespace YAML::ErrorMsg;
  const std::pair<const char*, const char*> known[] = {
      {END_OF_MAP, "a line that is neither `key: value` nor indented like its neighbors"},
      {END_OF_MAP_FLOW, "a '{' without its '}', or a missing comma inside"},
      {END_OF_SEQ, "a line in a list that is neither a new entry '- ' nor indented like the entry before"},
      {END_OF_SEQ_FLOW, "a '[' without its ']', or a missing comma inside"},
      {EOF_IN_SCALAR, "a quotation mark that is never closed"},
      {FLOW_END, "a '}' or ']' that was not opened"},
      {MAP_KEY, "a key where none can stand; the indentation is off, or the line before is not complete"},
      {MAP_VALUE, "a ':' where none can stand; a text that contains ': ' needs quotes"},
      {BLOCK_ENTRY, "a '- ' where no list entry can stand; check the indentation"},
      {UNKNOWN_TOKEN, "a character that no value can start with; a text that begins so needs quotes"},
      {INVALID_ESCAPE, "an unknown escape after '\\'; single quotes take '\\' as it is"},
      {UNKNOWN_ANCHOR, "a '*' that refers to no anchor '&'; a text that begins with '*' needs quotes"},
      {ALIAS_NOT_FOUND, "a '*' without a name; a text that begins with '*' needs quotes"},
      {ANCHOR_NOT_FOUND, "a '&' without a name; a text that begins with '&' needs quotes"},
  };
  for (const auto& [key, words] : known)
    if (reason.rfind(key, 0) == 0) return std::string("found ") + words;
  return "found something that YAML does not allow, here or just above; check indentation, brackets and quotes";
}

} // namespace

Node* Node::find(const std::string& key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

const Node* Node::find(const std::string& key) const {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &it->value;
}

Node parse_document(const std::string& text, const std::string& file, bool line_numbers, Issues& issues) {
  Reader reader(file, line_numbers, issues);
  const Location start{file, line_numbers ? 1 : 0};
  if (text.size() > max_bytes) {
    issues.add({file, 0}, "",
               "found " + std::to_string(text.size() / 1000000) + " MB; expected a configuration of at most " +
                   std::to_string(max_bytes / 1000000) + " MB (long lists of nodes can be groups of the mesh)");
    return {};
  }
  if (const auto fault = find_encoding_fault(text)) {
    issues.add({file, line_numbers ? fault->line : 0}, "", fault->text);
    return {};
  }
  try {
    // The library overlooks a quotation mark that is not closed where white space ends the text.
    const auto documents = YAML::LoadAll(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    if (documents.empty()) {
      Node nothing;
      nothing.where = start;
      return nothing;
    }
    if (documents.size() > 1) {
      issues.add(reader.at(documents[1].Mark()), "", "found a second document after '---'; expected one in a file");
      return {};
    }
    return reader.read(documents[0], start, "");
  } catch (const YAML::Exception& e) {
    auto where = reader.at(e.mark);
    std::string what = explain(e.msg);
    const auto fault = find_layout_fault(text);
    if (fault && (e.mark.line < 0 || fault->line <= e.mark.line + 1)) {
      what = fault->text;
      if (line_numbers) where.line = fault->line;
    }
    std::string message = "not valid YAML: " + what;
    const auto line = line_of(text, where.line);
    if (line.find_first_not_of(" \t") != std::string::npos && line_numbers)
      message += " (the line reads `" + excerpt(line.substr(line.find_first_not_of(" \t"))) + "`)";
    issues.add(where, "", message);
    return {};
  }
}

} // namespace limber::config
