#pragma once
/// Copies the mesh out of Gmsh's current model, sorted by Gmsh tag, so that Gmsh can be finalized.

#include "base/error.hpp"
#include "mesh/extracted_mesh.hpp"

namespace limber::mesh {

/// The cells that a body of this kind is made of; for springs the elements of the highest dimension, whose edges they
/// may become (make_springs), or none. Throws UserError for other elements than tetrahedra of order 1 or 2 in 3D and
/// linear triangles or lines below, for both orders in one mesh, for no tetrahedra or triangles at all, for node or
/// element tags that occur twice, and for more nodes or cells than LocalIndex holds.
ExtractedMesh extract_mesh(const base::ErrorContext& context, BodyKind kind = BodyKind::solid);

} // namespace limber::mesh
