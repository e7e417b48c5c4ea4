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

/// Where the configuration states a condition.
base::ErrorContext context_of(const ConditionOptions& options);

/// Throws UserError: the condition selects no node, face or cell. \param what "node", "boundary face", "cell"
[[noreturn]] void refuse_empty_selection(const ConditionOptions& options, const std::string& what);

} // namespace limber::dofs
