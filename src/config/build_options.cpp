#include "config/build_options.hpp"

#include <algorithm>
#include <filesystem>

namespace limber::config {
namespace {

mesh::MeshSource build_mesh_source(const Value& mesh, const std::string& config_file) {
  mesh::MeshSource source;
  if (const auto* order = mesh.find("order")) source.order = static_cast<int>(order->integer);
  if (const auto* file = mesh.find("file")) {
    const auto* size = mesh.find("element_size");
    source.shape = mesh::MeshFile{mesh_path(file->text, config_file), size ? size->number : 0.0};
  } else if (const auto* box = mesh.find("box")) {
    source.shape = mesh::BoxMesh{box->at("min").vector, box->at("max").vector, box->at("element_size").number};
  } else if (const auto* sphere = mesh.find("sphere")) {
    source.shape =
        mesh::SphereMesh{sphere->at("center").vector, sphere->at("radius").number, sphere->at("element_size").number};
  } else if (const auto* grid = mesh.find("grid")) {
    source.shape = mesh::GridMesh{.min = grid->at("min").vector,
                                  .max = grid->at("max").vector,
                                  .columns = int(grid->at("columns").integer),
                                  .rows = int(grid->at("rows").integer),
                                  .both_diagonals = grid->at("diagonals").text == "both"};
  } else {
    const auto& cylinder = mesh.at("cylinder");
    source.shape = mesh::CylinderMesh{cylinder.at("start").vector, cylinder.at("end").vector,
                                      cylinder.at("radius").number, cylinder.at("element_size").number};
  }
  return source;
}

mesh::Transform build_transform(const Value& transform) {
  const auto& rotate = transform.at("rotate");
  return {transform.at("scale").number, rotate.at("axis").vector, rotate.at("degrees").number,
          transform.at("translate").vector};
}

materials::MaterialOptions build_material(const Value& material) {
  materials::MaterialOptions options;
  options.model = material.at("model").text;
  if (const auto* density = material.find("density")) options.density = density->number;
  const auto number = [&](const char* key) {
    const auto* value = material.find(key);
    return value ? value->number : 0.0;
  };
  options.lame_mu = number("lame_mu");
  options.lame_lambda = number("lame_lambda");
  options.kappa = number("kappa");
  options.c10 = number("c10");
  options.c01 = number("c01");
  options.bulk_modulus = number("bulk_modulus");
  options.stiffness = number("stiffness");
  if (const auto* modulus = material.find("youngs_modulus")) {
    const double ratio = material.at("poissons_ratio").number;
    options.lame_mu = materials::lame_mu(modulus->number, ratio);
    options.lame_lambda = materials::lame_lambda(modulus->number, ratio);
    // At small strains λ of this energy acts as the first Lamé parameter plus μ.
    if (options.model == "stable_neo_hookean") options.lame_lambda += options.lame_mu;
    options.kappa = (options.model == "symmetric_dirichlet" ? 0.5 : 1.0) * options.lame_mu;
  } else if (options.model == "arap" && material.find("kappa")) {
    options.lame_mu = 0.5 * options.kappa;
  }
  return options;
}

BodyPartOptions build_part(const Value& part) {
  return {part.at("group").text, build_material(part.at("material")), part.where.file, part.path, part.where.line};
}

dofs::MassOptions build_mass(const Value& mass) {
  if (mass.text == "consistent") return {dofs::MassKind::consistent, 0.0};
  if (mass.text == "lumped") return {dofs::MassKind::lumped, 0.0};
  return {dofs::MassKind::per_node, mass.at("per_node").number};
}

mesh::BodyKind body_kind(const std::string& type) {
  return type == "shell" ? mesh::BodyKind::shell : type == "springs" ? mesh::BodyKind::springs : mesh::BodyKind::solid;
}

BodyOptions build_body(const Value& body, const std::string& config_file) {
  BodyOptions options;
  options.name = body.at("name").text;
  const auto& mesh = body.at("mesh");
  options.mesh.name = options.name;
  options.mesh.source = build_mesh_source(mesh, config_file);
  options.mesh.transform = build_transform(body.at("transform"));
  options.mesh.kind = body_kind(body.at("type").text);
  if (const auto* thickness = body.find("thickness")) options.mesh.thickness = thickness->number;
  if (const auto* pairs = body.find("pairs"))
    for (const auto& pair : pairs->items) options.mesh.pairs.push_back({pair.integers[0], pair.integers[1]});
  options.mesh.config_file = mesh.where.file;
  options.mesh.config_key = mesh.path;
  options.mesh.config_line = mesh.where.line;
  options.material = build_material(body.at("material"));
  for (const auto& part : body.at("materials").items) options.parts.push_back(build_part(part));
  options.mass = build_mass(body.at("mass"));
  options.damping = {body.at("damping").at("mass").number, body.at("damping").at("stiffness").number};
  options.mesh.needs_volumes = options.mass.kind != dofs::MassKind::per_node;
  const auto& initial = body.at("initial");
  options.initial = {initial.at("velocity").vector, initial.at("angular_velocity").vector, initial.at("stretch").vector,
                     initial.at("about").vector};
  return options;
}

dofs::Selection build_selection(const Value& where) {
  if (const auto* group = where.find("group")) return dofs::SelectGroup{group->text};
  if (const auto* box = where.find("box")) return dofs::SelectBox{box->at("min").vector, box->at("max").vector};
  if (const auto* sphere = where.find("sphere"))
    return dofs::SelectSphere{sphere->at("center").vector, sphere->at("radius").number};
  if (const auto* plane = where.find("plane"))
    return dofs::SelectPlane{plane->at("point").vector, plane->at("normal").vector, plane->at("tolerance").number};
  if (const auto* nodes = where.find("nodes")) return dofs::SelectNodes{nodes->integers};
  return dofs::SelectAll{};
}

dofs::ConditionKind condition_kind(const std::string& type) {
  using enum dofs::ConditionKind;
  if (type == "fixed") return fixed;
  if (type == "prescribed") return prescribed;
  if (type == "traction") return traction;
  return type == "pressure" ? pressure : body_force;
}

dofs::ExpressionVector three(const Value& value) {
  return {value.expressions[0], value.expressions[1], value.expressions[2]};
}

dofs::ConditionOptions build_condition(const Value& condition) {
  dofs::ConditionOptions options;
  options.name = condition.at("name").text;
  options.body = condition.at("body").text;
  const auto& where = condition.at("where");
  options.where = build_selection(where);
  options.kind = condition_kind(condition.at("type").text);
  if (const auto* components = condition.find("components")) {
    const auto& held = components->strings;
    const std::array<const char*, 3> axes{"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i)
      options.components[i] = std::find(held.begin(), held.end(), axes[i]) != held.end();
  }
  if (const auto* velocity = condition.find("velocity")) options.motion = three(*velocity);
  if (const auto* displacement = condition.find("displacement")) {
    options.by_displacement = true;
    options.motion = three(*displacement);
  }
  if (const auto* value = condition.find("value")) {
    if (options.kind == dofs::ConditionKind::pressure) options.pressure = value->expressions.front();
    else options.value = three(*value);
  }
  if (const auto* ramp = condition.find("ramp")) options.ramp = ramp->boolean;
  options.from = condition.at("from").number;
  if (const auto* until = condition.find("until")) options.until = until->number;
  // A selection that matches nothing is the usual fault found later.
  options.config_file = where.where.file;
  options.config_key = where.path;
  options.config_line = where.where.line;
  return options;
}

output::ProbeOptions build_probe(const Value& probe) {
  return {probe.at("name").text, probe.at("body").text, probe.at("point").vector, probe.where.file, probe.path,
          probe.where.line};
}

} // namespace

std::string mesh_path(const std::string& file, const std::string& config_file) {
  // An absolute `file` replaces the folder. Not shortened: "a/.." is not "." where a is a symbolic link.
  return (std::filesystem::path(config_file).parent_path() / file).string();
}

std::string output_directory(const Value& scene) {
  const auto* directory = scene.at("output").find("directory");
  return directory ? directory->text : "out/" + scene.at("simulation").at("name").text;
}

SceneOptions build_options(const Value& scene, const std::string& config_file) {
  SceneOptions options;
  const auto& simulation = scene.at("simulation");
  options.name = simulation.at("name").text;
  options.time = {.duration = simulation.at("duration").number,
                  .time_step = simulation.at("time_step").number,
                  .integrator = simulation.at("integrator").text,
                  .gravity = three(simulation.at("gravity"))};
  if (const auto* beta = simulation.find("newmark_beta")) options.time.newmark_beta = beta->number;
  if (const auto* gamma = simulation.find("newmark_gamma")) options.time.newmark_gamma = gamma->number;
  if (const auto* ramp = simulation.find("ramp")) options.time.ramp = ramp->boolean;
  for (const auto& body : scene.at("bodies").items) options.bodies.push_back(build_body(body, config_file));
  for (const auto& condition : scene.at("boundary_conditions").items)
    options.conditions.push_back(build_condition(condition));

  const auto& solver = scene.at("solver");
  options.solver = {solver.at("method").text,
                    solver.at("tolerance").number,
                    static_cast<int>(solver.at("max_iterations").integer),
                    static_cast<int>(solver.at("max_step_halvings").integer),
                    solver.at("linear").text,
                    solver.at("petsc_options").text};

  const auto& output = scene.at("output");
  options.output.directory = output_directory(scene);
  if (const auto* every = output.find("every")) options.output.every = static_cast<int>(every->integer);
  if (const auto* seconds = output.find("every_seconds")) options.output.every_seconds = seconds->number;
  options.output.fields = output.at("fields").strings;
  options.output.checkpoint_every = static_cast<int>(output.at("checkpoint_every").integer);

  for (const auto& probe : output.at("probes").items) options.output.probes.push_back(build_probe(probe));

  const auto& parallel = scene.at("parallel");
  options.parallel = {parallel.at("partition").text, static_cast<int>(parallel.at("seed").integer)};
  return options;
}

} // namespace limber::config
