#pragma once
/// Which cells are made of which material, where a body has several.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::assembly {

/// A physical volume group whose cells are made of a material of their own.
struct MaterialRegion {
  int body = 0;
  std::string group;
  std::int32_t material = 0; ///< index
  base::ErrorContext context;
};

/// Index of the material of every local cell: of its region, or else of its body. A cell that belongs to several groups
/// of the mesh counts to the one with the smallest tag (DistributedMesh::cell_groups). Throws UserError, the same on
/// every rank, for a group that the body does not have, that is no volume, or that has no cells. Collective.
std::vector<std::int32_t> cell_materials(const mesh::DistributedMesh& mesh, const std::vector<MaterialRegion>& regions);

} // namespace limber::assembly
