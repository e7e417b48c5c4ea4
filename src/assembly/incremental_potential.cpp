#include "assembly/incremental_potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "base/collective.hpp"
#include "base/petsc.hpp"

namespace limber::assembly {

namespace {

std::vector<double> densities(const std::vector<materials::MaterialOptions>& materials,
                              const std::vector<std::int32_t>& cells) {
  std::vector<double> result;
  for (const auto material : cells) result.push_back(materials[std::size_t(material)].density);
  return result;
}

} // namespace

IncrementalPotential::IncrementalPotential(const mesh::DistributedMesh& mesh, const std::vector<BodyMass>& masses,
                                           const std::vector<materials::MaterialOptions>& materials,
                                           const std::vector<std::int32_t>& cells)
    : mesh_(mesh), sparsity_(nodal_sparsity(mesh)), matrix_(mesh, sparsity_),
      mass_(mesh, sparsity_, masses, densities(materials, cells)),
      elastic_(mesh, sparsity_, matrix_, materials, cells.empty() ? mesh.cell_bodies : cells),
      damping_(mesh, sparsity_, mass_, masses), lagged_(base::global_or(mesh.comm, elastic_.lagged())) {
  refresh_lag(mesh.rest_positions);
}

void IncrementalPotential::refresh_lag(const std::vector<double>& x) {
  if (!lagged_) return;
  lag_positions_ = x;
  elastic_.refresh_lag(x);
}

void IncrementalPotential::start_step(StepProblem problem) { step_ = std::move(problem); }

void IncrementalPotential::scale_held_displacement(double factor) {
  for (double& u : step_.constraints.displacement) u *= factor;
}

double IncrementalPotential::dead_force(std::size_t i) const {
  return mass_.row_sums()[i / 3] * step_.gravity[i % 3] + (step_.loads.empty() ? 0.0 : step_.loads[i]);
}

void IncrementalPotential::set_base(const std::vector<double>& x) {
  base_ = x;
  elastic_.set_base(x);
}

EnergyDifference IncrementalPotential::difference(const std::vector<double>& x) const {
  LocalDifference sum;
  elastic_.add_difference(x, step_.scale, sum);

  const auto& mass = mass_.row_sums();
  const auto owned = 3 * mass.size();
  if (has_inertia()) {
    // (x − x₀)ᵀ M ((x + x₀)/2 − x̂), row by row.
    offset_.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) offset_[i] = 0.5 * (x[i] + base_[i]) - step_.target[i];
    mass_.multiply(offset_, product_);
    for (std::size_t i = 0; i < owned; ++i) {
      const double step = x[i] - base_[i], term = step * product_[i];
      sum.add(term, std::abs(term) + std::abs(step * x[i] * mass[i / 3])); // the offset rounds like positions
    }
  }
  if (is_damped()) {
    // βh²/ĥ (x − x₀)ᵀ C ((x + x₀)/2 − x_v)
    const double factor = step_.scale / step_.velocity_time;
    for (std::size_t i = 0; i < x.size(); ++i) offset_[i] = 0.5 * (x[i] + base_[i]) - step_.velocity_origin[i];
    damping_.multiply(offset_, product_);
    for (std::size_t i = 0; i < owned; ++i) {
      const double step = x[i] - base_[i], term = factor * step * product_[i];
      sum.add(term, std::abs(term) + factor * std::abs(step * x[i]) * damping_.row_norm(i));
    }
  }
  // Gravity and loads: −βh² Σ (m g + f)·(x − x₀).
  for (std::size_t i = 0; i < owned; ++i) {
    const double term = -step_.scale * dead_force(i) * (x[i] - base_[i]);
    sum.add(term, std::abs(term));
  }
  std::vector<double> totals{sum.value.value(), sum.magnitude.value()};
  base::global_sum(mesh_.comm, totals);
  return {totals[0], totals[1]};
}

void IncrementalPotential::full_gradient(const std::vector<double>& x, double* g) {
  const auto owned = 3 * std::size_t(mesh_.owned_nodes);
  if (has_inertia()) {
    offset_.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) offset_[i] = x[i] - step_.target[i];
    mass_.multiply(offset_, product_);
  } else {
    product_.assign(owned, 0.0);
  }
  std::vector<double> damping;
  if (is_damped()) {
    for (std::size_t i = 0; i < x.size(); ++i) offset_[i] = x[i] - step_.velocity_origin[i];
    damping_.multiply(offset_, damping);
    for (std::size_t i = 0; i < owned; ++i) product_[i] += step_.scale / step_.velocity_time * damping[i];
  }
  gradient_.assign(x.size(), 0.0);
  elastic_.add_gradient(x, step_.scale, gradient_);
  for (std::size_t i = 0; i < owned; ++i) g[i] = product_[i] + gradient_[i] - step_.scale * dead_force(i);
}

void IncrementalPotential::gradient(const std::vector<double>& x, double* g) {
  const base::LogEvent event("Gradient");
  full_gradient(x, g);
  held_forces2_ = 0.0;
  for (std::size_t i = 0; i < 3 * std::size_t(mesh_.owned_nodes); ++i)
    if (step_.constraints.held[i]) {
      held_forces2_ += g[i] * g[i];
      g[i] = 0.0;
    }
}

