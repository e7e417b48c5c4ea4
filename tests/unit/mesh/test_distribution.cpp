/// What every rank holds after distribution, against the whole mesh that each rank makes for itself.

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "mesh/distribute.hpp"
#include "mesh/tetrahedron_topology.hpp"
#include "support/box_mesh.hpp"

namespace limber::mesh {
namespace {

struct Scene {
  const char* name;
  std::vector<BodyMesh> bodies;
  PartitionOptions options;
};

BodyMesh one_tetrahedron() { // 4 nodes: fewer than ranks in the largest runs
  return test::make_box({.cubes = {1, 1, 1}, .min = {5.0, 0.0, 0.0}, .leave_out = 5, .id_gap = 2});
}

std::vector<Scene> scenes() {
  // A linear and a quadratic body, the latter in two pieces and with unused nodes.
  const auto quadratic = test::quadratic(test::make_box(
      {.cubes = {5, 2, 2}, .min = {0.0, 3.0, 0.0}, .leave_out = 1, .id_gap = 2, .keep = [](const Vector3& center) {
         return center[0] < 0.4 || center[0] > 0.6;
       }}));
  const auto linear = test::make_box({.cubes = {3, 2, 2}, .id_gap = 1});
  const auto box = test::make_box({.cubes = {5, 4, 3}, .size = {2.0, 1.0, 1.0}, .leave_out = 1, .id_gap = 3});
  return {{"metis", {box}, {"metis", 1}},
          {"curve", {box}, {"curve", 1}},
          {"random", {box}, {"random", 1}},
          {"two bodies", {box, one_tetrahedron()}, {"metis", 1}},
          {"two bodies, random", {one_tetrahedron(), box}, {"random", 3}},
          {"mixed orders", {linear, quadratic, one_tetrahedron()}, {"metis", 1}},
          {"mixed orders, random", {quadratic, linear}, {"random", 5}},
          {"empty ranks", {one_tetrahedron()}, {"metis", 1}},
          {"empty ranks, random", {one_tetrahedron()}, {"random", 2}}};
}

/// The boundary of the whole scene, with nodes as ordinals.
struct WholeFace {
  std::vector<GlobalIndex> nodes;
  std::int32_t body;
  std::set<std::string> groups;
};

std::vector<WholeFace> whole_faces(const std::vector<BodyMesh>& bodies) {
  std::vector<WholeFace> faces;
  GlobalIndex first = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& body = bodies[b];
    const std::size_t first_face = faces.size();
    for (const CellFace& face : body.faces) {
      faces.push_back({{}, std::int32_t(b), {}});
      for (std::size_t k = 0; k < (body.order == 1 ? 3u : 6u); ++k)
        faces.back().nodes.push_back(
            first +
            body.cells[body.nodes_per_cell() * std::size_t(face.cell) + std::size_t(tetrahedron_faces[face.side][k])]);
    }
    for (const auto& group : body.groups)
      for (LocalIndex f : group.faces) faces[first_face + std::size_t(f)].groups.insert(group.name);
    first += body.node_count();
  }
  return faces;
}

/// Sums over ranks a vector of counters.
std::vector<GlobalIndex> total(std::vector<GlobalIndex> counts) {
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), int(counts.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return counts;
}

class Distribution : public ::testing::TestWithParam<int> {
protected:
  struct Made {
    Scene scene;
    test::WholeMesh whole;
    DistributedMesh mesh;
  };
  /// Distributed once for all tests of a scene: tests of one parameter need not follow each other, hence all are kept.
  static Made& made(int parameter) {
    auto& entry = cache[parameter];
    if (!entry) {
      Scene scene = scenes()[std::size_t(parameter)];
      auto whole = test::concatenate(scene.bodies);
      auto mesh = test::distribute(scene.bodies, scene.options);
      entry = std::make_unique<Made>(Made{std::move(scene), std::move(whole), std::move(mesh)});
    }
    return *entry;
  }
  static void TearDownTestSuite() { cache.clear(); } // before PETSc ends
  static inline std::map<int, std::unique_ptr<Made>> cache;

