#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "config/load.hpp"
#include "sample.hpp"

namespace limber::config::testing {
namespace {

SceneOptions options_of(const std::string& text) { return load_scene(text, "dir/scene.yaml", {}).options; }

const std::string minimal = R"(simulation: {duration: 1, time_step: 0.5}
bodies:
  - name: b
    mesh: {box: {min: [0, 0, 0], max: [1, 1, 1], element_size: 1}}
    material: {density: 1, lame_mu: 1, lame_lambda: -0.5}
)";

TEST(Load, EveryValueArrives) {
  const auto options = options_of(sample);
  EXPECT_EQ(options.name, "bar");
  EXPECT_EQ(options.time.duration, 2.0);
  EXPECT_EQ(options.time.time_step, 0.01);
  EXPECT_EQ(options.time.integrator, "backward_euler");
  EXPECT_EQ(options.time.gravity_at(0.0), (Vector3{0, 0, -9.81}));

  ASSERT_EQ(options.bodies.size(), 2U);
  const auto& bar = options.bodies[0];
  EXPECT_EQ(bar.name, "bar");
  EXPECT_EQ(bar.mesh.name, "bar");
  EXPECT_EQ(bar.mesh.config_file, "dir/scene.yaml");
  EXPECT_EQ(bar.mesh.config_key, "bodies[0].mesh");
  EXPECT_EQ(bar.mesh.config_line, 8);
  const auto& box = std::get<mesh::BoxMesh>(bar.mesh.source.shape);
  EXPECT_EQ(box.max, (Vector3{4, 1, 1}));
  EXPECT_EQ(box.element_size, 0.25);
  EXPECT_EQ(bar.mass.kind, dofs::MassKind::consistent);
  // E = 1e5, ν = 0.4: μ = E/2.8, λ = 0.04 E/0.28; two roundings each.
  EXPECT_NEAR(bar.material.lame_mu, 1e5 / 2.8, 1e-10);
  EXPECT_NEAR(bar.material.lame_lambda, 0.4e5 / 0.28, 1e-9);

  const auto& ball = options.bodies[1];
  const auto& file = std::get<mesh::MeshFile>(ball.mesh.source.shape);
  EXPECT_EQ(file.path, "dir/../meshes/ball.geo");
  EXPECT_EQ(file.element_size, 0.1);
  EXPECT_EQ(ball.mesh.source.order, 1);
  EXPECT_EQ(ball.mesh.transform.scale, 0.001);
  EXPECT_EQ(ball.mesh.transform.rotation_axis, (Vector3{0, 1, 0}));
  EXPECT_EQ(ball.mesh.transform.rotation_degrees, 30.0);
  EXPECT_EQ(ball.mesh.transform.translate, (Vector3{0, 0, 2}));
  EXPECT_EQ(ball.material.model, "neo_hookean");
  EXPECT_EQ(ball.material.density, 900.0);
  EXPECT_EQ(ball.material.lame_mu, 2e4);
  EXPECT_EQ(ball.material.lame_lambda, 3e4);
  EXPECT_EQ(ball.mass.kind, dofs::MassKind::per_node);
  EXPECT_EQ(ball.mass.per_node, 40.0);
  EXPECT_EQ(ball.initial.velocity, (Vector3{0, 0, -1}));
  EXPECT_EQ(ball.initial.angular_velocity, (Vector3{1, 0, 0}));
  EXPECT_EQ(ball.initial.stretch, (Vector3{1, 1, 1.5}));
  EXPECT_EQ(ball.initial.about, (Vector3{0, 0, 2}));

  ASSERT_EQ(options.conditions.size(), 3U);
  const auto& clamp = options.conditions[0];
  EXPECT_EQ(clamp.name, "clamp");
  EXPECT_EQ(clamp.body, "bar");
  EXPECT_EQ(clamp.kind, dofs::ConditionKind::fixed);
  EXPECT_EQ(clamp.components, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(std::get<dofs::SelectGroup>(clamp.where).name, "left");
  EXPECT_EQ(clamp.from, 0.0);
  EXPECT_EQ(clamp.until, std::numeric_limits<double>::infinity());
  EXPECT_EQ(clamp.config_key, "boundary_conditions[0].where");
  EXPECT_EQ(clamp.config_line, 17);
  const auto& pull = options.conditions[1];
  EXPECT_EQ(pull.kind, dofs::ConditionKind::prescribed);
  EXPECT_FALSE(pull.by_displacement);
  EXPECT_FALSE(pull.is_load());
  EXPECT_EQ(pull.motion[0].text(), "0");
  EXPECT_EQ(pull.motion[2].text(), "0.1");
  EXPECT_EQ(pull.components, (std::array<bool, 3>{true, true, true}));
  EXPECT_EQ(pull.from, 0.5);
  EXPECT_EQ(pull.until, 1.0);
  EXPECT_EQ(std::get<dofs::SelectBox>(pull.where).min, (Vector3{3.9, 0, 0}));
  EXPECT_TRUE(std::holds_alternative<dofs::SelectAll>(options.conditions[2].where));

  EXPECT_EQ(options.solver.tolerance, 1e-4);
  EXPECT_EQ(options.output.every, 2);
  EXPECT_EQ(options.output.directory, "out/bar");
}

TEST(Load, OtherShapesAndSelections) {
  const auto shape = [](const std::string& mesh) {
    return options_of(changed("{file: ../meshes/ball.geo, element_size: 0.1, order: 1}", mesh))
        .bodies[1]
        .mesh.source.shape;
  };
  const auto sphere = std::get<mesh::SphereMesh>(shape("{sphere: {center: [1, 2, 3], radius: 4, element_size: 0.5}}"));
  EXPECT_EQ(sphere.center, (Vector3{1, 2, 3}));
  EXPECT_EQ(sphere.radius, 4.0);
  EXPECT_EQ(sphere.element_size, 0.5);
  const auto cylinder = std::get<mesh::CylinderMesh>(
      shape("{cylinder: {start: [1, 2, 3], end: [1, 2, 5], radius: 4, element_size: 0.5}}"));
  EXPECT_EQ(cylinder.start, (Vector3{1, 2, 3}));
  EXPECT_EQ(cylinder.end, (Vector3{1, 2, 5}));
  EXPECT_EQ(cylinder.radius, 4.0);
  EXPECT_EQ(cylinder.element_size, 0.5);
  EXPECT_EQ(std::get<mesh::MeshFile>(shape("{file: /tmp/x.msh}")).path, "/tmp/x.msh");

  const auto where = [](const std::string& text) {
    return options_of(changed("{group: left}", text)).conditions[0].where;
  };
  const auto ball = std::get<dofs::SelectSphere>(where("{sphere: {center: [1, 2, 3], radius: 4}}"));
  EXPECT_EQ(ball.center, (Vector3{1, 2, 3}));
  EXPECT_EQ(ball.radius, 4.0);
  const auto plane = std::get<dofs::SelectPlane>(where("{plane: {point: [1, 2, 3], normal: [0, 0, 2]}}"));
  EXPECT_EQ(plane.point, (Vector3{1, 2, 3}));
  EXPECT_EQ(plane.normal, (Vector3{0, 0, 2}));
  EXPECT_EQ(plane.tolerance, dofs::SelectPlane{}.tolerance);
  EXPECT_EQ(std::get<dofs::SelectNodes>(where("{nodes: [5, 0, 5000000000]}")).ids,
            (std::vector<GlobalIndex>{5, 0, 5000000000}));
  EXPECT_EQ(std::get<dofs::SelectGroup>(where("{group: 5}")).name, "5"); // a group without a name

  EXPECT_EQ(options_of(changed("{per_node: 40.0}", "lumped")).bodies[1].mass.kind, dofs::MassKind::lumped);
  EXPECT_EQ(options_of(changed("every: 2", "every_seconds: 0.5")).output.every_seconds, 0.5);
  EXPECT_EQ(options_of(changed("every: 2", "directory: \"a b/c\"")).output.directory, "a b/c");
}

TEST(Load, LoadsMotionsAndProbes) {
  const auto options = options_of(R"yaml(simulation: {duration: 1, time_step: 0.5, integrator: static, ramp: false}
bodies:
  - name: b
    mesh: {file: part.step, element_size: 0.01, order: 2}
    material: {model: stable_neo_hookean, density: 1, lame_mu: 3, lame_lambda: 2}
boundary_conditions:
  - {name: twist, body: b, where: all, type: prescribed, displacement: [-y*t, "min(t, 1)", 2], components: [x, y]}
  - {name: wind, body: b, where: {group: 1}, type: traction, value: [1, "2*t", x], ramp: true}
  - {name: air, body: b, where: all, type: pressure, value: 1e5*x, from: 0.5}
  - {name: water, body: b, where: all, type: pressure, value: 7, ramp: false}
  - {name: weight, body: b, where: all, type: body_force, value: ["0", z, "3"]}
output:
  fields: [stress, nodal_stress, nodal_von_mises, reaction]
  probes:
    - {name: tip.1, body: b, point: [1, 2, 3]}
)yaml");
  EXPECT_EQ(options.time.integrator, "static");
  EXPECT_FALSE(options.time.ramp);
  EXPECT_EQ(options.bodies[0].mesh.source.order, 2);
  EXPECT_EQ(options.bodies[0].material.lame_mu, 3.0);
  EXPECT_EQ(options.bodies[0].material.lame_lambda, 2.0);
  const double X[3] = {10.0, 20.0, 30.0};
  const auto at = [&](const dofs::ExpressionVector& v) { return Vector3{v[0](0.25, X), v[1](0.25, X), v[2](0.25, X)}; };

  const auto& c = options.conditions;
  ASSERT_EQ(c.size(), 5U);
  EXPECT_EQ(c[0].kind, dofs::ConditionKind::prescribed);
  EXPECT_TRUE(c[0].by_displacement);
  EXPECT_EQ(at(c[0].motion), (Vector3{-5.0, 0.25, 2.0}));
  EXPECT_EQ(c[0].components, (std::array<bool, 3>{true, true, false}));
  EXPECT_FALSE(c[0].is_load());
  EXPECT_FALSE(c[0].ramp.has_value());
  EXPECT_EQ(c[1].kind, dofs::ConditionKind::traction);
  EXPECT_EQ(at(c[1].value), (Vector3{1.0, 0.5, 10.0}));
  EXPECT_EQ(c[1].ramp, true);
  EXPECT_TRUE(c[1].is_load());
  EXPECT_EQ(c[2].kind, dofs::ConditionKind::pressure);
  EXPECT_EQ(c[2].pressure(0.0, X), 1e6);
  EXPECT_EQ(c[2].from, 0.5);
  EXPECT_EQ(c[2].config_key, "boundary_conditions[2].where");
  EXPECT_TRUE(c[2].is_load());
  EXPECT_EQ(c[3].pressure.text(), "7");
  EXPECT_EQ(c[3].ramp, false);
  EXPECT_EQ(c[4].kind, dofs::ConditionKind::body_force);
  EXPECT_EQ(at(c[4].value), (Vector3{0.0, 30.0, 3.0}));
  EXPECT_TRUE(c[4].value[2].is_constant());

  EXPECT_EQ(options.output.fields.size(), 4U);
  ASSERT_EQ(options.output.probes.size(), 1U);
  const auto& probe = options.output.probes[0];
  EXPECT_EQ(probe.name, "tip.1");
  EXPECT_EQ(probe.body, "b");
  EXPECT_EQ(probe.point, (Vector3{1, 2, 3}));
  EXPECT_EQ(probe.config_file, "dir/scene.yaml");
  EXPECT_EQ(probe.config_key, "output.probes[0]");
  EXPECT_EQ(probe.config_line, 15);
}

TEST(Load, StableNeoHookeanAgreesAtSmallStrains) {
  const std::string moduli = "density: 1000, youngs_modulus: 1e5";
  const auto material = options_of(changed(moduli, "model: stable_neo_hookean, " + moduli)).bodies[0].material;
  const auto plain = options_of(sample).bodies[0].material;
  EXPECT_EQ(material.model, "stable_neo_hookean");
  EXPECT_EQ(material.lame_mu, plain.lame_mu);
  EXPECT_EQ(material.lame_lambda, plain.lame_lambda + plain.lame_mu);
}

TEST(Load, ModuliOfEveryModel) {
  const auto material = [](const std::string& text) {
    return options_of(
               changed("model: neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4", "density: 900, " + text))
        .bodies[1]
        .material;
  };
  const double mu = 1e5 / 2.8, lambda = 0.4e5 / 0.28; // E = 1e5, ν = 0.4; a few roundings below
  for (const std::string model : {"neo_hookean", "linear", "corotated_linear", "fixed_corotated", "st_venant_kirchhoff",
                                  "quartic_volume", "arap", "quartic", "symmetric_dirichlet", "symmetric_gradient"}) {
    const auto converted = material("model: " + model + ", youngs_modulus: 1e5, poissons_ratio: 0.4");
    EXPECT_EQ(converted.model, model);
    EXPECT_NEAR(converted.lame_mu, mu, 1e-10) << model;
    EXPECT_NEAR(converted.lame_lambda, lambda, 1e-9) << model;
    // Of small strain: μ = 2 κ and μ = κ.
    if (model.starts_with("symmetric")) {
      EXPECT_NEAR(converted.kappa, (model == "symmetric_dirichlet" ? 0.5 : 1.0) * mu, 1e-10) << model;
    }
  }
  for (const std::string model : {"linear", "corotated_linear", "fixed_corotated", "st_venant_kirchhoff",
                                  "quartic_volume", "stable_neo_hookean"}) {
    const auto given = material("model: " + model + ", lame_mu: 3, lame_lambda: 4");
    EXPECT_EQ(given.lame_mu, 3.0) << model;
    EXPECT_EQ(given.lame_lambda, 4.0) << model;
  }
  EXPECT_EQ(material("model: arap, lame_mu: 3").lame_mu, 3.0);
  EXPECT_EQ(material("model: quartic, lame_mu: 3").lame_mu, 3.0);
  EXPECT_EQ(material("model: arap, kappa: 3").lame_mu, 1.5);
  EXPECT_EQ(material("model: symmetric_dirichlet, kappa: 3").kappa, 3.0);
  EXPECT_EQ(material("model: symmetric_gradient, kappa: 3").kappa, 3.0);
  const auto rubber = material("model: mooney_rivlin, c10: 3, c01: -1, bulk_modulus: 50");
  EXPECT_EQ(rubber.c10, 3.0);
  EXPECT_EQ(rubber.c01, -1.0);
  EXPECT_EQ(rubber.bulk_modulus, 50.0);
}

TEST(Load, MaterialsOfParts) {
  const auto options = options_of(changed("    mass: {per_node: 40.0}\n",
                                          "    materials:\n"
                                          "      - {group: core, material: {model: arap, density: 2, kappa: 3}}\n"
                                          "      - {group: 7, material: {density: 4, lame_mu: 5, lame_lambda: 6}}\n"));
  EXPECT_TRUE(options.bodies[0].parts.empty());
  const auto& parts = options.bodies[1].parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].group, "core");
  EXPECT_EQ(parts[0].material.model, "arap");
  EXPECT_EQ(parts[0].material.density, 2.0);
  EXPECT_EQ(parts[0].material.lame_mu, 1.5);
  EXPECT_EQ(parts[0].config_file, "dir/scene.yaml");
  EXPECT_EQ(parts[0].config_key, "bodies[1].materials[0]");
  EXPECT_EQ(parts[0].config_line, 15);
  EXPECT_EQ(parts[1].group, "7");
  EXPECT_EQ(parts[1].material.model, "neo_hookean");
  EXPECT_EQ(parts[1].material.lame_lambda, 6.0);
  EXPECT_EQ(options.bodies[1].material.density, 900.0);
}

