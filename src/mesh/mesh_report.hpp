#pragma once
/// What a mesh file holds, for people: the text behind `limber info`.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace limber::mesh {

/// Memory of a run (matrix, multigrid hierarchy, vectors), measured; linear and quadratic elements.
constexpr double kBytesPerUnknownP1 = 2500.0;
constexpr double kBytesPerUnknownP2 = 3500.0;

struct ElementCount {
  std::string name; ///< Gmsh's or VTK's
  int dimension = 3;
  int order = 1;
  std::size_t count = 0;
};

struct GroupCount {
  std::string name; ///< empty: the file gives none
  int dimension = 3;
  int tag = 0;
  std::size_t nodes = 0;
  std::size_t elements = 0;
};

struct TetrahedraReport {
  std::size_t count = 0;
  int order = 0;       ///< 0: linear and quadratic ones
  double volume = 0.0; ///< [file units³] sum of the absolute values
  std::size_t pieces = 0;
  std::size_t inverted = 0;              ///< of negative volume
  std::size_t flat = 0;                  ///< of no volume
  std::array<std::size_t, 10> quality{}; ///< how many in [0, 0.1), …, [0.9, 1]; see tetrahedron_quality
  double smallest_quality = 1.0;
  std::size_t worst = 0; ///< tag of the tetrahedron of smallest quality
  double shortest_edge = 0.0, longest_edge = 0.0;
  std::size_t unknowns_p1 = 0, unknowns_p2 = 0; ///< three per vertex; three per vertex and edge
};

struct SurfaceReport {
  std::size_t triangles = 0;
  bool closed = false;
  std::size_t open_edges = 0, nonmanifold_edges = 0, degenerate = 0, duplicates = 0;
  std::size_t shells = 0;      ///< 0 unless closed and orientable
  double volume = 0.0;         ///< [file units³] enclosed; 0 where there are no shells
  double area = 0.0;           ///< [file units²]
  std::string why_not_a_solid; ///< empty: it can be filled, as far as can be told without trying
};

struct MeshReport {
  std::string path;
  std::size_t nodes = 0;
  std::size_t unused_nodes = 0;       ///< in no element
  std::size_t repeated_positions = 0; ///< nodes at the same coordinates as another of a smaller tag
  std::vector<ElementCount> elements; ///< by dimension, highest first
  std::vector<GroupCount> groups;     ///< by dimension, then tag
  Vector3 box_min{}, box_max{};       ///< of all nodes [file units; meters for STEP and IGES]
  double diagonal = 0.0;
  std::optional<TetrahedraReport> tetrahedra;
  std::optional<SurfaceReport> surface; ///< where the file holds triangles and no elements of dimension 3
  std::vector<std::string> notes;       ///< warnings, what a run would refuse, a hint on units
};

/// Mean ratio 12 (3V)^(2/3) / (sum of the squared edges) of the tetrahedron of four corners (Liu & Joe, BIT 34, 1994):
/// 1 for the regular one, 0 for flat and for inverted ones.
double tetrahedron_quality(const std::array<Vector3, 4>& corners);

/// Mean ratio 4 √3 A / (sum of the squared edges) of a triangle: 1 for the equilateral one, 0 for one without area.
double triangle_quality(const std::array<Vector3, 3>& corners);

/// Reads any supported file, also meshes that a run would refuse. Geometries are meshed (.geo, .step …) and closed
/// surfaces filled (.stl, .obj) as load_file does, with `element_size`. Rank 0 only; communicates nothing.
/// Throws UserError where the file cannot be read or a geometry cannot be meshed.
MeshReport report_mesh_file(const std::string& path, double element_size);

/// Several lines, without one at the end.
std::string text(const MeshReport& report);

} // namespace limber::mesh
