#include "config/yaml_structure.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <vector>

#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

/// Bytes of the UTF-8 character at the front; 0: none (RFC 3629, without its finer points).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xc2 ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  return length;
}

/// The length of a plain word that can be a key; 0: none.
std::size_t word_length(std::string_view text) {
  if (text.empty() || !(std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_')) return 0;
  std::size_t n = 1;
  while (n < text.size() && (std::isalnum(static_cast<unsigned char>(text[n])) || text[n] == '_')) ++n;
  return n;
}

bool is_key(std::string_view text) {
  const std::size_t n = word_length(text);
  return n > 0 && n < text.size() && text[n] == ':' && (n + 1 == text.size() || text[n + 1] == ' ');
}

bool is_entry(std::string_view text) { return text == "-" || text.starts_with("- "); }

std::string spaces(std::size_t n) { return std::to_string(n) + (n == 1 ? " space" : " spaces"); }

class LayoutReader {
public:
  std::optional<TextFault> read(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line) && !fault_;) {
      ++number_;
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
      read_line(line);
    }
    if (!fault_ && quote_) unclosed_quote();
    if (!fault_ && !brackets_.empty()) unclosed_bracket();
    return fault_;
  }

private:
  struct Bracket {
    char open;
    int line;
    std::size_t indent;
  };

  void refuse(int line, const std::string& text) { fault_ = TextFault{line, text}; }

  void unclosed_quote() {
    refuse(quote_line_,
           std::string("found a quotation mark that is never closed; expected another ") + quote_ + " after the text");
  }

  void unclosed_bracket() {
    const auto& bracket = brackets_.back();
    refuse(bracket.line, bracket.open == '[' ? "found a '[' without its ']'; expected one at the end of the list"
                                             : "found a '{' without its '}'; expected one at the end of the map");
  }

  void read_line(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string_view content = line.substr(indent);
    if (content.empty()) return;
    if (quote_ || !brackets_.empty()) {
      // What continues a value is indented deeper than the value's key.
      const std::size_t start = brackets_.empty() ? quote_indent_ : brackets_.front().indent;
      if (indent <= start && (is_key(content) || is_entry(content)))
        return brackets_.empty() ? unclosed_quote() : unclosed_bracket();
      return read_characters(content, indent);
    }
    if (in_block_text_ && indent > block_text_indent_) return;
    in_block_text_ = false;
    if (content[0] == '#' || content == "---") return;
    if (content[0] == '\t')
      return refuse(number_, "found a tab in the indentation; expected spaces, which alone indent in YAML");
    read_block_line(content, indent);
  }

  void read_block_line(std::string_view content, std::size_t indent) {
    if (!place(content, indent)) return;
    std::size_t column = indent;
    while (is_entry(content)) {
      levels_.push_back(column);
      content.remove_prefix(1);
      column += 1;
      const std::size_t gap = std::min(content.find_first_not_of(' '), content.size());
      content.remove_prefix(gap);
      column += gap;
    }
    open_ = content.empty() || content[0] == '#';
    if (open_) return;
    if (levels_.empty() || levels_.back() < column) levels_.push_back(column);
    if (const std::size_t n = word_length(content); n > 0 && column == indent && !is_key(content)) {
      const std::string start(content.substr(0, n));
      const auto rest = content.substr(n);
      if (rest.starts_with(':'))
        return refuse(number_, "found '" + start + ":' without a space after it; expected `" + start + ": value`");
      if (rest.find(':') == std::string_view::npos)
        return refuse(number_, "found '" + start + "' without a ':' after it; expected `" + start + ": value`");
    }
    if (is_key(content)) content.remove_prefix(word_length(content) + 1);
    read_value(content, indent, column);
  }

  /// Whether the indentation fits the lines above; false also for lines that continue a text.
  bool place(std::string_view content, std::size_t indent) {
    if (levels_.empty()) return true;
    std::size_t left = indent; // the level that the line leaves last
    while (!levels_.empty() && levels_.back() > indent) {
      left = levels_.back();
      levels_.pop_back();
    }
    const bool leaves = left > indent;
    if (!levels_.empty() && levels_.back() == indent) return true;
    if (!leaves && open_) return true;
    if (leaves) {
      refuse(number_, "found a line indented by " + spaces(indent) + "; expected " + std::to_string(left) +
                          (levels_.empty() ? "" : " or " + std::to_string(levels_.back())) + ", as the lines above");
      return false;
    }
    if (is_key(content))
      refuse(number_, "found a line indented by " + spaces(indent) + "; expected " + std::to_string(levels_.back()) +
                          ", as the line above, which has a value already");
    return false;
  }

  void read_value(std::string_view value, std::size_t indent, std::size_t column) {
    const std::size_t begin = value.find_first_not_of(' ');
    value.remove_prefix(std::min(begin, value.size()));
    open_ = value.empty() || value[0] == '#' || value[0] == '&' || value[0] == '!';
    if (open_) return;
    in_block_text_ = value[0] == '|' || value[0] == '>';
    block_text_indent_ = column;
    if (!in_block_text_) read_characters(value, indent);
  }

  /// Brackets and quotation marks.
  void read_characters(std::string_view text, std::size_t indent) {
    bool at_start = true; // of a value
    for (std::size_t i = 0; i < text.size() && !fault_; ++i) {
      const char c = text[i];
      if (quote_) {
        if (c == '\\' && quote_ == '"') ++i;
        else if (c == quote_) quote_ = 0;
        continue;
      }
      if (c == ' ') continue;
      if (c == '#' && (i == 0 || text[i - 1] == ' ')) return;
      if (at_start && (c == '"' || c == '\'')) {
        quote_ = c;
        quote_line_ = number_;
        quote_indent_ = indent;
        at_start = false;
      } else if ((c == '[' || c == '{') && (at_start || !brackets_.empty())) {
        brackets_.push_back({c, number_, brackets_.empty() ? indent : brackets_.front().indent});
        at_start = true;
      } else if ((c == ']' || c == '}') && !brackets_.empty()) {
        close(c);
        at_start = false;
      } else {
        at_start = !brackets_.empty() && (c == ',' || (c == ':' && i + 1 < text.size() && text[i + 1] == ' '));
      }
    }
  }

  void close(char c) {
    const auto open = brackets_.back();
    brackets_.pop_back();
    const char expected = open.open == '[' ? ']' : '}';
    if (c != expected)
      refuse(number_, std::string("found a '") + c + "'; expected '" + expected + "' for the '" + open.open +
                          "' of line " + std::to_string(open.line));
  }

  int number_ = 0;
  std::vector<std::size_t> levels_; ///< indentations of the maps and lists that are open
  bool open_ = false;               ///< the last key or '-' has its value below
  bool in_block_text_ = false;      ///< below a '|' or '>'
  std::size_t block_text_indent_ = 0;
  char quote_ = 0;
  int quote_line_ = 0;
  std::size_t quote_indent_ = 0;
  std::vector<Bracket> brackets_;
  std::optional<TextFault> fault_;
};

} // namespace

std::optional<TextFault> find_encoding_fault(const std::string& text) {
  const std::string_view start = std::string_view(text).substr(0, 2);
  const bool marked = start == "\xff\xfe" || start == "\xfe\xff";
  if (marked || (start.size() == 2 && (start[0] == 0) != (start[1] == 0)))
    return TextFault{0, "found a text in UTF-16; expected UTF-8: save the file with that encoding"};
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(std::string_view(text).substr(i));
    if (length == 0)
      return TextFault{line, "found a character that is not UTF-8; expected UTF-8: save the file with that encoding"};
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n') ++line;
    else if ((c < 0x20 && c != '\t' && c != '\r') || c == 0x7f) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "0x%02x", c);
      return TextFault{line, std::string("found the control character ") + code.data() + "; expected a text in UTF-8"};
    }
    i += length;
  }
  return std::nullopt;
}

std::optional<TextFault> find_layout_fault(const std::string& text) { return LayoutReader().read(text); }

} // namespace limber::config
