#pragma once
/// What the schema cannot say: relations between values.

#include "config/validate.hpp"

namespace limber::config {

/// Adds to `issues`: conditions and probes on bodies that do not exist, boxes without volume, cylinders without length,
/// axes and normals of length zero, a first Lamé parameter too small for a positive bulk modulus, until before from,
/// mesh files of unknown kind, element_size on files that hold a finished mesh, velocities at the start of a static
/// simulation, ramps of others and of velocities. The values may be incomplete.
void check_scene(const Value& scene, Issues& issues);

} // namespace limber::config
