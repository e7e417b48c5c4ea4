#include "config/load.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "config/build_options.hpp"
#include "config/overrides.hpp"
#include "config/resolve.hpp"
#include "config/scene_checks.hpp"

namespace limber::config {

std::string read_text(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status))
    throw base::UserError("there is no such file", {path, 0, "",
                                                    "Check the path; it is relative to the working directory, " +
                                                        fs::current_path(error).string() + "."});
  if (fs::is_directory(status))
    throw base::UserError("is a folder, not a configuration file", {path, 0, "", "Give a .yaml file in it."});
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) throw base::UserError("cannot be read", {path, 0, "", "Check its permissions."});
  return text;
}

LoadedScene load_scene(const std::string& text, const std::string& file_name,
                       const std::vector<std::string>& overrides) {
  Issues issues;
  Node document = parse_document(text, file_name, true, issues);
  // Without a document every further message would be about missing keys.
  if (document.kind == Node::Kind::null && issues.empty())
    issues.add({file_name, 0}, "", "the file is empty; expected at least simulation and bodies");
  if (document.kind == Node::Kind::null) issues.throw_if_any();

  for (const auto& assignment : overrides) apply_override(document, assignment, issues);
  const Value scene = validate(document, issues);
  check_scene(scene, issues);
  issues.throw_if_any();
  return {build_options(scene, file_name), resolve(scene, file_name)};
}

std::string resolved_with_header(const LoadedScene& scene,
                                 const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    text += "# " + name + ": ";
    // Every line of a value stays a comment.
    for (const char c : value)
      text += c == '\n' ? std::string("\n#   ") : c == '\r' ? std::string() : std::string(1, c);
    text += "\n";
  }
  return text + scene.resolved_yaml;
}

} // namespace limber::config