std::vector<double> IncrementalPotential::reactions(const std::vector<double>& x) {
  std::vector<double> forces(3 * std::size_t(mesh_.owned_nodes));
  full_gradient(x, forces.data());
  for (std::size_t i = 0; i < forces.size(); ++i) forces[i] = step_.constraints.held[i] ? forces[i] / step_.scale : 0.0;
  return forces;
}

void IncrementalPotential::forces(const std::vector<double>& x, const std::vector<double>& v, std::vector<double>& f) {
  f.assign(3 * std::size_t(mesh_.owned_nodes), 0.0);
  if (damping_.active()) damping_.multiply(v, f);
  gradient_.assign(x.size(), 0.0);
  elastic_.add_gradient(x, 1.0, gradient_);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = dead_force(i) - gradient_[i] - f[i];
}

double IncrementalPotential::damping_power(const std::vector<double>& v) const {
  if (!damping_.active()) return 0.0;
  std::vector<double> force;
  damping_.multiply(v, force);
  double power = 0.0;
  for (std::size_t i = 0; i < force.size(); ++i) power += v[i] * force[i];
  return base::global_sum(mesh_.comm, power);
}

double IncrementalPotential::force_norm() const {
  double sum = held_forces2_ / (step_.scale * step_.scale);
  for (std::size_t i = 0; i < 3 * std::size_t(mesh_.owned_nodes); ++i)
    if (!step_.constraints.held[i]) sum += dead_force(i) * dead_force(i);
  return std::sqrt(base::global_sum(mesh_.comm, sum));
}

void IncrementalPotential::assemble_hessian(const std::vector<double>& x, bool project) {
  const base::LogEvent event("HessianAssembly");
  const auto owned = 3 * std::size_t(mesh_.owned_nodes);
  lifting_.assign(owned, 0.0);
  std::vector<double> diagonal(owned, 0.0);
  auto writer = matrix_.begin();
  const auto& mass = mass_.values();
  const LocalIndex rows_with_mass = has_inertia() ? mesh_.owned_nodes : 0;
  for (LocalIndex row = 0; row < rows_with_mass; ++row)
    for (auto e = sparsity_.offsets[std::size_t(row)]; e < sparsity_.offsets[std::size_t(row) + 1]; ++e) {
      const LocalIndex slot = matrix_.slot(e), column = sparsity_.columns[std::size_t(e)];
      const double m = mass[std::size_t(e)];
      for (int k = 0; k < 3; ++k) {
        const std::size_t r = 3 * std::size_t(row) + std::size_t(k), c = 3 * std::size_t(column) + std::size_t(k);
        if (step_.constraints.held[r]) {
          if (row == column) diagonal[r] += m;
        } else if (step_.constraints.held[c]) {
          lifting_[r] += m * step_.constraints.displacement[c];
        } else {
          writer.add(row, slot, k, k, m);
        }
      }
    }
  elastic_.add_hessian(x, step_.scale, project, step_.constraints, writer, lifting_, diagonal);
  if (is_damped())
    damping_.add_hessian(step_.scale / step_.velocity_time, step_.constraints, matrix_, writer, lifting_, diagonal);
  for (LocalIndex row = 0; row < mesh_.owned_nodes; ++row)
    for (int k = 0; k < 3; ++k) {
      const std::size_t r = 3 * std::size_t(row) + std::size_t(k);
      if (step_.constraints.held[r]) writer.add(row, matrix_.slot(sparsity_.find(mesh_, row, row)), k, k, diagonal[r]);
    }
  matrix_.end(writer);
}

double IncrementalPotential::max_step_size(const std::vector<double>& x, const std::vector<double>& p) const {
  return base::global_min(mesh_.comm, elastic_.max_step_size(x, p, 1.0));
}

CellReport IncrementalPotential::reduce(const CellReport& mine, bool by_jacobian) const {
  // The lowest id among the ranks that have a candidate (with the smallest Jacobian, where that decides).
  double jacobian = mine.cell_id >= 0 ? mine.jacobian : std::numeric_limits<double>::infinity();
  GlobalIndex id = mine.cell_id >= 0 ? mine.cell_id : std::numeric_limits<GlobalIndex>::max();
  if (by_jacobian) {
    if (std::isnan(jacobian)) jacobian = -std::numeric_limits<double>::infinity(); // MPI_MIN does not order NaN
    const double lowest = base::global_min(mesh_.comm, jacobian);
    if (jacobian != lowest) id = std::numeric_limits<GlobalIndex>::max();
    jacobian = std::isinf(lowest) && lowest < 0.0 ? std::numeric_limits<double>::quiet_NaN() : lowest;
  }
  GlobalIndex first = id;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, mesh_.comm);
  if (first == std::numeric_limits<GlobalIndex>::max()) return {};
  if (!by_jacobian) {
    if (id != first) jacobian = -std::numeric_limits<double>::infinity();
    jacobian = std::isnan(jacobian) ? -std::numeric_limits<double>::infinity() : jacobian;
    const double found = base::global_max(mesh_.comm, jacobian);
    jacobian = std::isinf(found) ? std::numeric_limits<double>::quiet_NaN() : found;
  }
  return {first, jacobian};
}

