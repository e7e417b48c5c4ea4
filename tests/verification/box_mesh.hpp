#pragma once
/// Boxes of tetrahedra made in memory: cubes cut into six around a space diagonal, with inner nodes moved if wanted.

#include <array>
#include <cstdint>
#include <utility>

#include "mesh/body_mesh.hpp"

namespace limber::test {

struct BoxShape {
  std::array<int, 3> cubes{1, 1, 1};
  Vector3 size{1.0, 1.0, 1.0}; ///< [m], the lower corner is the origin
  bool mirrored = false;       ///< the other space diagonal
  double jitter = 0.0;         ///< inner nodes move by up to this times the edges of a cube along each axis
};

/// Numbers in [-1, 1) that are the same everywhere (the standard's distributions are not).
class RandomNumbers {
public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u; // Knuth, MMIX
    return double(state_ >> 11) * 0x1p-52 - 1.0;
  }

private:
  std::uint64_t state_;
};

inline LocalIndex box_node(const BoxShape& box, int i, int j, int k) {
  return i + (box.cubes[0] + 1) * (j + (box.cubes[1] + 1) * k);
}

inline bool on_box_surface(const BoxShape& box, int i, int j, int k) {
  return i == 0 || j == 0 || k == 0 || i == box.cubes[0] || j == box.cubes[1] || k == box.cubes[2];
}

inline void add_box_nodes(const BoxShape& box, mesh::BodyMesh& mesh) {
  RandomNumbers random(7);
  for (int k = 0; k <= box.cubes[2]; ++k)
    for (int j = 0; j <= box.cubes[1]; ++j)
      for (int i = 0; i <= box.cubes[0]; ++i) {
        const std::array<int, 3> place{i, j, k};
        for (std::size_t c = 0; c < 3; ++c) {
          const double move = on_box_surface(box, i, j, k) ? 0.0 : box.jitter * random();
          mesh.points.push_back(box.size[c] * (place[c] + move) / box.cubes[c]);
        }
        mesh.node_ids.push_back(GlobalIndex(mesh.node_ids.size()));
      }
}

inline mesh::BodyMesh box_mesh(const BoxShape& box) {
  mesh::BodyMesh mesh;
  add_box_nodes(box, mesh);
  // Six paths along the edges from one corner of the cube to the opposite one.
  constexpr int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int k = 0; k < box.cubes[2]; ++k)
    for (int j = 0; j < box.cubes[1]; ++j)
      for (int i = 0; i < box.cubes[0]; ++i)
        for (const auto& path : paths) {
          std::array<int, 3> corner{0, 0, 0};
          std::array<LocalIndex, 4> cell{};
          for (std::size_t v = 0; v < 4; ++v) {
            if (v > 0) corner[std::size_t(path[v - 1])] = 1;
            cell[v] = box_node(box, box.mirrored ? i + 1 - corner[0] : i + corner[0], j + corner[1], k + corner[2]);
          }
          mesh.cells.insert(mesh.cells.end(), cell.begin(), cell.end());
          mesh.cell_ids.push_back(GlobalIndex(mesh.cell_ids.size()));
          mesh.cell_groups.push_back(0);
          if (mesh::cell_determinant(mesh, mesh.cell_count() - 1) < 0.0)
            std::swap(mesh.cells[mesh.cells.size() - 1], mesh.cells[mesh.cells.size() - 2]);
        }
  mesh.file_nodes = mesh.node_count();
  mesh.file_cells = mesh.cell_count();
  return mesh;
}

/// Per node of box_mesh: whether it lies on the surface.
inline std::vector<bool> box_surface(const BoxShape& box) {
  std::vector<bool> surface;
  for (int k = 0; k <= box.cubes[2]; ++k)
    for (int j = 0; j <= box.cubes[1]; ++j)
      for (int i = 0; i <= box.cubes[0]; ++i) surface.push_back(on_box_surface(box, i, j, k));
  return surface;
}

} // namespace limber::test
