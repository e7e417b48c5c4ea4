#pragma once
/// The nodal mass matrix M (one number per pair of nodes; the full one is its Kronecker product with the 3×3 identity).

#include <vector>

#include "assembly/nodal_sparsity.hpp"
#include "dofs/body_options.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::assembly {

struct BodyMass {
  double density = 0.0; ///< [kg/m³]
  dofs::MassOptions options;
  dofs::DampingOptions damping{};
};

class MassMatrix {
public:
  /// \param mesh,sparsity kept by reference; must outlive this object
  /// \param bodies one per body
  /// \param cell_densities per local cell, instead of its body's [kg/m³]; or empty
  MassMatrix(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity, const std::vector<BodyMass>& bodies,
             const std::vector<double>& cell_densities = {});

  /// y_a = Σ_b M_ab u_b for owned nodes. \param u 3 per local node, ghosts valid; \param y 3 per owned node
  void multiply(const std::vector<double>& u, std::vector<double>& y) const;

  /// Σ_b M_ab: what gravity acts on. [kg] per owned node; negative at the vertices of quadratic cells if consistent
  const std::vector<double>& row_sums() const { return row_sums_; }
  /// Whether no two nodes share mass, in any body.
  bool is_diagonal() const { return is_diagonal_; }
  /// M_aa [kg] per owned node.
  const std::vector<double>& diagonal() const { return diagonal_; }
  /// Values in the order of the nodal sparsity [kg].
  const std::vector<double>& values() const { return values_; }

private:
  const mesh::DistributedMesh& mesh_;
  const NodalSparsity& sparsity_;
  std::vector<double> values_, row_sums_, diagonal_;
  bool is_diagonal_ = false;
};

} // namespace limber::assembly
