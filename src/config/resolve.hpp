#pragma once
/// The complete configuration as YAML.

#include <string>

#include "config/validate.hpp"

namespace limber::config {

/// All values, defaults included, with units in comments; itself a valid configuration that gives the same options
/// (mesh files by absolute paths).
std::string resolve(const Value& scene, const std::string& config_file);

} // namespace limber::config