  Distribution() : scene(made(GetParam()).scene), whole(made(GetParam()).whole), mesh(made(GetParam()).mesh) {}
  std::size_t local() const { return std::size_t(mesh.local_nodes); }
  std::size_t owned() const { return std::size_t(mesh.owned_nodes); }
  template <class Nodes> std::vector<GlobalIndex> ordinals(const Nodes& nodes) const {
    std::vector<GlobalIndex> result;
    for (LocalIndex n : nodes) result.push_back(mesh.ordinals.at(std::size_t(n)));
    return result;
  }
  /// Ordinals of the nodes of every cell of the whole mesh.
  std::vector<std::vector<GlobalIndex>> whole_cells() const {
    std::vector<std::vector<GlobalIndex>> cells;
    auto node = whole.cells.begin();
    for (std::int32_t body : whole.cell_bodies) {
      const auto width = std::ptrdiff_t(scene.bodies[std::size_t(body)].nodes_per_cell());
      cells.emplace_back(node, node + width);
      node += width;
    }
    EXPECT_EQ(node, whole.cells.end());
    return cells;
  }
  std::vector<char> owned_ordinals() const {
    std::vector<char> is_owned(whole.node_count(), 0);
    for (std::size_t n = 0; n < owned(); ++n) is_owned[std::size_t(mesh.ordinals[n])] = 1;
    return is_owned;
  }

  const Scene& scene;
  const test::WholeMesh& whole;
  const DistributedMesh& mesh;
};

INSTANTIATE_TEST_SUITE_P(Scenes, Distribution, ::testing::Range(0, int(scenes().size())), [](const auto& scene) {
  std::string name = scenes()[std::size_t(scene.param)].name;
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }), name.end());
  return name;
});

TEST_P(Distribution, OwnsEveryNodeOnceUnderContiguousNumbers) {
  EXPECT_EQ(mesh.global_nodes, GlobalIndex(whole.node_count()));
  EXPECT_EQ(mesh.global_cells, GlobalIndex(whole.cell_count()));
  std::vector<GlobalIndex> by_ordinal(whole.node_count(), 0), by_number(whole.node_count(), 0);
  for (std::size_t n = 0; n < owned(); ++n) {
    ++by_ordinal.at(std::size_t(mesh.ordinals[n]));
    ++by_number.at(std::size_t(mesh.global_numbers[n]));
    EXPECT_EQ(mesh.global_numbers[n], mesh.first_owned + GlobalIndex(n));
  }
  const std::vector<GlobalIndex> once(whole.node_count(), 1);
  EXPECT_EQ(total(by_ordinal), once);
  EXPECT_EQ(total(by_number), once);
  // Ranks follow each other: PETSc's layouts depend on it.
  GlobalIndex before = 0;
  const GlobalIndex mine = mesh.owned_nodes;
  MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(mesh.first_owned, base::rank(MPI_COMM_WORLD) == 0 ? 0 : before);
}

TEST_P(Distribution, KnowsItsNodes) {
  for (std::size_t n = 0; n < local(); ++n) {
    const auto ordinal = std::size_t(mesh.ordinals[n]);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(mesh.rest_positions[3 * n + k], whole.points[3 * ordinal + k]);
    EXPECT_EQ(mesh.node_ids[n], whole.node_ids[ordinal]);
    EXPECT_EQ(mesh.node_bodies[n], whole.node_bodies[ordinal]);
    std::set<std::pair<int, std::string>> groups;
    for (auto g : mesh.groups_of(LocalIndex(n)))
      groups.insert({mesh.groups.at(std::size_t(g)).body, mesh.groups[std::size_t(g)].name});
    EXPECT_EQ(groups, whole.node_groups[ordinal]);
  }
}

TEST_P(Distribution, HoldsExactlyTheCellsThatTouchItsNodes) {
  const auto is_owned = owned_ordinals();
  const auto cells = whole_cells();
  std::map<GlobalIndex, std::size_t> expected; // id → cell of the whole mesh
  for (std::size_t c = 0; c < whole.cell_count(); ++c)
    for (GlobalIndex node : cells[c])
      if (is_owned[std::size_t(node)]) expected[whole.cell_ids[c]] = c;

  ASSERT_EQ(std::size_t(mesh.cell_count()), expected.size());
  EXPECT_EQ(std::set<GlobalIndex>(mesh.cell_ids.begin(), mesh.cell_ids.end()).size(), expected.size());
  for (std::size_t c = 0; c < expected.size(); ++c) {
    const auto found = expected.find(mesh.cell_ids[c]);
    ASSERT_NE(found, expected.end());
    // The canonical order: that of the input mesh.
    EXPECT_EQ(ordinals(mesh.cell(LocalIndex(c))), cells[found->second]);
    EXPECT_EQ(mesh.cell_bodies[c], whole.cell_bodies[found->second]);
    EXPECT_EQ(mesh.cell_groups[c], whole.cell_groups[found->second]);
  }
}

