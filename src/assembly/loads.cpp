#include "assembly/loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "base/collective.hpp"
#include "dofs/selection.hpp"
#include "energies/tetrahedron_p2.hpp"
#include "energies/triangle_load.hpp"

namespace limber::assembly {
namespace {

using dofs::ConditionKind;

/// A point of numerical integration over a face or a cell.
struct Point {
  double position[3]; ///< [m]
  double shape[10];   ///< N_i
  double measure[3];  ///< face: area vector [m²]; cell: volume in [0] [m³]
};

std::array<double, 30> gather(std::span<const LocalIndex> nodes, const std::vector<double>& x) {
  std::array<double, 30> values{};
  for (std::size_t i = 0; i < 3 * nodes.size(); ++i) values[i] = x[3 * std::size_t(nodes[i / 3]) + i % 3];
  return values;
}

template <int Nodes, int Points> void copy_points(const double* x, std::vector<Point>& points) {
  energies::TriangleLoadPoint<Nodes> rule[Points];
  energies::triangle_load_points(x, rule);
  for (const auto& from : rule) {
    Point& to = points.emplace_back();
    std::copy_n(from.position, 3, to.position);
    std::copy_n(from.shape, Nodes, to.shape);
    std::copy_n(from.area, 3, to.measure);
  }
}

void face_points(std::span<const LocalIndex> nodes, const std::vector<double>& x, std::vector<Point>& points) {
  points.clear();
  const auto corners = gather(nodes, x);
  if (nodes.size() == 3) copy_points<3, 3>(corners.data(), points);
  else copy_points<6, 7>(corners.data(), points);
}

/// Linear cells are integrated with the shape functions of degree one at the points of the finer rule.
/// \param thickness of triangles [m]
void cell_points(std::span<const LocalIndex> nodes, const std::vector<double>& x, double thickness,
                 std::vector<Point>& points) {
  points.clear();
  if (nodes.size() == 3) {
    face_points(nodes, x, points);
    for (Point& p : points) p.measure[0] = thickness * std::hypot(p.measure[0], p.measure[1], p.measure[2]);
    return;
  }
  const auto X = gather(nodes, x);
  constexpr int count = energies::QuadratureP2::curved;
  for (int q = 0; q < count; ++q) {
    const auto rule = energies::tetrahedron_quadrature_point<count>(q);
    Point& p = points.emplace_back();
    if (nodes.size() == 4) {
      std::copy_n(rule.barycentric, 4, p.shape);
      p.measure[0] = rule.weight / 6.0 * math::determinant(energies::tetrahedron_edges(X.data()));
    } else {
      energies::tetrahedron_p2_shape(rule.barycentric + 1, p.shape);
      p.measure[0] =
          rule.weight / 6.0 * math::determinant(energies::tetrahedron_p2_jacobian(X.data(), rule.barycentric));
    }
    for (int i = 0; i < 3; ++i) {
      p.position[i] = 0.0;
      for (std::size_t a = 0; a < nodes.size(); ++a) p.position[i] += p.shape[a] * X[3 * a + std::size_t(i)];
    }
  }
}

double finite(double value, const dofs::ConditionOptions& options, double time, const double* X) {
  if (std::isfinite(value)) return value;
  auto context = dofs::context_of(options);
  context.advice = "Check its expressions for divisions by zero and the like.";
  throw base::UserError(fmt::format("load '{}' is not finite at t = {:g} s and the rest position ({:g}, {:g}, {:g})",
                                    options.name, time, X[0], X[1], X[2]),
                        context);
}

bool depends_on_time(const dofs::ConditionOptions& options) {
  return std::any_of(options.value.begin(), options.value.end(), [](const auto& e) { return e.depends_on_time(); });
}

bool active(const dofs::ConditionOptions& options, double time) {
  // The end of a step on a switching time carries its round-off.
  const double slack = 1e-9 * std::max(1e-30, std::abs(time));
  return time > options.from + slack && time <= options.until + slack;
}

bool acts_on_faces(const dofs::ConditionOptions& options) { return options.kind != ConditionKind::body_force; }

/// Faces that are triangles of a surface group of the name; empty selection if there is no such group.
bool is_surface_group(const mesh::DistributedMesh& mesh, int body, const std::string& name) {
  return std::any_of(mesh.groups.begin(), mesh.groups.end(),
                     [&](const auto& g) { return g.body == body && g.name == name && g.dimension == 2; });
}

std::vector<LocalIndex> select_stencils(const mesh::DistributedMesh& mesh, const dofs::ConditionOptions& options) {
  const auto context = dofs::context_of(options);
  const int body = dofs::find_body(mesh, options.body, context);
  std::vector<LocalIndex> found;
  const auto* group = std::get_if<dofs::SelectGroup>(&options.where);
  if (acts_on_faces(options) && group && is_surface_group(mesh, body, group->name)) {
    for (LocalIndex f = 0; f < mesh.face_count(); ++f)
      for (std::int32_t g : mesh.groups_of_face(f)) {
        const auto& info = mesh.groups[std::size_t(g)];
        if (info.body != body || info.dimension != 2 || info.name != group->name) continue;
        found.push_back(f);
        break;
      }
    return found;
  }
  std::vector<std::uint8_t> selected(std::size_t(mesh.local_nodes), 0);
  for (LocalIndex n : dofs::select_nodes(mesh, body, options.where, context)) selected[std::size_t(n)] = 1;
  const auto all_selected = [&](std::span<const LocalIndex> nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [&](LocalIndex n) { return selected[std::size_t(n)] != 0; });
  };
  if (acts_on_faces(options)) {
    for (LocalIndex f = 0; f < mesh.face_count(); ++f)
      if (all_selected(mesh.face(f))) found.push_back(f);
  } else {
    for (LocalIndex c = 0; c < mesh.cell_count(); ++c)
      if (all_selected(mesh.cell(c))) found.push_back(c);
  }
  return found;
}

[[noreturn]] void refuse_load_on_springs(const dofs::ConditionOptions& options) {
  auto context = dofs::context_of(options);
  context.advice = "Springs know gravity, and fixed and prescribed nodes.";
  throw base::UserError("load '" + options.name + "' acts on the body " + options.body +
                            ", which is made of springs: it has no surface and no volume",
                        context);
}

} // namespace

