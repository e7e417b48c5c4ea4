#pragma once
/// The fastest vibration, which limits the step of explicit integrators.

#include <cstdint>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "solvers/mass_solver.hpp"

namespace limber::solvers {

/// √λ [rad/s], λ the largest eigenvalue of M⁻¹K in the free components, K the positive semi-definite stiffness at x, by
/// power iteration until λ grows by less than 1e-3: an estimate from below, by some percent. The values of the
/// potential's matrix and its step are lost. The same for any number of ranks, to round-off. Collective.
/// \param x 3 per local node, ghosts valid [m]
double highest_frequency(assembly::IncrementalPotential& potential, const MassSolver& mass,
                         const std::vector<double>& x, const dofs::Constraints& constraints);

} // namespace limber::solvers
