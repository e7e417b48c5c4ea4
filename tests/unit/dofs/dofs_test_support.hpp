#pragma once
/// Two bodies and what a test needs to look at the nodes of a selection over all ranks.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/box_mesh.hpp"

namespace limber::test {

/// Two boxes that overlap in space, so that a selection must look at the body: 4×2×2 cubes from the origin, edge 0.5;
/// 2×2×2 cubes, edge 1, with unused ids.
struct TwoBoxes {
  std::vector<mesh::BodyMesh> bodies{make_box({.cubes = {4, 2, 2}, .size = {2.0, 1.0, 1.0}}),
                                     make_box({.cubes = {2, 2, 2}, .size = {2.0, 2.0, 2.0}, .id_gap = 1})};
  WholeMesh whole = concatenate(bodies);
  mesh::DistributedMesh mesh = distribute(bodies);

  /// Ordinals of the body's nodes for which the predicate holds at the rest position.
  template <class Predicate> std::set<GlobalIndex> expected(int body, Predicate&& holds) const {
    std::set<GlobalIndex> ordinals;
    for (std::size_t n = 0; n < whole.node_count(); ++n)
      if (whole.node_bodies[n] == body && holds(whole.points.data() + 3 * n)) ordinals.insert(GlobalIndex(n));
    return ordinals;
  }
  /// The part of a set of ordinals that this rank holds, ghosts included.
  std::set<GlobalIndex> local_part(const std::set<GlobalIndex>& ordinals) const {
    std::set<GlobalIndex> local;
    for (GlobalIndex o : mesh.ordinals)
      if (ordinals.count(o)) local.insert(o);
    return local;
  }
  std::set<GlobalIndex> ordinals(const std::vector<LocalIndex>& nodes) const {
    std::set<GlobalIndex> result;
    for (LocalIndex n : nodes) result.insert(mesh.ordinals[std::size_t(n)]);
    return result;
  }
};

/// The text of the UserError that `work` throws; every rank must throw.
template <class Work> std::string user_error(Work&& work) {
  try {
    work();
  } catch (const base::UserError& e) {
    return e.what();
  }
  return "nothing thrown";
}

} // namespace limber::test
