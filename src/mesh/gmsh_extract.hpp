#pragma once
/// Copies the mesh out of Gmsh's current model, sorted by Gmsh tag, so that Gmsh can be finalized.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace limber::mesh {

struct ExtractedGroup {
  int dimension = 3;
  int tag = 0;
  std::string name;              ///< empty: the file gives none
  std::vector<LocalIndex> nodes; ///< increasing indices into the nodes of ExtractedMesh
};

/// All nodes and linear tetrahedra of the model, both by increasing Gmsh tag.
struct ExtractedMesh {
  std::vector<std::size_t> node_tags;
  std::vector<double> points; ///< 3 per node, in file units
  std::vector<std::size_t> cell_tags;
  std::vector<LocalIndex> cells;         ///< 4 per tetrahedron: indices into node_tags
  std::vector<std::int32_t> cell_groups; ///< tag of the first physical volume; 0: none
  std::vector<ExtractedGroup> groups;    ///< by dimension, then tag
};

/// Throws UserError for other elements than linear tetrahedra in 3D, for no tetrahedra at all, for node or element
/// tags that occur twice, and for more nodes or tetrahedra than LocalIndex holds.
ExtractedMesh extract_mesh(const base::ErrorContext& context);

} // namespace limber::mesh
