#include "config/scene_checks.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/nearest.hpp"
#include "config/yaml_text.hpp"

namespace limber::config {
namespace {

const Value* find(const Value* map, const char* key) { return map ? map->find(key) : nullptr; }

const std::vector<std::string> finished_meshes{".msh", ".vtu", ".vtk"};
const std::vector<std::string> meshed_on_reading{".geo", ".step", ".stp", ".iges", ".igs", ".brep", ".stl", ".obj"};

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
  if (!file) return;
  std::string ending = std::filesystem::path(file->text).extension().string();
  for (auto& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto ends = [&](const std::vector<std::string>& endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (!ends(meshed_on_reading) && !ends(finished_meshes)) {
    auto known = finished_meshes;
    known.insert(known.end(), meshed_on_reading.begin(), meshed_on_reading.end());
    issues.add(file->where, file->path,
               "found '" + file->text + "'; expected a file that ends with " + join_or(known) +
                   " (nearest: " + base::nearest(ending, known) + ")");
  } else if (size && !ends(meshed_on_reading))
    issues.add(size->where, size->path,
               "found beside file '" + file->text + "', whose mesh is finished; expected only for " +
                   join_or(meshed_on_reading) + " files");
}

void check_material(const Value* material, Issues& issues) {
  const Value *mu = find(material, "lame_mu"), *lambda = find(material, "lame_lambda");
  if (!mu || !lambda) return;
  const auto* model = find(material, "model");
  // The first Lamé parameter is lame_lambda, or lame_lambda − lame_mu; the bulk modulus adds 2/3 of lame_mu.
  const bool stable = model && model->text == "stable_neo_hookean";
  if (3.0 * lambda->number + (stable ? -1.0 : 2.0) * mu->number > 0.0) return;
  issues.add(lambda->where, lambda->path,
             "found " + number_text(lambda->number) + "; expected a number above " + (stable ? "1/3" : "−2/3") +
                 " of lame_mu, " + number_text((stable ? 1.0 : -2.0) / 3.0 * mu->number) +
                 " [Pa] (the bulk modulus must be positive)");
}

/// `found` names what is wrong at `key`, a neighbor of the body's type.
void refuse(const Value* at, const std::string& type, const std::string& expected, Issues& issues) {
  if (at) issues.add(at->where, at->path, "found with `type: " + type + "`; expected " + expected);
}

void check_grid(const Value* grid, const std::string& type, Issues& issues) {
  if (!grid) return;
  if (type == "solid") refuse(grid, type, "a mesh with a volume; a grid is for shells and springs", issues);
  const Value *min = find(grid, "min"), *max = find(grid, "max");
  if (min && max &&
      (min->vector[0] >= max->vector[0] || min->vector[1] >= max->vector[1] || min->vector[2] != max->vector[2]))
    issues.add(max->where, max->path,
               "found " + text_of(max->vector) + "; expected x and y above those of min, " + text_of(min->vector) +
                   ", and the same z");
  const auto* diagonals = find(grid, "diagonals");
  if (diagonals && diagonals->text == "both" && type == "shell")
    refuse(diagonals, type, "checkerboard: triangles must not overlap", issues);
}

bool has_mass_per_node(const Value& body) {
  const auto* mass = body.find("mass");
  return mass && mass->find("per_node");
}

void check_springs(const Value& body, const Value* material, Issues& issues) {
  const auto* pairs = body.find("pairs");
  if (pairs)
    for (const auto& pair : pairs->items)
      if (pair.integers.size() != 2)
        issues.add(pair.where, pair.path,
                   "found " + std::to_string(pair.integers.size()) + " numbers; expected two nodes");
  if (has_mass_per_node(body)) return;
  if (pairs)
    issues.add(pairs->where, pairs->path, "found without `mass: {per_node: …}`; expected it, as pairs have no volume");
  else if (material && !material->find("density"))
    issues.add(material->where, material->path + ".density",
               "missing; expected a density [kg/m³], or `mass: {per_node: …}` for the body");
}

/// What the type of a body goes with.
void check_type(const Value& body, Issues& issues) {
  const auto* type = body.find("type");
  const auto *mesh = body.find("mesh"), *material = body.find("material"), *model = find(material, "model");
  if (!type) return;
  check_grid(find(mesh, "grid"), type->text, issues);
  if (type->text != "solid") {
    const auto* order = find(mesh, "order");
    if (order && order->integer == 2) refuse(order, type->text, "order: 1", issues);
  }
  const std::vector<std::string> surface_models{"neo_hookean", "st_venant_kirchhoff", "arap"};
  const std::vector<std::string> solid_models{"neo_hookean", "stable_neo_hookean"};
  if (type->text == "springs") {
    if (model && model->text != "mass_spring") refuse(model, type->text, "mass_spring", issues);
    check_springs(body, material, issues);
    return;
  }
  const auto& models = type->text == "shell" ? surface_models : solid_models;
  if (model && std::find(models.begin(), models.end(), model->text) == models.end())
    refuse(model, type->text, "one of " + join_or(models), issues);
  if (type->text == "shell" && !body.find("thickness"))
    issues.add(body.where, body.path + ".thickness", "missing; expected a number above 0 [m] for `type: shell`");
}

/// Springs take a stiffness, everything else does not.
void check_stiffness(const Value* material, Issues& issues) {
  const auto* model = find(material, "model");
  if (!model || model->text != "mass_spring") return;
  for (const char* key : {"youngs_modulus", "lame_mu"})
    if (const auto* modulus = material->find(key))
      issues.add(modulus->where, modulus->path, "found with `model: mass_spring`; expected stiffness");
}

void check_static_start(const Value* initial, Issues& issues) {
  for (const char* key : {"velocity", "angular_velocity"}) {
    const auto* velocity = find(initial, key);
    if (velocity && velocity->vector != Vector3{})
      issues.add(velocity->where, velocity->path,
                 "found " + text_of(velocity->vector) +
                     "; expected none with `integrator: static`, which knows no velocities");
  }
}

void check_body(const Value& body, bool is_static, Issues& issues) {
  if (is_static) check_static_start(body.find("initial"), issues);
  check_mesh(body.find("mesh"), issues);
  check_direction(find(find(body.find("transform"), "rotate"), "axis"), issues);
  check_material(body.find("material"), issues);
  check_stiffness(body.find("material"), issues);
  check_type(body, issues);
}

void check_body_name(const Value* body, const std::vector<std::string>& bodies, Issues& issues) {
  if (body && !bodies.empty() && std::find(bodies.begin(), bodies.end(), body->text) == bodies.end())
    issues.add(body->where, body->path,
               "found '" + excerpt(body->text) + "', which is no body; expected one of " + join_or(bodies) +
                   " (nearest: " + base::nearest(body->text, bodies) + ")");
}

void check_ramp(const Value& condition, bool is_static, Issues& issues) {
  const auto* ramp = condition.find("ramp");
  if (!ramp) return;
  if (!is_static)
    issues.add(ramp->where, ramp->path,
               "found without `simulation.integrator: static`; expected only together with it");
  else if (condition.find("velocity"))
    issues.add(ramp->where, ramp->path,
               "found beside velocity, which is not ramped; expected only for a displacement or a load");
}

void check_condition(const Value& condition, const std::vector<std::string>& bodies, bool is_static, Issues& issues) {
  check_body_name(condition.find("body"), bodies, issues);
  check_ramp(condition, is_static, issues);
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
  const auto* simulation = scene.find("simulation");
  check_time(simulation, issues);
  const auto* integrator = find(simulation, "integrator");
  const bool is_static = integrator && integrator->text == "static";
  std::vector<std::string> names;
  if (const auto* bodies = scene.find("bodies")) {
    bool complete = true;
    for (const auto& body : bodies->items) {
      check_body(body, is_static, issues);
      if (const auto* name = body.find("name")) names.push_back(name->text);
      else complete = false;
    }
    // A body whose name is itself at fault, or a duplicate, may be the one that is meant.
    auto sorted = names;
    std::sort(sorted.begin(), sorted.end());
    if (!complete || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) names.clear();
  }
  if (const auto* conditions = scene.find("boundary_conditions"))
    for (const auto& condition : conditions->items) check_condition(condition, names, is_static || !integrator, issues);
  if (const auto* probes = find(scene.find("output"), "probes"))
    for (const auto& probe : probes->items) check_body_name(probe.find("body"), names, issues);
}

} // namespace limber::config
