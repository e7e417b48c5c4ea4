#pragma once
/// A mesh file as it is, elements of every type: what the report looks at.

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace limber::mesh {

/// Elements of one type.
struct ElementBlock {
  std::string name;
  int dimension = 3;
  int order = 1;
  int corners = 0; ///< vertices of one element; 0 where they vary
  std::vector<std::size_t> tags;
  std::vector<std::size_t> offsets = {0}; ///< elements + 1: where an element's nodes begin
  std::vector<LocalIndex> nodes;          ///< vertices first

  std::size_t count() const { return tags.size(); }
  bool is_tetrahedra() const { return dimension == 3 && corners == 4; }
  bool is_triangles() const { return dimension == 2 && corners == 3; }
};

struct ContentsGroup {
  int dimension = 3;
  int tag = 0;
  std::string name;
  std::size_t nodes = 0;
  std::size_t elements = 0;
};

struct MeshContents {
  std::vector<double> points; ///< 3 per node
  std::vector<ElementBlock> blocks;
  std::vector<ContentsGroup> groups; ///< by dimension, then tag
  std::vector<std::string> warnings;

  std::size_t node_count() const { return points.size() / 3; }
};

/// Reads a file of any supported format. Geometries are meshed and closed surfaces filled; a surface that cannot be
/// filled is returned as triangles, with a warning that says why. Uses Gmsh where the format needs it.
/// Throws UserError where the file cannot be read or a geometry not be meshed.
MeshContents read_contents(const std::string& path, double element_size, const base::ErrorContext& context);

} // namespace limber::mesh
