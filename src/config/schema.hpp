#pragma once
/// The schema of the configuration, for people and for editors.

#include <string>

namespace limber::config {

/// All keys with type, unit, range, choices, default and text as comments; parses as YAML. Keys that exclude each
/// other all appear, so it is not itself a configuration to run.
std::string schema_as_yaml_doc();

/// JSON Schema, draft 2020-12. What it cannot say (relations between values, unique names) is left to validation.
std::string schema_as_json_schema();

} // namespace limber::config
