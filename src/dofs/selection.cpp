#include "dofs/selection.hpp"

#include <algorithm>
#include <cmath>

#include "base/nearest.hpp"

namespace limber::dofs {
namespace {

std::vector<std::int32_t> find_groups(const mesh::DistributedMesh& mesh, int body, const std::string& name,
                                      const base::ErrorContext& context) {
  std::vector<std::int32_t> found;
  std::string known;
  std::vector<std::string> names;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    if (mesh.groups[g].body != body) continue;
    if (mesh.groups[g].name == name) found.push_back(std::int32_t(g));
    known += (known.empty() ? "" : ", ") + mesh.groups[g].name;
    names.push_back(mesh.groups[g].name);
  }
  if (found.empty()) {
    auto with_advice = context;
    with_advice.advice = known.empty()
                             ? "The mesh has no physical groups: select with box, sphere, plane or nodes."
                             : "The mesh has the groups: " + known + " (nearest: " + base::nearest(name, names) + ").";
    throw base::UserError("body " + mesh.bodies[std::size_t(body)].name + " has no physical group '" + name + "'",
                          with_advice);
  }
  return found;
}

void check_ids(const mesh::BodyInfo& body, const std::vector<GlobalIndex>& ids, const base::ErrorContext& context) {
  for (GlobalIndex id : ids)
    if (id < 0 || id >= body.file_nodes) {
      auto with_advice = context;
      with_advice.advice = "Nodes are counted from zero in the order of the mesh file.";
      throw base::UserError("node " + std::to_string(id) + " does not exist: body " + body.name + " has " +
                                std::to_string(body.file_nodes) + " nodes",
                            with_advice);
    }
}

} // namespace

int find_body(const mesh::DistributedMesh& mesh, const std::string& name, const base::ErrorContext& context) {
  for (std::size_t b = 0; b < mesh.bodies.size(); ++b)
    if (mesh.bodies[b].name == name) return int(b);
  throw base::UserError("there is no body '" + name + "'", context);
}

std::vector<LocalIndex> select_nodes(const mesh::DistributedMesh& mesh, int body, const Selection& where,
                                     const base::ErrorContext& context) {
  std::vector<LocalIndex> result;
  const auto keep_if = [&](auto&& predicate) {
    for (LocalIndex n = 0; n < mesh.local_nodes; ++n)
      if (mesh.node_bodies[std::size_t(n)] == body && predicate(n)) result.push_back(n);
  };
  const auto position = [&](LocalIndex n) { return mesh.rest_positions.data() + 3 * std::size_t(n); };

  if (std::holds_alternative<SelectAll>(where)) {
    keep_if([](LocalIndex) { return true; });
  } else if (const auto* group = std::get_if<SelectGroup>(&where)) {
    const auto wanted = find_groups(mesh, body, group->name, context);
    keep_if([&](LocalIndex n) {
      const auto mine = mesh.groups_of(n);
      return std::any_of(wanted.begin(), wanted.end(),
                         [&](auto g) { return std::find(mine.begin(), mine.end(), g) != mine.end(); });
    });
  } else if (const auto* box = std::get_if<SelectBox>(&where)) {
    keep_if([&](LocalIndex n) {
      for (std::size_t k = 0; k < 3; ++k)
        if (position(n)[k] < box->min[k] || position(n)[k] > box->max[k]) return false;
      return true;
    });
  } else if (const auto* sphere = std::get_if<SelectSphere>(&where)) {
    keep_if([&](LocalIndex n) {
      double dist2 = 0.0;
      for (std::size_t k = 0; k < 3; ++k) dist2 += std::pow(position(n)[k] - sphere->center[k], 2);
      return dist2 <= sphere->radius * sphere->radius;
    });
  } else if (const auto* plane = std::get_if<SelectPlane>(&where)) {
    const auto& m = plane->normal;
    const double length = std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    keep_if([&](LocalIndex n) {
      double distance = 0.0;
      for (std::size_t k = 0; k < 3; ++k) distance += (position(n)[k] - plane->point[k]) * m[k] / length;
      return std::abs(distance) <= plane->tolerance;
    });
  } else if (const auto* nodes = std::get_if<SelectNodes>(&where)) {
    const auto& info = mesh.bodies[std::size_t(body)];
    check_ids(info, nodes->ids, context);
    auto ids = nodes->ids;
    std::sort(ids.begin(), ids.end());
    keep_if([&](LocalIndex n) {
      return std::binary_search(ids.begin(), ids.end(), mesh.node_ids[std::size_t(n)] - info.first_node_id);
    });
  }
  return result;
}

base::ErrorContext context_of(const ConditionOptions& options) {
  return {.file = options.config_file, .line = options.config_line, .key = options.config_key, .advice = {}};
}

void refuse_empty_selection(const ConditionOptions& options, const std::string& what) {
  auto context = context_of(options);
  context.advice = what == "node" ? "Check 'where' against the mesh's groups and its box (limber check shows both)."
                                  : "All nodes of a " + what +
                                        " must be selected; a surface group takes its own faces. Check 'where' against "
                                        "the mesh's groups and its box (limber check shows both).";
  throw base::UserError("condition '" + options.name + "' selects no " + what + " of body " + options.body, context);
}

} // namespace limber::dofs
