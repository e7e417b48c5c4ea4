#pragma once
/// A scene of three bodies with different materials and masses, assembled in parallel and by the reference.

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

#include "support/reference_potential.hpp"

namespace limber::test {

inline materials::MaterialOptions neo_hookean(double density, double youngs_modulus, double poissons_ratio) {
  return {.model = "neo_hookean",
          .density = density,
          .lame_mu = materials::lame_mu(youngs_modulus, poissons_ratio),
          .lame_lambda = materials::lame_lambda(youngs_modulus, poissons_ratio)};
}

/// 47 + 5 + 6 cells: no multiple of a pack's width, neither in all nor on the ranks.
struct ThreeBodies {
  static constexpr double h = 0.05; ///< [s]
  std::vector<mesh::BodyMesh> bodies{
      make_box({.cubes = {2, 2, 2}, .size = {1.0, 0.8, 0.6}, .leave_out = 1}),
      make_box({.cubes = {1, 1, 1}, .min = {3.0, 0.0, 0.0}, .size = {0.5, 0.5, 0.5}, .leave_out = 1, .id_gap = 2}),
      make_box({.cubes = {1, 1, 1}, .min = {0.0, 5.0, 0.0}, .size = {0.3, 0.4, 0.5}})};
  std::vector<assembly::BodyMass> masses{{1000.0, {dofs::MassKind::consistent, 0.0}},
                                         {700.0, {dofs::MassKind::lumped, 0.0}},
                                         {300.0, {dofs::MassKind::per_node, 2.5}}};
  std::vector<materials::MaterialOptions> materials{neo_hookean(1000.0, 1e5, 0.4), neo_hookean(700.0, 3e5, 0.3),
                                                    neo_hookean(300.0, 2e4, 0.45)};
  Vector3 gravity{0.5, -1.0, -9.81};

  WholeMesh whole = concatenate(bodies);
  mesh::DistributedMesh mesh = distribute(bodies);
  assembly::IncrementalPotential potential{mesh, masses, materials, gravity};
  ReferencePotential reference{whole, masses, materials, gravity};
  std::vector<double> x; ///< by ordinal: deformed, far enough from rest for indefinite Hessians, nothing inverted

  ThreeBodies() {
    const auto noise = random_numbers(whole.points.size(), 7);
    for (std::size_t i = 0; i < whole.points.size(); i += 3) {
      const double *X = whole.points.data() + i, *r = noise.data() + i;
      x.insert(x.end(), {0.7 * X[0] + 0.2 * X[1] * X[1] + 0.02 * r[0], 1.2 * X[1] + 0.1 * X[0] * X[2] + 0.02 * r[1],
                         0.8 * X[2] + 0.3 * X[0] + 0.02 * r[2]});
    }
    start({});
  }

  /// x̂ is x plus noise of the size of a step; `held` and `displacement` by ordinal, empty: nothing.
  void start(const std::vector<double>& displacement, const std::vector<std::uint8_t>& held = {}) {
    const auto noise = random_numbers(whole.points.size(), 8);
    std::vector<double> target(x);
    for (std::size_t i = 0; i < target.size(); ++i) target[i] += 0.1 * noise[i];
    dofs::Constraints constraints;
    constraints.held.assign(3 * std::size_t(mesh.local_nodes), 0);
    constraints.displacement.assign(constraints.held.size(), 0.0);
    for (std::size_t i = 0; i < constraints.held.size() && !held.empty(); ++i) {
      const std::size_t ordinal = 3 * std::size_t(mesh.ordinals[i / 3]) + i % 3;
      constraints.held[i] = held[ordinal];
      if (held[ordinal]) constraints.displacement[i] = displacement[ordinal];
      constraints.any_motion = true;
    }
    reference.target = target;
    reference.scale = h * h;
    potential.start_step(to_local(mesh, target), h * h, constraints);
  }

  std::vector<double> local(const std::vector<double>& by_ordinal) const { return to_local(mesh, by_ordinal); }
  /// ∂E/∂x by ordinal. Collective.
  Eigen::VectorXd gradient(const std::vector<double>& at) {
    std::vector<double> g(3 * std::size_t(mesh.owned_nodes));
    potential.gradient(local(at), g.data());
    const auto all = to_whole(mesh, g);
    return Eigen::Map<const Eigen::VectorXd>(all.data(), Eigen::Index(all.size()));
  }
  /// ∂²E/∂x² by ordinal. Collective.
  Eigen::MatrixXd hessian(const std::vector<double>& at, bool project) {
    potential.assemble_hessian(local(at), project);
    return dense(mesh, potential.matrix());
  }
  /// E(to) − E(from). Collective.
  double difference(const std::vector<double>& from, const std::vector<double>& to) {
    potential.set_base(local(from));
    return potential.difference(local(to)).value;
  }
};

/// x + factor d
inline std::vector<double> moved(std::vector<double> x, double factor, const std::vector<double>& d) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * d[i];
  return x;
}

} // namespace limber::test
