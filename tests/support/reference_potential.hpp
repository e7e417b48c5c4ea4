#pragma once
/// The slow reference: the incremental potential of the whole mesh on one rank, dense, cell by cell with the scalar
/// kernels. The oracle for everything that is assembled in parallel and in packs.

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "energies/mass.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "materials/neo_hookean.hpp"
#include "materials/stable_neo_hookean.hpp"
#include "support/box_mesh.hpp"

namespace limber::test {

/// Everything by ordinal: vectors have 3 entries per node of the whole mesh.
class ReferencePotential {
public:
  /// \param orders of the cells, one per body; empty: all linear
  ReferencePotential(const WholeMesh& mesh, const std::vector<assembly::BodyMass>& masses,
                     const std::vector<materials::MaterialOptions>& materials, const Vector3& gravity,
                     const std::vector<int>& orders = {})
      : mesh_(mesh), materials_(materials), gravity_(gravity), offsets_(cell_offsets(mesh, orders)),
        nodal_mass(mesh_mass(masses)) {}

  std::size_t dofs() const { return 3 * mesh_.node_count(); }

  /// Ordinals of the nodes of a cell.
  std::vector<LocalIndex> cell(std::size_t c) const {
    return {mesh_.cells.begin() + std::ptrdiff_t(offsets_[c]), mesh_.cells.begin() + std::ptrdiff_t(offsets_[c + 1])};
  }
  bool is_quadratic(std::size_t c) const { return nodes(c) == 10; }
  bool may_invert(std::size_t c) const { return options(c).model == "stable_neo_hookean"; }

  /// ∫ Ψ of one cell [J].
  double cell_energy(const std::vector<double>& x, std::size_t c) const {
    return evaluate(x, c, false, nullptr, nullptr);
  }
  double elastic_energy(const std::vector<double>& x) const {
    long double sum = 0.0L;
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) sum += cell_energy(x, c);
    return double(sum);
  }
  /// det dx/dL at a place in the cell; 6 times the volume if linear. \param barycentric does not matter if linear
  double edge_determinant(const std::vector<double>& x, std::size_t c,
                          const std::array<double, 4>& barycentric = {0.25, 0.25, 0.25, 0.25}) const {
    const auto local = gather(x, c);
    return math::determinant(is_quadratic(c) ? energies::tetrahedron_p2_jacobian(local.data(), barycentric.data())
                                             : energies::tetrahedron_edges(local.data()));
  }
  /// det F at a place in the cell.
  double jacobian(const std::vector<double>& x, std::size_t c,
                  const std::array<double, 4>& barycentric = {0.25, 0.25, 0.25, 0.25}) const {
    return edge_determinant(x, c, barycentric) / edge_determinant(mesh_.points, c, barycentric);
  }
  /// The smallest quotient of edge_determinant at y and at x over the cell, looked for on a lattice.
  double lowest_ratio(const std::vector<double>& y, const std::vector<double>& x, std::size_t c) const {
    const int steps = is_quadratic(c) ? 12 : 0;
    double lowest = edge_determinant(y, c) / edge_determinant(x, c);
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; i + j <= steps && steps > 0; ++j)
        for (int k = 0; i + j + k <= steps; ++k) {
          const double n = steps;
          const std::array<double, 4> at{(n - i - j - k) / n, i / n, j / n, k / n};
          lowest = std::min(lowest, edge_determinant(y, c, at) / edge_determinant(x, c, at));
        }
    return lowest;
  }

  double inertia(const std::vector<double>& x) const {
    long double sum = 0.0L;
    for (Eigen::Index a = 0; a < nodal_mass.rows() && has_inertia; ++a)
      for (Eigen::Index b = 0; b < nodal_mass.cols(); ++b)
        for (std::size_t k = 0; k < 3; ++k)
          sum += 0.5L * nodal_mass(a, b) * ((long double)x[i(a, k)] - target[i(a, k)]) *
                 ((long double)x[i(b, k)] - target[i(b, k)]);
    return double(sum);
  }
  double gravity_energy(const std::vector<double>& x) const {
    long double sum = 0.0L;
    for (Eigen::Index a = 0; a < nodal_mass.rows(); ++a)
      for (std::size_t k = 0; k < 3; ++k) sum -= (long double)nodal_mass.row(a).sum() * gravity_[k] * x[i(a, k)];
    return double(sum);
  }
  /// −Σ f·(x − X)
  double load_energy(const std::vector<double>& x) const {
    long double sum = 0.0L;
    for (std::size_t j = 0; j < loads.size(); ++j) sum -= (long double)loads[j] * (x[j] - mesh_.points[j]);
    return double(sum);
  }
  double energy(const std::vector<double>& x) const {
    return inertia(x) + scale * (elastic_energy(x) + gravity_energy(x) + load_energy(x));
  }

  /// Of all components, held or not.
  Eigen::VectorXd full_gradient(const std::vector<double>& x) const {
    Eigen::VectorXd g = Eigen::VectorXd::Zero(Eigen::Index(dofs()));
    for (Eigen::Index a = 0; a < nodal_mass.rows(); ++a)
      for (std::size_t k = 0; k < 3; ++k) {
        for (Eigen::Index b = 0; b < nodal_mass.cols() && has_inertia; ++b)
          g[Eigen::Index(i(a, k))] += nodal_mass(a, b) * (x[i(b, k)] - target[i(b, k)]);
        g[Eigen::Index(i(a, k))] -= scale * nodal_mass.row(a).sum() * gravity_[k];
        if (!loads.empty()) g[Eigen::Index(i(a, k))] -= scale * loads[i(a, k)];
      }
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      double local[30];
      evaluate(x, c, false, local, nullptr);
      for (std::size_t j = 0; j < 3 * nodes(c); ++j) g[dof(c, j)] += scale * local[j];
    }
    return g;
  }

  /// Of all components, held or not.
  Eigen::MatrixXd full_hessian(const std::vector<double>& x, bool project) const {
    const auto n = Eigen::Index(dofs());
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index a = 0; a < nodal_mass.rows() && has_inertia; ++a)
      for (Eigen::Index b = 0; b < nodal_mass.cols(); ++b)
        for (std::size_t k = 0; k < 3; ++k) H(Eigen::Index(i(a, k)), Eigen::Index(i(b, k))) += nodal_mass(a, b);
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      const std::size_t m = 3 * nodes(c);
      double gradient[30], local[900];
      evaluate(x, c, project, gradient, local);
      for (std::size_t j = 0; j < m * m; ++j) H(dof(c, j % m), dof(c, j / m)) += scale * local[j];
    }
    return H;
  }

