#include "dofs/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/spdlog.h>
#include <tuple>
#include <utility>

#include "base/collective.hpp"
#include "dofs/selection.hpp"

namespace limber::dofs {
namespace {

/// Pieces [a, b] of the step, in seconds after its start, in each of which a condition holds all the time or not at
/// all; pieces shorter than round-off in times are left out.
std::vector<std::pair<double, double>> pieces(const std::vector<double>& switches, double time, double h) {
  std::vector<double> cuts{0.0, h};
  for (double t : switches)
    if (t > time && t < time + h) cuts.push_back(t - time);
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::pair<double, double>> result;
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] - cuts[i - 1] > 1e-9 * h) result.emplace_back(cuts[i - 1], cuts[i]);
  return result;
}

/// Groups of one name and different dimension, a surface and a volume say, count together: rarely what was meant.
void warn_of_shared_names(const mesh::DistributedMesh& mesh, const ConditionOptions& options) {
  const auto* group = std::get_if<SelectGroup>(&options.where);
  if (!group) return;
  const auto same = std::count_if(mesh.groups.begin(), mesh.groups.end(), [&](const mesh::GroupInfo& g) {
    return mesh.bodies[std::size_t(g.body)].name == options.body && g.name == group->name;
  });
  if (same > 1)
    spdlog::warn("condition '{}': body {} has {} physical groups named '{}'; the nodes of all of them are taken",
                 options.name, options.body, same, group->name);
}

/// From a position to its target; nothing where only round-off is left, so that nodes that have arrived stay.
double way_to(double target, double position, double size) {
  const double way = target - position;
  return std::abs(way) <= 1e-15 * std::max(size, std::abs(target)) ? 0.0 : way;
}

bool active(const ConditionOptions& options, double time) { return time >= options.from && time <= options.until; }

} // namespace

Conditions::Conditions(const mesh::DistributedMesh& mesh, const std::vector<ConditionOptions>& options,
                       const Ramp& ramp)
    : mesh_(mesh), ramp_(ramp), selected_(options.size(), 0) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& o = options[i];
    if (o.is_load()) continue;
    const auto context = context_of(o);
    // Throws alike on every rank: groups and bodies are known everywhere.
    Condition condition{o, std::int32_t(i), select_nodes(mesh, find_body(mesh, o.body, context), o.where, context)};
    const auto owned =
        std::count_if(condition.nodes.begin(), condition.nodes.end(), [&](LocalIndex n) { return mesh.owns(n); });
    selected_[i] = base::global_sum(mesh.comm, GlobalIndex(owned));
    if (selected_[i] == 0) refuse_empty_selection(o, "node");
    conditions_.push_back(std::move(condition));
    warn_of_shared_names(mesh, o);
  }
  base::all_or_throw(mesh.comm, [&] { refuse_contradictions(); });
}

double Conditions::motion(const Condition& condition, std::size_t component, double time, const double* X) const {
  const auto& o = condition.options;
  if (o.kind == ConditionKind::fixed) return 0.0;
  const double value = o.motion[component](time, X) * (o.by_displacement ? ramp_.factor(o, time) : 1.0);
  if (!std::isfinite(value)) {
    auto context = context_of(o);
    context.advice = "Check the expression '" + o.motion[component].text() + "' for divisions by zero and the like.";
    throw base::UserError(fmt::format("condition '{}' is not finite at t = {:g} s and the rest position ({:g}, {:g}, "
                                      "{:g})",
                                      o.name, time, X[0], X[1], X[2]),
                          context);
  }
  return value;
}

double Conditions::travel(const Condition& condition, std::size_t component, double begin, double end,
                          const double* X) const {
  if (condition.options.kind == ConditionKind::fixed) return 0.0;
  if (!condition.options.motion[component].depends_on_time())
    return motion(condition, component, begin, X) * (end - begin);
  // Gauss and Legendre, three points: exact for polynomials of degree five.
  const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin), offset = half * std::sqrt(0.6);
  return half / 9.0 *
         (5.0 * motion(condition, component, middle - offset, X) + 8.0 * motion(condition, component, middle, X) +
          5.0 * motion(condition, component, middle + offset, X));
}

