#pragma once
/// Linear tetrahedra to quadratic ones and back.

#include "mesh/extracted_mesh.hpp"

namespace limber::mesh {

/// Puts a node on the middle of every edge. The new nodes have the tags after the largest one, in the order of their
/// edges' ends; they belong to the groups of dimension 1 and 2 whose lines or triangles have the edge, and to the
/// groups of dimension 3 that have both ends.
void raise_order(ExtractedMesh& mesh);

/// Drops the nodes on the edges: the cells keep their vertices, the nodes stay in the list.
void lower_order(ExtractedMesh& mesh);

} // namespace limber::mesh
