#pragma once
/// Reads triangulated surfaces: STL and Wavefront OBJ.

#include <string>

#include "base/error.hpp"
#include "mesh/surface_mesh.hpp"

namespace limber::mesh {

/// Reads an .stl file (ASCII or binary) or an .obj file: of the latter the vertices (v) and faces (f), whose polygons
/// are cut into triangles; all else is passed over. Vertices of identical coordinates are merged. Says nothing about
/// holes: see check_closed. Throws UserError with file, line and advice, also for files that are cut off.
TriangleSurface read_surface(const std::string& path, const base::ErrorContext& context);

} // namespace limber::mesh
