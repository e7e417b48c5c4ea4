#pragma once
/// Brings a tetrahedral mesh into Gmsh's current model: from a file or from a primitive shape.

#include "base/error.hpp"
#include "mesh/gmsh_session.hpp"
#include "mesh/mesh_source.hpp"

namespace limber::mesh {

/// Opens a .msh file, or opens a .geo file and meshes its volumes. The file's own mesh options hold, but on one
/// thread; where `element_size` > 0 the size is uniform instead, whatever the .geo file says. Throws UserError.
void load_file(const GmshSession& session, const MeshFile& file, const base::ErrorContext& context);

/// Meshes the shape with the OpenCASCADE kernel, uniform size, groups on its boundary:
/// box: xmin, xmax, ymin, ymax, zmin, zmax; sphere: surface; cylinder: start, end, side; all: volume.
/// Throws UserError for sizes that make no sense.
void make_box(const GmshSession& session, const BoxMesh& box, const base::ErrorContext& context);
void make_sphere(const GmshSession& session, const SphereMesh& sphere, const base::ErrorContext& context);
void make_cylinder(const GmshSession& session, const CylinderMesh& cylinder, const base::ErrorContext& context);

} // namespace limber::mesh
