#include "mesh/body_mesh.hpp"

#include <cstddef>

namespace limber::mesh {

double cell_determinant(const BodyMesh& mesh, LocalIndex cell) {
  const auto point = [&](std::size_t vertex) {
    return mesh.points.data() +
           3 * static_cast<std::size_t>(mesh.cells[mesh.nodes_per_cell() * static_cast<std::size_t>(cell) + vertex]);
  };
  double e[3][3];
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < 3; ++i) e[j][i] = point(j + 1)[i] - point(0)[i];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

} // namespace limber::mesh
