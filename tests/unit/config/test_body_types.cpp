/// Shells and springs: what goes with which type of body.

#include <gtest/gtest.h>

#include "sample.hpp"

namespace limber::config::testing {
namespace {

/// A configuration with one body of these keys.
std::string body(const std::string& keys) {
  return "simulation: {duration: 1, time_step: 0.5}\nbodies:\n  - {name: b, " + keys + "}\n";
}
const std::string grid = "mesh: {grid: {min: [0, 0, 0], max: [2, 1, 0], columns: 4, rows: 3";
const std::string rubber = "material: {density: 1, youngs_modulus: 1, poissons_ratio: 0.3";
const std::string shell = "type: shell, thickness: 0.01, " + grid + "}}, " + rubber;
const std::string springs =
    "type: springs, " + grid + ", diagonals: both}}, material: {model: mass_spring, stiffness: 5";

BodyOptions body_of(const std::string& keys) { return load_scene(body(keys), "s.yaml", {}).options.bodies.at(0); }

TEST(BodyTypes, AShellArrives) {
  const auto options = body_of(shell + ", model: arap}");
  EXPECT_EQ(options.mesh.kind, mesh::BodyKind::shell);
  EXPECT_EQ(options.mesh.thickness, 0.01);
  const auto& shape = std::get<mesh::GridMesh>(options.mesh.source.shape);
  EXPECT_EQ(shape.max, (Vector3{2, 1, 0}));
  EXPECT_EQ(shape.columns, 4);
  EXPECT_EQ(shape.rows, 3);
  EXPECT_FALSE(shape.both_diagonals);
  EXPECT_EQ(options.material.model, "arap");
}

TEST(BodyTypes, SpringsArrive) {
  const auto options = body_of(springs + "}, mass: {per_node: 2}, pairs: [[3, 1], [1, 2]]");
  EXPECT_EQ(options.mesh.kind, mesh::BodyKind::springs);
  EXPECT_TRUE(std::get<mesh::GridMesh>(options.mesh.source.shape).both_diagonals);
  EXPECT_EQ(options.material.stiffness, 5.0);
  EXPECT_FALSE(options.mesh.needs_volumes);
  EXPECT_EQ(options.mesh.pairs, (std::vector<std::array<GlobalIndex, 2>>{{3, 1}, {1, 2}}));
  const auto dense = body_of(springs + ", density: 900}, thickness: 0.5, mass: lumped");
  EXPECT_TRUE(dense.mesh.needs_volumes);
  EXPECT_EQ(dense.mesh.thickness, 0.5);
  EXPECT_EQ(dense.material.density, 900.0);
}

TEST(BodyTypes, WhatDoesNotGoTogether) {
  const struct {
    std::string keys;
    std::vector<std::string> parts;
  } table[] = {
      {grid + "}}, " + rubber + "}", {"bodies[0].mesh.grid", "type: solid", "volume"}},
      {"type: shell, " + grid + "}}, " + rubber + "}", {"bodies[0].thickness", "missing"}},
      {"thickness: 1, mesh: {file: a.msh}, " + rubber + "}", {"bodies[0].thickness", "type: shell or springs"}},
      {shell + ", model: stable_neo_hookean}",
       {"bodies[0].material.model", "neo_hookean, st_venant_kirchhoff or arap"}},
      {"mesh: {file: a.msh}, material: {model: mass_spring, density: 1, stiffness: 1}",
       {"bodies[0].material.model", "type: solid"}},
      {"type: shell, thickness: 1, " + grid + ", diagonals: both}}, " + rubber + "}", {"diagonals", "overlap"}},
      {"type: shell, thickness: 1, mesh: {file: a.msh, order: 2}, " + rubber + "}", {"mesh.order", "order: 1"}},
      {"type: springs, " + grid + "}}, " + rubber + "}", {"bodies[0].material.model", "mass_spring"}},
      {springs + "}", {"bodies[0].material.density", "per_node"}},
      {springs + ", density: 1}, pairs: [[0, 1]]", {"bodies[0].pairs", "per_node"}},
      {springs + "}, mass: {per_node: 1}, pairs: [[0, 1], [2]]", {"bodies[0].pairs[1]", "1 numbers", "two nodes"}},
      {springs + "}, mass: {per_node: 1}, pairs: [[0, 0]]", {"bodies[0].pairs[0][1]", "twice"}},
      {springs + "}, mass: {per_node: 1}, pairs: []", {"bodies[0].pairs", "an empty list"}},
      {shell + "}, pairs: [[0, 1]]", {"bodies[0].pairs", "type: springs"}},
      {"type: springs, " + grid + "}}, mass: {per_node: 1}, material: {model: mass_spring, lame_mu: 1, lame_lambda: 1}",
       {"bodies[0].material.lame_mu", "stiffness"}},
      {"mesh: {file: a.msh}, material: {density: 1, stiffness: 1}", {"bodies[0].material.stiffness", "mass_spring"}},
      {"mesh: {file: a.msh}, material: {lame_mu: 1, lame_lambda: 1}", {"bodies[0].material.density", "missing"}},
      {"type: shell, thickness: 1, mesh: {grid: {min: [0, 0, 0], max: [1, 0, 0], columns: 1, rows: 1}}, " + rubber +
           "}",
       {"bodies[0].mesh.grid.max", "x and y above"}},
      {"type: shell, thickness: 1, mesh: {grid: {min: [0, 0, 0], max: [1, 1, 1], columns: 1, rows: 1}}, " + rubber +
           "}",
       {"bodies[0].mesh.grid.max", "the same z"}},
  };
  for (const auto& row : table) {
    const auto text = error_of(body(row.keys));
    for (const auto& part : row.parts)
      EXPECT_EQ(count(text, part) > 0, true) << row.keys << "\n" << part << "\n" << text;
    EXPECT_EQ(count(text, "expected"), 1U) << row.keys << "\n" << text;
  }
}

} // namespace
} // namespace limber::config::testing
