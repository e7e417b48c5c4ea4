#pragma once
/// Small triangulated surfaces for the tests of this folder.

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "mesh/surface_mesh.hpp"

namespace limber::mesh {

/// A folder of this process, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / ("limber_mesh_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }

private:
  std::filesystem::path path_;
};

/// Adds the 12 triangles of the box from `low` to `high`, normals outward, or inward.
inline void add_box(TriangleSurface& surface, const Vector3& low, const Vector3& high, bool outward = true) {
  const auto first = static_cast<LocalIndex>(surface.point_count());
  for (int corner = 0; corner < 8; ++corner)
    for (std::size_t k = 0; k < 3; ++k) surface.points.push_back(corner >> k & 1 ? high[k] : low[k]);
  constexpr std::array<std::array<LocalIndex, 4>, 6> kFaces = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& f : kFaces) {
    for (const auto& [a, b, c] : {std::array{f[0], f[1], f[2]}, std::array{f[0], f[2], f[3]}})
      for (const LocalIndex vertex : outward ? std::array{a, b, c} : std::array{a, c, b})
        surface.triangles.push_back(first + vertex);
  }
}

inline void add_cube(TriangleSurface& surface, double low, double high, bool outward = true) {
  add_box(surface, {low, low, low}, {high, high, high}, outward);
}

inline TriangleSurface unit_cube() {
  TriangleSurface surface;
  add_cube(surface, 0.0, 1.0);
  return surface;
}

inline std::string ascii_stl(const TriangleSurface& surface) {
  std::string text = "solid of the test\n";
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    text += "facet normal 0 0 0\n  outer loop\n";
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3 x = surface.point(surface.triangles[3 * t + k]);
      text += "    vertex " + std::to_string(x[0]) + " " + std::to_string(x[1]) + " " + std::to_string(x[2]) + "\n";
    }
    text += "  endloop\nendfacet\n";
  }
  return text + "endsolid of the test\n";
}

/// On a little-endian machine.
inline std::string binary_stl(const TriangleSurface& surface) {
  std::string bytes = "solid, although this is a binary file";
  bytes.resize(80, ' ');
  const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(static_cast<std::uint32_t>(surface.triangle_count()));
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) put(0.0f);
    for (std::size_t k = 0; k < 3; ++k)
      for (const double x : surface.point(surface.triangles[3 * t + k])) put(static_cast<float>(x));
    put(std::uint16_t{0});
  }
  return bytes;
}

} // namespace limber::mesh
