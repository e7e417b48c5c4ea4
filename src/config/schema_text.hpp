#pragma once
/// The text of schema.yaml, embedded at build time.

namespace limber::config {

extern const char* const schema_text;

} // namespace limber::config
