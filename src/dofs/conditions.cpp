#include "dofs/conditions.hpp"

#include <algorithm>
#include <spdlog/spdlog.h>
#include <utility>

#include "base/collective.hpp"
#include "dofs/selection.hpp"

namespace limber::dofs {
namespace {

base::ErrorContext context_of(const ConditionOptions& options) {
  return {.file = options.config_file, .line = options.config_line, .key = options.config_key, .advice = {}};
}

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

Vector3 velocity_of(const ConditionOptions& options) {
  return options.kind == ConditionKind::prescribed ? options.velocity : Vector3{};
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

} // namespace

Conditions::Conditions(const mesh::DistributedMesh& mesh, const std::vector<ConditionOptions>& options) : mesh_(mesh) {
  for (const auto& o : options) {
    const auto context = context_of(o);
    // Throws alike on every rank: groups and bodies are known everywhere.
    Condition condition{o, select_nodes(mesh, find_body(mesh, o.body, context), o.where, context)};
    const auto owned =
        std::count_if(condition.nodes.begin(), condition.nodes.end(), [&](LocalIndex n) { return mesh.owns(n); });
    selected_.push_back(base::global_sum(mesh.comm, GlobalIndex(owned)));
    if (selected_.back() == 0) {
      auto with_advice = context;
      with_advice.advice = "Check 'where' against the mesh's groups and its box (limber check shows both).";
      throw base::UserError("condition '" + o.name + "' selects no node of body " + o.body, with_advice);
    }
    conditions_.push_back(std::move(condition));
    warn_of_shared_names(mesh, o);
  }
  base::all_or_throw(mesh.comm, [&] { refuse_contradictions(); });
}

void Conditions::refuse_contradictions() const {
  std::vector<std::vector<std::size_t>> at_node(static_cast<std::size_t>(mesh_.local_nodes));
  for (std::size_t c = 0; c < conditions_.size(); ++c)
    for (LocalIndex n : conditions_[c].nodes) {
      for (std::size_t other : at_node[std::size_t(n)]) {
        const auto &a = conditions_[other].options, &b = conditions_[c].options;
        if (std::min(a.until, b.until) <= std::max(a.from, b.from)) continue;
        for (std::size_t k = 0; k < 3; ++k)
          if (a.components[k] && b.components[k] && velocity_of(a)[k] != velocity_of(b)[k]) {
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

Constraints Conditions::constraints(double time, double h) const {
  Constraints result;
  const auto dofs = 3 * std::size_t(mesh_.local_nodes);
  result.held.assign(dofs, 0);
  result.displacement.assign(dofs, 0.0);
  std::vector<double> switches;
  for (const auto& condition : conditions_) {
    switches.push_back(condition.options.from);
    switches.push_back(condition.options.until);
  }
  // Conditions that take turns at a node within the step add up; those that agree at the same time count once.
  std::vector<int> moved_in(dofs, -1);
  int piece = 0;
  for (const auto& [begin, end] : pieces(switches, time, h)) {
    const double middle = time + 0.5 * (begin + end);
    for (const auto& condition : conditions_) {
      if (middle < condition.options.from || middle > condition.options.until) continue;
      const Vector3 velocity = velocity_of(condition.options);
      for (LocalIndex n : condition.nodes)
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t dof = 3 * std::size_t(n) + k;
          if (!condition.options.components[k] || moved_in[dof] == piece) continue;
          moved_in[dof] = piece;
          result.held[dof] = 1;
          result.displacement[dof] += velocity[k] * (end - begin);
        }
    }
    ++piece;
  }
  const bool moves =
      std::any_of(result.displacement.begin(), result.displacement.end(), [](double u) { return u != 0.0; });
  result.any_motion = base::global_or(mesh_.comm, moves);
  return result;
}

} // namespace limber::dofs
