#pragma once
/// A mesh as it comes from a file or a mesher, before it is checked and cleaned: what all readers produce.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace limber::mesh {

struct ExtractedGroup {
  int dimension = 3;
  int tag = 0;
  std::string name;                  ///< empty: the file gives none
  std::vector<LocalIndex> nodes;     ///< increasing indices into the nodes of ExtractedMesh
  std::vector<LocalIndex> triangles; ///< of dimension 2: 3 corner nodes a triangle; quadrangles are split
  std::vector<LocalIndex> lines;     ///< of dimension 1: 2 end nodes a line
};

/// All nodes and tetrahedra, both by increasing tag. The vertices of a quadratic tetrahedron are followed by the nodes
/// of its edges 01, 12, 20, 03, 13, 23 (VTK_QUADRATIC_TETRA; Gmsh has the last two the other way round).
struct ExtractedMesh {
  int order = 1;
  std::vector<std::size_t> node_tags;
  std::vector<double> points;            ///< 3 per node, in file units
  std::vector<std::size_t> cell_tags;    ///< what messages call the tetrahedra
  std::vector<LocalIndex> cells;         ///< nodes_per_cell() per tetrahedron: indices into node_tags
  std::vector<std::int32_t> cell_groups; ///< smallest tag of the volume groups a cell belongs to; 0: none
  std::vector<ExtractedGroup> groups;    ///< by dimension, then tag
  std::vector<std::string> warnings;

  std::size_t nodes_per_cell() const { return order == 1 ? 4 : 10; }
};

} // namespace limber::mesh
