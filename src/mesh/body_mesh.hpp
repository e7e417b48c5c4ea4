#pragma once
/// The mesh of one body as rank 0 holds it during set-up.

#include <string>
#include <vector>

#include "base/types.hpp"
#include "mesh/boundary_faces.hpp"
#include "mesh/cell_kind.hpp"
#include "mesh/mesh_source.hpp"

namespace limber::mesh {

/// A physical group of the input mesh, of any dimension.
struct PhysicalGroup {
  std::string name; ///< the tag in decimal where the file gives no name
  int dimension = 3;
  int tag = 0;
  std::vector<LocalIndex> nodes; ///< increasing indices into BodyMesh::points
  std::vector<LocalIndex> faces; ///< of dimension 2: increasing indices into BodyMesh::faces
};

/// "In the file" means by increasing Gmsh tag, which is the order of the lines in files that Gmsh has written.
struct BodyMesh {
  std::vector<double> points;        ///< 3 per node [m], after the transform; only nodes that a cell uses
  std::vector<GlobalIndex> node_ids; ///< zero-based position of each node in the file, increasing
  BodyKind kind = BodyKind::solid;
  int order = 1;
  double thickness = 0.0;                ///< of shells [m]
  std::vector<LocalIndex> cells;         ///< nodes_per_cell() per cell; tetrahedra: det [x1-x0, x2-x0, x3-x0] > 0
  std::vector<GlobalIndex> cell_ids;     ///< zero-based position of each cell among those of the file, increasing
  std::vector<std::int32_t> cell_groups; ///< smallest tag of the physical groups of its dimension; 0: none
  std::vector<double> cell_volumes;      ///< springs: the part of the body's volume each stands for [m³]; else empty
  std::vector<CellFace> faces;           ///< the boundary of a solid; all triangles of a shell, with side 0
  std::vector<std::int32_t> pieces;      ///< per node: which of the parts of the mesh that share no node
  std::int32_t piece_count = 0;
  std::vector<PhysicalGroup> groups;
  GlobalIndex file_nodes = 0;   ///< nodes in the file, used or not
  GlobalIndex file_cells = 0;   ///< cells in the file; for springs, of the list of springs
  GlobalIndex turned_cells = 0; ///< inverted in the file, turned on reading
  std::vector<std::string> warnings;

  /// 4, 3 or 2; or 10 in the order of VTK_QUADRATIC_TETRA (mesh/tetrahedron_topology.hpp).
  std::size_t nodes_per_cell() const { return mesh::nodes_per_cell(cell_kind(kind), order); }
  LocalIndex node_count() const { return static_cast<LocalIndex>(node_ids.size()); }
  LocalIndex cell_count() const { return static_cast<LocalIndex>(cell_ids.size()); }
};

/// Reads or makes the mesh with the Gmsh SDK and checks it. Rank 0 only; initializes and finalizes Gmsh itself.
/// Throws UserError with file, element and advice: missing or unreadable file, no cells, cells of zero
/// volume, area or length (with their Gmsh tag), quadratic ones whose mapping is not positive everywhere, elements that
/// overlap, coordinates that are not finite. The same input gives the same mesh, bit for bit, with the same version of
/// Gmsh, unless a .geo file chooses HXT (Mesh.Algorithm3D = 10).
BodyMesh read_body_mesh(const BodyMeshOptions& options);

/// 6 V: det [x1-x0, x2-x0, x3-x0] of one cell [m³].
double cell_determinant(const BodyMesh& mesh, LocalIndex cell);

} // namespace limber::mesh
