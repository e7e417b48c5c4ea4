#pragma once
/// Reads volume meshes in VTK's formats: .vtu (XML) and legacy .vtk with an unstructured grid.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/extracted_mesh.hpp"

namespace limber::mesh {

/// The file's cells, of whatever type, by their position in the file.
struct VtkGrid {
  std::vector<double> points;       ///< 3 per node, in file units
  std::vector<std::uint8_t> types;  ///< VTK's cell types (vtkCellType.h)
  std::vector<std::size_t> offsets; ///< cells + 1: where a cell's nodes begin in `nodes`
  std::vector<LocalIndex> nodes;
  std::vector<std::int32_t> groups; ///< per cell, 0: none; see read_vtk_volume
  std::vector<std::string> warnings;

  std::size_t cell_count() const { return types.size(); }
};

/// Name (as in vtkCellType.h, without VTK_) and dimension of a cell type; dimension -1 and "type N" where unknown.
struct VtkCellKind {
  std::string name;
  int dimension = -1;
  int order = 1; ///< 2: quadratic
};
VtkCellKind vtk_cell_kind(int type);

/// Throws UserError with file and advice for whatever VTK complains of; prints nothing.
VtkGrid read_vtk_grid(const std::string& path, const base::ErrorContext& context);

/// The tetrahedra (linear or quadratic, not both) of the file. Groups come from the first of these integer cell arrays:
/// group, physical, gmsh:physical, medit:ref, CellEntityIds; of each dimension of cells, the cells of one value are a
/// group with that tag and no name, except 0. Triangles, lines and vertices only serve for groups.
/// Tags are positions in the file counted from 1, of tetrahedra among all cells.
/// Throws UserError for other cells (with their number), for no tetrahedra, and for whatever read_vtk_grid refuses.
ExtractedMesh read_vtk_volume(const std::string& path, const base::ErrorContext& context);

/// The same for shells and springs, whose cells are linear triangles, or for springs also tetrahedra or lines: those of
/// the highest dimension in the file, or none.
ExtractedMesh read_vtk_mesh(const std::string& path, BodyKind kind, const base::ErrorContext& context);

} // namespace limber::mesh
