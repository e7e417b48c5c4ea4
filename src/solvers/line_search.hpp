#pragma once
/// Filtered line search: the step is first cut to what no term forbids (inversion), then halved until E falls enough.

#include <string>
#include <vector>

#include "assembly/incremental_potential.hpp"

namespace limber::solvers {

struct LineSearchResult {
  bool accepted = false;
  double alpha = 0.0;
  int evaluations = 0; ///< of the energy
  std::string reason;  ///< why nothing was accepted
};

/// Finds α such that E(x + αp) ≤ E(x) + c₁ α gᵀp (Armijo, c₁ = 1e-4), on energy differences added cell by cell. Where
/// the difference is below its round-off, the directional derivative decides instead (approximate Wolfe condition,
/// Hager and Zhang 2005, eq. 4.1). Collective. \param x,p 3 per local node, ghosts valid \param slope gᵀp over all
/// ranks, negative \param x_new,gradient at the accepted point: positions (3 per local node), gradient (3 per owned
/// node)
LineSearchResult filtered_line_search(assembly::IncrementalPotential& potential, const std::vector<double>& x,
                                      const std::vector<double>& p, double slope, std::vector<double>& x_new,
                                      std::vector<double>& gradient);

} // namespace limber::solvers
