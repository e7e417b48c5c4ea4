#pragma once
/// One body with all that a time step needs, and steps as the program takes them.

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "dofs/state.hpp"
#include "integrators/table.hpp"
#include "solvers/newton_solver.hpp"
#include "solvers/time_stepper.hpp"
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
  std::string integrator = "backward_euler";
  dofs::MassOptions mass{};
  dofs::DampingOptions damping{};
  std::vector<dofs::ConditionOptions> conditions{};         ///< the body is called body0
  std::function<Vector3(double time)> gravity_at_time = {}; ///< [m/s²], instead of gravity
  double duration = 1.0;                                    ///< [s], for forward Euler
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
      : mesh(distribute({body})), gravity(settings.gravity), integrator(settings.integrator),
        potential(mesh, {{settings.density, settings.mass, settings.damping}},
                  {{.model = settings.model,
                    .density = settings.density,
                    .lame_mu = settings.mu,
                    .lame_lambda = settings.lambda,
                    .kappa = settings.mu,
                    .c10 = 0.3 * settings.mu,
                    .c01 = 0.2 * settings.mu,
                    .bulk_modulus = settings.lambda + 2.0 / 3.0 * settings.mu}}),
        newton(potential, {.tolerance = settings.tolerance, .linear = settings.linear, .petsc_options = {}}),
        conditions(mesh, settings.conditions, {}), loads(mesh, settings.conditions, {}),
        stepper({.integrator = integrator,
                 .potential = potential,
                 .newton = newton,
                 .conditions = conditions,
                 .loads = loads,
                 .gravity = [this, by_time = settings.gravity_at_time](
                                double time) { return by_time ? by_time(time) : gravity; },
                 .duration = settings.duration}) {
    state.positions = mesh.rest_positions;
    state.velocities.assign(state.positions.size(), 0.0);
  }

  dofs::Constraints free_constraints() const {
    return {.held = std::vector<std::uint8_t>(state.positions.size(), 0),
            .displacement = std::vector<double>(state.positions.size(), 0.0),
            .holder = std::vector<std::int32_t>(state.positions.size(), -1)};
  }

  /// One step; on failure the state is as before.
  solvers::StepOutcome advance(double h) {
    const auto outcome = stepper.advance(state, h);
    if (!outcome.converged) return outcome;
    state.time += h;
    state.step += 1;
    return outcome;
  }

  /// Energies and momenta of the present state. Collective.
  assembly::Conserved conserved() const { return potential.conserved(state, gravity); }
  /// kinetic + elastic + gravity + dissipated − works [J]. Collective. \param g gravity at the state's time
  double energy_balance(const Vector3& g) const {
    const auto c = potential.conserved(state, g);
    const auto& ledger = state.ledger;
    return c.kinetic + c.elastic + c.gravity + ledger.dissipated - ledger.load_work - ledger.boundary_work;
  }

  mesh::DistributedMesh mesh;
  Vector3 gravity;
  integrators::Integrator integrator;
  assembly::IncrementalPotential potential;
  solvers::NewtonSolver newton;
  dofs::Conditions conditions;
  assembly::Loads loads;
  solvers::TimeStepper stepper;
  dofs::State state;
};

} // namespace limber::test
