#pragma once
/// A good configuration that the tests change in one place each.

#include <gtest/gtest.h>
#include <string>

#include "base/error.hpp"
#include "config/load.hpp"

namespace limber::config::testing {

inline const std::string sample = R"(simulation:
  name: bar
  duration: 2.0
  time_step: 0.01
  gravity: [0, 0, -9.81]
bodies:
  - name: bar
    mesh: {box: {min: [0, 0, 0], max: [4, 1, 1], element_size: 0.25}}
    material: {density: 1000, youngs_modulus: 1e5, poissons_ratio: 0.4}
  - name: ball
    mesh: {file: ../meshes/ball.geo, element_size: 0.1, order: 1}
    transform: {scale: 0.001, rotate: {axis: [0, 1, 0], degrees: 30}, translate: [0, 0, 2]}
    material: {model: neo_hookean, density: 900, lame_mu: 2e4, lame_lambda: 3e4}
    mass: {per_node: 40.0}
    initial: {velocity: [0, 0, -1], angular_velocity: [1, 0, 0], stretch: [1, 1, 1.5], about: [0, 0, 2]}
boundary_conditions:
  - {name: clamp, body: bar, where: {group: left}, type: fixed, components: [z, x]}
  - {name: pull, body: bar, where: {box: {min: [3.9, 0, 0], max: [4.1, 1, 1]}}, type: prescribed, velocity: [0, 0, 0.1], from: 0.5, until: 1.0}
  - {name: hold, body: ball, where: all, type: fixed, until: 0.5}
solver:
  tolerance: 1e-4
output:
  every: 2
)";

/// The sample with `from` (which it must contain) replaced by `to`.
inline std::string changed(const std::string& from, const std::string& to) {
  auto text = sample;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the sample does not contain: " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// The text of the error; empty where the configuration is accepted.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    load_scene(text, "dir/scene.yaml", overrides);
  } catch (const base::UserError& e) {
    return e.what();
  }
  return {};
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

} // namespace limber::config::testing