private:
  static std::size_t i(Eigen::Index node, std::size_t k) { return 3 * std::size_t(node) + k; }
  static std::vector<std::size_t> cell_offsets(const WholeMesh& mesh, const std::vector<int>& orders) {
    std::vector<std::size_t> offsets{0};
    for (std::int32_t body : mesh.cell_bodies)
      offsets.push_back(offsets.back() + (!orders.empty() && orders[std::size_t(body)] == 2 ? 10 : 4));
    return offsets;
  }
  std::size_t nodes(std::size_t c) const { return offsets_[c + 1] - offsets_[c]; }
  Eigen::Index dof(std::size_t c, std::size_t j) const {
    return Eigen::Index(3 * std::size_t(mesh_.cells[offsets_[c] + j / 3]) + j % 3);
  }
  std::vector<double> gather(const std::vector<double>& x, std::size_t c) const {
    std::vector<double> local(3 * nodes(c));
    for (std::size_t j = 0; j < local.size(); ++j) local[j] = x[std::size_t(dof(c, j))];
    return local;
  }
  const materials::MaterialOptions& options(std::size_t c) const {
    return materials_[std::size_t(mesh_.cell_bodies[c])];
  }

  /// Energy of a cell; gradient and Hessian unless they are null.
  double evaluate(const std::vector<double>& x, std::size_t c, bool project, double* g, double* H) const {
    const auto& o = options(c);
    if (may_invert(c))
      return evaluate(materials::StableNeoHookean<double>{o.lame_mu, o.lame_lambda}, x, c, project, g, H);
    return evaluate(materials::NeoHookean<double>{o.lame_mu, o.lame_lambda}, x, c, project, g, H);
  }
  template <class Material>
  double evaluate(const Material& material, const std::vector<double>& x, std::size_t c, bool project, double* g,
                  double* H) const {
    const auto X = gather(mesh_.points, c), local = gather(x, c);
    if (!is_quadratic(c)) {
      const auto rest = energies::make_tetrahedron_rest(X.data());
      if (H) energies::tetrahedron_hessian(material, rest, local.data(), project, H);
      if (g) energies::tetrahedron_energy_gradient(material, rest, local.data(), g);
      return energies::tetrahedron_energy(material, rest, local.data());
    }
    const auto by_rule = [&](const auto& rest) {
      if (H) energies::tetrahedron_p2_hessian(material, rest, local.data(), project, H);
      if (g) energies::tetrahedron_p2_energy_gradient(material, rest, local.data(), g);
      return energies::tetrahedron_p2_energy(material, rest, local.data());
    };
    if (Material::infinite_at_inversion)
      return by_rule(energies::make_tetrahedron_p2_rest<energies::QuadratureP2::barrier>(X.data()));
    // Edge nodes of the tests are in the middle to the last bit or far from it.
    if (energies::tetrahedron_p2_is_straight(X.data(), 1e-6))
      return by_rule(energies::make_tetrahedron_p2_rest<energies::QuadratureP2::affine>(X.data()));
    return by_rule(energies::make_tetrahedron_p2_rest<energies::QuadratureP2::curved>(X.data()));
  }

  Eigen::MatrixXd mesh_mass(const std::vector<assembly::BodyMass>& masses) const {
    const auto n = Eigen::Index(mesh_.node_count());
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      const auto& body = masses[std::size_t(mesh_.cell_bodies[c])];
      if (body.options.kind == dofs::MassKind::per_node) continue;
      const bool lumped = body.options.kind == dofs::MassKind::lumped;
      const auto X = gather(mesh_.points, c);
      const auto width = Eigen::Index(nodes(c));
      Eigen::MatrixXd local = Eigen::MatrixXd::Zero(width, width);
      if (is_quadratic(c)) {
        double diagonal[10];
        energies::tetrahedron_p2_consistent_mass(X.data(), body.density, local.data());
        energies::tetrahedron_p2_lumped_mass(X.data(), body.density, diagonal);
        if (lumped) local = Eigen::Map<const Eigen::VectorXd>(diagonal, width).asDiagonal();
      } else {
        const double volume = energies::make_tetrahedron_rest(X.data()).volume;
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b)
            if (!lumped) local(a, b) = energies::tetrahedron_consistent_mass(body.density, volume, a, b);
            else if (a == b) local(a, b) = energies::tetrahedron_lumped_mass(body.density, volume);
      }
      const auto ordinals = cell(c);
      for (Eigen::Index a = 0; a < width; ++a)
        for (Eigen::Index b = 0; b < width; ++b) M(ordinals[std::size_t(a)], ordinals[std::size_t(b)]) += local(a, b);
    }
    for (Eigen::Index a = 0; a < n; ++a) {
      const auto& body = masses[std::size_t(mesh_.node_bodies[std::size_t(a)])];
      if (body.options.kind == dofs::MassKind::per_node) M(a, a) = body.options.per_node;
    }
    return M;
  }

  const WholeMesh& mesh_;
  std::vector<materials::MaterialOptions> materials_;
  Vector3 gravity_;
  std::vector<std::size_t> offsets_; ///< of cells in WholeMesh::cells

