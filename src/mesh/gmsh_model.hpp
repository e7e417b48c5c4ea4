#pragma once
/// Brings a tetrahedral mesh into Gmsh's current model: from a file or from a primitive shape.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/gmsh_session.hpp"
#include "mesh/mesh_source.hpp"

namespace limber::mesh {

/// Brings in the file by its ending and returns warnings:
/// - .msh: as it is. `order` has no effect.
/// - .geo: meshed. The file's own mesh options hold, but on one thread; where `element_size` > 0 the size is uniform
///   instead, whatever the .geo file says.
/// - .step .stp .iges .igs .brep (OpenCASCADE): meshed with uniform size, a twentieth of the diagonal of the geometry's
///   box where none is given. STEP and IGES state their unit of length and are converted to meters
///   (Geometry.OCCTargetUnit = M; OpenCASCADE then takes points closer than 1e-7 m for one). BREP has no unit: its
///   numbers are taken as meters. The surfaces of IGES files are sewn into solids. Groups: those of the file; where
///   there are none, volume (or volume1 … in order of tags) and surfaceN for each surface, N its tag in OpenCASCADE.
/// - .stl .obj: see fill_surface.
/// Where Gmsh makes the mesh, `order` 2 makes it quadratic and curved to the geometry; 0 and 1 leave it as it is.
/// Where the geometry turns much within an element, curved tetrahedra can be inside out: Gmsh's optimization of them is
/// not used, because it moves nodes off the geometry, can fail, and does not repeat bitwise.
/// \param kind shell, and springs where a .geo file has no volume: only the surfaces of a .geo file are meshed,
/// linearly Throws UserError: unknown ending, no such file, damaged file, no volume, no tetrahedra.
std::vector<std::string> load_file(const GmshSession& session, const MeshFile& file, const base::ErrorContext& context,
                                   int order = 1, BodyKind kind = BodyKind::solid);

/// Meshes the shape with the OpenCASCADE kernel, uniform size, groups on its boundary:
/// box: xmin, xmax, ymin, ymax, zmin, zmax; sphere: surface; cylinder: start, end, side; all: volume.
/// `order` 2: quadratic, curved to the shape. Throws UserError for sizes that make no sense.
void make_box(const GmshSession& session, const BoxMesh& box, const base::ErrorContext& context, int order = 1);
void make_sphere(const GmshSession& session, const SphereMesh& sphere, const base::ErrorContext& context,
                 int order = 1);
void make_cylinder(const GmshSession& session, const CylinderMesh& cylinder, const base::ErrorContext& context,
                   int order = 1);

} // namespace limber::mesh
