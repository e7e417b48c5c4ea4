#include "assembly/mass_matrix.hpp"

#include <algorithm>

#include "energies/mass.hpp"
#include "energies/spring.hpp"
#include "energies/triangle_p1.hpp"

namespace limber::assembly {
namespace {

/// Nodal masses of a cell, entry (a, b) at a + n b [kg]; only the diagonal if lumped.
void cell_masses(const mesh::DistributedMesh& mesh, LocalIndex c, const BodyMass& body, double masses[100]) {
  const auto nodes = mesh.cell(c);
  const int n = int(nodes.size());
  const bool lumped = body.options.kind == dofs::MassKind::lumped;
  double X[30], diagonal[10];
  for (std::size_t i = 0; i < 3 * nodes.size(); ++i) X[i] = mesh.rest_positions[3 * std::size_t(nodes[i / 3]) + i % 3];
  std::fill_n(masses, n * n, 0.0);
  if (n == 2 || n == 3) {
    const double mass =
        body.density *
        (n == 2 ? mesh.cell_volumes[std::size_t(c)]
                : energies::triangle_area(X) * mesh.bodies[std::size_t(mesh.cell_bodies[std::size_t(c)])].thickness);
    std::fill_n(diagonal, n, mass / n);
    for (int a = 0; a < n && !lumped; ++a)
      for (int b = 0; b < n; ++b)
        masses[a + n * b] = mass * (n == 2 ? energies::spring_mass_share(a, b) : energies::triangle_mass_share(a, b));
  } else if (n == 4) {
    const double volume = energies::make_tetrahedron_rest(X).volume;
    std::fill_n(diagonal, n, energies::tetrahedron_lumped_mass(body.density, volume));
    for (int a = 0; a < n && !lumped; ++a)
      for (int b = 0; b < n; ++b) masses[a + n * b] = energies::tetrahedron_consistent_mass(body.density, volume, a, b);
  } else if (lumped) {
    energies::tetrahedron_p2_lumped_mass(X, body.density, diagonal);
  } else {
    energies::tetrahedron_p2_consistent_mass(X, body.density, masses);
  }
  for (int a = 0; a < n && lumped; ++a) masses[a + n * a] = diagonal[a];
}

} // namespace

MassMatrix::MassMatrix(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity,
                       const std::vector<BodyMass>& bodies, const std::vector<double>& cell_densities)
    : mesh_(mesh), sparsity_(sparsity), values_(sparsity.columns.size(), 0.0),
      row_sums_(std::size_t(mesh.owned_nodes), 0.0) {
  for (LocalIndex c = 0; c < mesh.cell_count(); ++c) {
    BodyMass body = bodies[std::size_t(mesh.cell_bodies[std::size_t(c)])];
    if (body.options.kind == dofs::MassKind::per_node) continue;
    if (!cell_densities.empty()) body.density = cell_densities[std::size_t(c)];
    const auto nodes = mesh.cell(c);
    const std::size_t n = nodes.size();
    double masses[100];
    cell_masses(mesh, c, body, masses);
    for (std::size_t a = 0; a < n; ++a) {
      if (!mesh.owns(nodes[a])) continue;
      for (std::size_t b = 0; b < n; ++b)
        if (masses[a + n * b] != 0.0)
          values_[std::size_t(sparsity.find(mesh, nodes[a], nodes[b]))] += masses[a + n * b];
    }
  }
  for (LocalIndex row = 0; row < mesh.owned_nodes; ++row) {
    const BodyMass& body = bodies[std::size_t(mesh.node_bodies[std::size_t(row)])];
    if (body.options.kind == dofs::MassKind::per_node)
      values_[std::size_t(sparsity.find(mesh, row, row))] = body.options.per_node;
    for (auto e = sparsity.offsets[std::size_t(row)]; e < sparsity.offsets[std::size_t(row) + 1]; ++e)
      row_sums_[std::size_t(row)] += values_[std::size_t(e)];
  }
  for (LocalIndex row = 0; row < mesh.owned_nodes; ++row)
    diagonal_.push_back(values_[std::size_t(sparsity.find(mesh, row, row))]);
  is_diagonal_ = std::none_of(bodies.begin(), bodies.end(),
                              [](const BodyMass& body) { return body.options.kind == dofs::MassKind::consistent; });
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
