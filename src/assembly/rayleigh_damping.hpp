#pragma once
/// Rayleigh damping C = α M + β K of every body, K the positive semi-definite stiffness at positions that lag behind.

#include <vector>

#include "assembly/block_matrix.hpp"
#include "assembly/elastic_term.hpp"
#include "assembly/mass_matrix.hpp"
#include "assembly/nodal_sparsity.hpp"
#include "dofs/conditions.hpp"

namespace limber::assembly {

class RayleighDamping {
public:
  /// All references must outlive this object. \param bodies one per body
  RayleighDamping(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity, const MassMatrix& mass,
                  const std::vector<BodyMass>& bodies);

  /// Whether a body is damped at all, or by its stiffness; alike on all ranks.
  bool active() const { return largest_.mass > 0.0 || has_stiffness(); }
  bool has_stiffness() const { return largest_.stiffness > 0.0; }
  /// The smallest and the largest coefficients of all bodies.
  const dofs::DampingOptions& smallest() const { return smallest_; }
  const dofs::DampingOptions& largest() const { return largest_; }

  /// Takes K at x; nothing where no body needs it. The values of the matrix are lost. Collective.
  void lag(const ElasticTerm& elastic, BlockMatrix& matrix, const std::vector<double>& x);
  /// Where K was taken last: 3 per local node; empty where no body needs it.
  const std::vector<double>& lagged_at() const { return lagged_at_; }
  /// y = C u for owned nodes. \param u 3 per local node, ghosts valid; \param y 3 per owned node
  void multiply(const std::vector<double>& u, std::vector<double>& y) const;
  /// Σ_j |C_ij|, or more: what the round-off of products with C is relative to. \param i component of an owned node
  double row_norm(std::size_t i) const;
  /// Adds scale·C as ElasticCells::add_hessian() adds a Hessian.
  void add_hessian(double scale, const dofs::Constraints& constraints, const BlockMatrix& matrix,
                   BlockMatrix::Writer& writer, std::vector<double>& lifting, std::vector<double>& diagonal) const;

private:
  const dofs::DampingOptions& of_node(std::size_t node) const { return bodies_[std::size_t(mesh_.node_bodies[node])]; }

  const mesh::DistributedMesh& mesh_;
  const NodalSparsity& sparsity_;
  const MassMatrix& mass_;
  std::vector<dofs::DampingOptions> bodies_;
  dofs::DampingOptions smallest_, largest_;
  std::vector<double> lagged_at_;
  std::vector<double> stiffness_; ///< β K: 9 per entry of the nodal sparsity, row by row [N s/m]; empty: not needed
};

} // namespace limber::assembly
