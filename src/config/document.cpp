#include "config/document.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace limber::config {
namespace {

// Aliases can make a node contain itself; no configuration is this deep.
constexpr int max_depth = 32;
// Aliases of aliases can multiply a few lines to anything.
constexpr int max_nodes = 1000000;

class Reader {
public:
  Reader(std::string file, bool line_numbers, Issues& issues)
      : file_(std::move(file)), line_numbers_(line_numbers), issues_(issues) {}

  Location at(const YAML::Mark& mark) const {
    return {file_, line_numbers_ && mark.line >= 0 ? mark.line + 1 : (line_numbers_ ? 1 : 0)};
  }

  Node read(const YAML::Node& yaml, const Location& where, const std::string& path, int depth) {
    Node node;
    node.where = where;
    if (depth > max_depth) {
      issues_.add(where, path, "nested more than " + std::to_string(max_depth) + " levels deep");
      return node;
    }
    if (++nodes_ > max_nodes) {
      if (nodes_ == max_nodes + 1)
        issues_.add(where, path, "more than " + std::to_string(max_nodes) + " values; are aliases nested?");
      return node;
    }
    switch (yaml.Type()) {
    case YAML::NodeType::Scalar:
      node.kind = Node::Kind::scalar;
      node.text = yaml.Scalar();
      node.quoted = yaml.Tag() == "!";
      break;
    case YAML::NodeType::Sequence:
      node.kind = Node::Kind::list;
      for (const auto& item : yaml)
        node.items.push_back(
            read(item, at(item.Mark()), path + "[" + std::to_string(node.items.size()) + "]", depth + 1));
      break;
    case YAML::NodeType::Map:
      node.kind = Node::Kind::map;
      for (const auto& entry : yaml) read_entry(node, entry.first, entry.second, path, depth);
      break;
    default:
      break;
    }
    return node;
  }

private:
  void read_entry(Node& map, const YAML::Node& key, const YAML::Node& value, const std::string& path, int depth) {
    const auto where = at(key.Mark());
    if (!key.IsScalar()) {
      issues_.add(where, path, "found a key that is not a word; expected `key: value`");
      return;
    }
    const std::string& name = key.Scalar();
    const std::string inner = path.empty() ? name : path + "." + name;
    auto node = read(value, where, inner, depth + 1);
    if (const Node* first = map.find(name)) {
      std::string message = "duplicate key";
      if (first->where.line > 0) message += "; it was given on line " + std::to_string(first->where.line) + " already";
      issues_.add(where, inner, message + "; keep one of them");
      return;
    }
    map.entries.push_back({name, std::move(node)});
  }

  std::string file_;
  int nodes_ = 0;
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
std::string explain(const std::string& reason, const std::string& line) {
  using namespace YAML::ErrorMsg;
  const auto indent = line.substr(0, line.find_first_not_of(" \t"));
  if (reason == TAB_IN_INDENTATION || indent.find('\t') != std::string::npos)
    return "a tab in the indentation; YAML indents with spaces only";
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
    if (reason.rfind(key, 0) == 0) return words;
  return "something that YAML does not allow, here or just above; check indentation, brackets and quotes";
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
    return reader.read(documents[0], start, "", 0);
  } catch (const YAML::Exception& e) {
    auto where = reader.at(e.mark);
    const auto line = line_of(text, e.mark.line + 1);
    std::string message = "not valid YAML: found " + explain(e.msg, line);
    if (line.find_first_not_of(" \t") != std::string::npos && line_numbers) {
      message += " (the line reads `" + line.substr(line.find_first_not_of(" \t")) + "`)";
    }
    issues.add(where, "", message);
    return {};
  }
}

} // namespace limber::config