std::pair<double, double> Conditions::motion_at(const Condition& condition, std::size_t component, double from,
                                                double to, const double* X) const {
  const auto& o = condition.options;
  if (o.kind == ConditionKind::fixed) return {0.0, 0.0};
  if (!o.motion[component].depends_on_time())
    return {o.by_displacement ? 0.0 : motion(condition, component, to, X), 0.0};
  // One-sided differences over five points, so that the expression is asked for no other times than its condition's.
  const double spacing = 0.25 * (to - from);
  double u[5];
  for (int i = 0; i < 5; ++i) u[i] = motion(condition, component, from + i * spacing, X);
  const double first = (25.0 * u[4] - 48.0 * u[3] + 36.0 * u[2] - 16.0 * u[1] + 3.0 * u[0]) / (12.0 * spacing);
  if (!o.by_displacement) return {u[4], first};
  return {first, (35.0 * u[4] - 104.0 * u[3] + 114.0 * u[2] - 56.0 * u[1] + 11.0 * u[0]) / (12.0 * spacing * spacing)};
}

HeldMotion Conditions::held_motion(double time, double h) const {
  const auto dofs = 3 * std::size_t(mesh_.local_nodes);
  HeldMotion result{std::vector<double>(dofs, 0.0), std::vector<double>(dofs, 0.0)};
  base::all_or_throw(mesh_.comm, [&] {
    std::vector<int> moved_in(dofs, -1);
    int piece = 0;
    for (const auto& [begin, end] : pieces(switches(), time, h)) {
      for (const auto& condition : conditions_) {
        if (!active(condition.options, time + 0.5 * (begin + end))) continue;
        for (LocalIndex n : condition.nodes)
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t dof = 3 * std::size_t(n) + k;
            if (!condition.options.components[k] || moved_in[dof] == piece) continue;
            moved_in[dof] = piece;
            std::tie(result.velocity[dof], result.acceleration[dof]) =
                motion_at(condition, k, time + begin, time + end, &mesh_.rest_positions[3 * std::size_t(n)]);
          }
      }
      ++piece;
    }
  });
  return result;
}

void Conditions::refuse_contradictions() const {
  std::vector<std::vector<std::size_t>> at_node(static_cast<std::size_t>(mesh_.local_nodes));
  const auto differ = [&](const Condition& a, const Condition& b, std::size_t k, const double* X) {
    const double begin = std::max(a.options.from, b.options.from);
    const double end = std::min({a.options.until, b.options.until, std::max(ramp_.duration, begin)});
    const bool same_kind = a.options.by_displacement == b.options.by_displacement;
    for (const double t : {begin, 0.5 * (begin + end), end}) {
      const double u = motion(a, k, t, X), v = motion(b, k, t, X);
      // A velocity and a displacement only agree where nothing moves.
      if (same_kind ? std::abs(u - v) > 1e-12 * std::max(std::abs(u), std::abs(v)) : u != 0.0 || v != 0.0) return true;
    }
    return false;
  };
  for (std::size_t c = 0; c < conditions_.size(); ++c)
    for (LocalIndex n : conditions_[c].nodes) {
      for (std::size_t other : at_node[std::size_t(n)]) {
        const auto &a = conditions_[other].options, &b = conditions_[c].options;
        if (std::min(a.until, b.until) <= std::max(a.from, b.from)) continue;
        for (std::size_t k = 0; k < 3; ++k)
          if (a.components[k] && b.components[k] &&
              differ(conditions_[other], conditions_[c], k, &mesh_.rest_positions[3 * std::size_t(n)])) {
            auto context = context_of(b);
            context.advice = "Let them hold different components or times, or select different nodes.";
            throw base::UserError("conditions '" + a.name + "' and '" + b.name + "' move component " + "xyz"[k] +
                                      " of node " + std::to_string(mesh_.node_ids[std::size_t(n)]) + " differently",
                                  context);
          }
      }
      at_node[std::size_t(n)].push_back(c);
    }
}