TEST_P(Distribution, CountsEveryCellOnce) {
  std::map<GlobalIndex, std::size_t> place;
  for (std::size_t c = 0; c < whole.cell_count(); ++c) place[whole.cell_ids[c]] = c;
  std::vector<GlobalIndex> counted(whole.cell_count(), 0);
  for (LocalIndex c = 0; c < mesh.cell_count(); ++c) {
    EXPECT_EQ(c < mesh.counted_cells, mesh.owns(mesh.cell(c)[0])) << "counted cells come first";
    if (c < mesh.counted_cells) ++counted[place.at(mesh.cell_ids[std::size_t(c)])];
  }
  EXPECT_EQ(total(counted), std::vector<GlobalIndex>(whole.cell_count(), 1));
}

TEST_P(Distribution, CountsEveryBoundaryFaceOnce) {
  const auto faces = whole_faces(scene.bodies);
  std::map<std::vector<GlobalIndex>, std::size_t> place; // by nodes in their order
  for (std::size_t f = 0; f < faces.size(); ++f) place[faces[f].nodes] = f;
  ASSERT_EQ(place.size(), faces.size());
  std::vector<GlobalIndex> counted(faces.size(), 0);
  for (LocalIndex f = 0; f < mesh.face_count(); ++f) {
    EXPECT_EQ(f < mesh.counted_faces, mesh.owns(mesh.face(f)[0])) << "counted faces come first";
    if (f < mesh.counted_faces) ++counted[place.at(ordinals(mesh.face(f)))];
  }
  EXPECT_EQ(total(counted), std::vector<GlobalIndex>(faces.size(), 1));
}

TEST_P(Distribution, HoldsExactlyTheFacesThatTouchItsNodes) {
  const auto is_owned = owned_ordinals();
  std::map<std::vector<GlobalIndex>, WholeFace> expected;
  for (const auto& face : whole_faces(scene.bodies))
    if (std::any_of(face.nodes.begin(), face.nodes.end(), [&](GlobalIndex n) { return is_owned[std::size_t(n)]; }))
      expected[face.nodes] = face;
  ASSERT_EQ(std::size_t(mesh.face_count()), expected.size());
  std::set<std::vector<GlobalIndex>> seen;
  for (LocalIndex f = 0; f < mesh.face_count(); ++f) {
    const auto nodes = ordinals(mesh.face(f)); // looks outward: the order of the whole mesh
    const auto found = expected.find(nodes);
    ASSERT_NE(found, expected.end());
    seen.insert(nodes);
    EXPECT_EQ(mesh.face_bodies[std::size_t(f)], found->second.body);
    std::set<std::string> groups;
    for (const auto g : mesh.groups_of_face(f)) {
      EXPECT_EQ(mesh.groups.at(std::size_t(g)).body, found->second.body);
      groups.insert(mesh.groups[std::size_t(g)].name);
    }
    EXPECT_EQ(groups, found->second.groups);
  }
  EXPECT_EQ(seen.size(), expected.size()) << "none twice";
}

TEST_P(Distribution, NumbersPiecesOverAllBodies) {
  std::vector<std::int32_t> pieces;
  std::int32_t first = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    EXPECT_EQ(mesh.bodies[b].first_piece, first);
    EXPECT_EQ(mesh.bodies[b].pieces, scene.bodies[b].piece_count);
    for (std::int32_t piece : scene.bodies[b].pieces) pieces.push_back(first + piece);
    first += scene.bodies[b].piece_count;
  }
  for (std::size_t n = 0; n < local(); ++n) EXPECT_EQ(mesh.node_pieces[n], pieces[std::size_t(mesh.ordinals[n])]);
  ASSERT_EQ(mesh.node_pieces.size(), local());
}

TEST_P(Distribution, HoldsNoOtherNodesThanGhostsOfItsCells) {
  std::set<LocalIndex> used;
  for (LocalIndex v : mesh.cells) used.insert(v);
  for (LocalIndex n = mesh.owned_nodes; n < mesh.local_nodes; ++n) EXPECT_TRUE(used.count(n)) << "ghost " << n;
  EXPECT_TRUE(used.empty() || (*used.begin() >= 0 && *used.rbegin() < mesh.local_nodes));
  EXPECT_TRUE(std::is_sorted(mesh.global_numbers.begin() + mesh.owned_nodes, mesh.global_numbers.end()));
  EXPECT_EQ(std::set<GlobalIndex>(mesh.ordinals.begin(), mesh.ordinals.end()).size(), local());
  if (mesh.owned_nodes == 0) {
    EXPECT_EQ(mesh.local_nodes, 0);
    EXPECT_EQ(mesh.cell_count(), 0);
  }
}

