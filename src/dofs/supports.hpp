#pragma once
/// Whether bodies are held well enough to have a static equilibrium.

#include "dofs/conditions.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::dofs {

/// Throws UserError if some piece of a body can move as a rigid body at some time of the run, with the motion in words.
/// Judged to first order at rest positions. Collective. \param config_file for the message
void refuse_free_bodies(const mesh::DistributedMesh& mesh, const Conditions& conditions, double duration,
                        const std::string& config_file = {});

} // namespace limber::dofs
