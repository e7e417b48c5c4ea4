#pragma once
/// Files, meshes and volumes that the tests of mesh reading share.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mesh/body_mesh.hpp"
#include "mesh/tetrahedron_topology.hpp"

namespace limber::test {

inline const std::string kData = std::string(LIMBER_TEST_DATA) + "/meshes/";

using Shape = decltype(mesh::MeshSource::shape);

inline mesh::BodyMeshOptions options_of(Shape shape, int order = 0) {
  mesh::BodyMeshOptions options;
  options.source.shape = std::move(shape);
  options.source.order = order;
  options.config_file = "scene.yaml";
  options.config_key = "bodies[0].mesh";
  options.config_line = 7;
  return options;
}

inline mesh::BodyMesh read(Shape shape, int order = 0) {
  return mesh::read_body_mesh(options_of(std::move(shape), order));
}

inline const mesh::PhysicalGroup& group(const mesh::BodyMesh& mesh, const std::string& name, int dimension) {
  for (const mesh::PhysicalGroup& g : mesh.groups)
    if (g.name == name && g.dimension == dimension) return g;
  throw std::runtime_error("no group " + name);
}

/// A folder of this process, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / ("limber_mesh_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name, const std::string& content = "") const {
    const std::string path = (path_ / name).string();
    if (!content.empty()) std::ofstream(path, std::ios::binary) << content;
    return path;
  }

private:
  std::filesystem::path path_;
};

inline std::string msh2(const std::string& nodes, const std::string& elements) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + nodes + "$EndNodes\n$Elements\n" + elements +
         "$EndElements\n";
}

/// One quadratic tetrahedron with straight edges of lengths 2 and 2√2, with Gmsh's order of the nodes.
inline const std::string kQuadraticNodes =
    "10\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n5 1 0 0\n6 1 1 0\n7 0 1 0\n8 0 0 1\n9 0 1 1\n10 1 0 1\n";
inline const std::string kQuadraticCell = "1\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n";