TEST_P(Distribution, KeepsNoMoreThanOwnedAndGhosts) {
  EXPECT_EQ(mesh.rest_positions.capacity(), 3 * local());
  EXPECT_EQ(mesh.global_numbers.capacity(), local());
  EXPECT_EQ(mesh.node_ids.capacity(), local());
  EXPECT_EQ(mesh.ordinals.capacity(), local());
  EXPECT_EQ(mesh.node_bodies.capacity(), local());
  EXPECT_EQ(mesh.group_offsets.capacity(), local() + 1);
  EXPECT_EQ(mesh.group_indices.capacity(), std::size_t(mesh.group_offsets.back()));
  EXPECT_EQ(mesh.cells.capacity(), std::size_t(mesh.cell_offsets.back()));
  EXPECT_EQ(mesh.cell_offsets.capacity(), std::size_t(mesh.cell_count()) + 1);
  EXPECT_EQ(mesh.faces.capacity(), std::size_t(mesh.face_offsets.back()));
}

TEST_P(Distribution, UpdatesGhosts) {
  for (const int components : {1, 3, 6}) {
    const auto width = std::size_t(components);
    std::vector<double> expected;
    for (GlobalIndex ordinal : mesh.ordinals)
      for (std::size_t k = 0; k < width; ++k) expected.push_back(0.1 * double(ordinal) - 3.0 + 7.0 * double(k));
    auto values = expected;
    std::fill(values.begin() + std::ptrdiff_t(width * owned()), values.end(), -1e9);
    mesh.update_ghosts(values, components);
    EXPECT_EQ(values, expected) << components << " components";
  }
}

TEST_P(Distribution, KnowsBodiesAndGroupsEverywhere) {
  ASSERT_EQ(mesh.bodies.size(), scene.bodies.size());
  GlobalIndex first_node_id = 0, first_cell_id = 0;
  std::size_t groups = 0;
  for (std::size_t b = 0; b < mesh.bodies.size(); ++b) {
    EXPECT_EQ(mesh.bodies[b].name, "body" + std::to_string(b));
    EXPECT_EQ(mesh.bodies[b].first_node_id, first_node_id);
    EXPECT_EQ(mesh.bodies[b].first_cell_id, first_cell_id);
    EXPECT_EQ(mesh.bodies[b].nodes, scene.bodies[b].node_count());
    EXPECT_EQ(mesh.bodies[b].cells, scene.bodies[b].cell_count());
    EXPECT_EQ(mesh.bodies[b].file_nodes, scene.bodies[b].file_nodes);
    EXPECT_EQ(mesh.bodies[b].faces, GlobalIndex(scene.bodies[b].faces.size()));
    EXPECT_EQ(mesh.bodies[b].order, scene.bodies[b].order);
    first_node_id += scene.bodies[b].file_nodes;
    first_cell_id += scene.bodies[b].file_cells;
    for (const auto& group : scene.bodies[b].groups) {
      ASSERT_LT(groups, mesh.groups.size());
      EXPECT_EQ(mesh.groups[groups].body, int(b));
      EXPECT_EQ(mesh.groups[groups].name, group.name);
      EXPECT_EQ(mesh.groups[groups].dimension, group.dimension);
      EXPECT_EQ(mesh.groups[groups].tag, group.tag);
      ++groups;
    }
  }
  EXPECT_EQ(mesh.groups.size(), groups);
}

TEST_P(Distribution, RepeatsItself) {
  const auto again = test::distribute(scene.bodies, scene.options);
  EXPECT_EQ(again.global_numbers, mesh.global_numbers);
  EXPECT_EQ(again.ordinals, mesh.ordinals);
  EXPECT_EQ(again.cells, mesh.cells);
  EXPECT_EQ(again.cell_ids, mesh.cell_ids);
  EXPECT_EQ(again.faces, mesh.faces);
}

TEST(ReadAndDistribute, ThrowsOnEveryRankWhereAFileIsMissing) {
  BodyMeshOptions body;
  body.name = "bar";
  body.source.shape = MeshFile{"/does/not/exist.msh"};
  EXPECT_THROW(read_and_distribute(MPI_COMM_WORLD, {body}, {}), base::UserError);
}

TEST(ReadAndDistribute, MakesTheSameAsGmshHere) {
  BodyMeshOptions body;
  body.name = "bar";
  body.source.shape = BoxMesh{{0.0, 0.0, 0.0}, {2.0, 1.0, 1.0}, 0.5};
  const auto mesh = read_and_distribute(MPI_COMM_WORLD, {body}, {});
  const auto whole = read_body_mesh(body);
  EXPECT_EQ(mesh.global_nodes, whole.node_count());
  EXPECT_EQ(mesh.global_cells, whole.cell_count());
  EXPECT_EQ(test::to_whole(mesh, mesh.rest_positions), whole.points);
}

} // namespace
} // namespace limber::mesh
