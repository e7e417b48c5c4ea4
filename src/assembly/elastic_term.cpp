#include "assembly/elastic_term.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "energies/von_mises.hpp"

namespace limber::assembly {
namespace {

/// Edge nodes this close to the middle (relative to the longest edge) make a straight edge: far above the round-off of
/// coordinates in text files, far below any curvature that matters.
constexpr double straightness = 1e-9;

ElementKind kind_of(const mesh::DistributedMesh& mesh, LocalIndex c) {
  const auto nodes = mesh.cell(c);
  if (nodes.size() == 2) return ElementKind::spring;
  if (nodes.size() == 3) return ElementKind::triangle;
  if (nodes.size() == 4) return ElementKind::p1;
  double X[30];
  for (std::size_t i = 0; i < 30; ++i) X[i] = mesh.rest_positions[3 * std::size_t(nodes[i / 3]) + i % 3];
  return energies::tetrahedron_p2_is_straight(X, straightness) ? ElementKind::p2_straight : ElementKind::p2_curved;
}

using Maker = std::unique_ptr<ElasticCells> (*)(ElementKind, const CellSet&);

const std::map<std::string, Maker> makers{
    {"arap", make_arap_cells},
    {"corotated_linear", make_corotated_linear_cells},
    {"fixed_corotated", make_fixed_corotated_cells},
    {"linear", make_linear_cells},
    {"mooney_rivlin", make_mooney_rivlin_cells},
    {"neo_hookean", make_neo_hookean_cells},
    {"quartic", make_quartic_cells},
    {"quartic_volume", make_quartic_volume_cells},
    {"st_venant_kirchhoff", make_st_venant_kirchhoff_cells},
    {"stable_neo_hookean", make_stable_neo_hookean_cells},
    {"symmetric_dirichlet", make_symmetric_dirichlet_cells},
    {"symmetric_gradient", make_symmetric_gradient_cells},
};

Maker maker_of(const std::string& model) {
  const auto it = makers.find(model);
  if (it == makers.end()) throw base::InternalError("there is no material model '" + model + "'");
  return it->second;
}

std::unique_ptr<ElasticCells> make_cells(const std::string& model, ElementKind kind, const CellSet& set) {
  if (kind == ElementKind::spring) return make_spring_cells(set);
  if (kind != ElementKind::triangle) return maker_of(model)(kind, set);
  auto cells = make_membrane_cells(model, set);
  if (!cells) throw base::InternalError("surfaces have no material model '" + model + "'");
  return cells;
}

} // namespace

std::vector<double> von_mises_of(std::span<const double> stress) {
  std::vector<double> values;
  values.reserve(stress.size() / 6);
  for (std::size_t i = 0; i + 5 < stress.size(); i += 6) {
    const double *s = &stress[i], xy = s[3], yz = s[4], xz = s[5];
    values.push_back(energies::von_mises_stress(math::Matrix3<double>{{s[0], xy, xz, xy, s[1], yz, xz, yz, s[2]}}));
  }
  return values;
}

ElasticTerm::ElasticTerm(const mesh::DistributedMesh& mesh, const NodalSparsity& sparsity, const BlockMatrix& matrix,
                         const std::vector<materials::MaterialOptions>& materials,
                         const std::vector<std::int32_t>& cell_materials)
    : mesh_(mesh) {
  std::map<std::pair<std::string, ElementKind>, std::vector<LocalIndex>> sets;
  for (LocalIndex c = 0; c < mesh.cell_count(); ++c)
    sets[{materials[std::size_t(cell_materials[std::size_t(c)])].model, kind_of(mesh, c)}].push_back(c);
  for (auto& [key, cells] : sets)
    kinds_.push_back(
        make_cells(key.first, key.second, {mesh, sparsity, matrix, materials, cell_materials, std::move(cells)}));
}

void ElasticTerm::refresh_lag(const std::vector<double>& x) {
  for (auto& kind : kinds_) kind->refresh_lag(x);
}

bool ElasticTerm::lagged() const {
  return std::any_of(kinds_.begin(), kinds_.end(), [](const auto& kind) { return kind->lagged(); });
}

double ElasticTerm::energy(const std::vector<double>& x) const {
  double sum = 0.0;
  for (const auto& kind : kinds_) sum += kind->energy(x);
  return sum;
}

void ElasticTerm::set_base(const std::vector<double>& x) {
  for (auto& kind : kinds_) kind->set_base(x);
}

void ElasticTerm::add_difference(const std::vector<double>& x, double scale, LocalDifference& sum) const {
  for (const auto& kind : kinds_) kind->add_difference(x, scale, sum);
}

void ElasticTerm::add_gradient(const std::vector<double>& x, double scale, std::vector<double>& g) const {
  for (const auto& kind : kinds_) kind->add_gradient(x, scale, g);
}

void ElasticTerm::add_hessian(const std::vector<double>& x, double scale, bool project,
                              const dofs::Constraints& constraints, BlockMatrix::Writer& writer,
                              std::vector<double>& lifting, std::vector<double>& diagonal) const {
  for (const auto& kind : kinds_) kind->add_hessian(x, scale, project, constraints, writer, lifting, diagonal);
}

double ElasticTerm::max_step_size(const std::vector<double>& x, const std::vector<double>& p, double limit) const {
  for (const auto& kind : kinds_) limit = kind->max_step_size(x, p, limit);
  return limit;
}

CellReport ElasticTerm::min_jacobian(const std::vector<double>& x, bool forbidden_only) const {
  CellReport worst{-1, std::numeric_limits<double>::infinity()};
  for (const auto& kind : kinds_) {
    if (forbidden_only && !kind->infinite_at_inversion()) continue;
    const CellReport report = kind->min_jacobian(x);
    if (report.cell_id < 0 || std::isnan(worst.jacobian)) continue;
    if (worst.cell_id < 0 || !(report.jacobian >= worst.jacobian)) worst = report;
  }
  return worst;
}

CellReport ElasticTerm::find_non_finite(const std::vector<double>& x) const {
  CellReport first;
  for (const auto& kind : kinds_) {
    const CellReport report = kind->find_non_finite(x);
    if (report.cell_id >= 0 && (first.cell_id < 0 || report.cell_id < first.cell_id)) first = report;
  }
  return first;
}

ElasticTerm::CellFields ElasticTerm::cell_fields(const std::vector<double>& x) const {
  CellFields fields;
  const auto cells = std::size_t(mesh_.counted_cells);
  fields.stress.resize(cells);
  fields.jacobian.resize(cells);
  for (const auto& kind : kinds_) kind->cell_fields(x, fields.stress, fields.jacobian);
  fields.von_mises = von_mises_of({cells > 0 ? fields.stress[0].data() : nullptr, 6 * cells});
  return fields;
}

std::vector<double> ElasticTerm::nodal_stress(const std::vector<double>& x) const {
  std::vector<double> sums(6 * std::size_t(mesh_.local_nodes), 0.0), weights(std::size_t(mesh_.local_nodes), 0.0);
  for (const auto& kind : kinds_) kind->add_nodal_stress(x, sums, weights);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (weights[i / 6] > 0.0) sums[i] /= weights[i / 6];
  return sums;
}

} // namespace limber::assembly
