#pragma once
/// The boundary of a tetrahedral mesh and its pieces.

#include <vector>

#include "base/types.hpp"

namespace limber::mesh {

/// Face `side` of a cell (tetrahedron_faces).
struct CellFace {
  LocalIndex cell = 0;
  int side = 0;
};

struct BoundaryFaces {
  std::vector<CellFace> faces;    ///< of one cell only, by cell and side
  std::vector<CellFace> overfull; ///< third and further cells at a face: the mesh overlaps itself
};

/// \param cells `width` nodes per cell, the vertices first
BoundaryFaces boundary_faces(const std::vector<LocalIndex>& cells, std::size_t width);

/// Corners of a face in increasing order of node.
void sorted_corners(const std::vector<LocalIndex>& cells, std::size_t width, const CellFace& face,
                    LocalIndex corners[3]);

struct Pieces {
  std::vector<std::int32_t> of_node; ///< numbered by their first nodes
  std::int32_t count = 0;
};

/// Parts of the mesh that share no node with each other. Nodes without a cell are pieces of their own.
Pieces connected_pieces(LocalIndex nodes, const std::vector<LocalIndex>& cells, std::size_t width);

} // namespace limber::mesh