/// The text of the UserError that `work` throws.
template <class Work> std::string user_error(Work&& work) {
  try {
    work();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "nothing thrown";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline Vector3 point(const mesh::BodyMesh& mesh, LocalIndex n) {
  const double* x = &mesh.points[3 * std::size_t(n)];
  return {x[0], x[1], x[2]};
}

/// Positions of the nodes of face f: 3 or 6.
inline std::vector<Vector3> face_points(const mesh::BodyMesh& mesh, std::size_t f) {
  std::vector<Vector3> x;
  for (std::size_t k = 0; k < (mesh.order == 1 ? 3u : 6u); ++k) {
    const auto local = std::size_t(mesh::tetrahedron_faces[mesh.faces[f].side][k]);
    x.push_back(point(mesh, mesh.cells[mesh.nodes_per_cell() * std::size_t(mesh.faces[f].cell) + local]));
  }
  return x;
}

inline std::vector<Vector3> cell_points(const mesh::BodyMesh& mesh, std::size_t c) {
  std::vector<Vector3> x;
  for (std::size_t k = 0; k < mesh.nodes_per_cell(); ++k)
    x.push_back(point(mesh, mesh.cells[mesh.nodes_per_cell() * c + k]));
  return x;
}

inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Position at barycentric coordinates L, and its derivatives by L1, L2 … with L0 = 1 − ΣL, of a triangle or a
/// tetrahedron, linear or quadratic. The triangle has the first three of tetrahedron_edges.
struct Tangents {
  Vector3 place{};
  std::vector<Vector3> along;
};
inline Tangents tangents(const std::vector<Vector3>& x, const std::vector<double>& L) {
  const std::size_t corners = L.size();
  const bool linear = x.size() == corners;
  std::vector<Vector3> by(corners, Vector3{});
  Tangents result;
  const auto add = [](Vector3& to, double factor, const Vector3& v) {
    for (std::size_t k = 0; k < 3; ++k) to[k] += factor * v[k];
  };
  for (std::size_t a = 0; a < corners; ++a) {
    add(result.place, linear ? L[a] : L[a] * (2.0 * L[a] - 1.0), x[a]);
    add(by[a], linear ? 1.0 : 4.0 * L[a] - 1.0, x[a]);
  }
  for (std::size_t e = 0; e + corners < x.size(); ++e) {
    const auto i = std::size_t(mesh::tetrahedron_edges[e][0]), j = std::size_t(mesh::tetrahedron_edges[e][1]);
    add(result.place, 4.0 * L[i] * L[j], x[corners + e]);
    add(by[i], 4.0 * L[j], x[corners + e]);
    add(by[j], 4.0 * L[i], x[corners + e]);
  }
  for (std::size_t a = 1; a < corners; ++a) {
    add(by[a], -1.0, by[0]);
    result.along.push_back(by[a]);
  }
  return result;
}

/// Gauss and Legendre on [0, 1], three points: exact up to degree five. In collapsed coordinates the integrands below
/// have that degree: 3 + 2 for volumes, 4 + 1 for faces.
inline constexpr double kGaussWeights[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
inline std::array<double, 3> gauss_points() {
  const double offset = 0.5 * std::sqrt(0.6);
  return {0.5 - offset, 0.5, 0.5 + offset};
}

/// Volume of all cells, curved ones included.
inline double volume(const mesh::BodyMesh& mesh) {
  const auto g = gauss_points();
  double sum = 0.0;
  for (std::size_t c = 0; c < mesh.cell_ids.size(); ++c) {
    const auto x = cell_points(mesh, c);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 3; ++k) {
          const double a = g[i], b = g[j] * (1.0 - a), d = g[k] * (1.0 - a) * (1.0 - g[j]);
          const auto t = tangents(x, {1.0 - a - b - d, a, b, d}).along;
          sum += kGaussWeights[i] * kGaussWeights[j] * kGaussWeights[k] * (1.0 - a) * (1.0 - a) * (1.0 - g[j]) *
                 dot(t[0], cross(t[1], t[2]));
        }
  }
  return sum;
}

/// Area vector of a face, and the integral of x·n/3 over it: the volume between it and the origin.
struct FaceIntegrals {
  Vector3 area{};
  double volume = 0.0;
};
inline FaceIntegrals face_integrals(const std::vector<Vector3>& x) {
  const auto g = gauss_points();
  FaceIntegrals result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double a = g[i], b = g[j] * (1.0 - a), weight = kGaussWeights[i] * kGaussWeights[j] * (1.0 - a);
      const auto t = tangents(x, {1.0 - a - b, a, b});
      const auto normal = cross(t.along[0], t.along[1]);
      for (std::size_t k = 0; k < 3; ++k) result.area[k] += weight * normal[k];
      result.volume += weight * dot(t.place, normal) / 3.0;
    }
  return result;
}

/// ∫ x·n/3 over the boundary: the volume, if the faces are complete and look outward (divergence theorem).
inline double enclosed_volume(const mesh::BodyMesh& mesh) {
  double sum = 0.0;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) sum += face_integrals(face_points(mesh, f)).volume;
  return sum;
}

/// Largest distance of an edge node from the middle of its edge, in units of the edge's length.
inline double largest_offset(const mesh::BodyMesh& mesh) {
  double largest = 0.0;
  for (std::size_t c = 0; c < mesh.cell_ids.size() && mesh.order == 2; ++c) {
    const auto x = cell_points(mesh, c);
    for (std::size_t e = 0; e < 6; ++e) {
      const auto &a = x[std::size_t(mesh::tetrahedron_edges[e][0])], &b = x[std::size_t(mesh::tetrahedron_edges[e][1])];
      const auto& middle = x[4 + e];
      const double offset =
          std::hypot(middle[0] - 0.5 * (a[0] + b[0]), middle[1] - 0.5 * (a[1] + b[1]), middle[2] - 0.5 * (a[2] + b[2]));
      largest = std::max(largest, offset / std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
  }
  return largest;
}

} // namespace limber::test
