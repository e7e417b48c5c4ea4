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

/// Which of the sets of moduli a model takes.
bool takes(const std::string& model, const std::string& modulus) {
  const auto is_one_of = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), model) != names.end();
  };
  if (modulus == "kappa") return is_one_of({"arap", "symmetric_dirichlet", "symmetric_gradient"});
  if (modulus == "c10") return model == "mooney_rivlin";
  if (modulus == "stiffness") return model == "mass_spring";
  if (modulus == "youngs_modulus") return !is_one_of({"mooney_rivlin", "mass_spring"});
  const bool has_lambda =
      !is_one_of({"arap", "quartic", "mooney_rivlin", "symmetric_dirichlet", "symmetric_gradient", "mass_spring"});
  return has_lambda || (modulus == "lame_mu" && is_one_of({"arap", "quartic"}));
}

std::string moduli_of(const std::string& model) {
  std::vector<std::string> sets;
  if (takes(model, "youngs_modulus")) sets.push_back("youngs_modulus with poissons_ratio");
  if (takes(model, "lame_lambda")) sets.push_back("lame_mu with lame_lambda");
  else if (takes(model, "lame_mu")) sets.push_back("lame_mu");
  if (takes(model, "kappa")) sets.push_back("kappa");
  if (takes(model, "c10")) sets.push_back("c10, c01 and bulk_modulus");
  if (takes(model, "stiffness")) sets.push_back("stiffness");
  return join_or(sets);
}

/// Whether the model takes the moduli that are given.
bool check_moduli(const Value& material, const std::string& model, Issues& issues) {
  int sets = 0;
  for (const char* first : {"youngs_modulus", "lame_mu", "kappa", "c10"}) sets += material.find(first) != nullptr;
  if (sets > 1) return false; // an error of the map's that is known already
  for (const std::string key : {"youngs_modulus", "lame_mu", "lame_lambda", "kappa", "c10"}) {
    const auto* value = material.find(key);
    if (!value || takes(model, key)) continue;
    std::string advice;
    const auto* ratio = material.find("poissons_ratio");
    if (model == "mooney_rivlin" && ratio && key == "youngs_modulus")
      advice =
          " (at small strain c10 + c01 = E/(4(1+ν)) = " + number_text(value->number / (4.0 * (1.0 + ratio->number))) +
          " and bulk_modulus = E/(3(1−2ν)) = " + number_text(value->number / (3.0 * (1.0 - 2.0 * ratio->number))) + ")";
    issues.add(value->where, value->path, "found with `model: " + model + "`; expected " + moduli_of(model) + advice);
    return false;
  }
  const auto* mu = material.find("lame_mu");
  if (!mu || material.find("lame_lambda") || !takes(model, "lame_lambda")) return true;
  issues.add(mu->where, mu->path,
             "found without lame_lambda; expected " + moduli_of(model) + " for `model: " + model + "`");
  return false;
}

void check_material(const Value* material, Issues& issues) {
  const auto* model = find(material, "model");
  if (!model || !check_moduli(*material, model->text, issues)) return;
  const Value *c10 = material->find("c10"), *c01 = material->find("c01");
  if (c10 && c01 && c10->number + c01->number <= 0.0)
    issues.add(c01->where, c01->path,
               "found " + number_text(c01->number) + "; expected a number above −c10, " + number_text(-c10->number) +
                   " [Pa] (the shear modulus must be positive)");
  const Value *mu = material->find("lame_mu"), *lambda = material->find("lame_lambda");
  if (!mu || !lambda) return;
  // The first Lamé parameter is lame_lambda, or lame_lambda − lame_mu; the bulk modulus adds 2/3 of lame_mu.
  const bool stable = model->text == "stable_neo_hookean";
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

void check_model(const Value* model, const std::string& type, Issues& issues) {
  if (!model) return;
  const bool is_spring = model->text == "mass_spring";
  const std::vector<std::string> surface_models{"neo_hookean", "st_venant_kirchhoff", "arap"};
  if (type == "springs" && !is_spring) refuse(model, type, "mass_spring", issues);
  if (type == "solid" && is_spring) refuse(model, type, "a strain energy, as neo_hookean", issues);
  if (type == "shell" && std::find(surface_models.begin(), surface_models.end(), model->text) == surface_models.end())
    refuse(model, type, "one of " + join_or(surface_models), issues);
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
  check_model(model, type->text, issues);
  if (const auto* parts = body.find("materials"))
    for (const auto& part : parts->items) check_model(find(part.find("material"), "model"), type->text, issues);
  if (type->text == "springs") return check_springs(body, material, issues);
  if (type->text == "shell" && !body.find("thickness"))
    issues.add(body.where, body.path + ".thickness", "missing; expected a number above 0 [m] for `type: shell`");
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

void check_static_damping(const Value* damping, Issues& issues) {
  for (const char* key : {"mass", "stiffness"}) {
    const auto* coefficient = find(damping, key);
    if (coefficient && coefficient->number != 0.0)
      issues.add(coefficient->where, coefficient->path,
                 "found " + number_text(coefficient->number) +
                     "; expected none with `integrator: static`, which knows no velocities");
  }
}

void check_body(const Value& body, bool is_static, Issues& issues) {
  if (is_static) {
    check_static_start(body.find("initial"), issues);
    check_static_damping(body.find("damping"), issues);
  }
  check_mesh(body.find("mesh"), issues);
  check_direction(find(find(body.find("transform"), "rotate"), "axis"), issues);
  check_material(body.find("material"), issues);
  if (const auto* parts = body.find("materials"))
    for (const auto& part : parts->items) check_material(part.find("material"), issues);
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

/// Gravity acts on bodies as a whole: it has no place.
void check_gravity(const Value* gravity, Issues& issues) {
  if (!gravity) return;
  for (const auto& expression : gravity->expressions) {
    if (!expression.depends_on_position()) continue;
    issues.add(gravity->where, gravity->path,
               "found '" + expression.text() +
                   "', which depends on the position; expected numbers or expressions of the time t (a body_force may "
                   "depend on x, y and z)");
    return;
  }
}

void check_newmark(const Value* simulation, Issues& issues) {
  const Value *beta = find(simulation, "newmark_beta"), *gamma = find(simulation, "newmark_gamma");
  if (!beta || !gamma || beta->number >= 0.5 * gamma->number) return;
  const double b = beta->number, g = gamma->number;
  const Value& at = b == 0.25 ? *gamma : *beta; // not at a default
  issues.add(at.where, at.path,
             "found newmark_beta " + number_text(b) + " with newmark_gamma " + number_text(g) +
                 "; expected a β of at least half of γ, so that any time step is stable");
}

} // namespace

void check_scene(const Value& scene, Issues& issues) {
  const auto* simulation = scene.find("simulation");
  check_time(simulation, issues);
  check_gravity(find(simulation, "gravity"), issues);
  check_newmark(simulation, issues);
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
