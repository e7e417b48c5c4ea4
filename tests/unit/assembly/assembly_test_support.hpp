#pragma once
/// Scenes of several bodies with different elements, materials and masses, assembled in parallel and by the reference.

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

/// \param lame_lambda the first Lamé parameter is less by μ
inline materials::MaterialOptions stable_neo_hookean(double density, double lame_mu, double lame_lambda) {
  return {.model = "stable_neo_hookean", .density = density, .lame_mu = lame_mu, .lame_lambda = lame_lambda};
}

inline std::vector<int> orders_of(const std::vector<mesh::BodyMesh>& bodies) {
  std::vector<int> orders;
  for (const auto& body : bodies) orders.push_back(body.order);
  return orders;
}

struct Scene {
  static constexpr double h = 0.05; ///< [s]
  std::vector<mesh::BodyMesh> bodies;
  std::vector<assembly::BodyMass> masses;
  std::vector<materials::MaterialOptions> materials;
  Vector3 gravity{0.5, -1.0, -9.81};

  WholeMesh whole = concatenate(bodies);
  mesh::DistributedMesh mesh = distribute(bodies);
  assembly::IncrementalPotential potential{mesh, masses, materials};
  ReferencePotential reference{whole, masses, materials, gravity, orders_of(bodies)};
  std::vector<double> x; ///< by ordinal: deformed, far enough from rest for indefinite Hessians, nothing inverted

  /// \param roughness [m] of the deformation
  Scene(std::vector<mesh::BodyMesh> bodies_, std::vector<assembly::BodyMass> masses_,
        std::vector<materials::MaterialOptions> materials_, double roughness)
      : bodies(std::move(bodies_)), masses(std::move(masses_)), materials(std::move(materials_)) {
    const auto noise = random_numbers(whole.points.size(), 7);
    for (std::size_t i = 0; i < whole.points.size(); i += 3) {
      const double *X = whole.points.data() + i, *r = noise.data() + i;
      x.insert(x.end(),
               {0.7 * X[0] + 0.2 * X[1] * X[1] + roughness * r[0], 1.2 * X[1] + 0.1 * X[0] * X[2] + roughness * r[1],
                0.8 * X[2] + 0.3 * X[0] + roughness * r[2]});
    }
    start({});
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// x̂ is x plus noise of the size of a step; `held`, `displacement` and `loads` by ordinal, empty: nothing.
  void start(const std::vector<double>& displacement, const std::vector<std::uint8_t>& held = {}, bool inertia = true,
             const std::vector<double>& loads = {}) {
    const auto noise = random_numbers(whole.points.size(), 8);
    std::vector<double> target(x);
    for (std::size_t i = 0; i < target.size(); ++i) target[i] += 0.1 * noise[i];
    dofs::Constraints constraints;
    constraints.held.assign(3 * std::size_t(mesh.local_nodes), 0);
    constraints.displacement.assign(constraints.held.size(), 0.0);
    for (std::size_t i = 0; i < constraints.held.size() && !held.empty(); ++i) {
      const std::size_t ordinal = 3 * std::size_t(mesh.ordinals[i / 3]) + i % 3;
      constraints.held[i] = held[ordinal];
      if (held[ordinal] && !displacement.empty()) constraints.displacement[i] = displacement[ordinal];
      constraints.any_motion = true;
    }
    reference.target = target;
    reference.scale = inertia ? h * h : 1.0;
    reference.has_inertia = inertia;
    reference.loads = loads;
    potential.start_step({.inertia = inertia,
                          .target = inertia ? local(target) : std::vector<double>(),
                          .scale = reference.scale,
                          .gravity = gravity,
                          .loads = loads.empty() ? loads : local(loads),
                          .constraints = constraints});
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

/// 47 + 5 + 6 linear cells: no multiple of a pack's width, neither in all nor on the ranks.
struct ThreeBodies : Scene {
  ThreeBodies()
      : Scene({make_box({.cubes = {2, 2, 2}, .size = {1.0, 0.8, 0.6}, .leave_out = 1}),
               make_box(
                   {.cubes = {1, 1, 1}, .min = {3.0, 0.0, 0.0}, .size = {0.5, 0.5, 0.5}, .leave_out = 1, .id_gap = 2}),
               make_box({.cubes = {1, 1, 1}, .min = {0.0, 5.0, 0.0}, .size = {0.3, 0.4, 0.5}})},
              {{1000.0, {dofs::MassKind::consistent, 0.0}},
               {700.0, {dofs::MassKind::lumped, 0.0}},
               {300.0, {dofs::MassKind::per_node, 2.5}}},
              {neo_hookean(1000.0, 1e5, 0.4), neo_hookean(700.0, 3e5, 0.3), neo_hookean(300.0, 2e4, 0.45)}, 0.02) {}
};

/// Moves edge nodes off the middle of their edges.
inline void bend_edges(double* X) {
  const double at = 7.0 * X[0] + 5.0 * X[1] + 3.0 * X[2];
  X[0] += 0.02 * std::sin(at);
  X[1] -= 0.03 * std::cos(2.0 * at);
  X[2] += 0.03 * std::cos(at);
}

/// Linear and quadratic cells, straight and curved, of both materials: every kind of cell, in odd numbers.
struct MixedOrders : Scene {
  MixedOrders()
      : Scene(
            {make_box({.cubes = {2, 1, 1}, .size = {1.0, 0.5, 0.5}, .leave_out = 1}),
             quadratic(make_box({.cubes = {2, 1, 1}, .min = {2.0, 0.0, 0.0}, .size = {1.0, 0.6, 0.5}})),
             quadratic(make_box({.cubes = {2, 1, 1}, .min = {0.0, 1.0, 0.0}, .size = {1.0, 0.5, 0.6}, .id_gap = 1}),
                       bend_edges),
             quadratic(make_box({.cubes = {1, 1, 1}, .min = {2.0, 1.0, 0.0}, .size = {0.6, 0.5, 0.5}, .leave_out = 1}),
                       bend_edges),
             quadratic(make_box({.cubes = {1, 1, 1}, .min = {3.0, 1.0, 0.0}, .size = {0.5, 0.5, 0.5}})),
             make_box({.cubes = {1, 1, 1}, .min = {4.0, 1.0, 0.0}, .size = {0.5, 0.5, 0.5}, .leave_out = 1})},
            {{1000.0, {dofs::MassKind::consistent, 0.0}},
             {900.0, {dofs::MassKind::consistent, 0.0}},
             {800.0, {dofs::MassKind::consistent, 0.0}},
             {700.0, {dofs::MassKind::lumped, 0.0}},
             {600.0, {dofs::MassKind::lumped, 0.0}},
             {500.0, {dofs::MassKind::per_node, 2.5}}},
            {neo_hookean(1000.0, 1e5, 0.4), stable_neo_hookean(900.0, 4e4, 2e5), neo_hookean(800.0, 3e5, 0.3),
             stable_neo_hookean(700.0, 3e4, 1e5), neo_hookean(600.0, 2e5, 0.35), stable_neo_hookean(500.0, 5e4, 9e4)},
            0.008) {}
};

/// x + factor d
inline std::vector<double> moved(std::vector<double> x, double factor, const std::vector<double>& d) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * d[i];
  return x;
}

} // namespace limber::test
