#pragma once
/// One body with all that a time step needs, and backward Euler as the program takes it.

#include <cmath>
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
  std::string model = "neo_hookean";
  double density = 1000.0; ///< [kg/m³]
  double mu = 4e4;         ///< [Pa]
  double lambda = 6e4;     ///< [Pa]; models with other moduli get such that are linear elasticity with μ (and λ)
  Vector3 gravity{};
  double tolerance = 1e-9; ///< [m/s]
  std::string linear = "cholesky";
};

/// Whether a rest position lies on the surface of a box; nodes of make_box do so to round-off, edge nodes of its
/// quadratic() too.
inline bool on_surface(const Box& box, const double* X) {
  for (std::size_t k = 0; k < 3; ++k)
    for (const double side : {box.min[k], box.min[k] + box.size[k]})
      if (std::abs(X[k] - side) < 1e-12 * box.size[k]) return true;
  return false;
}

class ElasticBody {
public:
  ElasticBody(const mesh::BodyMesh& body, const BodySettings& settings)
      : mesh(distribute({body})), gravity(settings.gravity),
        potential(mesh, {{settings.density, {}}},
                  {{.model = settings.model,
                    .density = settings.density,
                    .lame_mu = settings.mu,
                    .lame_lambda = settings.lambda,
                    .kappa = settings.mu,
                    .c10 = 0.3 * settings.mu,
                    .c01 = 0.2 * settings.mu,
                    .bulk_modulus = settings.lambda + 2.0 / 3.0 * settings.mu}}),
        newton(potential, {.tolerance = settings.tolerance, .linear = settings.linear, .petsc_options = {}}) {
    state.positions = mesh.rest_positions;
    state.velocities.assign(state.positions.size(), 0.0);
  }

  dofs::Constraints free_constraints() const {
    return {.held = std::vector<std::uint8_t>(state.positions.size(), 0),
            .displacement = std::vector<double>(state.positions.size(), 0.0),
            .holder = std::vector<std::int32_t>(state.positions.size(), -1)};
  }

  /// One step of backward Euler without held nodes; on failure the state is as before.
  solvers::StepOutcome advance(double h) {
    potential.refresh_lag(state.positions);
    potential.start_step({.target = integrator.target(state.positions, state.velocities, h),
                          .scale = integrator.scale(h),
                          .gravity = gravity,
                          .loads = {},
                          .constraints = free_constraints()});
    std::vector<double> positions_t1 = state.positions;
    const auto outcome = newton.solve(positions_t1, h);
    if (!outcome.converged) return outcome;
    state.velocities = integrator.velocities(positions_t1, state.positions, h);
    state.positions = std::move(positions_t1);
    state.time += h;
    state.step += 1;
    return outcome;
  }

  /// Energies and momenta of the present state. Collective.
  assembly::Conserved conserved() const { return potential.conserved(state, gravity); }

  mesh::DistributedMesh mesh;
  Vector3 gravity;
  integrators::Integrator integrator{"backward_euler"};
  assembly::IncrementalPotential potential;
  solvers::NewtonSolver newton;
  dofs::State state;
};

} // namespace limber::test
