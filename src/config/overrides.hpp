#pragma once
/// --set path.to.key=value: changes a document before it is validated.

#include <string>

#include "config/document.hpp"

namespace limber::config {

/// Applies one override, for example "simulation.time_step=0.01", "bodies[0].mesh.order=1", "bodies.0.mesh.order=1"
/// or "bodies.bar.material.density=900" (an entry of a list by its name). The value is YAML. Maps on the way are made
/// where the document has none; a word there (mass: lumped) gives way to a map. A key of the schema's one_of does not
/// displace the others. Unknown paths, entries that do not exist and values that are not YAML are added to `issues`.
void apply_override(Node& document, const std::string& assignment, Issues& issues);

} // namespace limber::config
