#pragma once
/// Strain energy of all P1 tetrahedra of this rank: the SIMD back end. Cells are evaluated in packs; the result of a
/// cell does not depend on its place in a pack, so that ranks that share a cell agree to the last bit.

#include <memory>
#include <string>
#include <vector>

#include "assembly/block_matrix.hpp"
#include "assembly/energy_difference.hpp"
#include "dofs/conditions.hpp"
#include "materials/material_options.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::assembly {

/// A cell whose energy or gradient is not finite, or the worst one.
struct CellReport {
  GlobalIndex cell_id = -1; ///< -1: none
  double jacobian = 0.0;    ///< det F
};

class ElasticTerm {
public:
  /// \param materials one per body. The mesh must outlive this object.
  ElasticTerm(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity, const BlockMatrix& matrix,
              const std::vector<materials::MaterialOptions>& materials);
  ~ElasticTerm();
  ElasticTerm(const ElasticTerm&) = delete;
  ElasticTerm& operator=(const ElasticTerm&) = delete;

  // Positions are 3 per local node with ghosts valid. Nothing here communicates.

  /// Σ V Ψ(F) over counted cells [J].
  double energy(const std::vector<double>& x) const;
  /// Makes x the reference of difference().
  void set_base(const std::vector<double>& x);
  /// Adds Σ V (Ψ(F) − Ψ(F₀)) over counted cells, times `scale`, cell by cell.
  void add_difference(const std::vector<double>& x, double scale, LocalDifference& sum) const;
  /// g += scale ∂/∂x Σ V Ψ. \param g 3 per local node; entries of ghosts are meaningless afterwards
  void add_gradient(const std::vector<double>& x, double scale, std::vector<double>& g) const;
  /// Adds scale times the Hessian; rows and columns of held components are left out.
  /// \param project make each cell's Hessian positive semi-definite
  /// \param lifting 3 per owned node: += H_fD u_D for free rows, u_D the prescribed displacements
  /// \param diagonal 3 per owned node: += |H_rr| for held rows
  void add_hessian(const std::vector<double>& x, double scale, bool project, const dofs::Constraints& constraints,
                   BlockMatrix::Writer& writer, std::vector<double>& lifting, std::vector<double>& diagonal) const;
  /// Largest α ≤ limit such that det F along x + αp stays above a tenth of its value at x, over all cells of this rank.
  double max_step_size(const std::vector<double>& x, const std::vector<double>& p, double limit) const;
  /// min det F over counted cells; NaN where one is, +infinity without cells.
  CellReport min_jacobian(const std::vector<double>& x) const;
  /// First cell by id whose energy or gradient is not finite.
  CellReport find_non_finite(const std::vector<double>& x) const;
  /// Per counted cell: von Mises stress [Pa] and det F.
  void cell_fields(const std::vector<double>& x, std::vector<double>& von_mises, std::vector<double>& jacobian) const;

private:
  struct Batches;
  const mesh::DistributedMesh& mesh_;
  std::unique_ptr<Batches> batches_;
};

} // namespace limber::assembly