public:
  Eigen::MatrixXd nodal_mass; ///< [kg]
  bool has_inertia = true;
  std::vector<double> target; ///< x̂
  std::vector<double> loads;  ///< [N]; empty: none
  double scale = 0.0;         ///< β h²
};

/// All entries of a distributed matrix, rows and columns by ordinal (3 a node), on every rank. Collective.
inline Eigen::MatrixXd dense(const mesh::DistributedMesh& mesh, Mat matrix) {
  const auto nodes = std::size_t(mesh.global_nodes);
  std::vector<double> ordinal_of(nodes, 0.0); // sums of doubles: small integers are exact
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n)
    ordinal_of[std::size_t(mesh.global_numbers[n])] = double(mesh.ordinals[n]);
  base::global_sum(mesh.comm, ordinal_of);
  const auto to_ordinal = [&](PetscInt i) {
    return 3 * std::size_t(ordinal_of[std::size_t(i) / 3]) + std::size_t(i) % 3;
  };
  std::vector<double> entries(9 * nodes * nodes, 0.0);
  PetscInt begin = 0, end = 0;
  LIMBER_PETSC(MatGetOwnershipRange(matrix, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    LIMBER_PETSC(MatGetRow(matrix, row, &count, &columns, &values));
    for (PetscInt e = 0; e < count; ++e) entries[to_ordinal(row) + 3 * nodes * to_ordinal(columns[e])] += values[e];
    LIMBER_PETSC(MatRestoreRow(matrix, row, &count, &columns, &values));
  }
  base::global_sum(mesh.comm, entries);
  return Eigen::Map<Eigen::MatrixXd>(entries.data(), Eigen::Index(3 * nodes), Eigen::Index(3 * nodes));
}

} // namespace limber::test
