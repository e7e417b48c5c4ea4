#include "solvers/line_search.hpp"

#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "base/collective.hpp"

namespace limber::solvers {
namespace {

constexpr double armijo = 1e-4;
constexpr int max_halvings = 60;
/// Energies of cells carry a few units of round-off each; their errors add up like a random walk, at most linearly.
constexpr double round_off = 8.0 * std::numeric_limits<double>::epsilon();

double directional_derivative(MPI_Comm comm, const std::vector<double>& gradient, const std::vector<double>& p) {
  double sum = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) sum += gradient[i] * p[i];
  return base::global_sum(comm, sum);
}

} // namespace

LineSearchResult filtered_line_search(assembly::IncrementalPotential& potential, const std::vector<double>& x,
                                      const std::vector<double>& p, double slope, std::vector<double>& x_new,
                                      std::vector<double>& gradient) {
  const auto& mesh = potential.mesh();
  LineSearchResult result;
  gradient.resize(3 * std::size_t(mesh.owned_nodes));
  potential.set_base(x);
  const double bound = potential.max_step_size(x, p);
  double alpha = bound;
  for (int halving = 0; halving <= max_halvings && alpha > 0.0; ++halving, alpha *= 0.5) {
    x_new.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x_new[i] = x[i] + alpha * p[i];
    const auto difference = potential.difference(x_new);
    ++result.evaluations;
    if (!std::isfinite(difference.value)) continue;
    const bool decreases = difference.value <= armijo * alpha * slope;
    const bool in_round_off = std::abs(difference.value) <= round_off * difference.magnitude;
    if (!decreases && !in_round_off) continue;
    potential.gradient(x_new, gradient.data());
    // Within round-off a decrease is as likely as not, whatever the step: it says nothing.
    if (!in_round_off || directional_derivative(mesh.comm, gradient, p) <= (2.0 * armijo - 1.0) * slope) {
      result.accepted = true;
      result.alpha = alpha;
      return result;
    }
  }
  result.reason = bound <= 0.0 ? "an element cannot move along the step without inverting"
                               : fmt::format("no decrease of the energy along the step (slope {:.3e}, first length "
                                             "{:.3g}, {} halvings)",
                                             slope, bound, max_halvings);
  return result;
}

} // namespace limber::solvers
