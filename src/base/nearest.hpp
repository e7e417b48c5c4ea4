#pragma once
/// The word that was probably meant, for messages.

#include <string>
#include <vector>

namespace limber::base {

/// Number of insertions, deletions, replacements and swaps of neighbors that turn one word into the other
/// (optimal string alignment distance).
int edit_distance(const std::string& a, const std::string& b);

/// The candidate with the smallest edit distance, ignoring case; the first of several; empty without candidates.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

} // namespace limber::base
