#pragma once
/// Loads on bodies: tractions and pressures on boundary faces, body forces on cells, as nodal forces.

#include <vector>

#include "dofs/conditions.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::assembly {

/// What a load acts on, over all ranks.
struct LoadedRegion {
  GlobalIndex stencils = 0; ///< faces or cells
  double measure = 0.0;     ///< [m²] or [m³], at rest
};

class Loads {
public:
  /// Finds the faces or cells of every condition that is a load; the others are left alone. Throws UserError for an
  /// unknown body or group and for a load that acts on nothing. The mesh must outlive this object. Collective.
  Loads(const mesh::DistributedMesh& mesh, const std::vector<dofs::ConditionOptions>& options, const dofs::Ramp& ramp);

  /// Nodal forces at a time, consistent with the elements' shape functions: Σ ∫ N t dA and Σ ∫ N b dV over rest areas
  /// and volumes; pressures act along the normals, and on the areas, of `positions` (those at the start of the step).
  /// Throws UserError where an expression is not finite. Collective.
  /// \param positions 3 per local node, ghosts valid [m] \param forces 3 per local node, valid at owned ones [N]
  void evaluate(double time, const std::vector<double>& positions, std::vector<double>& forces);

  /// Forces of each load as last evaluated: 3 per owned node [N]; empty for what is no load. By the index of the
  /// options.
  const std::vector<std::vector<double>>& by_condition() const { return by_condition_; }
  /// By the index of the options.
  const std::vector<LoadedRegion>& regions() const { return regions_; }
  bool empty() const { return loads_.empty(); }

private:
  struct Load {
    dofs::ConditionOptions options;
    std::size_t index;
    double thickness;                 ///< of its body, if that is a shell [m]
    std::vector<LocalIndex> stencils; ///< faces or cells that touch owned nodes
    std::vector<double> unscaled;     ///< forces of a load that does not change in time, 3 per owned node
  };
  void add_forces(const Load& load, double time, const std::vector<double>& positions, std::vector<double>& f) const;

  const mesh::DistributedMesh& mesh_;
  dofs::Ramp ramp_;
  std::vector<Load> loads_;
  std::vector<std::vector<double>> by_condition_;
  std::vector<LoadedRegion> regions_;
};

} // namespace limber::assembly
