#include "assembly/elastic_term.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "energies/inversion_bound.hpp"
#include "energies/tetrahedron_p1.hpp"
#include "energies/von_mises.hpp"
#include "materials/neo_hookean.hpp"
#include "math/pack.hpp"

namespace limber::assembly {
namespace {

constexpr int W = math::native_pack_width;
using Pack = math::NativePack;
using Material = materials::NeoHookean<Pack>;

/// W cells side by side. A batch that is not full repeats its last cell; `lanes` says how many count.
struct Batch {
  energies::TetrahedronRest<Pack> rest;
  Material material;
  LocalIndex vertices[4][W];
  LocalIndex slots[16][W]; ///< [row + 4 column], valid where the row is owned
  LocalIndex first_cell;
  int lanes;
  int counted; ///< leading lanes whose energy this rank counts
};

void gather(const Batch& batch, const std::vector<double>& values, Pack out[12]) {
  alignas(64) double buffer[12][W];
  for (int a = 0; a < 4; ++a)
    for (int lane = 0; lane < W; ++lane) {
      const double* v = values.data() + 3 * std::size_t(batch.vertices[a][lane]);
      for (int k = 0; k < 3; ++k) buffer[3 * a + k][lane] = v[k];
    }
  for (int i = 0; i < 12; ++i) std::memcpy(&out[i], buffer[i], sizeof(Pack));
}

bool touches_held(const Batch& batch, const std::vector<std::uint8_t>& held) {
  bool touched = false;
  for (int a = 0; a < 4; ++a)
    for (int lane = 0; lane < W; ++lane) {
      const std::uint8_t* h = held.data() + 3 * std::size_t(batch.vertices[a][lane]);
      touched = touched || h[0] || h[1] || h[2];
    }
  return touched;
}

double finite_or_infinity(double energy) {
  return std::isnan(energy) ? std::numeric_limits<double>::infinity() : energy;
}

} // namespace

struct ElasticTerm::Batches {
  std::vector<Batch> list;
  std::vector<Pack> base_energies;
  std::vector<Pack> base_works; ///< Σ |force| |edge|
};

ElasticTerm::~ElasticTerm() = default;

ElasticTerm::ElasticTerm(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity, const BlockMatrix& matrix,
                         const std::vector<materials::MaterialOptions>& materials)
    : mesh_(mesh), batches_(std::make_unique<Batches>()) {
  const LocalIndex cells = mesh.cell_count();
  for (LocalIndex first = 0; first < cells; first += W) {
    Batch& batch = batches_->list.emplace_back();
    batch.first_cell = first;
    batch.lanes = std::min(W, int(cells - first));
    batch.counted = std::clamp(int(mesh.counted_cells - first), 0, batch.lanes);
    for (int lane = 0; lane < W; ++lane) {
      const LocalIndex c = first + std::min(lane, batch.lanes - 1);
      const auto vertices = mesh.cell(c);
      for (int a = 0; a < 4; ++a) {
        batch.vertices[a][lane] = vertices[std::size_t(a)];
        for (int b = 0; b < 4; ++b)
          batch.slots[a + 4 * b][lane] =
              mesh.owns(vertices[std::size_t(a)])
                  ? matrix.slot(sparsity.find(mesh, vertices[std::size_t(a)], vertices[std::size_t(b)]))
                  : 0;
      }
      const auto& options = materials[std::size_t(mesh.cell_bodies[std::size_t(c)])];
      batch.material.mu.set(lane, options.lame_mu);
      batch.material.lambda.set(lane, options.lame_lambda);
    }
    Pack rest_positions[12];
    gather(batch, mesh.rest_positions, rest_positions);
    batch.rest = energies::make_tetrahedron_rest(rest_positions);
  }
  batches_->base_energies.resize(batches_->list.size());
  batches_->base_works.resize(batches_->list.size());
}

double ElasticTerm::energy(const std::vector<double>& x) const {
  base::CompensatedSum sum;
  for (const Batch& batch : batches_->list) {
    if (batch.counted == 0) break;
    Pack positions[12];
    gather(batch, x, positions);
    const Pack energy = energies::tetrahedron_energy(batch.material, batch.rest, positions);
    for (int lane = 0; lane < batch.counted; ++lane) sum.add(energy[lane]);
  }
  return sum.value();
}

void ElasticTerm::set_base(const std::vector<double>& x) {
  for (std::size_t i = 0; i < batches_->list.size() && batches_->list[i].counted > 0; ++i) {
    const Batch& batch = batches_->list[i];
    Pack positions[12], gradient[12];
    gather(batch, x, positions);
    batches_->base_energies[i] = energies::tetrahedron_energy(batch.material, batch.rest, positions);
    // At small strain the energy is of second order, but its round-off is that of F times the stress, of first order.
    energies::tetrahedron_energy_gradient(batch.material, batch.rest, positions, gradient);
    Pack work(0.0);
    for (int k = 3; k < 12; ++k) work = work + math::abs(gradient[k] * (positions[k] - positions[k % 3]));
    batches_->base_works[i] = work;
  }
}

void ElasticTerm::add_difference(const std::vector<double>& x, double scale, LocalDifference& sum) const {
  for (std::size_t i = 0; i < batches_->list.size(); ++i) {
    const Batch& batch = batches_->list[i];
    if (batch.counted == 0) break;
    Pack positions[12];
    gather(batch, x, positions);
    const Pack energy = energies::tetrahedron_energy(batch.material, batch.rest, positions);
    const Pack base = batches_->base_energies[i], work = batches_->base_works[i];
    for (int lane = 0; lane < batch.counted; ++lane)
      sum.add(scale * (finite_or_infinity(energy[lane]) - base[lane]),
              scale * (std::abs(energy[lane]) + std::abs(base[lane]) + work[lane]));
  }
}

void ElasticTerm::add_gradient(const std::vector<double>& x, double scale, std::vector<double>& g) const {
  for (const Batch& batch : batches_->list) {
    Pack positions[12], gradient[12];
    gather(batch, x, positions);
    energies::tetrahedron_energy_gradient(batch.material, batch.rest, positions, gradient);
    for (int a = 0; a < 4; ++a)
      for (int lane = 0; lane < batch.lanes; ++lane) {
        double* target = g.data() + 3 * std::size_t(batch.vertices[a][lane]);
        for (int k = 0; k < 3; ++k) target[k] += scale * gradient[3 * a + k][lane];
      }
  }
}

namespace {

/// Adds one cell's 12×12 Hessian, read with a stride of W; every component is free.
void scatter_free(const Batch& batch, int lane, const mesh::DistributedMesh& mesh, const double* hessian, double scale,
                  BlockMatrix::Writer& writer) {
  for (int a = 0; a < 4; ++a) {
    const LocalIndex row = batch.vertices[a][lane];
    if (!mesh.owns(row)) continue;
    for (int b = 0; b < 4; ++b) {
      const LocalIndex slot = batch.slots[a + 4 * b][lane];
      for (int i = 0; i < 3; ++i) {
        double* target = writer.row_of_block(row, slot, i);
        for (int j = 0; j < 3; ++j) target[j] += scale * hessian[((3 * a + i) + 12 * (3 * b + j)) * W + lane];
      }
    }
  }
}

/// The same where some component is held.
void scatter_constrained(const Batch& batch, int lane, const mesh::DistributedMesh& mesh, const double* hessian,
                         double scale, const dofs::Constraints& constraints, BlockMatrix::Writer& writer,
                         std::vector<double>& lifting, std::vector<double>& diagonal) {
  for (int a = 0; a < 4; ++a) {
    const LocalIndex row = batch.vertices[a][lane];
    if (!mesh.owns(row)) continue;
    for (int b = 0; b < 4; ++b) {
      const LocalIndex column = batch.vertices[b][lane];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const std::size_t r = 3 * std::size_t(row) + std::size_t(i), c = 3 * std::size_t(column) + std::size_t(j);
          const double value = scale * hessian[((3 * a + i) + 12 * (3 * b + j)) * W + lane];
          if (constraints.held[r]) {
            if (r == c) diagonal[r] += std::abs(value);
          } else if (constraints.held[c]) {
            lifting[r] += value * constraints.displacement[c];
          } else {
            writer.add(row, batch.slots[a + 4 * b][lane], i, j, value);
          }
        }
    }
  }
}

} // namespace

