#pragma once
/// Where a body's mesh comes from and how it is placed.

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "mesh/cell_kind.hpp"

namespace limber::mesh {

struct MeshFile {
  std::string path; ///< one of the endings of load_file, .vtu or .vtk; already relative to the working directory
  double element_size = 0.0; ///< [file units] uniform size where Gmsh makes the mesh (.geo); 0: as the file says
};

struct BoxMesh {
  Vector3 min{}, max{};      ///< [m]
  double element_size = 0.0; ///< [m]
};

struct SphereMesh {
  Vector3 center{}; ///< [m]
  double radius = 0.0;
  double element_size = 0.0;
};

struct CylinderMesh {
  Vector3 start{}, end{}; ///< [m] centers of the two end faces
  double radius = 0.0;
  double element_size = 0.0;
};

/// A rectangle in a plane z = const, cut into equal cells along x and y. Node j + i (rows + 1) is the i-th along x and
/// the j-th along y.
struct GridMesh {
  Vector3 min{}, max{};        ///< [m], of equal z
  int columns = 1, rows = 1;   ///< cells along x and y
  bool both_diagonals = false; ///< for springs; otherwise each cell has one, alternating like a checkerboard
};

struct MeshSource {
  std::variant<MeshFile, BoxMesh, SphereMesh, CylinderMesh, GridMesh> shape;
  int order = 0; ///< polynomial order of the elements; 0: as the file has, 1 where the program makes the mesh
};

/// Rest shape = translate ∘ rotate ∘ scale of the file.
struct Transform {
  double scale = 1.0;
  Vector3 rotation_axis{0.0, 0.0, 1.0};
  double rotation_degrees = 0.0;
  Vector3 translate{};
};

/// One body's mesh request, as the configuration states it.
struct BodyMeshOptions {
  std::string name;
  BodyKind kind = BodyKind::solid;
  MeshSource source;
  Transform transform;
  double thickness = 0.0; ///< [m], of shells, and of springs from triangles; 0: not given
  /// Springs: pairs of nodes in the order of the file; empty: all edges of the mesh.
  std::vector<std::array<GlobalIndex, 2>> pairs;
  bool needs_volumes = true; ///< springs: whether masses come from a density
  std::string config_file;   ///< for messages
  std::string config_key;    ///< for messages, for example bodies[0].mesh
  int config_line = 0;
};

} // namespace limber::mesh