Loads::Loads(const mesh::DistributedMesh& mesh, const std::vector<dofs::ConditionOptions>& options,
             const dofs::Ramp& ramp)
    : mesh_(mesh), ramp_(ramp), by_condition_(options.size()), regions_(options.size()) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& o = options[i];
    if (!o.is_load()) continue;
    const auto& body = mesh.bodies[std::size_t(dofs::find_body(mesh, o.body, dofs::context_of(o)))];
    if (body.kind == mesh::BodyKind::springs) refuse_load_on_springs(o);
    Load load{o, i, body.thickness, select_stencils(mesh, o), {}};
    const bool faces = acts_on_faces(o);
    double measure = 0.0;
    GlobalIndex counted = 0;
    for (LocalIndex s : load.stencils) {
      if (s >= (faces ? mesh.counted_faces : mesh.counted_cells)) continue;
      ++counted;
      if (faces) face_points(mesh.face(s), mesh.rest_positions, points);
      else cell_points(mesh.cell(s), mesh.rest_positions, load.thickness, points);
      for (const Point& p : points)
        measure += faces ? std::hypot(p.measure[0], p.measure[1], p.measure[2]) : p.measure[0];
    }
    regions_[i] = {base::global_sum(mesh.comm, counted), base::global_sum(mesh.comm, measure)};
    if (regions_[i].stencils == 0) dofs::refuse_empty_selection(o, faces ? "boundary face" : "cell");
    base::all_or_throw(mesh.comm, [&] {
      if (o.kind == ConditionKind::pressure || depends_on_time(o)) return;
      load.unscaled.assign(3 * std::size_t(mesh.owned_nodes), 0.0);
      add_forces(load, 0.0, mesh.rest_positions, load.unscaled);
    });
    loads_.push_back(std::move(load));
  }
}

void Loads::add_forces(const Load& load, double time, const std::vector<double>& positions,
                       std::vector<double>& f) const {
  const auto& o = load.options;
  const bool faces = acts_on_faces(o), follows = o.kind == ConditionKind::pressure;
  std::vector<Point> points, rest_points;
  for (LocalIndex s : load.stencils) {
    const auto nodes = faces ? mesh_.face(s) : mesh_.cell(s);
    if (faces) face_points(nodes, mesh_.rest_positions, rest_points);
    else cell_points(nodes, mesh_.rest_positions, load.thickness, rest_points);
    if (follows) face_points(nodes, positions, points);
    for (std::size_t q = 0; q < rest_points.size(); ++q) {
      const Point& rest = rest_points[q];
      double force[3];
      if (follows) {
        const double pressure = finite(o.pressure(time, rest.position), o, time, rest.position);
        for (int k = 0; k < 3; ++k) force[k] = -pressure * points[q].measure[k];
      } else {
        const double measure = faces ? std::hypot(rest.measure[0], rest.measure[1], rest.measure[2]) : rest.measure[0];
        for (std::size_t k = 0; k < 3; ++k)
          force[k] = measure * finite(o.value[k](time, rest.position), o, time, rest.position);
      }
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        if (!mesh_.owns(nodes[a])) continue;
        for (std::size_t k = 0; k < 3; ++k) f[3 * std::size_t(nodes[a]) + k] += rest.shape[a] * force[k];
      }
    }
  }
}

void Loads::evaluate(double time, const std::vector<double>& positions, std::vector<double>& forces) {
  const auto owned = 3 * std::size_t(mesh_.owned_nodes);
  forces.assign(positions.size(), 0.0);
  base::all_or_throw(mesh_.comm, [&] {
    for (const Load& load : loads_) {
      auto& mine = by_condition_[load.index];
      mine.assign(owned, 0.0);
      if (!active(load.options, time)) continue;
      if (load.unscaled.empty()) add_forces(load, time, positions, mine);
      else mine = load.unscaled;
      const double factor = ramp_.factor(load.options, time);
      for (std::size_t i = 0; i < owned; ++i) {
        mine[i] *= factor;
        forces[i] += mine[i];
      }
    }
  });
}

} // namespace limber::assembly