void ElasticTerm::add_hessian(const std::vector<double>& x, double scale, bool project,
                              const dofs::Constraints& constraints, BlockMatrix::Writer& writer,
                              std::vector<double>& lifting, std::vector<double>& diagonal) const {
  for (const Batch& batch : batches_->list) {
    Pack positions[12];
    alignas(64) Pack hessian[144];
    gather(batch, x, positions);
    energies::tetrahedron_hessian(batch.material, batch.rest, positions, project, hessian);
    const auto* values = reinterpret_cast<const double*>(hessian); // packs are W doubles
    const bool constrained = touches_held(batch, constraints.held);
    for (int lane = 0; lane < batch.lanes; ++lane)
      if (constrained) scatter_constrained(batch, lane, mesh_, values, scale, constraints, writer, lifting, diagonal);
      else scatter_free(batch, lane, mesh_, values, scale, writer);
  }
}

double ElasticTerm::max_step_size(const std::vector<double>& x, const std::vector<double>& p, double limit) const {
  constexpr double keep = 0.1; // det F may fall to a tenth of its value in one step
  double bound = limit;
  for (const Batch& batch : batches_->list) {
    Pack positions[12], step[12];
    gather(batch, x, positions);
    gather(batch, p, step);
    const auto unsure = energies::may_reach_inversion_bound(positions, step, Pack(bound), keep);
    if (!math::any(unsure)) continue;
    for (int lane = 0; lane < batch.lanes; ++lane) {
      if (!unsure[lane]) continue;
      double cell_positions[12], cell_step[12];
      for (int i = 0; i < 12; ++i) {
        cell_positions[i] = positions[i][lane];
        cell_step[i] = step[i][lane];
      }
      bound = std::min(bound, energies::tetrahedron_inversion_bound(cell_positions, cell_step, bound, keep));
    }
  }
  return bound;
}

