#pragma once
/// Where a body's mesh comes from and how it is placed.

#include <string>
#include <variant>

#include "base/types.hpp"

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

struct MeshSource {
  std::variant<MeshFile, BoxMesh, SphereMesh, CylinderMesh> shape;
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
  MeshSource source;
  Transform transform;
  std::string config_file; ///< for messages
  std::string config_key;  ///< for messages, for example bodies[0].mesh
  int config_line = 0;
};

} // namespace limber::mesh
