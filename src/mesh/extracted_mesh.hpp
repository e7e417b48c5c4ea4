#pragma once
/// A mesh as it comes from a file or a mesher, before it is checked and cleaned: what all readers produce.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "mesh/cell_kind.hpp"

namespace limber::mesh {

struct ExtractedGroup {
  int dimension = 3;
  int tag = 0;
  std::string name;                  ///< empty: the file gives none
  std::vector<LocalIndex> nodes;     ///< increasing indices into the nodes of ExtractedMesh
  std::vector<LocalIndex> triangles; ///< of dimension 2: 3 corner nodes a triangle; quadrangles are split
  std::vector<LocalIndex> lines;     ///< of dimension 1: 2 end nodes a line
};

/// All nodes and cells of one kind (tetrahedra, if not said otherwise), both by increasing tag. The vertices of a
/// quadratic tetrahedron are followed by the nodes of its edges 01, 12, 20, 03, 13, 23 (VTK_QUADRATIC_TETRA; Gmsh has
/// the last two the other way round).
struct ExtractedMesh {
  CellKind kind = CellKind::tetrahedron;
  int order = 1;
  std::vector<std::size_t> node_tags;
  std::vector<double> points;            ///< 3 per node, in file units
  std::vector<std::size_t> cell_tags;    ///< what messages call the cells
  std::vector<LocalIndex> cells;         ///< nodes_per_cell() per cell: indices into node_tags
  std::vector<std::int32_t> cell_groups; ///< smallest tag of the groups of its dimension that a cell is in; 0: none
  std::vector<ExtractedGroup> groups;    ///< by dimension, then tag
  double cell_weight = 1.0;              ///< the part of its size that a cell stands for, where cells overlap
  std::vector<double> edge_shares; ///< of lines made from other cells: the part of their size that each stands for
  int share_dimension = 0;         ///< of edge_shares: 3 for volumes, 2 for areas [file units³ or ²]; 0: none
  std::vector<std::string> warnings;

  std::size_t nodes_per_cell() const { return mesh::nodes_per_cell(kind, order); }
};

} // namespace limber::mesh
