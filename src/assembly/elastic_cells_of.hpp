#pragma once
/// ElasticCells for one element (assembly/elements.hpp) and one material. Included by the files that instantiate it,
/// one a material.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "assembly/elastic_cells.hpp"
#include "assembly/elements.hpp"

namespace limber::assembly {

template <class Element, template <class> class MaterialOf> class ElasticCellsOf final : public ElasticCells {
  static constexpr int W = math::native_pack_width;
  static constexpr int N = Element::nodes;
  static constexpr bool is_spring = std::is_same_v<Element, Spring>;
  using Pack = math::NativePack;
  using Material = MaterialOf<Pack>;
  /// Whether the material keeps something from the last accepted state.
  static constexpr bool has_lag = requires(Material m, math::Matrix3<Pack> f) { m.set_lag(f); };
  using CellMaterial = std::conditional_t<has_lag, materials::MaterialPoints<Material, Element::points>, Material>;

public:
  explicit ElasticCellsOf(const CellSet& set);

  void refresh_lag(const std::vector<double>& x) override;
  bool lagged() const override { return has_lag; }
  double energy(const std::vector<double>& x) const override;
  void set_base(const std::vector<double>& x) override;
  void add_difference(const std::vector<double>& x, double scale, LocalDifference& sum) const override;
  void add_gradient(const std::vector<double>& x, double scale, std::vector<double>& g) const override;
  void add_hessian(const std::vector<double>& x, double scale, bool project, const dofs::Constraints& constraints,
                   BlockMatrix::Writer& writer, std::vector<double>& lifting,
                   std::vector<double>& diagonal) const override;
  double max_step_size(const std::vector<double>& x, const std::vector<double>& p, double limit) const override;
  CellReport min_jacobian(const std::vector<double>& x) const override;
  bool infinite_at_inversion() const override { return Material::infinite_at_inversion; }
  CellReport find_non_finite(const std::vector<double>& x) const override;
  void cell_fields(const std::vector<double>& x, std::vector<StressTensor>& stress,
                   std::vector<double>& jacobian) const override;
  void add_nodal_stress(const std::vector<double>& x, std::vector<double>& sums,
                        std::vector<double>& weights) const override;

private:
  /// W cells side by side. A batch that is not full repeats its last cell; `lanes` says how many count.
  struct Batch {
    typename Element::template Rest<Pack> rest;
    CellMaterial material;
    LocalIndex cells[W];
    LocalIndex vertices[N][W];
    LocalIndex slots[N * N][W]; ///< [row + N column], valid where the row is owned
    int lanes;
    int counted; ///< leading lanes whose energy this rank counts
  };

  static void set_parameters(Material& material, int lane, const materials::MaterialOptions& options) {
    if constexpr (requires { material.mu; }) material.mu.set(lane, options.lame_mu);
    if constexpr (requires { material.lambda; }) material.lambda.set(lane, options.lame_lambda);
    if constexpr (requires { material.kappa; }) material.kappa.set(lane, options.kappa);
    if constexpr (requires { material.c10; }) material.c10.set(lane, options.c10);
    if constexpr (requires { material.c01; }) material.c01.set(lane, options.c01);
    if constexpr (requires { material.stiffness; }) material.stiffness.set(lane, options.stiffness);
    if constexpr (requires { material.bulk_modulus; }) material.bulk_modulus.set(lane, options.bulk_modulus);
  }
  static void gather(const Batch& batch, const std::vector<double>& values, Pack out[3 * N]) {
    alignas(64) double buffer[3 * N][W];
    for (int a = 0; a < N; ++a)
      for (int lane = 0; lane < W; ++lane) {
        const double* v = values.data() + 3 * std::size_t(batch.vertices[a][lane]);
        for (int k = 0; k < 3; ++k) buffer[3 * a + k][lane] = v[k];
      }
    for (int i = 0; i < 3 * N; ++i) std::memcpy(&out[i], buffer[i], sizeof(Pack));
  }
  static bool touches_held(const Batch& batch, const std::vector<std::uint8_t>& held) {
    bool touched = false;
    for (int a = 0; a < N; ++a)
      for (int lane = 0; lane < W; ++lane) {
        const std::uint8_t* h = held.data() + 3 * std::size_t(batch.vertices[a][lane]);
        touched = touched || h[0] || h[1] || h[2];
      }
    return touched;
  }
  /// Adds one cell's Hessian, read with a stride of W; every component is free.
  void scatter_free(const Batch& batch, int lane, const double* hessian, double scale,
                    BlockMatrix::Writer& writer) const;
  /// The same where some component is held.
  void scatter_constrained(const Batch& batch, int lane, const double* hessian, double scale,
                           const dofs::Constraints& constraints, BlockMatrix::Writer& writer,
                           std::vector<double>& lifting, std::vector<double>& diagonal) const;
  /// σ and volume at the element's stress points.
  void stresses(const Batch& batch, const std::vector<double>& x, math::Matrix3<Pack> sigma[Element::stress_points],
                Pack volume[Element::stress_points]) const;

  const mesh::DistributedMesh& mesh_;
  std::vector<Batch> batches_;
  std::vector<Pack> base_energies_;
  std::vector<Pack> base_works_;      ///< Σ |force| |edge|
  std::vector<double> lag_positions_; ///< of refresh_lag(), 3 per local node; empty if not lagged
};

template <class Element, template <class> class MaterialOf>
ElasticCellsOf<Element, MaterialOf>::ElasticCellsOf(const CellSet& set) : mesh_(set.mesh) {
  const auto total = set.cells.size();
  batches_.reserve((total + W - 1) / W);
  for (std::size_t first = 0; first < total; first += W) {
    Batch& batch = batches_.emplace_back();
    batch.lanes = int(std::min<std::size_t>(W, total - first));
    batch.counted = 0;
    for (int lane = 0; lane < W; ++lane) {
      const LocalIndex c = set.cells[first + std::size_t(std::min(lane, batch.lanes - 1))];
      batch.cells[lane] = c;
      if (lane < batch.lanes && c < mesh_.counted_cells) ++batch.counted;
      const auto vertices = mesh_.cell(c);
      for (int a = 0; a < N; ++a) {
        const LocalIndex row = vertices[std::size_t(a)];
        batch.vertices[a][lane] = row;
        for (int b = 0; b < N; ++b)
          batch.slots[a + N * b][lane] =
              mesh_.owns(row) ? set.matrix.slot(set.sparsity.find(mesh_, row, vertices[std::size_t(b)])) : 0;
      }
      const auto& options = set.materials[std::size_t(set.cell_materials[std::size_t(c)])];
      if constexpr (has_lag)
        for (Material& point : batch.material.points) set_parameters(point, lane, options);
      else set_parameters(batch.material, lane, options);
    }
    Pack rest_positions[3 * N];
    gather(batch, mesh_.rest_positions, rest_positions);
    if constexpr (std::is_same_v<Element, LinearTriangle>) {
      Pack thickness;
      for (int lane = 0; lane < W; ++lane)
        thickness.set(lane, mesh_.bodies[std::size_t(mesh_.cell_bodies[std::size_t(batch.cells[lane])])].thickness);
      batch.rest = Element::make_rest(rest_positions, thickness);
    } else {
      batch.rest = Element::make_rest(rest_positions);
    }
  }
  base_energies_.resize(batches_.size());
  base_works_.resize(batches_.size());
  refresh_lag(mesh_.rest_positions);
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::refresh_lag([[maybe_unused]] const std::vector<double>& x) {
  if constexpr (has_lag) {
    lag_positions_ = x;
    for (Batch& batch : batches_) {
      Pack positions[3 * N];
      math::Matrix3<Pack> F[Element::points];
      gather(batch, x, positions);
      Element::deformation_gradients(batch.rest, positions, F);
      for (int q = 0; q < Element::points; ++q) batch.material.points[q].set_lag(F[q]);
    }
  }
}

template <class Element, template <class> class MaterialOf>
double ElasticCellsOf<Element, MaterialOf>::energy(const std::vector<double>& x) const {
  base::CompensatedSum sum;
  for (const Batch& batch : batches_) {
    if (batch.counted == 0) break;
    Pack positions[3 * N];
    gather(batch, x, positions);
    const Pack energy = Element::energy(batch.material, batch.rest, positions);
    for (int lane = 0; lane < batch.counted; ++lane) sum.add(energy[lane]);
  }
  return sum.value();
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::set_base(const std::vector<double>& x) {
  for (std::size_t i = 0; i < batches_.size() && batches_[i].counted > 0; ++i) {
    const Batch& batch = batches_[i];
    Pack positions[3 * N], gradient[3 * N];
    gather(batch, x, positions);
    // At small strain the energy is of second order, but its round-off is that of F times the stress, of first order.
    base_energies_[i] = Element::energy_gradient(batch.material, batch.rest, positions, gradient);
    Pack work(0.0);
    for (int k = 3; k < 3 * N; ++k) work = work + math::abs(gradient[k] * (positions[k] - positions[k % 3]));
    base_works_[i] = work;
  }
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::add_difference(const std::vector<double>& x, double scale,
                                                         LocalDifference& sum) const {
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Batch& batch = batches_[i];
    if (batch.counted == 0) break;
    Pack positions[3 * N];
    gather(batch, x, positions);
    const Pack energy = Element::energy(batch.material, batch.rest, positions);
    const Pack base = base_energies_[i], work = base_works_[i];
    for (int lane = 0; lane < batch.counted; ++lane) {
      const double value = std::isnan(energy[lane]) ? std::numeric_limits<double>::infinity() : energy[lane];
      sum.add(scale * (value - base[lane]), scale * (std::abs(energy[lane]) + std::abs(base[lane]) + work[lane]));
    }
  }
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::add_gradient(const std::vector<double>& x, double scale,
                                                       std::vector<double>& g) const {
  for (const Batch& batch : batches_) {
    Pack positions[3 * N], gradient[3 * N];
    gather(batch, x, positions);
    Element::energy_gradient(batch.material, batch.rest, positions, gradient);
    for (int a = 0; a < N; ++a)
      for (int lane = 0; lane < batch.lanes; ++lane) {
        double* target = g.data() + 3 * std::size_t(batch.vertices[a][lane]);
        for (int k = 0; k < 3; ++k) target[k] += scale * gradient[3 * a + k][lane];
      }
  }
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::scatter_free(const Batch& batch, int lane, const double* hessian,
                                                       double scale, BlockMatrix::Writer& writer) const {
  for (int a = 0; a < N; ++a) {
    const LocalIndex row = batch.vertices[a][lane];
    if (!mesh_.owns(row)) continue;
    for (int b = 0; b < N; ++b) {
      const LocalIndex slot = batch.slots[a + N * b][lane];
      for (int i = 0; i < 3; ++i) {
        double* target = writer.row_of_block(row, slot, i);
        for (int j = 0; j < 3; ++j) target[j] += scale * hessian[((3 * a + i) + 3 * N * (3 * b + j)) * W + lane];
      }
    }
  }
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::scatter_constrained(const Batch& batch, int lane, const double* hessian,
                                                              double scale, const dofs::Constraints& constraints,
                                                              BlockMatrix::Writer& writer, std::vector<double>& lifting,
                                                              std::vector<double>& diagonal) const {
  for (int a = 0; a < N; ++a) {
    const LocalIndex row = batch.vertices[a][lane];
    if (!mesh_.owns(row)) continue;
    for (int b = 0; b < N; ++b) {
      const LocalIndex column = batch.vertices[b][lane];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const std::size_t r = 3 * std::size_t(row) + std::size_t(i), c = 3 * std::size_t(column) + std::size_t(j);
          const double value = scale * hessian[((3 * a + i) + 3 * N * (3 * b + j)) * W + lane];
          if (constraints.held[r]) {
            if (r == c) diagonal[r] += std::abs(value);
          } else if (constraints.held[c]) {
            lifting[r] += value * constraints.displacement[c];
          } else {
            writer.add(row, batch.slots[a + N * b][lane], i, j, value);
          }
        }
    }
  }
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::add_hessian(const std::vector<double>& x, double scale, bool project,
                                                      const dofs::Constraints& constraints, BlockMatrix::Writer& writer,
                                                      std::vector<double>& lifting,
                                                      std::vector<double>& diagonal) const {
  for (const Batch& batch : batches_) {
    Pack positions[3 * N];
    alignas(64) Pack hessian[9 * N * N];
    gather(batch, x, positions);
    Element::hessian(batch.material, batch.rest, positions, project, hessian);
    const auto* values = reinterpret_cast<const double*>(hessian); // packs are W doubles
    const bool constrained = touches_held(batch, constraints.held);
    for (int lane = 0; lane < batch.lanes; ++lane)
      if (constrained) scatter_constrained(batch, lane, values, scale, constraints, writer, lifting, diagonal);
      else scatter_free(batch, lane, values, scale, writer);
  }
}

template <class Element, template <class> class MaterialOf>
double ElasticCellsOf<Element, MaterialOf>::max_step_size(const std::vector<double>& x, const std::vector<double>& p,
                                                          double limit) const {
  constexpr double keep = 0.1; // J may fall to a tenth of its value in one step
  double bound = limit;
  if constexpr (!is_spring) {
    if (!Material::infinite_at_inversion) return bound;
    for (const Batch& batch : batches_) {
      Pack positions[3 * N], step[3 * N];
      gather(batch, x, positions);
      gather(batch, p, step);
      const auto unsure = Element::may_reach_inversion_bound(positions, step, Pack(bound), keep);
      if (!math::any(unsure)) continue;
      for (int lane = 0; lane < batch.lanes; ++lane) {
        if (!unsure[lane]) continue;
        double cell_positions[3 * N], cell_step[3 * N];
        for (int i = 0; i < 3 * N; ++i) {
          cell_positions[i] = positions[i][lane];
          cell_step[i] = step[i][lane];
        }
        bound = std::min(bound, Element::inversion_bound(cell_positions, cell_step, bound, keep));
      }
    }
  }
  return bound;
}

template <class Element, template <class> class MaterialOf>
CellReport ElasticCellsOf<Element, MaterialOf>::min_jacobian(const std::vector<double>& x) const {
  CellReport worst{-1, std::numeric_limits<double>::infinity()};
  if (is_spring) return worst;
  for (const Batch& batch : batches_) {
    if (batch.counted == 0) break;
    Pack rest_positions[3 * N], positions[3 * N];
    gather(batch, mesh_.rest_positions, rest_positions);
    gather(batch, x, positions);
    const Pack jacobian = Element::min_jacobian(batch.rest, rest_positions, positions);
    for (int lane = 0; lane < batch.counted; ++lane)
      if (worst.cell_id < 0 || (!std::isnan(worst.jacobian) && !(jacobian[lane] >= worst.jacobian))) // NaN stays
        worst = {mesh_.cell_ids[std::size_t(batch.cells[lane])], jacobian[lane]};
  }
  return worst;
}

template <class Element, template <class> class MaterialOf>
CellReport ElasticCellsOf<Element, MaterialOf>::find_non_finite(const std::vector<double>& x) const {
  CellReport found;
  for (const Batch& batch : batches_) {
    Pack rest_positions[3 * N], positions[3 * N], gradient[3 * N];
    gather(batch, x, positions);
    const Pack energy = Element::energy_gradient(batch.material, batch.rest, positions, gradient);
    for (int lane = 0; lane < batch.lanes; ++lane) {
      bool finite = std::isfinite(energy[lane]);
      for (const Pack& g : gradient) finite = finite && std::isfinite(g[lane]);
      const GlobalIndex id = mesh_.cell_ids[std::size_t(batch.cells[lane])];
      if (finite || (found.cell_id >= 0 && id >= found.cell_id)) continue;
      gather(batch, mesh_.rest_positions, rest_positions);
      found = {id, Element::min_jacobian(batch.rest, rest_positions, positions)[lane]};
    }
  }
  return found;
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::stresses(const Batch& batch, const std::vector<double>& x,
                                                   math::Matrix3<Pack> sigma[Element::stress_points],
                                                   Pack volume[Element::stress_points]) const {
  Pack rest_positions[3 * N], positions[3 * N];
  gather(batch, mesh_.rest_positions, rest_positions);
  gather(batch, x, positions);
  if constexpr (Element::has_deformation_gradient) {
    math::Matrix3<Pack> F[Element::stress_points];
    Element::deformation_gradients(batch.rest, rest_positions, positions, F, volume);
    Material here = materials::material_at(batch.material, 0);
    math::Matrix3<Pack> lagged_F[Element::stress_points];
    if constexpr (has_lag) { // stress points need not be integration points
      gather(batch, lag_positions_, positions);
      Element::deformation_gradients(batch.rest, rest_positions, positions, lagged_F, volume);
    }
    for (int q = 0; q < Element::stress_points; ++q) {
      if constexpr (has_lag) here.set_lag(lagged_F[q]);
      sigma[q] = energies::cauchy_stress(here.stress(F[q]), F[q]);
    }
  } else {
    Element::stresses(batch.material, batch.rest, rest_positions, positions, sigma, volume);
  }
}

namespace detail {
/// Column-major places of xx, yy, zz, xy, yz, xz.
inline constexpr int stress_entries[6] = {0, 4, 8, 3, 7, 6};
} // namespace detail

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::cell_fields(const std::vector<double>& x, std::vector<StressTensor>& stress,
                                                      std::vector<double>& jacobian) const {
  for (const Batch& batch : batches_) {
    if (batch.counted == 0) break;
    math::Matrix3<Pack> sigma[Element::stress_points];
    Pack volume[Element::stress_points], rest_positions[3 * N], positions[3 * N];
    stresses(batch, x, sigma, volume);
    gather(batch, mesh_.rest_positions, rest_positions);
    gather(batch, x, positions);
    const Pack smallest = Element::min_jacobian(batch.rest, rest_positions, positions);
    Pack total(0.0);
    for (const Pack& v : volume) total = total + v;
    for (int i = 0; i < 6; ++i) {
      Pack mean(0.0);
      for (int q = 0; q < Element::stress_points; ++q)
        mean = mean + volume[q] / total * sigma[q].m[detail::stress_entries[i]];
      for (int lane = 0; lane < batch.counted; ++lane)
        stress[std::size_t(batch.cells[lane])][std::size_t(i)] = mean[lane];
    }
    for (int lane = 0; lane < batch.counted; ++lane) jacobian[std::size_t(batch.cells[lane])] = smallest[lane];
  }
}

template <class Element, template <class> class MaterialOf>
void ElasticCellsOf<Element, MaterialOf>::add_nodal_stress(const std::vector<double>& x, std::vector<double>& sums,
                                                           std::vector<double>& weights) const {
  for (const Batch& batch : batches_) {
    math::Matrix3<Pack> sigma[Element::stress_points];
    Pack volume[Element::stress_points];
    stresses(batch, x, sigma, volume);
    Pack total(0.0);
    for (const Pack& v : volume) total = total + v;
    for (int i = 0; i < 6; ++i) {
      Pack points[Element::stress_points], nodal[N];
      for (int q = 0; q < Element::stress_points; ++q) points[q] = sigma[q].m[detail::stress_entries[i]];
      Element::extrapolate(points, nodal);
      for (int a = 0; a < N; ++a)
        for (int lane = 0; lane < batch.lanes; ++lane)
          sums[6 * std::size_t(batch.vertices[a][lane]) + std::size_t(i)] += total[lane] * nodal[a][lane];
    }
    for (int a = 0; a < N; ++a)
      for (int lane = 0; lane < batch.lanes; ++lane) weights[std::size_t(batch.vertices[a][lane])] += total[lane];
  }
}

/// The instance for a kind of tetrahedron.
template <template <class> class MaterialOf>
std::unique_ptr<ElasticCells> make_elastic_cells(ElementKind kind, const CellSet& set) {
  using energies::QuadratureP2;
  constexpr bool barrier = MaterialOf<double>::infinite_at_inversion;
  constexpr int straight = barrier ? QuadratureP2::barrier : QuadratureP2::affine;
  constexpr int curved = barrier ? QuadratureP2::barrier : QuadratureP2::curved;
  switch (kind) {
  case ElementKind::p1:
    return std::make_unique<ElasticCellsOf<LinearTetrahedron, MaterialOf>>(set);
  case ElementKind::p2_straight:
    return std::make_unique<ElasticCellsOf<QuadraticTetrahedron<straight>, MaterialOf>>(set);
  case ElementKind::p2_curved:
    return std::make_unique<ElasticCellsOf<QuadraticTetrahedron<curved>, MaterialOf>>(set);
  case ElementKind::triangle:
  case ElementKind::spring:
    break; // make_membrane_cells, make_spring_cells
  }
  return nullptr;
}

} // namespace limber::assembly
