#include "mesh/distributed_mesh.hpp"

#include "base/error.hpp"

namespace limber::mesh {
namespace {

/// `components` doubles as one unit; made once and kept until MPI ends.
MPI_Datatype tuple(int components) {
  static MPI_Datatype types[10] = {};
  static bool made[10] = {};
  if (components < 1 || components > 9) throw base::InternalError("ghost values have 1 to 9 components");
  if (!made[components]) {
    MPI_Type_contiguous(components, MPI_DOUBLE, &types[components]);
    MPI_Type_commit(&types[components]);
    made[components] = true;
  }
  return types[components];
}

} // namespace

void DistributedMesh::update_ghosts(std::vector<double>& values, int components) const {
  const MPI_Datatype type = tuple(components);
  double* ghosts = values.data() + std::size_t(components) * std::size_t(owned_nodes);
  LIMBER_PETSC(PetscSFBcastBegin(ghost_exchange, type, values.data(), ghosts, MPI_REPLACE));
  LIMBER_PETSC(PetscSFBcastEnd(ghost_exchange, type, values.data(), ghosts, MPI_REPLACE));
}

} // namespace limber::mesh
