#pragma once
/// Fills a closed triangulated surface with tetrahedra, in Gmsh.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/gmsh_session.hpp"
#include "mesh/surface_mesh.hpp"

namespace limber::mesh {

/// Puts the surface into Gmsh's current model and fills its volumes (Delaunay, one thread, fixed seed: the same input
/// gives the same mesh), with the physical groups surface and volume.
/// \param element_size [file units] 0: the triangles stay as they are, and the tetrahedra grow with them; positive: the
///   surface is meshed anew at this size, keeping edges sharper than 40 degrees, and so is the inside
/// Returns warnings. Throws UserError: surface not closed (see check_closed), crossing itself, no tetrahedra.
std::vector<std::string> fill_surface(const GmshSession& session, const TriangleSurface& surface, double element_size,
                                      const base::ErrorContext& context);

} // namespace limber::mesh
