#pragma once
/// From checked values to options.

#include <string>

#include "config/scene_options.hpp"
#include "config/validate.hpp"

namespace limber::config {

/// \param scene complete and free of issues
/// \param config_file the configuration file; mesh files are relative to its folder
SceneOptions build_options(const Value& scene, const std::string& config_file);

/// A mesh file's path as the options hold it: relative to the working directory, or absolute as given.
std::string mesh_path(const std::string& file, const std::string& config_file);

/// output.directory, or its default: out/NAME.
std::string output_directory(const Value& scene);

} // namespace limber::config
