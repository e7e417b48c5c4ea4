#include "assembly/mass_matrix.hpp"

#include "energies/mass.hpp"

namespace limber::assembly {
namespace {

/// V [m³] of a cell at rest.
double rest_volume(const mesh::DistributedMesh& mesh, LocalIndex c) {
  const auto vertices = mesh.cell(c);
  const double* x0 = mesh.rest_positions.data() + 3 * std::size_t(vertices[0]);
  double e[3][3];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 3; ++i) e[k][i] = mesh.rest_positions[3 * std::size_t(vertices[k + 1]) + i] - x0[i];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6.0;
}

} // namespace

MassMatrix::MassMatrix(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity,
                       const std::vector<BodyMass>& bodies)
    : mesh_(mesh), sparsity_(sparsity), values_(sparsity.columns.size(), 0.0),
      row_sums_(std::size_t(mesh.owned_nodes), 0.0) {
  for (LocalIndex c = 0; c < mesh.cell_count(); ++c) {
    const BodyMass& body = bodies[std::size_t(mesh.cell_bodies[std::size_t(c)])];
    if (body.options.kind == dofs::MassKind::per_node) continue;
    const double volume = rest_volume(mesh, c);
    const auto vertices = mesh.cell(c);
    for (int a = 0; a < 4; ++a) {
      const LocalIndex row = vertices[std::size_t(a)];
      if (!mesh.owns(row)) continue;
      if (body.options.kind == dofs::MassKind::lumped) {
        values_[std::size_t(sparsity.find(mesh, row, row))] += energies::tetrahedron_lumped_mass(body.density, volume);
      } else {
        for (int b = 0; b < 4; ++b)
          values_[std::size_t(sparsity.find(mesh, row, vertices[std::size_t(b)]))] +=
              energies::tetrahedron_consistent_mass(body.density, volume, a, b);
      }
    }
  }
  for (LocalIndex row = 0; row < mesh.owned_nodes; ++row) {
    const BodyMass& body = bodies[std::size_t(mesh.node_bodies[std::size_t(row)])];
    if (body.options.kind == dofs::MassKind::per_node)
      values_[std::size_t(sparsity.find(mesh, row, row))] = body.options.per_node;
    for (auto e = sparsity.offsets[std::size_t(row)]; e < sparsity.offsets[std::size_t(row) + 1]; ++e)
      row_sums_[std::size_t(row)] += values_[std::size_t(e)];
  }
}

void MassMatrix::multiply(const std::vector<double>& u, std::vector<double>& y) const {
  y.resize(3 * std::size_t(mesh_.owned_nodes));
  for (std::size_t row = 0; row < std::size_t(mesh_.owned_nodes); ++row) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (auto e = std::size_t(sparsity_.offsets[row]); e < std::size_t(sparsity_.offsets[row + 1]); ++e) {
      const double* v = u.data() + 3 * std::size_t(sparsity_.columns[e]);
      for (int k = 0; k < 3; ++k) sum[k] += values_[e] * v[k];
    }
    for (std::size_t k = 0; k < 3; ++k) y[3 * row + k] = sum[k];
  }
}

} // namespace limber::assembly