CellReport IncrementalPotential::min_jacobian(const std::vector<double>& x, bool forbidden_only) const {
  return reduce(elastic_.min_jacobian(x, forbidden_only), true);
}

std::string IncrementalPotential::first_node(const std::function<bool(std::size_t)>& bad) const {
  GlobalIndex node = std::numeric_limits<GlobalIndex>::max();
  for (std::size_t i = 0; i < 3 * std::size_t(mesh_.owned_nodes); ++i)
    if (bad(i)) node = std::min(node, mesh_.node_ids[i / 3]);
  MPI_Allreduce(MPI_IN_PLACE, &node, 1, MPI_INT64_T, MPI_MIN, mesh_.comm);
  if (node == std::numeric_limits<GlobalIndex>::max()) return {};
  std::size_t b = 0;
  while (b + 1 < mesh_.bodies.size() && mesh_.bodies[b + 1].first_node_id <= node) ++b;
  return fmt::format("node {} of body {}", node - mesh_.bodies[b].first_node_id, mesh_.bodies[b].name);
}

std::string IncrementalPotential::describe_non_finite(const std::vector<double>& x,
                                                      const std::vector<double>& gradient) const {
  const CellReport bad = reduce(elastic_.find_non_finite(x), false);
  if (bad.cell_id >= 0)
    return fmt::format("the strain energy of {} is not finite (det F = {:g})", cell_name(bad.cell_id), bad.jacobian);
  const auto too_large = [](double a) { return !std::isfinite(a * a); };
  std::string node =
      first_node([&](std::size_t i) { return too_large(x[i]) || (has_inertia() && too_large(step_.target[i])); });
  if (!node.empty()) return fmt::format("the position or velocity of {} is not finite or too large", node);
  node = first_node([&](std::size_t i) { return i < gradient.size() && too_large(gradient[i]); });
  return node.empty() ? node : fmt::format("the force on {} is not finite or too large", node);
}

std::string IncrementalPotential::cell_name(GlobalIndex cell_id) const {
  std::size_t b = 0;
  while (b + 1 < mesh_.bodies.size() && mesh_.bodies[b + 1].first_cell_id <= cell_id) ++b;
  return fmt::format("element {} of body {}", cell_id - mesh_.bodies[b].first_cell_id, mesh_.bodies[b].name);
}

std::vector<double> IncrementalPotential::body_masses() const {
  std::vector<double> masses(mesh_.bodies.size(), 0.0);
  for (std::size_t n = 0; n < std::size_t(mesh_.owned_nodes); ++n)
    masses[std::size_t(mesh_.node_bodies[n])] += mass_.row_sums()[n];
  base::global_sum(mesh_.comm, masses);
  return masses;
}

Conserved IncrementalPotential::conserved(const dofs::State& state, const Vector3& gravity) const {
  mass_.multiply(state.velocities, product_);
  const auto& mass = mass_.row_sums();
  base::CompensatedSum sums[10]; // kinetic, elastic, gravity, momentum, angular momentum, loads
  for (std::size_t n = 0; n < mass.size(); ++n) {
    const double *x = state.positions.data() + 3 * n, *v = state.velocities.data() + 3 * n,
                 *mv = product_.data() + 3 * n;
    for (std::size_t k = 0; k < 3; ++k) {
      sums[0].add(0.5 * v[k] * mv[k]);
      sums[2].add(-mass[n] * gravity[k] * x[k]);
      sums[3 + k].add(mv[k]);
      if (!step_.loads.empty()) sums[9].add(-step_.loads[3 * n + k] * (x[k] - mesh_.rest_positions[3 * n + k]));
      sums[6 + k].add(x[(k + 1) % 3] * mv[(k + 2) % 3] - x[(k + 2) % 3] * mv[(k + 1) % 3]);
    }
  }
  sums[1].add(elastic_.energy(state.positions));
  std::vector<double> totals(10);
  for (std::size_t i = 0; i < 10; ++i) totals[i] = sums[i].value();
  base::global_sum(mesh_.comm, totals);
  const CellReport worst = min_jacobian(state.positions);
  return {.kinetic = totals[0],
          .elastic = totals[1],
          .gravity = totals[2],
          .loads = totals[9],
          .momentum = {totals[3], totals[4], totals[5]},
          .angular_momentum = {totals[6], totals[7], totals[8]},
          .min_jacobian = worst.cell_id < 0 ? std::nullopt : std::optional(worst.jacobian)};
}

std::vector<double> IncrementalPotential::nodal_stress(const std::vector<double>& x) const {
  auto stress = elastic_.nodal_stress(x);
  mesh_.update_ghosts(stress, 6);
  return stress;
}

} // namespace limber::assembly
