#include <gtest/gtest.h>

#include "dofs/initial.hpp"
#include "dofs_test_support.hpp"

namespace limber::dofs {
namespace {

TEST(InitialState, RestsWithoutOptions) {
  const test::TwoBoxes scene;
  const auto state = initial_state(scene.mesh, std::vector<InitialOptions>(2));
  EXPECT_EQ(state.positions, scene.mesh.rest_positions);
  EXPECT_EQ(state.velocities, std::vector<double>(state.positions.size(), 0.0));
  EXPECT_EQ(state.step, 0);
  EXPECT_EQ(state.time, 0.0);
}

TEST(InitialState, StretchesThenSpins) {
  const test::TwoBoxes scene;
  const InitialOptions spin{{1.0, -2.0, 0.5}, {0.3, 0.7, -1.1}, {2.0, 0.5, 1.0}, {0.2, -0.4, 0.6}};
  const auto state = initial_state(scene.mesh, {InitialOptions{}, spin});
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n) {
    const double* X = scene.mesh.rest_positions.data() + 3 * n;
    Vector3 x{X[0], X[1], X[2]}, v{};
    if (scene.mesh.node_bodies[n] == 1) {
      x = {0.2 + 2.0 * (X[0] - 0.2), -0.4 + 0.5 * (X[1] + 0.4), 0.6 + 1.0 * (X[2] - 0.6)};
      const Vector3 r{x[0] - 0.2, x[1] + 0.4, x[2] - 0.6}; // the spin acts on x, not on X
      v = {1.0 + 0.7 * r[2] + 1.1 * r[1], -2.0 - 1.1 * r[0] - 0.3 * r[2], 0.5 + 0.3 * r[1] - 0.7 * r[0]};
    }
    for (std::size_t k = 0; k < 3; ++k) { // a handful of roundings of numbers of size one
      EXPECT_NEAR(state.positions[3 * n + k], x[k], 1e-14);
      EXPECT_NEAR(state.velocities[3 * n + k], v[k], 1e-14);
    }
  }
}

TEST(InitialState, KeepsTheBitsOfUnstretchedAxes) {
  const test::TwoBoxes scene;
  InitialOptions stretched;
  stretched.stretch = {1.0, 3.0, 1.0};
  stretched.about = {0.1, 0.2, 0.3};
  const auto state = initial_state(scene.mesh, {stretched, stretched});
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
    for (std::size_t k : {0u, 2u}) EXPECT_EQ(state.positions[3 * n + k], scene.mesh.rest_positions[3 * n + k]);
}

} // namespace
} // namespace limber::dofs
