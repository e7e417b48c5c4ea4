#pragma once
/// Meshes of shells and springs: grids, surfaces that stay surfaces, and the edges of a mesh.

#include <array>
#include <vector>

#include "base/error.hpp"
#include "mesh/extracted_mesh.hpp"
#include "mesh/mesh_source.hpp"
#include "mesh/surface_mesh.hpp"

namespace limber::mesh {

/// Triangles of a rectangular grid, two a cell, cells row by row along y. Diagonals alternate like a checkerboard: cell
/// (i, j) has that from its lower left corner if i + j is even. With both diagonals each cell has the four triangles
/// that they bound with the sides, each standing for half its area. Groups: xmin, xmax, ymin, ymax (lines), surface.
/// Throws UserError for sizes that make no sense.
ExtractedMesh make_grid(const GridMesh& grid, const base::ErrorContext& context);

/// The triangles as cells, with the group surface.
ExtractedMesh as_cells(const TriangleSurface& surface);

/// Replaces the cells (linear) by lines: the given pairs of nodes; or, without pairs, all edges of the mesh, in the
/// order of their nodes. The edges of a cell share its volume or area equally, which gives nodes the masses of a lumped
/// mass matrix. Throws UserError for pairs that name a node twice or none of the mesh, or that occur twice, and where
/// nothing results.
void make_springs(ExtractedMesh& mesh, const std::vector<std::array<GlobalIndex, 2>>& pairs,
                  const base::ErrorContext& context);

} // namespace limber::mesh
