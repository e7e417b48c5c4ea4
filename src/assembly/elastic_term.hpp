#pragma once
/// Strain energy of all cells of this rank: the sum over their kinds.

#include <memory>
#include <span>
#include <vector>

#include "assembly/elastic_cells.hpp"

namespace limber::assembly {

class ElasticTerm {
public:
  /// \param cell_materials per local cell, index into `materials`
  /// The mesh must outlive this object. Throws InternalError for an unknown model.
  ElasticTerm(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity, const BlockMatrix& matrix,
              const std::vector<materials::MaterialOptions>& materials,
              const std::vector<std::int32_t>& cell_materials);

  // Each of these is the function of the same name of ElasticCells, over all kinds.
  void refresh_lag(const std::vector<double>& x);
  bool lagged() const; ///< of any kind on this rank
  double energy(const std::vector<double>& x) const;
  void set_base(const std::vector<double>& x);
  void add_difference(const std::vector<double>& x, double scale, LocalDifference& sum) const;
  void add_gradient(const std::vector<double>& x, double scale, std::vector<double>& g) const;
  void add_hessian(const std::vector<double>& x, double scale, bool project, const dofs::Constraints& constraints,
                   BlockMatrix::Writer& writer, std::vector<double>& lifting, std::vector<double>& diagonal) const;
  double max_step_size(const std::vector<double>& x, const std::vector<double>& p, double limit) const;
  /// \param forbidden_only only cells whose material has no energy for det F ≤ 0
  CellReport min_jacobian(const std::vector<double>& x, bool forbidden_only = false) const;
  CellReport find_non_finite(const std::vector<double>& x) const;

  /// Per counted cell.
  struct CellFields {
    std::vector<StressTensor> stress; ///< mean Cauchy stress [Pa]
    std::vector<double> von_mises;    ///< of the mean stress [Pa]
    std::vector<double> jacobian;     ///< smallest det F
  };
  CellFields cell_fields(const std::vector<double>& x) const;
  /// Cauchy stress averaged over the cells at a node, weighted with their volumes [Pa]: 6 per local node, valid at
  /// owned ones.
  std::vector<double> nodal_stress(const std::vector<double>& x) const;

private:
  const mesh::DistributedMesh& mesh_;
  std::vector<std::unique_ptr<ElasticCells>> kinds_;
};

/// √(3/2 dev σ : dev σ) [Pa] of each tensor. \param stress 6 per tensor, in the order of StressTensor
std::vector<double> von_mises_of(std::span<const double> stress);

} // namespace limber::assembly
