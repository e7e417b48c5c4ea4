#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>

#include "sample.hpp"

namespace limber::config::testing {
namespace {

std::string text_of(const Vector3& v) {
  std::ostringstream out;
  out.precision(17);
  out << v[0] << ' ' << v[1] << ' ' << v[2];
  return out.str();
}

struct DescribeShape {
  std::ostringstream& out;
  void operator()(const mesh::MeshFile& s) const {
    out << "file " << std::filesystem::absolute(s.path) << ' ' << s.element_size;
  }
  void operator()(const mesh::BoxMesh& s) const {
    out << "box " << text_of(s.min) << ' ' << text_of(s.max) << ' ' << s.element_size;
  }
  void operator()(const mesh::SphereMesh& s) const {
    out << "sphere " << text_of(s.center) << ' ' << s.radius << ' ' << s.element_size;
  }
  void operator()(const mesh::CylinderMesh& s) const {
    out << "cylinder " << text_of(s.start) << ' ' << text_of(s.end) << ' ' << s.radius << ' ' << s.element_size;
  }
  void operator()(const mesh::GridMesh& s) const {
    out << "grid " << text_of(s.min) << ' ' << text_of(s.max) << ' ' << s.columns << ' ' << s.rows << ' '
        << s.both_diagonals;
  }
};

struct DescribeSelection {
  std::ostringstream& out;
  void operator()(const dofs::SelectAll&) const { out << "all"; }
  void operator()(const dofs::SelectGroup& s) const { out << "group " << s.name; }
  void operator()(const dofs::SelectBox& s) const { out << "box " << text_of(s.min) << ' ' << text_of(s.max); }
  void operator()(const dofs::SelectSphere& s) const { out << "sphere " << text_of(s.center) << ' ' << s.radius; }
  void operator()(const dofs::SelectPlane& s) const {
    out << "plane " << text_of(s.point) << ' ' << text_of(s.normal) << ' ' << s.tolerance;
  }
  void operator()(const dofs::SelectNodes& s) const {
    out << "nodes";
    for (const auto id : s.ids) out << ' ' << id;
  }
};

/// Values at some time and place, which are the same however a number was written.
std::string text_of(const dofs::Expression& e) {
  const double X[3] = {1.1, 2.2, 3.3};
  std::ostringstream out;
  out.precision(17);
  out << e(0.7, X) << ' ' << e.is_constant();
  return out.str();
}
std::string text_of(const dofs::ExpressionVector& v) {
  return text_of(v[0]) + ' ' + text_of(v[1]) + ' ' + text_of(v[2]);
}

std::string text_of(const materials::MaterialOptions& m) {
  std::ostringstream out;
  out.precision(17);
  out << m.model << ' ' << m.density << ' ' << m.lame_mu << ' ' << m.lame_lambda << ' ' << m.kappa << ' ' << m.c10
      << ' ' << m.c01 << ' ' << m.bulk_modulus;
  return out.str();
}

/// All options as text, 17 digits; mesh files as absolute paths.
std::string described(const SceneOptions& o) {
  std::ostringstream out;
  out.precision(17);
  out << o.name << '\n'
      << o.time.duration << ' ' << o.time.time_step << ' ' << o.time.integrator << ' ' << text_of(o.time.gravity) << ' '
      << o.time.ramp << ' ' << o.time.newmark_beta << ' ' << o.time.newmark_gamma << '\n';
  for (const auto& b : o.bodies) {
    out << b.name << ' ' << b.mesh.name << ' ' << b.mesh.source.order << ' ';
    std::visit(DescribeShape{out}, b.mesh.source.shape);
    const auto& t = b.mesh.transform;
    out << '\n'
        << t.scale << ' ' << text_of(t.rotation_axis) << ' ' << t.rotation_degrees << ' ' << text_of(t.translate)
        << '\n'
        << text_of(b.material) << ' ' << b.material.stiffness << ' ' << int(b.mesh.kind) << ' ' << b.mesh.thickness;
    for (const auto& [first, second] : b.mesh.pairs) out << ' ' << first << '-' << second;
    out << '\n'
        << static_cast<int>(b.mass.kind) << ' ' << b.mass.per_node << ' ' << b.damping.mass << ' '
        << b.damping.stiffness << '\n'
        << text_of(b.initial.velocity) << ' ' << text_of(b.initial.angular_velocity) << ' '
        << text_of(b.initial.stretch) << ' ' << text_of(b.initial.about) << '\n';
    for (const auto& part : b.parts) out << part.group << ' ' << text_of(part.material) << '\n';
  }
  for (const auto& c : o.conditions) {
    out << c.name << ' ' << c.body << ' ' << static_cast<int>(c.kind) << ' ';
    for (const bool held : c.components) out << held;
    out << ' ' << c.by_displacement << ' ' << text_of(c.motion) << ' ' << text_of(c.value) << ' ' << text_of(c.pressure)
        << ' ' << (c.ramp ? *c.ramp : 2) << ' ' << c.from << ' ' << c.until << ' ';
    std::visit(DescribeSelection{out}, c.where);
    out << '\n';
  }
  out << o.solver.method << ' ' << o.solver.tolerance << ' ' << o.solver.max_iterations << ' '
      << o.solver.max_step_halvings << ' ' << o.solver.linear << ' ' << o.solver.petsc_options << '\n'
      << o.output.directory << ' ' << o.output.every << ' ' << o.output.every_seconds << ' '
      << o.output.checkpoint_every;
  for (const auto& field : o.output.fields) out << ' ' << field;
  for (const auto& probe : o.output.probes)
    out << ' ' << probe.name << ' ' << probe.body << ' ' << text_of(probe.point);
  out << '\n' << o.parallel.partition << ' ' << o.parallel.seed << '\n';
  return out.str();
}

void expect_round_trip(const std::string& text, const std::string& file) {
  SCOPED_TRACE(text);
  const auto first = load_scene(text, file, {});
  const auto second = load_scene(first.resolved_yaml, "elsewhere/resolved.yaml", {});
  EXPECT_EQ(described(first.options), described(second.options)) << first.resolved_yaml;
  EXPECT_EQ(first.resolved_yaml, second.resolved_yaml);
}

TEST(Resolve, GivesTheSameOptionsAgain) {
  expect_round_trip(sample, "dir/scene.yaml");
  expect_round_trip(changed("{file: ../meshes/ball.geo, element_size: 0.1, order: 1}",
                            "{sphere: {center: [0.1, 1e-7, 3], radius: 1.1, element_size: 0.3}}"),
                    "scene.yaml");
  expect_round_trip(changed("{file: ../meshes/ball.geo, element_size: 0.1, order: 1}",
                            "{cylinder: {start: [0, 0, 0], end: [0, 0, 1e10], radius: 1.1, element_size: 0.3}}"),
                    "s");
  expect_round_trip(changed("../meshes/ball.geo", "'../odd name #1: {x}.geo'"), "dir/scene.yaml");
  expect_round_trip(changed("{group: left}", "{group: \"5\"}"), "scene.yaml");
  expect_round_trip(changed("{group: left}", "{group: 'a \"quoted\" name'}"), "scene.yaml");
  expect_round_trip(changed("{group: left}", "{sphere: {center: [0, 0, 0], radius: 1}}"), "scene.yaml");
  expect_round_trip(changed("{group: left}", "{plane: {point: [0, 0, 0], normal: [1, 0, 0]}}"), "scene.yaml");
  expect_round_trip(changed("{group: left}", "{nodes: [3, 1]}"), "scene.yaml");
  expect_round_trip(changed("{per_node: 40.0}", "lumped"), "scene.yaml");
  expect_round_trip(changed("lame_mu: 2e4, lame_lambda: 3e4", "youngs_modulus: 1e5, poissons_ratio: 0.1"),
                    "scene.yaml");
  expect_round_trip(changed("neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4",
                            "mooney_rivlin, density: 900, c10: 3.3, c01: -1.1, bulk_modulus: 1e2"),
                    "scene.yaml");
  expect_round_trip(changed("mass: {per_node: 40.0}",
                            "materials: [{group: core, material: {model: arap, density: 0.1, kappa: 0.7}},"
                            " {group: \"6\", material: {density: 0.1, lame_mu: 0.7, lame_lambda: -0.1}}]"),
                    "scene.yaml");
  expect_round_trip(changed("every: 2", "every_seconds: 0.1"), "scene.yaml");
  expect_round_trip(changed("every: 2", "fields: []"), "scene.yaml");
  expect_round_trip(changed("every: 2", "directory: \"off\""), "scene.yaml");
  expect_round_trip(changed("tolerance: 1e-4", "petsc_options: \"-ksp_rtol 1e-6 \\t # x\""), "scene.yaml");
}

TEST(Resolve, KeepsShellsAndSprings) {
  const std::string ball = "mesh: {file: ../meshes/ball.geo, element_size: 0.1, order: 1}";
  const std::string material = "{model: neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4}";
  const std::string grid = "mesh: {grid: {min: [0, 0, 1], max: [1, 2, 1], columns: 3, rows: 2";
  expect_round_trip(changed(ball, "type: shell\n    thickness: 0.25\n    " + grid + "}}"), "s.yaml");
  auto text = changed(ball, "type: springs\n    pairs: [[3, 1], [0, 2]]\n    " + grid + ", diagonals: both}}");
  text.replace(text.find(material), material.size(), "{model: mass_spring, stiffness: 2e4}");
  expect_round_trip(text, "s.yaml");
  EXPECT_NE(load_scene(text, "s.yaml", {}).resolved_yaml.find("    pairs:\n      - [3, 1]\n      - [0, 2]\n"),
            std::string::npos);
}

TEST(Resolve, KeepsExpressionsBooleansAndProbes) {
  const std::string fixed = "type: fixed, components: [z, x]", moved = "velocity: [0, 0, 0.1]";
  expect_round_trip(changed(moved, "velocity: [\"x > 1 ? t : 0\", t, \"1e5\"]"), "s.yaml");
  expect_round_trip(changed(moved, "displacement: [0, \"min(t, 1)\", -y*t]"), "s.yaml");
  expect_round_trip(changed(fixed, "type: traction, value: [0, 1, \"sin(2*pi*t)\"]"), "s.yaml");
  expect_round_trip(changed(fixed, "type: pressure, value: \"1/0\""), "s.yaml");
  expect_round_trip(changed(fixed, "type: pressure, value: y"), "s.yaml");
  expect_round_trip(changed(fixed, "type: body_force, value: [2*pi, 0, 0]"), "s.yaml");
  expect_round_trip(changed("order: 1", "order: 2"), "s.yaml");
  expect_round_trip(changed("[0, 0, -9.81]", "[0, \"sin(t)\", -9.81]\n  integrator: newmark\n  newmark_gamma: 0.5"),
                    "s.yaml");
  expect_round_trip(changed("mass: {per", "damping: {mass: 2, stiffness: 0.01}\n    mass: {per"), "s.yaml");
  expect_round_trip(changed("every: 2", "probes: [{name: a, body: bar, point: [0, 1, 2.5]}]"), "s.yaml");

  auto text = changed("gravity:", "integrator: static\n  ramp: false\n  gravity:");
  text.replace(text.find("velocity: [0, 0, -1], angular_velocity: [1, 0, 0], "), 51, "");
  text.replace(text.find(fixed), fixed.size(), "type: pressure, value: 1e3*t, ramp: true");
  text.replace(text.find("every: 2"), 8, "probes: [{name: a, body: bar, point: [0, 1, 2.5]}]");
  expect_round_trip(text, "s.yaml");
  const auto resolved = load_scene(text, "s.yaml", {}).resolved_yaml;
  for (const char* line : {"  ramp: false\n", "    value: \"1e3*t\"  # [Pa]\n", "    ramp: true\n",
                           "    velocity: [0, 0, 0.1]  # [m/s]\n", "  probes:\n    - name: a\n",
                           "      point: [0, 1, 2.5]  # [m]\n", "    # ramp not given: as simulation.ramp\n"})
    EXPECT_NE(resolved.find(line), std::string::npos) << line << "\nnot in\n" << resolved;
}

TEST(Resolve, HoldsOverridesDefaultsAndUnits) {
  const auto text = load_scene(sample, "dir/scene.yaml", {"simulation.time_step=0.125"}).resolved_yaml;
  for (const char* line :
       {"  time_step: 0.125  # [s]\n", "  gravity: [0, 0, -9.81]  # [m/s²]\n", "  max_iterations: 100\n",
        "  directory: out/bar\n", "    # until not given: never released\n", "  partition: metis\n",
        "      youngs_modulus: 100000  # [Pa]\n", "  # every_seconds not given: frames by steps\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nnot in\n" << text;
  const auto mesh = "      file: " + (std::filesystem::current_path() / "dir/../meshes/ball.geo").string() + "\n";
  EXPECT_NE(text.find(mesh), std::string::npos) << mesh << "\nnot in\n" << text;
}

TEST(Resolve, HeaderIsComments) {
  const auto scene = load_scene(sample, "dir/scene.yaml", {});
  const auto text = resolved_with_header(scene, {{"ranks", "4"}, {"PETSc", "3.18\nsecond line"}});
  EXPECT_EQ(text.rfind("# ranks: 4\n# PETSc: 3.18\n#   second line\n", 0), 0U) << text;
  EXPECT_EQ(described(load_scene(text, "r.yaml", {}).options), described(scene.options));
}

} // namespace
} // namespace limber::config::testing
