#pragma once
/// Strain energy of the cells of one kind: one element, one material. Cells are evaluated in SIMD packs; the result of
/// a cell does not depend on its place in a pack, so that ranks that share a cell agree to the last bit.

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
  double jacobian = 0.0;    ///< det F, the smallest in the cell; of a triangle the ratio of areas
};

/// Cauchy stress σ = P Fᵀ/J [Pa]: xx, yy, zz, xy, yz, xz (VTK's order of symmetric tensors).
using StressTensor = std::array<double, 6>;

/// p1, p2: tetrahedra; straight: all edges are; the mapping from the reference element is affine.
enum class ElementKind { p1, p2_straight, p2_curved, triangle, spring };

/// What the cells of one kind are made from.
struct CellSet {
  const mesh::DistributedMesh& mesh;
  const NodalSparsity& sparsity;
  const BlockMatrix& matrix;
  const std::vector<materials::MaterialOptions>& materials;
  const std::vector<std::int32_t>& cell_materials; ///< per local cell of the mesh, index into `materials`
  std::vector<LocalIndex> cells;                   ///< local cells, counted ones first
};

class ElasticCells {
public:
  virtual ~ElasticCells() = default;

  // Positions are 3 per local node with ghosts valid. Nothing here communicates.

  /// Sets what the material keeps from the last accepted state (the rotation of corotated_linear) from that state;
  /// until the first call it is that of the rest positions.
  virtual void refresh_lag(const std::vector<double>& x) = 0;
  /// Whether the material keeps anything.
  virtual bool lagged() const = 0;
  /// Σ ∫ Ψ(F) dV over counted cells [J].
  virtual double energy(const std::vector<double>& x) const = 0;
  /// Makes x the reference of add_difference().
  virtual void set_base(const std::vector<double>& x) = 0;
  /// Adds Σ ∫ (Ψ(F) − Ψ(F₀)) dV over counted cells, times `scale`, cell by cell.
  virtual void add_difference(const std::vector<double>& x, double scale, LocalDifference& sum) const = 0;
  /// g += scale ∂/∂x Σ ∫ Ψ dV. \param g 3 per local node; entries of ghosts are meaningless afterwards
  virtual void add_gradient(const std::vector<double>& x, double scale, std::vector<double>& g) const = 0;
  /// Adds scale times the Hessian; rows and columns of held components are left out.
  /// \param project make each cell's Hessian positive semi-definite
  /// \param lifting 3 per owned node: += H_fD u_D for free rows, u_D the prescribed displacements
  /// \param diagonal 3 per owned node: += |H_rr| for held rows
  virtual void add_hessian(const std::vector<double>& x, double scale, bool project,
                           const dofs::Constraints& constraints, BlockMatrix::Writer& writer,
                           std::vector<double>& lifting, std::vector<double>& diagonal) const = 0;
  /// Largest α ≤ limit such that J along x + αp stays above a tenth of its value at x, everywhere in all cells of this
  /// rank; `limit` for materials that may invert.
  virtual double max_step_size(const std::vector<double>& x, const std::vector<double>& p, double limit) const = 0;
  /// The smallest det F over counted cells, everywhere in them; NaN where one is, +infinity without cells. For
  /// quadratic cells a lower bound, within a percent. Springs have none: as without cells.
  virtual CellReport min_jacobian(const std::vector<double>& x) const = 0;
  /// Whether the material has no energy for det F ≤ 0.
  virtual bool infinite_at_inversion() const = 0;
  /// First cell by id whose energy or gradient is not finite.
  virtual CellReport find_non_finite(const std::vector<double>& x) const = 0;
  /// Per counted cell, at its place in the mesh: mean Cauchy stress, and the smallest det F. Springs: no stress, and
  /// the ratio of lengths.
  virtual void cell_fields(const std::vector<double>& x, std::vector<StressTensor>& stress,
                           std::vector<double>& jacobian) const = 0;
  /// Adds V σ of every cell to its nodes and V to their weights: the quotient is the nodal average. Quadratic cells
  /// extrapolate linearly from their four quadrature points. \param sums 6 per local node \param weights 1 per local
  /// node
  virtual void add_nodal_stress(const std::vector<double>& x, std::vector<double>& sums,
                                std::vector<double>& weights) const = 0;
};

/// One function a material, each in a file of its own (elastic_<material>.cpp).
std::unique_ptr<ElasticCells> make_arap_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_corotated_linear_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_fixed_corotated_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_linear_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_mooney_rivlin_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_neo_hookean_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_quartic_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_quartic_volume_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_st_venant_kirchhoff_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_stable_neo_hookean_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_symmetric_dirichlet_cells(ElementKind kind, const CellSet& set);
std::unique_ptr<ElasticCells> make_symmetric_gradient_cells(ElementKind kind, const CellSet& set);

/// Triangles; null for a model that surfaces do not have.
std::unique_ptr<ElasticCells> make_membrane_cells(const std::string& model, const CellSet& set);
std::unique_ptr<ElasticCells> make_spring_cells(const CellSet& set);

} // namespace limber::assembly
