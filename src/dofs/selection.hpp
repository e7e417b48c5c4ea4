#pragma once
/// Finds the nodes that a selection of the configuration means.

#include <vector>

#include "dofs/body_options.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::dofs {

/// Local nodes (ghosts included) of `body` that the selection holds, judged at rest positions.
/// Throws UserError for an unknown group or a node id outside the body's file, the same on every rank.
std::vector<LocalIndex> select_nodes(const mesh::DistributedMesh& mesh, int body, const Selection& where,
                                     const base::ErrorContext& context);

/// Index of the body of this name. Throws UserError, the same on every rank.
int find_body(const mesh::DistributedMesh& mesh, const std::string& name, const base::ErrorContext& context);

} // namespace limber::dofs
