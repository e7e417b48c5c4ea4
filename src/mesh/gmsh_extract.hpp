#pragma once
/// Copies the mesh out of Gmsh's current model, sorted by Gmsh tag, so that Gmsh can be finalized.

#include "base/error.hpp"
#include "mesh/extracted_mesh.hpp"

namespace limber::mesh {

/// Throws UserError for other elements than tetrahedra of order 1 or 2 in 3D, for both orders in one mesh, for no
/// tetrahedra at all, for node or element tags that occur twice, and for more nodes or tetrahedra than LocalIndex
/// holds.
ExtractedMesh extract_mesh(const base::ErrorContext& context);

} // namespace limber::mesh
