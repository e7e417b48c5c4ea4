#include "solvers/mass_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/collective.hpp"
#include "base/error.hpp"

namespace limber::solvers {
namespace {

double dot(MPI_Comm comm, const std::vector<double>& a, const std::vector<double>& b, std::size_t owned) {
  double sum = 0.0;
  for (std::size_t i = 0; i < owned; ++i) sum += a[i] * b[i];
  return base::global_sum(comm, sum);
}

} // namespace

int MassSolver::solve(const std::vector<double>& f, const std::vector<std::uint8_t>& held,
                      std::vector<double>& a) const {
  constexpr double tolerance = 1e-13;
  constexpr int max_iterations = 500;
  const auto owned = 3 * std::size_t(mesh_.owned_nodes);
  const auto& diagonal = mass_.diagonal();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!held[i]) a[i] = mass_.is_diagonal() && i < owned ? f[i] / diagonal[i / 3] : 0.0;
  if (mass_.is_diagonal()) {
    mesh_.update_ghosts(a);
    return 0;
  }

  std::vector<double> r, z(owned), p(a.size(), 0.0), mp;
  mass_.multiply(a, r); // only held components are not zero yet
  for (std::size_t i = 0; i < owned; ++i) r[i] = held[i] ? 0.0 : f[i] - r[i];
  const auto precondition = [&] {
    for (std::size_t i = 0; i < owned; ++i) z[i] = r[i] / diagonal[i / 3];
  };
  precondition();
  const double first = std::sqrt(dot(mesh_.comm, r, r, owned));
  if (!std::isfinite(first)) { // neither are the accelerations
    std::fill(a.begin(), a.end(), std::numeric_limits<double>::quiet_NaN());
    return 0;
  }
  double rz = dot(mesh_.comm, r, z, owned);
  for (std::size_t i = 0; i < owned; ++i) p[i] = z[i];
  int iteration = 0;
  for (double norm = first; norm > tolerance * first; ++iteration) {
    if (iteration == max_iterations) throw base::InternalError("the mass matrix could not be solved with");
    mesh_.update_ghosts(p);
    mass_.multiply(p, mp);
    for (std::size_t i = 0; i < owned; ++i)
      if (held[i]) mp[i] = 0.0;
    const double alpha = rz / dot(mesh_.comm, p, mp, owned);
    for (std::size_t i = 0; i < owned; ++i) {
      a[i] += alpha * p[i];
      r[i] -= alpha * mp[i];
    }
    precondition();
    norm = std::sqrt(dot(mesh_.comm, r, r, owned));
    const double next = dot(mesh_.comm, r, z, owned);
    for (std::size_t i = 0; i < owned; ++i) p[i] = z[i] + next / rz * p[i];
    rz = next;
  }
  mesh_.update_ghosts(a);
  return iteration;
}

} // namespace limber::solvers