TEST(Load, MeshFilesOfEveryKind) {
  for (const std::string ending : {"geo", "step", "stp", "iges", "igs", "brep", "stl", "obj", "STEP"})
    EXPECT_EQ(error_of(changed("ball.geo", "ball." + ending)), "") << ending;
  for (const std::string ending : {"msh", "vtu", "vtk", "MSH"})
    EXPECT_EQ(error_of(changed("ball.geo, element_size: 0.1", "ball." + ending)), "") << ending;
}

TEST(Load, WaysToWriteNumbers) {
  for (const char* text : {"1e5", "1E+5", "100000", "+100000", "1.e5", "100000.0", ".1e6"})
    EXPECT_EQ(options_of(changed("duration: 2.0", std::string("duration: ") + text)).time.duration, 1e5) << text;
}

// Defaults live in the schema; the structures repeat them for code that makes options itself.
TEST(Load, DefaultsAgreeWithTheStructures) {
  const auto options = options_of(minimal);
  const SceneOptions none;
  EXPECT_EQ(options.name, none.name);
  EXPECT_EQ(options.time.integrator, none.time.integrator);
  EXPECT_EQ(options.time.gravity_at(0.0), none.time.gravity_at(0.0));
  EXPECT_EQ(options.time.newmark_beta, none.time.newmark_beta);
  EXPECT_EQ(options.time.newmark_gamma, none.time.newmark_gamma);
  EXPECT_EQ(options.time.ramp, none.time.ramp);
  const BodyOptions &body = options.bodies.at(0), no_body;
  EXPECT_EQ(body.material.model, no_body.material.model);
  EXPECT_EQ(body.damping.mass, no_body.damping.mass);
  EXPECT_EQ(body.damping.stiffness, no_body.damping.stiffness);
  EXPECT_EQ(body.mesh.source.order, no_body.mesh.source.order);
  EXPECT_EQ(body.mesh.transform.scale, no_body.mesh.transform.scale);
  EXPECT_EQ(body.mesh.transform.rotation_axis, no_body.mesh.transform.rotation_axis);
  EXPECT_EQ(body.mesh.transform.rotation_degrees, no_body.mesh.transform.rotation_degrees);
  EXPECT_EQ(body.mesh.transform.translate, no_body.mesh.transform.translate);
  EXPECT_EQ(body.mass.kind, no_body.mass.kind);
  EXPECT_EQ(body.initial.velocity, no_body.initial.velocity);
  EXPECT_EQ(body.initial.angular_velocity, no_body.initial.angular_velocity);
  EXPECT_EQ(body.initial.stretch, no_body.initial.stretch);
  EXPECT_EQ(body.initial.about, no_body.initial.about);
  EXPECT_TRUE(options.conditions.empty());
  EXPECT_EQ(options.solver.method, none.solver.method);
  EXPECT_EQ(options.solver.tolerance, none.solver.tolerance);
  EXPECT_EQ(options.solver.max_iterations, none.solver.max_iterations);
  EXPECT_EQ(options.solver.max_step_halvings, none.solver.max_step_halvings);
  EXPECT_EQ(options.solver.linear, none.solver.linear);
  EXPECT_EQ(options.solver.petsc_options, none.solver.petsc_options);
  EXPECT_EQ(options.output.directory, "out/scene");
  EXPECT_EQ(options.output.every, none.output.every);
  EXPECT_EQ(options.output.every_seconds, none.output.every_seconds);
  EXPECT_EQ(options.output.fields, none.output.fields);
  EXPECT_EQ(options.output.checkpoint_every, none.output.checkpoint_every);
  EXPECT_TRUE(options.output.probes.empty());
  EXPECT_EQ(options.parallel.partition, none.parallel.partition);
  EXPECT_EQ(options.parallel.seed, none.parallel.seed);
}

TEST(Load, AnchorsAndAliasesAreYaml) {
  auto text = changed("material: {density", "material: &m {density");
  const std::string second = "{model: neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4}";
  text.replace(text.find(second), second.size(), "*m");
  EXPECT_EQ(options_of(text).bodies[1].material.density, 1000.0);
}

TEST(Load, ReadText) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "limber_read_text.yaml";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fputs("a: 1\n", file);
  std::fclose(file);
  EXPECT_EQ(read_text(path), "a: 1\n");
  std::filesystem::remove(path);

  const auto error = [](const std::string& p) -> std::string {
    try {
      read_text(p);
    } catch (const base::UserError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(error("no/such.yaml").rfind("no/such.yaml: there is no such file", 0), 0U);
  EXPECT_NE(error("no/such.yaml").find("working directory"), std::string::npos);
  EXPECT_NE(error(::testing::TempDir()).find("is a folder"), std::string::npos);
}

} // namespace
} // namespace limber::config::testing
