#include "mesh/distributed_mesh.hpp"

namespace limber::mesh {
namespace {

/// Three doubles as one unit; made once and kept until MPI ends.
MPI_Datatype triple() {
  static const MPI_Datatype type = [] {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
  }();
  return type;
}

} // namespace

void DistributedMesh::update_ghosts(std::vector<double>& values) const {
  double* ghosts = values.data() + 3 * std::size_t(owned_nodes);
  LIMBER_PETSC(PetscSFBcastBegin(ghost_exchange, triple(), values.data(), ghosts, MPI_REPLACE));
  LIMBER_PETSC(PetscSFBcastEnd(ghost_exchange, triple(), values.data(), ghosts, MPI_REPLACE));
}

} // namespace limber::mesh
