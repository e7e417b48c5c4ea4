#pragma once
/// Reads a configuration: YAML to options.

#include <string>
#include <utility>
#include <vector>

#include "config/scene_options.hpp"

namespace limber::config {

struct LoadedScene {
  SceneOptions options;
  /// The complete configuration with all defaults and with units in comments; itself a valid configuration that
  /// gives the same options. Mesh files are absolute paths.
  std::string resolved_yaml;
};

/// The text of a configuration file. Throws base::UserError with advice where there is none, or a folder.
std::string read_text(const std::string& path);

/// Validates a configuration's text and turns it into options. Reads no files and does not communicate: ranks that
/// pass the same arguments in the same working directory get the same result.
/// \param file_name the text's file, for messages; mesh files are relative to its folder
/// \param overrides "path.to.key=value" each, as --set takes them; later ones win
/// Throws one base::UserError that lists everything that is wrong, a line each, with file and line (or --set), key
/// path, what was found and what was expected; the context is that of the first.
LoadedScene load_scene(const std::string& text, const std::string& file_name,
                       const std::vector<std::string>& overrides);

/// The resolved configuration with facts (versions, ranks, …) as comments "# name: value" at its top.
std::string resolved_with_header(const LoadedScene& scene,
                                 const std::vector<std::pair<std::string, std::string>>& facts);

} // namespace limber::config
