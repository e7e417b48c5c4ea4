#pragma once
/// From the bodies' meshes on rank 0 to the part that each rank keeps.

#include <vector>

#include "mesh/body_mesh.hpp"
#include "mesh/distributed_mesh.hpp"
#include "mesh/partition.hpp"

namespace limber::mesh {

/// Rank 0 reads or makes the meshes, partitions the nodes and hands everything out; afterwards no rank holds the whole
/// mesh. Ranks may end up with nothing. Throws what read_body_mesh throws, on all ranks. Collective.
/// \param bodies the same on every rank
DistributedMesh read_and_distribute(MPI_Comm comm, const std::vector<BodyMeshOptions>& bodies,
                                    const PartitionOptions& options);

/// The same for meshes that rank 0 holds already; `meshes` is read there only, and freed. Collective.
DistributedMesh distribute(MPI_Comm comm, std::vector<BodyMesh>&& meshes, const std::vector<std::string>& names,
                           const PartitionOptions& options);

} // namespace limber::mesh