std::vector<double> Conditions::switches() const {
  std::vector<double> times;
  for (const auto& condition : conditions_)
    for (const double t : {condition.options.from, condition.options.until})
      if (std::isfinite(t)) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::vector<std::uint8_t> Conditions::held_at(double time) const {
  std::vector<std::uint8_t> held(3 * std::size_t(mesh_.local_nodes), 0);
  for (const auto& condition : conditions_) {
    if (!active(condition.options, time)) continue;
    for (LocalIndex n : condition.nodes)
      for (std::size_t k = 0; k < 3; ++k)
        if (condition.options.components[k]) held[3 * std::size_t(n) + k] = 1;
  }
  return held;
}

Constraints Conditions::constraints(double time, double h, const std::vector<double>& positions) const {
  Constraints result;
  const auto dofs = 3 * std::size_t(mesh_.local_nodes);
  result.held.assign(dofs, 0);
  result.displacement.assign(dofs, 0.0);
  result.holder.assign(dofs, -1);
  base::all_or_throw(mesh_.comm, [&] {
    // Conditions that take turns at a node within the step add up; those that agree at the same time count once.
    std::vector<int> moved_in(dofs, -1);
    int piece = 0;
    for (const auto& [begin, end] : pieces(switches(), time, h)) {
      for (const auto& condition : conditions_) {
        if (!active(condition.options, time + 0.5 * (begin + end))) continue;
        for (LocalIndex n : condition.nodes)
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t dof = 3 * std::size_t(n) + k;
            if (!condition.options.components[k] || moved_in[dof] == piece) continue;
            moved_in[dof] = piece;
            result.held[dof] = 1;
            result.holder[dof] = condition.index;
            const double* X = &mesh_.rest_positions[3 * std::size_t(n)];
            if (condition.options.by_displacement)
              result.displacement[dof] =
                  way_to(X[k] + motion(condition, k, time + end, X), positions[dof], std::abs(X[k]));
            else result.displacement[dof] += travel(condition, k, time + begin, time + end, X);
          }
      }
      ++piece;
    }
    if (!ramp_.is_static) return;
    // An equilibrium belongs to the end of the step: what has been released by then holds nothing.
    for (std::size_t dof = 0; dof < dofs; ++dof)
      if (moved_in[dof] != piece - 1) {
        result.held[dof] = 0;
        result.holder[dof] = -1;
        result.displacement[dof] = 0.0;
      }
  });
  const bool moves =
      std::any_of(result.displacement.begin(), result.displacement.end(), [](double u) { return u != 0.0; });
  result.any_motion = base::global_or(mesh_.comm, moves);
  return result;
}

void Conditions::set_initial_velocities(double h, std::vector<double>& velocities, bool mean) const {
  base::all_or_throw(mesh_.comm, [&] {
    for (auto condition = conditions_.rbegin(); condition != conditions_.rend(); ++condition) {
      if (!active(condition->options, 0.0)) continue; // the first of several in the list has the last word
      for (LocalIndex n : condition->nodes)
        for (std::size_t k = 0; k < 3; ++k) {
          if (!condition->options.components[k]) continue;
          const double* X = &mesh_.rest_positions[3 * std::size_t(n)];
          if (!mean) {
            velocities[3 * std::size_t(n) + k] = motion_at(*condition, k, h, 0.0, X).first;
            continue;
          }
          velocities[3 * std::size_t(n) + k] = condition->options.by_displacement
                                                   ? (motion(*condition, k, h, X) - motion(*condition, k, 0.0, X)) / h
                                                   : travel(*condition, k, 0.0, h, X) / h;
        }
    }
  });
}

} // namespace limber::dofs
