#include "mesh/boundary_faces.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "mesh/tetrahedron_topology.hpp"

namespace limber::mesh {

void sorted_corners(const std::vector<LocalIndex>& cells, std::size_t width, const CellFace& face,
                    LocalIndex corners[3]) {
  for (int k = 0; k < 3; ++k)
    corners[k] = cells[width * std::size_t(face.cell) + std::size_t(tetrahedron_faces[face.side][k])];
  std::sort(corners, corners + 3);
}

BoundaryFaces boundary_faces(const std::vector<LocalIndex>& cells, std::size_t width) {
  struct Key {
    std::array<LocalIndex, 3> corners;
    LocalIndex cell;
    int side;
    bool operator<(const Key& other) const {
      return corners != other.corners ? corners < other.corners
                                      : std::pair(cell, side) < std::pair(other.cell, other.side);
    }
  };
  std::vector<Key> keys(4 * (cells.size() / width));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].cell = LocalIndex(i / 4);
    keys[i].side = int(i % 4);
    sorted_corners(cells, width, {keys[i].cell, keys[i].side}, keys[i].corners.data());
  }
  std::sort(keys.begin(), keys.end());
  BoundaryFaces result;
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end].corners == keys[begin].corners) ++end;
    if (end - begin == 1) result.faces.push_back({keys[begin].cell, keys[begin].side});
    for (std::size_t i = begin + 2; i < end; ++i) result.overfull.push_back({keys[i].cell, keys[i].side});
  }
  const auto by_cell = [](const CellFace& a, const CellFace& b) {
    return std::pair(a.cell, a.side) < std::pair(b.cell, b.side);
  };
  std::sort(result.faces.begin(), result.faces.end(), by_cell);
  std::sort(result.overfull.begin(), result.overfull.end(), by_cell);
  return result;
}

Pieces connected_pieces(LocalIndex nodes, const std::vector<LocalIndex>& cells, std::size_t width) {
  std::vector<LocalIndex> parent(static_cast<std::size_t>(nodes));
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](LocalIndex n) {
    while (parent[std::size_t(n)] != n) n = parent[std::size_t(n)] = parent[std::size_t(parent[std::size_t(n)])];
    return n;
  };
  for (std::size_t c = 0; c + width <= cells.size(); c += width) {
    LocalIndex root = find(cells[c]);
    for (std::size_t k = 1; k < width; ++k) {
      const LocalIndex other = find(cells[c + k]);
      // The smaller index stays the root, so that pieces can be numbered in one pass.
      parent[std::size_t(std::max(root, other))] = std::min(root, other);
      root = std::min(root, other);
    }
  }
  Pieces pieces;
  pieces.of_node.resize(parent.size());
  for (LocalIndex n = 0; n < nodes; ++n) {
    const LocalIndex root = find(n);
    pieces.of_node[std::size_t(n)] = root == n ? pieces.count++ : pieces.of_node[std::size_t(root)];
  }
  return pieces;
}

} // namespace limber::mesh
