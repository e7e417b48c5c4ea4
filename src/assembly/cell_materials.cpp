#include "assembly/cell_materials.hpp"

#include <algorithm>

#include "base/collective.hpp"
#include "base/nearest.hpp"

namespace limber::assembly {
namespace {

/// Tags of the body's volume groups of that name.
std::vector<std::int32_t> tags_of(const mesh::DistributedMesh& mesh, const MaterialRegion& region) {
  std::vector<std::int32_t> tags;
  std::vector<std::string> known;
  std::string list;
  for (const auto& group : mesh.groups) {
    if (group.body != region.body || group.dimension != 3) continue;
    if (group.name == region.group) tags.push_back(group.tag);
    known.push_back(group.name);
    list += (list.empty() ? "" : ", ") + group.name;
  }
  if (!tags.empty()) return tags;
  auto context = region.context;
  context.advice =
      known.empty() ? "The mesh has no physical volumes: define them in the mesh file."
                    : "The mesh has the volumes: " + list + " (nearest: " + base::nearest(region.group, known) + ").";
  throw base::UserError(
      "body " + mesh.bodies[std::size_t(region.body)].name + " has no physical volume '" + region.group + "'", context);
}

} // namespace

std::vector<std::int32_t> cell_materials(const mesh::DistributedMesh& mesh,
                                         const std::vector<MaterialRegion>& regions) {
  auto result = mesh.cell_bodies;
  for (const auto& region : regions) {
    const auto tags = tags_of(mesh, region);
    double count = 0.0;
    for (std::size_t c = 0; c < result.size(); ++c) {
      if (mesh.cell_bodies[c] != region.body) continue;
      if (std::find(tags.begin(), tags.end(), mesh.cell_groups[c]) == tags.end()) continue;
      result[c] = region.material;
      count += 1.0;
    }
    if (base::global_sum(mesh.comm, count) > 0.0) continue;
    auto context = region.context;
    context.advice = "A tetrahedron in several physical volumes counts to the one with the smallest tag.";
    throw base::UserError("physical volume '" + region.group + "' of body " +
                              mesh.bodies[std::size_t(region.body)].name + " has no tetrahedra of its own",
                          context);
  }
  return result;
}

} // namespace limber::assembly
