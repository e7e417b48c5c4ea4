#pragma once
/// The state at time zero.

#include <vector>

#include "dofs/body_options.hpp"
#include "dofs/state.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::dofs {

/// x = about + stretch·(X − about), v = velocity + angular_velocity × (x − about), for every local node.
/// \param options one per body
State initial_state(const mesh::DistributedMesh& mesh, const std::vector<InitialOptions>& options);

} // namespace limber::dofs
