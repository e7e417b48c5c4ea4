#pragma once
/// The slow reference: the incremental potential of the whole mesh on one rank, dense, cell by cell with the scalar
/// kernels. The oracle for everything that is assembled in parallel and in packs.

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "assembly/incremental_potential.hpp"
#include "energies/mass.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "materials/neo_hookean.hpp"
#include "support/box_mesh.hpp"

namespace limber::test {

/// Everything by ordinal: vectors have 3 entries per node of the whole mesh.
class ReferencePotential {
public:
  ReferencePotential(const WholeMesh& mesh, const std::vector<assembly::BodyMass>& masses,
                     const std::vector<materials::MaterialOptions>& materials, const Vector3& gravity)
      : mesh_(mesh), materials_(materials), gravity_(gravity), nodal_mass(mesh_mass(masses)) {}

  std::size_t dofs() const { return 3 * mesh_.node_count(); }

  /// V Ψ of one cell [J].
  double cell_energy(const std::vector<double>& x, std::size_t c) const {
    return energies::tetrahedron_energy(material(c), rest(c), gather(x, c).data());
  }
  double elastic_energy(const std::vector<double>& x) const {
    long double sum = 0.0L;
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) sum += cell_energy(x, c);
    return double(sum);
  }
  double jacobian(const std::vector<double>& x, std::size_t c) const {
    return math::determinant(energies::deformation_gradient(rest(c), gather(x, c).data()));
  }
  /// 6 times the volume at x.
  double edge_determinant(const std::vector<double>& x, std::size_t c) const {
    return math::determinant(energies::tetrahedron_edges(gather(x, c).data()));
  }

  double inertia(const std::vector<double>& x) const {
    long double sum = 0.0L;
    for (Eigen::Index a = 0; a < nodal_mass.rows(); ++a)
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
  double energy(const std::vector<double>& x) const {
    return inertia(x) + scale * (elastic_energy(x) + gravity_energy(x));
  }

  /// Of all components, held or not.
  Eigen::VectorXd full_gradient(const std::vector<double>& x) const {
    Eigen::VectorXd g = Eigen::VectorXd::Zero(Eigen::Index(dofs()));
    for (Eigen::Index a = 0; a < nodal_mass.rows(); ++a)
      for (std::size_t k = 0; k < 3; ++k) {
        for (Eigen::Index b = 0; b < nodal_mass.cols(); ++b)
          g[Eigen::Index(i(a, k))] += nodal_mass(a, b) * (x[i(b, k)] - target[i(b, k)]);
        g[Eigen::Index(i(a, k))] -= scale * nodal_mass.row(a).sum() * gravity_[k];
      }
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      double local[12];
      energies::tetrahedron_energy_gradient(material(c), rest(c), gather(x, c).data(), local);
      for (std::size_t j = 0; j < 12; ++j) g[dof(c, j)] += scale * local[j];
    }
    return g;
  }

  /// Of all components, held or not.
  Eigen::MatrixXd full_hessian(const std::vector<double>& x, bool project) const {
    const auto n = Eigen::Index(dofs());
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index a = 0; a < nodal_mass.rows(); ++a)
      for (Eigen::Index b = 0; b < nodal_mass.cols(); ++b)
        for (std::size_t k = 0; k < 3; ++k) H(Eigen::Index(i(a, k)), Eigen::Index(i(b, k))) += nodal_mass(a, b);
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      double local[144];
      energies::tetrahedron_hessian(material(c), rest(c), gather(x, c).data(), project, local);
      for (std::size_t j = 0; j < 144; ++j) H(dof(c, j % 12), dof(c, j / 12)) += scale * local[j];
    }
    return H;
  }

private:
  static std::size_t i(Eigen::Index node, std::size_t k) { return 3 * std::size_t(node) + k; }
  Eigen::Index dof(std::size_t c, std::size_t j) const {
    return Eigen::Index(3 * std::size_t(mesh_.cells[4 * c + j / 3]) + j % 3);
  }
  std::vector<double> gather(const std::vector<double>& x, std::size_t c) const {
    std::vector<double> local(12);
    for (std::size_t j = 0; j < 12; ++j) local[j] = x[std::size_t(dof(c, j))];
    return local;
  }
  energies::TetrahedronRest<double> rest(std::size_t c) const {
    return energies::make_tetrahedron_rest(gather(mesh_.points, c).data());
  }
  materials::NeoHookean<double> material(std::size_t c) const {
    const auto& m = materials_[std::size_t(mesh_.cell_bodies[c])];
    return {m.lame_mu, m.lame_lambda};
  }
  Eigen::MatrixXd mesh_mass(const std::vector<assembly::BodyMass>& masses) const {
    const auto n = Eigen::Index(mesh_.node_count());
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t c = 0; c < mesh_.cell_count(); ++c) {
      const auto& body = masses[std::size_t(mesh_.cell_bodies[c])];
      const double volume = rest(c).volume;
      for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b) {
          double& entry = M(mesh_.cells[4 * c + a], mesh_.cells[4 * c + b]);
          if (body.options.kind == dofs::MassKind::consistent)
            entry += energies::tetrahedron_consistent_mass(body.density, volume, int(a), int(b));
          else if (body.options.kind == dofs::MassKind::lumped && a == b)
            entry += energies::tetrahedron_lumped_mass(body.density, volume);
        }
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

public:
  Eigen::MatrixXd nodal_mass; ///< [kg]
  std::vector<double> target; ///< x̂
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
