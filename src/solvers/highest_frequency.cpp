#include "solvers/highest_frequency.hpp"

#include <algorithm>
#include <cmath>

#include "base/collective.hpp"

namespace limber::solvers {
namespace {

/// In [−1, 1), from a node's id and a component: the same start for any partition. Knuth, The Art of Computer
/// Programming 3, 6.4 (multiplicative hashing).
double start_value(GlobalIndex node_id, std::size_t component) {
  std::uint64_t bits = (3 * static_cast<std::uint64_t>(node_id) + component + 1) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  bits *= 0xbf58476d1ce4e5b9u;
  return double(bits >> 11) * 0x1.0p-52 - 1.0;
}

} // namespace

double highest_frequency(assembly::IncrementalPotential& potential, const MassSolver& mass,
                         const std::vector<double>& x, const dofs::Constraints& constraints) {
  constexpr int max_iterations = 200;
  constexpr double growth = 1e-3;
  const auto& mesh = potential.mesh();
  const auto owned = 3 * std::size_t(mesh.owned_nodes);
  const auto& held = constraints.held;
  potential.start_step({.inertia = false, .target = {}, .gravity = {}, .loads = {}, .constraints = constraints});
  potential.assemble_hessian(x, true);

  base::VecHandle u_vec, k_vec;
  LIMBER_PETSC(MatCreateVecs(potential.matrix(), u_vec.out(), k_vec.out()));
  std::vector<double> u(x.size(), 0.0), ku(owned), mu;
  for (std::size_t i = 0; i < owned; ++i) u[i] = held[i] ? 0.0 : start_value(mesh.node_ids[i / 3], i % 3);

  double lambda = 0.0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    mesh.update_ghosts(u);
    PetscScalar* values = nullptr;
    LIMBER_PETSC(VecGetArrayWrite(u_vec, &values));
    std::copy_n(u.data(), owned, values);
    LIMBER_PETSC(VecRestoreArrayWrite(u_vec, &values));
    LIMBER_PETSC(MatMult(potential.matrix(), u_vec, k_vec));
    const PetscScalar* results = nullptr;
    LIMBER_PETSC(VecGetArrayRead(k_vec, &results));
    std::copy_n(results, owned, ku.data());
    LIMBER_PETSC(VecRestoreArrayRead(k_vec, &results));
    potential.mass().multiply(u, mu);
    std::vector<double> products(2, 0.0); // uᵀ K u, uᵀ M u
    for (std::size_t i = 0; i < owned; ++i) {
      products[0] += u[i] * ku[i];
      products[1] += u[i] * mu[i];
    }
    base::global_sum(mesh.comm, products);
    if (!(products[1] > 0.0)) return 0.0; // nothing is free, or nothing is stiff
    const double before = lambda;
    lambda = products[0] / products[1];
    if (lambda <= 0.0) return 0.0;
    if (iteration > 3 && std::abs(lambda - before) <= growth * lambda) break;

    std::fill(u.begin(), u.end(), 0.0);
    mass.solve(ku, held, u);
    for (double& value : u) value /= lambda; // keeps the size
  }
  return std::sqrt(lambda);
}

} // namespace limber::solvers
