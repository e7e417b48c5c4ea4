/// Every error names file, line, key path, what was found and what was expected, and nothing else is reported.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sample.hpp"

namespace limber::config::testing {
namespace {

struct Bad {
  std::string from, to; ///< what is replaced in the sample
  int line;             ///< where the error is
  std::string key;
  std::vector<std::string> parts; ///< what the message contains
};

const std::vector<Bad> table{
    // Numbers.
    {"time_step: 0.01", "time_step: abc", 4, "simulation.time_step", {"'abc'", "a number above 0 [s]"}},
    {"time_step: 0.01", "time_step: 0", 4, "simulation.time_step", {"'0'", "above 0 [s]"}},
    {"time_step: 0.01", "time_step: -1e-2", 4, "simulation.time_step", {"'-1e-2'", "above 0"}},
    {"time_step: 0.01", "time_step: \"0.01\"", 4, "simulation.time_step", {"in quotes", "a number"}},
    {"time_step: 0.01", "time_step: 0.01s", 4, "simulation.time_step", {"'0.01s'"}},
    {"time_step: 0.01", "time_step: 0.01 0.02", 4, "simulation.time_step", {"'0.01 0.02'"}},
    {"time_step: 0.01", "time_step: 0,01", 4, "simulation.time_step", {"'0,01'"}},
    {"time_step: 0.01", "time_step: .nan", 4, "simulation.time_step", {"'.nan'"}},
    {"time_step: 0.01", "time_step: nan", 4, "simulation.time_step", {"'nan'"}},
    {"time_step: 0.01", "time_step: .inf", 4, "simulation.time_step", {"'.inf'"}},
    {"time_step: 0.01", "time_step: inf", 4, "simulation.time_step", {"'inf'"}},
    {"time_step: 0.01", "time_step: 1e999", 4, "simulation.time_step", {"'1e999'", "beyond the range"}},
    {"time_step: 0.01", "time_step: true", 4, "simulation.time_step", {"'true'", "a number"}},
    {"time_step: 0.01", "time_step:", 4, "simulation.time_step", {"found nothing", "a number"}},
    {"time_step: 0.01", "time_step: [0.01]", 4, "simulation.time_step", {"a list of 1", "a number"}},
    {"time_step: 0.01", "time_step: {a: 1}", 4, "simulation.time_step", {"found a map", "a number"}},
    {"poissons_ratio: 0.4",
     "poissons_ratio: 0.5",
     9,
     "bodies[0].material.poissons_ratio",
     {"'0.5'", "above -1 and below 0.5"}},
    {"poissons_ratio: 0.4", "poissons_ratio: -1", 9, "bodies[0].material.poissons_ratio", {"'-1'", "above -1"}},
    {"density: 1000", "density: 0", 9, "bodies[0].material.density", {"above 0 [kg/m³]"}},
    {"per_node: 40.0", "per_node: 0", 14, "bodies[1].mass.per_node", {"above 0 [kg]"}},
    {"every: 2", "every: 2.0", 23, "output.every", {"'2.0'", "a whole number at least 1 [steps]"}},
    {"every: 2", "every: 0", 23, "output.every", {"'0'", "at least 1"}},
    {"every: 2", "every: 3000000000", 23, "output.every", {"at most 2147483647"}},
    {"every: 2", "checkpoint_every: -1", 23, "output.checkpoint_every", {"'-1'", "at least 0"}},
    // Vectors and lists.
    {"[0, 0, -9.81]", "[0, -9.81]", 5, "simulation.gravity", {"a list of 2", "a list of 3 numbers or"}},
    {"[0, 0, -9.81]", "-9.81", 5, "simulation.gravity", {"'-9.81'", "a list of 3 numbers or"}},
    {"[0, 0, -9.81]", "[0, 0, down]", 5, "simulation.gravity[2]", {"unknown name 'down'", "[m/s²]"}},
    {"[0, 0, -9.81]", "[0, 0, -9.81*x]", 5, "simulation.gravity", {"'-9.81*x'", "expressions of the time t"}},
    {"[1, 1, 1.5]", "[1, 1, 0]", 15, "bodies[1].initial.stretch[2]", {"'0'", "above 0"}},
    {"[z, x]", "[z, w]", 17, "boundary_conditions[0].components[1]", {"'w'", "one of x, y or z"}},
    {"[z, x]", "[z, z]", 17, "boundary_conditions[0].components[1]", {"twice"}},
    {"[z, x]", "[]", 17, "boundary_conditions[0].components", {"an empty list", "one or more of"}},
    {"{group: left}", "{nodes: [1, -2]}", 17, "boundary_conditions[0].where.nodes[1]", {"'-2'", "at least 0"}},
    {"{group: left}", "{nodes: [1, 2.5]}", 17, "boundary_conditions[0].where.nodes[1]", {"'2.5'", "whole number"}},
    {"{group: left}", "{nodes: [7, 7]}", 17, "boundary_conditions[0].where.nodes[1]", {"twice"}},
    {"{group: left}", "{nodes: []}", 17, "boundary_conditions[0].where.nodes", {"an empty list"}},
    {"every: 2", "fields: [velocty]", 23, "output.fields[0]", {"'velocty'", "nearest: velocity"}},
    {"every: 2", "fields: [contact_force]", 23, "output.fields[0]", {"known but not available in this version"}},
    {"every: 2", "fields: velocity", 23, "output.fields", {"'velocity'", "a list of any of displacement"}},
    // Unknown keys.
    {"time_step: 0.01",
     "time_step: 0.01\n  timestep: 1",
     5,
     "simulation.timestep",
     {"unknown key", "nearest valid key here is 'time_step'"}},
    {"solver:\n", "solvr: {}\nsolver:\n", 20, "solvr", {"unknown key", "'solver'"}},
    {"degrees: 30", "Degrees: 30", 12, "bodies[1].transform.rotate.Degrees", {"'degrees'"}},
    {"solver:\n", "gravity: [0, 0, 0]\nsolver:\n", 20, "gravity", {"unknown key", "there is simulation.gravity"}},
    {"solver:\n", "youngs_modulus: 3\nsolver:\n", 20, "youngs_modulus", {"bodies[].material.youngs_modulus"}},
    {"solver:\n", "contact: {enabled: true}\nsolver:\n", 20, "contact", {"known but not available in this version"}},
    {"solver:\n", "obstacles: []\nsolver:\n", 20, "obstacles", {"known but not available in this version"}},
    // Words.
    {"gravity:",
     "integrator: backwards_euler\n  gravity:",
     5,
     "simulation.integrator",
     {"'backwards_euler'", "nearest: backward_euler"}},
    {"gravity:",
     "integrator: newmark\n  newmark_beta: 0.2\n  gravity:",
     6,
     "simulation.newmark_beta",
     {"0.2", "at least half of γ"}},
    {"gravity:",
     "integrator: newmark\n  newmark_gamma: 0.6\n  gravity:",
     6,
     "simulation.newmark_gamma",
     {"0.6", "at least half of γ"}},
    {"gravity:",
     "integrator: newmark\n  newmark_gamma: 0.4\n  gravity:",
     6,
     "simulation.newmark_gamma",
     {"'0.4'", "at least 0.5"}},
    {"gravity:", "newmark_beta: 0.3\n  gravity:", 5, "simulation.newmark_beta", {"without `integrator: newmark`"}},
    {"{per_node: 40.0}", "lumped\n    damping: {mass: -1}", 15, "bodies[1].damping.mass", {"'-1'", "at least 0 [1/s]"}},
    {"  name: bar\n", "  name: true\n", 2, "simulation.name", {"the boolean true", "quotes"}},
    {"  name: bar\n", "  name: a/b\n", 2, "simulation.name", {"'a/b'", "letters, digits"}},
    {"  name: bar\n", "  name: \"\"\n", 2, "simulation.name", {"an empty text"}},
    {"mass: {per_node: 40.0}",
     "mass: lumpd",
     14,
     "bodies[1].mass",
     {"'lumpd'", "consistent or lumped", "nearest: lumped"}},
    {"mass: {per_node: 40.0}", "mass: {}", 14, "bodies[1].mass.per_node", {"missing"}},
    {"order: 1", "order: 3", 11, "bodies[1].mesh.order", {"'3'", "one of 1 or 2"}},
    {"mass: {per_node: 40.0}", "type: particles", 14, "bodies[1].type", {"known but not available", "solid"}},
    {"solver:\n",
     "solver:\n  linear: cg_amgg\n",
     21,
     "solver.linear",
     {"auto, cholesky, cg_amg or cg_jacobi", "nearest: cg_amg"}},
    // Keys that need or exclude each other.
    {"density: 1000, ", "", 9, "bodies[0].material.density", {"missing", "a number above 0 [kg/m³]"}},
    {", poissons_ratio: 0.4", "", 9, "bodies[0].material.poissons_ratio", {"youngs_modulus", "expected both"}},
    {"poissons_ratio: 0.4",
     "poissons_ratio: 0.4, lame_mu: 1",
     9,
     "bodies[0].material.lame_mu",
     {"found beside youngs_modulus", "exactly one of youngs_modulus with poissons_ratio, lame_mu, kappa, c10 with c01 "
                                     "with bulk_modulus or stiffness"}},
    {"poissons_ratio: 0.4",
     "poissons_ratio: 0.4, lame_lambda: 1",
     9,
     "bodies[0].material.lame_lambda",
     {"found without `lame_mu`"}},
    {", lame_lambda: 3e4",
     "",
     13,
     "bodies[1].material.lame_mu",
     {"without lame_lambda", "youngs_modulus with poissons_ratio or lame_mu with lame_lambda", "model: neo_hookean"}},
    {"model: neo_hookean",
     "model: arap",
     13,
     "bodies[1].material.lame_lambda",
     {"with `model: arap`", "youngs_modulus with poissons_ratio, lame_mu or kappa"}},
    {"model: neo_hookean",
     "model: symmetric_dirichlet",
     13,
     "bodies[1].material.lame_mu",
     {"with `model: symmetric_dirichlet`", "youngs_modulus with poissons_ratio or kappa"}},
    {"neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4",
     "quartic, density: 900, kappa: 1",
     13,
     "bodies[1].material.kappa",
     {"with `model: quartic`", "youngs_modulus with poissons_ratio or lame_mu"}},
    {"neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4",
     "mooney_rivlin, density: 900, youngs_modulus: 12, poissons_ratio: 0.25",
     13,
     "bodies[1].material.youngs_modulus",
     {"with `model: mooney_rivlin`", "c10, c01 and bulk_modulus", "c10 + c01 = E/(4(1+ν)) = 2.4",
      "bulk_modulus = E/(3(1−2ν)) = 8"}},
    {"neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4",
     "mooney_rivlin, density: 900, c10: 3, c01: -3, bulk_modulus: 8",
     13,
     "bodies[1].material.c01",
     {"found -3", "above −c10, -3 [Pa]"}},
    {"neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4",
     "mooney_rivlin, density: 900, c10: 3, c01: 1",
     13,
     "bodies[1].material.bulk_modulus",
     {"found nothing"}},
    {"mass: {per_node: 40.0}",
     "materials: [{group: core, material: {model: arap, density: 1, c10: 1, c01: 1, bulk_modulus: 1}}]",
     14,
     "bodies[1].materials[0].material.c10",
     {"with `model: arap`"}},
    {"mass: {per_node: 40.0}",
     "materials: [{group: core, material: {density: 1, lame_mu: 1, lame_lambda: -1}}]",
     14,
     "bodies[1].materials[0].material.lame_lambda",
     {"bulk modulus"}},
    {"mass: {per_node: 40.0}",
     "materials: [{material: {density: 1, lame_mu: 1, lame_lambda: 1}}]",
     14,
     "bodies[1].materials[0].group",
     {"missing"}},
    {", lame_mu: 2e4, lame_lambda: 3e4", "", 13, "bodies[1].material", {"none of them", "exactly one of"}},
    {"lame_lambda: 3e4", "lame_lambda: -2e4", 13, "bodies[1].material.lame_lambda", {"-20000", "bulk modulus"}},
    {"neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4",
     "stable_neo_hookean, density: 900, lame_mu: 3e4, lame_lambda: 1e4",
     13,
     "bodies[1].material.lame_lambda",
     {"10000", "above 1/3 of lame_mu, 10000 [Pa]", "bulk modulus"}},
    {"{file: ../meshes/ball.geo, element_size: 0.1, order: 1}",
     "{order: 1}",
     11,
     "bodies[1].mesh",
     {"exactly one of file, box, sphere, cylinder or grid"}},
    {"order: 1}",
     "sphere: {center: [0, 0, 0], radius: 1, element_size: 1}}",
     11,
     "bodies[1].mesh.sphere",
     {"found beside file"}},
    {"element_size: 0.25}}",
     "element_size: 0.25}, element_size: 1}",
     8,
     "bodies[0].mesh.element_size",
     {"without `file`"}},
    {"ball.geo", "ball.msh", 11, "bodies[1].mesh.element_size", {"only for .geo, .step, .stp"}},
    {"ball.geo", "ball.mhs", 11, "bodies[1].mesh.file", {"'../meshes/ball.mhs'", ".msh, .vtu", "nearest: .msh"}},
    {"ball.geo", "ball", 11, "bodies[1].mesh.file", {"'../meshes/ball'", "ends with .msh"}},
    {"max: [4, 1, 1]", "max: [4, 0, 1]", 8, "bodies[0].mesh.box.max", {"above that of min"}},
    {"{box: {min: [0, 0, 0], max: [4, 1, 1], element_size: 0.25}}",
     "{cylinder: {start: [1, 1, 1], end: [1, 1, 1], radius: 1, element_size: 1}}",
     8,
     "bodies[0].mesh.cylinder.end",
     {"the same point as start"}},
    {"axis: [0, 1, 0]", "axis: [0, 0, 0]", 12, "bodies[1].transform.rotate.axis", {"a direction"}},
    {"type: fixed, components",
     "type: fixed, velocity: [0, 0, 0], components",
     17,
     "boundary_conditions[0].velocity",
     {"without `type: prescribed`"}},
    {"velocity: [0, 0, 0.1], ",
     "",
     18,
     "boundary_conditions[1]",
     {"found none of them", "exactly one of velocity or displacement for `type: prescribed`"}},
    {"velocity: [0, 0, 0.1], ",
     "velocity: [0, 0, 0.1], displacement: [0, 0, 1], ",
     18,
     "boundary_conditions[1].displacement",
     {"found beside velocity", "exactly one of velocity or displacement"}},
    {"type: fixed, components",
     "type: fixed, displacement: [0, 0, 0], components",
     17,
     "boundary_conditions[0].displacement",
     {"without `type: prescribed`"}},
    {"type: fixed, until", "until", 19, "boundary_conditions[2].type", {"missing", "fixed, prescribed, traction"}},
    {"type: fixed, until", "type: slip, until", 19, "boundary_conditions[2].type", {"known but not available"}},
    {"type: fixed, components",
     "value: 3, type: fixed, components",
     17,
     "boundary_conditions[0].value",
     {"with `type: fixed`", "only with `type: traction, pressure or body_force`"}},
    {"type: fixed, components: [z, x]",
     "type: traction, value: 5",
     17,
     "boundary_conditions[0].value",
     {"found '5'", "a list of 3 numbers or expressions of t, x, y, z [Pa] for `type: traction`"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: [0, 0, 1]",
     17,
     "boundary_conditions[0].value",
     {"a list of 3; ", "a number or an expression of t, x, y, z [Pa] for `type: pressure`"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: {x: 1}",
     17,
     "boundary_conditions[0].value",
     {"found a map", "a number or an expression"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: ~",
     17,
     "boundary_conditions[0].value",
     {"found nothing", "a number or an expression"}},
    {"type: fixed, components: [z, x]",
     "type: body_force",
     17,
     "boundary_conditions[0].value",
     {"missing", "a list of 3 numbers or expressions of t, x, y, z [N/m³] for `type: body_force`"}},
    {"type: fixed, components",
     "type: traction, value: [0, 0, 1], components",
     17,
     "boundary_conditions[0].components",
     {"without `type: fixed or prescribed`"}},
    {"type: fixed, components: [z, x]",
     "type: tracton, value: 5",
     17,
     "boundary_conditions[0].type",
     {"'tracton'", "nearest: traction"}},
    // Expressions.
    {"type: fixed, components: [z, x]",
     "type: body_force, value: [0, 0, \"rho*9.81\"]",
     17,
     "boundary_conditions[0].value[2]",
     {"unknown name 'rho' at character 1", "t, x, y, z, pi and e", "functions abs", "[N/m³] for `type: body_force`"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: 2*sin(u)",
     17,
     "boundary_conditions[0].value",
     {"'2*sin(u)'", "unknown name 'u' at character 7", "allowed names are t, x, y, z"}},
    {"type: fixed, components: [z, x]",
     "type: traction, value: [0, 0, min(t, 1)]",
     17,
     "boundary_conditions[0].value",
     {"a list of 4", "a comma needs quotes"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: \"0,5*t\"",
     17,
     "boundary_conditions[0].value",
     {"decimals are written with '.'"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: 1e999",
     17,
     "boundary_conditions[0].value",
     {"'1e999' is not a number"}},
    {"type: fixed, components: [z, x]",
     "type: pressure, value: true",
     17,
     "boundary_conditions[0].value",
     {"unknown name 'true'"}},
    {"[0, 0, 0.1]", "[0, 0, \"0.1*(t\"]", 18, "boundary_conditions[1].velocity[2]", {"a ')' is missing", "[m/s]"}},
    {"[0, 0, 0.1]", "[0, 0]", 18, "boundary_conditions[1].velocity", {"a list of 2", "a list of 3 numbers or"}},
    {"[0, 0, 0.1]", "[0, 0, [1]]", 18, "boundary_conditions[1].velocity[2]", {"a list of 1", "a number or an expr"}},
    // Ramps.
    {"gravity:",
     "ramp: false\n  gravity:",
     5,
     "simulation.ramp",
     {"without `integrator: static`", "only together with it"}},
    {"velocity: [0, 0, 0.1]",
     "displacement: [0, 0, 0.1], ramp: false",
     18,
     "boundary_conditions[1].ramp",
     {"without `simulation.integrator: static`"}},
    {"type: fixed, until",
     "type: fixed, ramp: true, until",
     19,
     "boundary_conditions[2].ramp",
     {"without `type: prescribed, traction, pressure or body_force`"}},
    {"velocity: [0, 0, 0.1]", "velocity: [0, 0, 0.1], ramp: yes", 18, "boundary_conditions[1].ramp", {"'yes'", "true"}},
    {"velocity: [0, 0, 0.1]",
     "velocity: [0, 0, 0.1], ramp: \"true\"",
     18,
     "boundary_conditions[1].ramp",
     {"'true' in quotes", "true or false"}},
    // Probes.
    {"every: 2",
     "probes: [{name: tip, body: bra, point: [4, 0, 0]}]",
     23,
     "output.probes[0].body",
     {"'bra'", "no body", "nearest: bar"}},
    {"every: 2",
     "probes: [{name: tip, body: bar, point: [4, 0, 0]}, {name: tip, body: ball, point: [0, 0, 0]}]",
     23,
     "output.probes[1].name",
     {"output.probes[0].name is called already"}},
    {"every: 2",
     "probes: [{name: \"the tip\", body: bar, point: [4, 0, 0]}]",
     23,
     "output.probes[0].name",
     {"'the tip'", "1 to 60 letters"}},
    {"every: 2", "probes: [{name: tip, body: bar}]", 23, "output.probes[0].point", {"missing", "3 numbers [m]"}},
    {"every: 2",
     "probes: [{name: tip, body: bar, point: [4, 0, t]}]",
     23,
     "output.probes[0].point[2]",
     {"'t'", "a number"}},
    {"every: 2",
     "probes: [{name: tip, bodi: bar, body: bar, point: [4, 0, 0]}]",
     23,
     "output.probes[0].bodi",
     {"nearest valid key here is 'body'"}},
    {"every: 2", "fields: [nodal_stres]", 23, "output.fields[0]", {"'nodal_stres'", "nearest: nodal_stress"}},
    {"where: all", "where: everything", 19, "boundary_conditions[2].where", {"'everything'", "all or a map"}},
    {"where: all",
     "where: {}",
     19,
     "boundary_conditions[2].where",
     {"exactly one of group, box, sphere, plane or nodes"}},
    {"{group: left}",
     "{plane: {point: [0, 0, 0], normal: [0, 0, 0]}}",
     17,
     "boundary_conditions[0].where.plane.normal",
     {"a direction"}},
    {"until: 1.0", "until: 0.5", 18, "boundary_conditions[1].until", {"after `from`"}},
    {"every: 2", "every: 2\n  every_seconds: 0.1", 24, "output.every_seconds", {"found beside every"}},
    {"body: ball", "body: bal", 19, "boundary_conditions[2].body", {"'bal'", "no body", "bar or ball", "nearest: "}},
    // Names and duplicate keys.
    {"name: ball", "name: bar", 10, "bodies[1].name", {"bodies[0].name is called already"}},
    {"name: hold", "name: \"\"", 19, "boundary_conditions[2].name", {"an empty text", "1 to 60 letters"}},
    {"name: hold", "name: hold it", 19, "boundary_conditions[2].name", {"'hold it'", "letters, digits"}},
    {"name: hold", "name: pull", 19, "boundary_conditions[2].name", {"boundary_conditions[1].name"}},
    {"time_step: 0.01",
     "time_step: 0.01\n  time_step: 0.02",
     5,
     "simulation.time_step",
     {"duplicate key", "line 4 already"}},
    {"density: 1000,", "density: 1000, density: 900,", 9, "bodies[0].material.density", {"duplicate key"}},
    {"solver:\n", "? [a, b]\n: 1\nsolver:\n", 20, "", {"a key that is not a word"}},
    // Sections of the wrong kind.
    {"solver:\n  tolerance: 1e-4", "solver: fast", 20, "solver", {"'fast'", "a map with keys such as method"}},
    {"solver:\n  tolerance: 1e-4", "solver:", 20, "solver", {"found nothing", "a map"}},
};

TEST(BadConfigurations, SampleIsGood) { EXPECT_EQ(error_of(sample), ""); }

TEST(BadConfigurations, EachErrorIsReportedOnce) {
  for (const auto& bad : table) {
    const auto text = changed(bad.from, bad.to);
    SCOPED_TRACE(bad.from + " -> " + bad.to);
    try {
      load_scene(text, "dir/scene.yaml", {});
      ADD_FAILURE() << "accepted";
    } catch (const base::UserError& e) {
      const std::string what = e.what();
      const auto start = "dir/scene.yaml:" + std::to_string(bad.line) + ": " + (bad.key.empty() ? "" : bad.key + ": ");
      EXPECT_EQ(what.rfind(start, 0), 0U) << what << "\nexpected to start with " << start;
      for (const auto& part : bad.parts) EXPECT_NE(what.find(part), std::string::npos) << part << "\nnot in " << what;
      EXPECT_EQ(count(what, "dir/scene.yaml"), 1U) << what;
      EXPECT_EQ(e.context().file, "dir/scene.yaml");
      EXPECT_EQ(e.context().line, bad.line);
      EXPECT_EQ(e.context().key, bad.key);
    }
  }
}

TEST(BadConfigurations, ErrorsInLoadsAreListedTogether) {
  auto text = changed("type: fixed, components: [z, x]", "type: traction, value: [\"sin(u)\", 0, \"2*\"]");
  text.replace(text.find("velocity: [0, 0, 0.1]"), 21, "displacement: [0, q, 0], ramp: 1");
  text.replace(text.find("every: 2"), 8, "probes: [{name: a b, body: bar, point: [0, 0]}]");
  const auto what = error_of(text);
  for (const char* part :
       {"dir/scene.yaml:17: boundary_conditions[0].value[0]: ", "dir/scene.yaml:17: boundary_conditions[0].value[2]: ",
        "dir/scene.yaml:18: boundary_conditions[1].displacement[1]: ",
        "dir/scene.yaml:18: boundary_conditions[1].ramp: ", "dir/scene.yaml:23: output.probes[0].name: ",
        "dir/scene.yaml:23: output.probes[0].point: ", "6 errors"})
    EXPECT_NE(what.find(part), std::string::npos) << part << "\nnot in " << what;
}

TEST(BadConfigurations, StaticKnowsNoVelocities) {
  const auto what = error_of(changed("gravity:", "integrator: static\n  gravity:"));
  EXPECT_EQ(what.rfind("dir/scene.yaml:16: bodies[1].initial.velocity: found [0, 0, -1]; expected none with "
                       "`integrator: static`",
                       0),
            0U)
      << what;
  EXPECT_NE(what.find("dir/scene.yaml:16: bodies[1].initial.angular_velocity: "), std::string::npos) << what;
  EXPECT_NE(what.find("2 errors"), std::string::npos) << what;

  const auto damped = error_of(changed("material: {density", "damping: {stiffness: 0.1}\n    material: {density"),
                               {"simulation.integrator=static"});
  EXPECT_NE(damped.find("bodies[0].damping.stiffness: found 0.1; expected none with"), std::string::npos) << damped;

  auto ramped = changed("gravity:", "integrator: static\n  gravity:");
  ramped.replace(ramped.find("velocity: [0, 0, -1], angular_velocity: [1, 0, 0], "), 51, "");
  EXPECT_EQ(error_of(ramped), "");
  ramped.replace(ramped.find("velocity: [0, 0, 0.1]"), 21, "velocity: [0, 0, 0.1], ramp: false");
  const auto refused = error_of(ramped);
  EXPECT_EQ(refused.rfind("dir/scene.yaml:19: boundary_conditions[1].ramp: found beside velocity", 0), 0U) << refused;
}

TEST(BadConfigurations, AllErrorsAreListedInOrder) {
  auto text = changed("time_step: 0.01", "time_step: -1");
  text.replace(text.find("body: ball"), 10, "body: bell");
  text.replace(text.find("density: 900"), 12, "densty: 900");
  const auto what = error_of(text);
  const auto first = what.find("dir/scene.yaml:4: simulation.time_step: ");
  const auto second = what.find("\ndir/scene.yaml:13: bodies[1].material.densty: ");
  const auto third = what.find("\ndir/scene.yaml:19: boundary_conditions[2].body: ");
  EXPECT_EQ(first, 0U) << what;
  EXPECT_NE(second, std::string::npos) << what;
  EXPECT_NE(third, std::string::npos) << what;
  EXPECT_LT(second, third);
  EXPECT_NE(what.find("4 errors"), std::string::npos) << what; // density is missing, too
}

struct Broken {
  std::string text;
  std::string start; ///< how the error begins
  std::string part;
};

TEST(BadConfigurations, TextsThatAreNotYaml) {
  const std::vector<Broken> broken{
      {"", "s.yaml: the file is empty", "simulation and bodies"},
      {"# only a comment\n", "s.yaml: the file is empty", ""},
      {"just words\n", "s.yaml:1: found 'just words'", "a map"},
      {"- a\n- b\n", "s.yaml:1: found a list of 2", "a map"},
      {"simulation: {name: bar\nbodies: []\n", "s.yaml:", "'{' without its '}'"},
      {"simulation:\n  gravity: [0, 0\nbodies: []\n", "s.yaml:", "'[' without its ']'"},
      {"simulation:\n  name: \"bar\n", "s.yaml:", "quotation mark that is never closed"},
      {"simulation:\n\tname: bar\n", "s.yaml:2: ", "a tab in the indentation"},
      {"simulation:\n  name: a: b\n", "s.yaml:2: ", "the line reads `name: a: b`"},
      {"simulation:\n  name: bar\n duration: 1\n", "s.yaml:3: ", "not valid YAML"},
      {"simulation: *nowhere\n", "s.yaml:1: ", "refers to no anchor"},
      {"simulation: @x\n", "s.yaml:1: ", "not valid YAML"},
      {"simulation: {}}\n", "s.yaml:1: ", "not valid YAML"},
      {"a: 1\n---\nb: 2\n", "s.yaml:3: ", "second document"},
      {"simulation: &a {name: *a}\n", "s.yaml:", ""},
      {std::string(5000, '['), "s.yaml:1: ", "not valid YAML"},
  };
  for (const auto& b : broken) {
    SCOPED_TRACE(b.text.substr(0, 80));
    std::string what;
    try {
      load_scene(b.text, "s.yaml", {});
    } catch (const base::UserError& e) {
      what = e.what();
    }
    EXPECT_EQ(what.rfind(b.start, 0), 0U) << what;
    EXPECT_NE(what.find(b.part), std::string::npos) << what;
    for (const char* library : {"yaml-cpp", "error at line", "not found", "illegal"})
      EXPECT_EQ(what.find(library), std::string::npos) << what;
  }
}

TEST(BadConfigurations, MissingSections) {
  const auto what = error_of("solver: {}\n");
  EXPECT_NE(what.find("simulation: missing"), std::string::npos) << what;
  EXPECT_NE(what.find("bodies: missing; expected a list with at least one entry"), std::string::npos) << what;
}

} // namespace
} // namespace limber::config::testing
