#pragma once
/// Faults in the layout of a text, at the place where they were made: a YAML parser notices them further down, if at
/// all, and in its own words.

#include <optional>
#include <string>

namespace limber::config {

struct TextFault {
  int line = 0;     ///< one-based; 0: the text as a whole
  std::string text; ///< "found …; expected …"
};

/// The first place that is not UTF-8, or holds a control character.
std::optional<TextFault> find_encoding_fault(const std::string& text);

/// The first fault in indentation, brackets, quotation marks or keys. Only for texts that are no valid YAML, and for
/// the subset that configurations use: what it does not know (keys in quotes, say) it passes over.
std::optional<TextFault> find_layout_fault(const std::string& text);

} // namespace limber::config
