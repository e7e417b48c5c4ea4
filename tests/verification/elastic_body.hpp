#pragma once
/// One body with all that a time step needs, and backward Euler as the program takes it.

#include <string>
#include <utility>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "dofs/state.hpp"
#include "integrators/table.hpp"
#include "solvers/newton_solver.hpp"
#include "support/box_mesh.hpp"

namespace limber::test {

struct BodySettings {
  double density = 1000.0; ///< [kg/m³]
  double mu = 4e4;         ///< [Pa]
  double lambda = 6e4;     ///< [Pa]
  Vector3 gravity{};
  double tolerance = 1e-9; ///< [m/s]
  std::string linear = "cholesky";
};

/// Whether a node of make_box(box) lies on the box's surface. \param n index in the mesh file
inline bool on_surface(const Box& box, GlobalIndex n) {
  for (const int cubes : box.cubes) {
    const GlobalIndex place = n % (cubes + 1);
    if (place == 0 || place == cubes) return true;
    n /= cubes + 1;
  }
  return false;
}

class ElasticBody {
public:
  ElasticBody(const mesh::BodyMesh& body, const BodySettings& settings)
      : mesh(distribute({body})),
        potential(mesh, {{settings.density, {}}},
                  {{.density = settings.density, .lame_mu = settings.mu, .lame_lambda = settings.lambda}},
                  settings.gravity),
        newton(potential, {.tolerance = settings.tolerance, .linear = settings.linear, .petsc_options = {}}) {
    state.positions = mesh.rest_positions;
    state.velocities.assign(state.positions.size(), 0.0);
  }

  dofs::Constraints free_constraints() const {
    return {.held = std::vector<std::uint8_t>(state.positions.size(), 0),
            .displacement = std::vector<double>(state.positions.size(), 0.0)};
  }

  /// One step of backward Euler without held nodes; on failure the state is as before.
  solvers::StepOutcome advance(double h) {
    potential.start_step(integrators::backward_euler_target(state.positions, state.velocities, h),
                         integrators::backward_euler_scale(h), free_constraints());
    std::vector<double> positions_t1 = state.positions;
    const auto outcome = newton.solve(positions_t1, h);
    if (!outcome.converged) return outcome;
    state.velocities = integrators::backward_euler_velocities(positions_t1, state.positions, h);
    state.positions = std::move(positions_t1);
    state.time += h;
    state.step += 1;
    return outcome;
  }

  mesh::DistributedMesh mesh;
  assembly::IncrementalPotential potential;
  solvers::NewtonSolver newton;
  dofs::State state;
};

} // namespace limber::test
