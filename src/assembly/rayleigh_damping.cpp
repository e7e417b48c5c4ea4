#include "assembly/rayleigh_damping.hpp"

#include <algorithm>
#include <cmath>

namespace limber::assembly {

RayleighDamping::RayleighDamping(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity,
                                 const MassMatrix& mass, const std::vector<BodyMass>& bodies)
    : mesh_(mesh), sparsity_(sparsity), mass_(mass) {
  smallest_ = bodies.empty() ? dofs::DampingOptions{} : bodies.front().damping;
  for (const auto& body : bodies) {
    bodies_.push_back(body.damping);
    smallest_.mass = std::min(smallest_.mass, body.damping.mass);
    smallest_.stiffness = std::min(smallest_.stiffness, body.damping.stiffness);
    largest_.mass = std::max(largest_.mass, body.damping.mass);
    largest_.stiffness = std::max(largest_.stiffness, body.damping.stiffness);
  }
  if (has_stiffness()) stiffness_.assign(9 * sparsity.columns.size(), 0.0);
}

void RayleighDamping::lag(const ElasticTerm& elastic, BlockMatrix& matrix, const std::vector<double>& x) {
  if (!has_stiffness()) return;
  lagged_at_ = x;
  // Assembled where Hessians are, and copied: every term that has a Hessian then damps, too.
  const dofs::Constraints none{.held = std::vector<std::uint8_t>(x.size(), 0),
                               .displacement = std::vector<double>(x.size(), 0.0),
                               .holder = std::vector<std::int32_t>(x.size(), -1)};
  std::vector<double> lifting(3 * std::size_t(mesh_.owned_nodes), 0.0), diagonal = lifting;
  auto writer = matrix.begin();
  elastic.add_hessian(x, 1.0, true, none, writer, lifting, diagonal);
  for (LocalIndex row = 0; row < mesh_.owned_nodes; ++row) {
    const double beta = of_node(std::size_t(row)).stiffness;
    for (auto e = sparsity_.offsets[std::size_t(row)]; e < sparsity_.offsets[std::size_t(row) + 1]; ++e)
      for (int i = 0; i < 3; ++i) {
        const double* from = writer.row_of_block(row, matrix.slot(e), i);
        double* to = &stiffness_[9 * std::size_t(e) + 3 * std::size_t(i)];
        for (int j = 0; j < 3; ++j) to[j] = beta * from[j];
      }
  }
  matrix.end(writer);
}

void RayleighDamping::multiply(const std::vector<double>& u, std::vector<double>& y) const {
  mass_.multiply(u, y);
  for (std::size_t row = 0; row < std::size_t(mesh_.owned_nodes); ++row) {
    const double alpha = of_node(row).mass;
    for (std::size_t i = 0; i < 3; ++i) y[3 * row + i] *= alpha;
    if (stiffness_.empty()) continue;
    for (auto e = std::size_t(sparsity_.offsets[row]); e < std::size_t(sparsity_.offsets[row + 1]); ++e) {
      const double *block = &stiffness_[9 * e], *v = &u[3 * std::size_t(sparsity_.columns[e])];
      for (std::size_t i = 0; i < 3; ++i)
        y[3 * row + i] += block[3 * i] * v[0] + block[3 * i + 1] * v[1] + block[3 * i + 2] * v[2];
    }
  }
}

double RayleighDamping::row_norm(std::size_t i) const {
  const std::size_t row = i / 3;
  double sum = of_node(row).mass * std::abs(mass_.row_sums()[row]);
  for (auto e = std::size_t(sparsity_.offsets[row]); e < std::size_t(sparsity_.offsets[row + 1]) && has_stiffness();
       ++e)
    for (std::size_t j = 0; j < 3; ++j) sum += std::abs(stiffness_[9 * e + 3 * (i % 3) + j]);
  return sum;
}

void RayleighDamping::add_hessian(double scale, const dofs::Constraints& constraints, const BlockMatrix& matrix,
                                  BlockMatrix::Writer& writer, std::vector<double>& lifting,
                                  std::vector<double>& diagonal) const {
  for (LocalIndex row = 0; row < mesh_.owned_nodes; ++row) {
    const double alpha = of_node(std::size_t(row)).mass;
    for (auto e = sparsity_.offsets[std::size_t(row)]; e < sparsity_.offsets[std::size_t(row) + 1]; ++e) {
      const LocalIndex slot = matrix.slot(e), column = sparsity_.columns[std::size_t(e)];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          double value = i == j ? alpha * mass_.values()[std::size_t(e)] : 0.0;
          if (!stiffness_.empty()) value += stiffness_[9 * std::size_t(e) + std::size_t(3 * i + j)];
          value *= scale;
          const std::size_t r = 3 * std::size_t(row) + std::size_t(i), c = 3 * std::size_t(column) + std::size_t(j);
          if (constraints.held[r]) {
            if (r == c) diagonal[r] += std::abs(value);
          } else if (constraints.held[c]) {
            lifting[r] += value * constraints.displacement[c];
          } else {
            writer.add(row, slot, i, j, value);
          }
        }
    }
  }
}

} // namespace limber::assembly
