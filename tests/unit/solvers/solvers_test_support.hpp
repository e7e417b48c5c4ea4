#pragma once
/// A bar under its own inertia, and vectors by ordinal.

#include <gtest/gtest.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "assembly/incremental_potential.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/solver_options.hpp"
#include "support/box_mesh.hpp"

namespace limber::test {

/// A soft bar of 1 × 0.5 × 0.5 m, jittered inside, in one step of 0.05 s from rest positions at rest.
struct Bar {
  static constexpr double h = 0.05; ///< [s]
  std::vector<mesh::BodyMesh> bodies;
  WholeMesh whole;
  mesh::DistributedMesh mesh;
  assembly::IncrementalPotential potential;

  explicit Bar(std::array<int, 3> cubes = {4, 2, 2}, double youngs_modulus = 1e5)
      : bodies{make_box({.cubes = cubes, .size = {1.0, 0.5, 0.5}})}, whole(concatenate(bodies)),
        mesh(distribute(bodies)), potential(mesh, {{1000.0, {dofs::MassKind::consistent, 0.0}}},
                                            {{.model = "neo_hookean",
                                              .density = 1000.0,
                                              .lame_mu = materials::lame_mu(youngs_modulus, 0.4),
                                              .lame_lambda = materials::lame_lambda(youngs_modulus, 0.4)}}) {
    solvers::insert_default_options(MPI_COMM_WORLD);
    spdlog::set_level(spdlog::level::off); // fallbacks are provoked on purpose
    start(whole.points);
  }

  /// x̂ by ordinal; nodes of the group are held and move by `displacement`.
  void start(const std::vector<double>& target, const std::string& held_group = "", const Vector3& displacement = {}) {
    potential.start_step({.target = local(target),
                          .scale = h * h,
                          .gravity = {0.0, 0.0, -9.81},
                          .loads = {},
                          .constraints = constraints(held_group, displacement)});
  }
  /// Statics: clamped at xmin, under its weight times `factor` and pulled at xmax with `force` [N] in all.
  void start_static(double factor, const Vector3& force, const Vector3& displacement = {}) {
    std::vector<double> loads(3 * std::size_t(mesh.local_nodes), 0.0);
    const double nodes = double(bodies[0].groups[1].nodes.size());
    for (LocalIndex n = 0; n < mesh.local_nodes; ++n)
      for (auto g : mesh.groups_of(n))
        for (std::size_t k = 0; k < 3 && mesh.groups[std::size_t(g)].name == "xmax"; ++k)
          loads[3 * std::size_t(n) + k] = force[k] / nodes;
    potential.start_step({.inertia = false,
                          .target = {},
                          .scale = 1.0,
                          .gravity = {0.0, 0.0, -9.81 * factor},
                          .loads = std::move(loads),
                          .constraints = constraints("xmin", displacement)});
  }
  dofs::Constraints constraints(const std::string& held_group, const Vector3& displacement) const {
    dofs::Constraints constraints;
    constraints.held.assign(3 * std::size_t(mesh.local_nodes), 0);
    constraints.displacement.assign(constraints.held.size(), 0.0);
    for (LocalIndex n = 0; n < mesh.local_nodes; ++n)
      for (auto g : mesh.groups_of(n))
        for (std::size_t k = 0; k < 3 && mesh.groups[std::size_t(g)].name == held_group; ++k) {
          constraints.held[3 * std::size_t(n) + k] = 1;
          constraints.displacement[3 * std::size_t(n) + k] = displacement[k];
        }
    constraints.any_motion = displacement != Vector3{};
    return constraints;
  }
  std::vector<double> local(const std::vector<double>& by_ordinal) const { return to_local(mesh, by_ordinal); }
  /// Every point multiplied by one factor an axis, by ordinal.
  std::vector<double> stretched(const Vector3& factors) const {
    auto x = whole.points;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= factors[i % 3];
    return x;
  }
  /// ‖∂E/∂x‖∞ at local positions. Collective.
  double gradient_norm(const std::vector<double>& x) {
    std::vector<double> g(3 * std::size_t(mesh.owned_nodes));
    potential.gradient(x, g.data());
    double norm = 0.0;
    for (double value : g) norm = std::max(norm, std::abs(value));
    return base::global_max(MPI_COMM_WORLD, norm);
  }
};

inline solvers::SolverOptions newton_options(double tolerance, const std::string& linear, int max_iterations = 100) {
  solvers::SolverOptions options;
  options.tolerance = tolerance;
  options.linear = linear;
  options.max_iterations = max_iterations;
  return options;
}

/// A vector that fits the matrix, owned values from those by ordinal.
inline base::VecHandle make_vector(const mesh::DistributedMesh& mesh, Mat matrix,
                                   const std::vector<double>& by_ordinal) {
  base::VecHandle v;
  LIMBER_PETSC(MatCreateVecs(matrix, v.out(), nullptr));
  const auto local = to_local(mesh, by_ordinal);
  PetscScalar* values = nullptr;
  LIMBER_PETSC(VecGetArray(v, &values));
  std::copy_n(local.data(), 3 * std::size_t(mesh.owned_nodes), values);
  LIMBER_PETSC(VecRestoreArray(v, &values));
  return v;
}

/// This rank's entries.
inline std::vector<double> entries(Vec v) {
  PetscInt n = 0;
  const PetscScalar* values = nullptr;
  LIMBER_PETSC(VecGetLocalSize(v, &n));
  LIMBER_PETSC(VecGetArrayRead(v, &values));
  std::vector<double> result(values, values + n);
  LIMBER_PETSC(VecRestoreArrayRead(v, &values));
  return result;
}

/// ‖b − A x‖ / ‖b‖
inline double relative_residual(Mat matrix, Vec x, Vec b) {
  base::VecHandle r;
  LIMBER_PETSC(VecDuplicate(b, r.out()));
  LIMBER_PETSC(MatMult(matrix, x, r));
  LIMBER_PETSC(VecAYPX(r, -1.0, b));
  PetscReal norm = 0.0, size = 0.0;
  LIMBER_PETSC(VecNorm(r, NORM_2, &norm));
  LIMBER_PETSC(VecNorm(b, NORM_2, &size));
  return norm / size;
}

} // namespace limber::test