CellReport ElasticTerm::min_jacobian(const std::vector<double>& x) const {
  CellReport worst{-1, std::numeric_limits<double>::infinity()};
  for (const Batch& batch : batches_->list) {
    if (batch.counted == 0) break;
    Pack positions[12];
    gather(batch, x, positions);
    const Pack jacobian = math::determinant(energies::deformation_gradient(batch.rest, positions));
    for (int lane = 0; lane < batch.counted; ++lane)
      if (worst.cell_id < 0 || (!std::isnan(worst.jacobian) && !(jacobian[lane] >= worst.jacobian))) // NaN stays
        worst = {mesh_.cell_ids[std::size_t(batch.first_cell + lane)], jacobian[lane]};
  }
  return worst;
}

CellReport ElasticTerm::find_non_finite(const std::vector<double>& x) const {
  CellReport found;
  for (const Batch& batch : batches_->list) {
    Pack positions[12], gradient[12];
    gather(batch, x, positions);
    const Pack energy = energies::tetrahedron_energy_gradient(batch.material, batch.rest, positions, gradient);
    const Pack jacobian = math::determinant(energies::deformation_gradient(batch.rest, positions));
    for (int lane = 0; lane < batch.lanes; ++lane) {
      bool finite = std::isfinite(energy[lane]);
      for (const Pack& g : gradient) finite = finite && std::isfinite(g[lane]);
      const GlobalIndex id = mesh_.cell_ids[std::size_t(batch.first_cell + lane)];
      if (!finite && (found.cell_id < 0 || id < found.cell_id)) found = {id, jacobian[lane]};
    }
  }
  return found;
}

void ElasticTerm::cell_fields(const std::vector<double>& x, std::vector<double>& von_mises,
                              std::vector<double>& jacobian) const {
  von_mises.resize(std::size_t(mesh_.counted_cells));
  jacobian.resize(von_mises.size());
  for (const Batch& batch : batches_->list) {
    if (batch.counted == 0) break;
    Pack positions[12];
    gather(batch, x, positions);
    const auto F = energies::deformation_gradient(batch.rest, positions);
    const Pack det = math::determinant(F);
    const Pack stress = energies::von_mises_stress(energies::cauchy_stress(batch.material.stress(F), F));
    for (int lane = 0; lane < batch.counted; ++lane) {
      von_mises[std::size_t(batch.first_cell + lane)] = stress[lane];
      jacobian[std::size_t(batch.first_cell + lane)] = det[lane];
    }
  }
}

} // namespace limber::assembly
