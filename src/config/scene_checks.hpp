#pragma once
/// What the schema cannot say: relations between values.

#include "config/validate.hpp"

namespace limber::config {

/// Adds to `issues`: conditions on bodies that do not exist, boxes without volume, cylinders without length, axes and
/// normals of length zero, a first Lamé parameter too small for a positive bulk modulus, until before from,
/// element_size on files that hold a finished mesh. The values may be incomplete.
void check_scene(const Value& scene, Issues& issues);

} // namespace limber::config
