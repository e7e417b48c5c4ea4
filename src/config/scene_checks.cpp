#include "config/scene_checks.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

const Value* find(const Value* map, const char* key) { return map ? map->find(key) : nullptr; }

std::string text_of(const Vector3& v) {
  return "[" + number_text(v[0]) + ", " + number_text(v[1]) + ", " + number_text(v[2]) + "]";
}

void check_box(const Value* box, Issues& issues) {
  const Value *min = find(box, "min"), *max = find(box, "max");
  if (!min || !max) return;
  for (std::size_t i = 0; i < 3; ++i) {
    if (min->vector[i] < max->vector[i]) continue;
    issues.add(max->where, max->path,
               "found " + text_of(max->vector) + "; expected every entry above that of min, " + text_of(min->vector));
    return;
  }
}

void check_direction(const Value* direction, Issues& issues) {
  if (direction && direction->vector == Vector3{})
    issues.add(direction->where, direction->path, "found [0, 0, 0]; expected a direction, of any length but zero");
}

void check_mesh(const Value* mesh, Issues& issues) {
  check_box(find(mesh, "box"), issues);
  const auto* cylinder = find(mesh, "cylinder");
  const Value *start = find(cylinder, "start"), *end = find(cylinder, "end");
  if (start && end && start->vector == end->vector)
    issues.add(end->where, end->path, "found the same point as start; expected another one");
  const Value *file = find(mesh, "file"), *size = find(mesh, "element_size");
  std::string ending = file ? std::filesystem::path(file->text).extension().string() : "";
  for (auto& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (file && size && ending != ".geo")
    issues.add(size->where, size->path,
               "found beside file '" + file->text + "', whose mesh is finished; expected only for .geo files");
}

void check_material(const Value* material, Issues& issues) {
  const Value *mu = find(material, "lame_mu"), *lambda = find(material, "lame_lambda");
  if (!mu || !lambda || 3.0 * lambda->number + 2.0 * mu->number > 0.0) return;
  issues.add(lambda->where, lambda->path,
             "found " + number_text(lambda->number) + "; expected a number above −2/3 of lame_mu, " +
                 number_text(-2.0 / 3.0 * mu->number) + " [Pa] (the bulk modulus must be positive)");
}

void check_body(const Value& body, Issues& issues) {
  check_mesh(body.find("mesh"), issues);
  check_direction(find(find(body.find("transform"), "rotate"), "axis"), issues);
  check_material(body.find("material"), issues);
}

void check_condition(const Value& condition, const std::vector<std::string>& bodies, Issues& issues) {
  const auto* body = condition.find("body");
  if (body && !bodies.empty() && std::find(bodies.begin(), bodies.end(), body->text) == bodies.end())
    issues.add(body->where, body->path,
               "found '" + body->text + "', which is no body; expected one of " + join_or(bodies) +
                   " (nearest: " + nearest(body->text, bodies) + ")");
  const auto* where = condition.find("where");
  check_box(find(where, "box"), issues);
  check_direction(find(find(where, "plane"), "normal"), issues);
  const Value *from = condition.find("from"), *until = condition.find("until");
  if (from && until && until->number <= from->number)
    issues.add(until->where, until->path,
               "found " + number_text(until->number) + "; expected a time after `from`, " + number_text(from->number) +
                   " [s]");
}

void check_time(const Value* simulation, Issues& issues) {
  constexpr double most_steps = 1e9; // years of computing
  const Value *duration = find(simulation, "duration"), *step = find(simulation, "time_step");
  if (!duration || !step || duration->number <= most_steps * step->number) return;
  issues.add(step->where, step->path,
             "found " + number_text(step->number) + "; expected at least a billionth of duration, " +
                 number_text(duration->number) + " [s]");
}

} // namespace

void check_scene(const Value& scene, Issues& issues) {
  check_time(scene.find("simulation"), issues);
  std::vector<std::string> names;
  if (const auto* bodies = scene.find("bodies")) {
    bool complete = true;
    for (const auto& body : bodies->items) {
      check_body(body, issues);
      if (const auto* name = body.find("name")) names.push_back(name->text);
      else complete = false;
    }
    // A body whose name is itself at fault, or a duplicate, may be the one that is meant.
    auto sorted = names;
    std::sort(sorted.begin(), sorted.end());
    if (!complete || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) names.clear();
  }
  if (const auto* conditions = scene.find("boundary_conditions"))
    for (const auto& condition : conditions->items) check_condition(condition, names, issues);
}

} // namespace limber::config
