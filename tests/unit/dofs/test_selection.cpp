#include <gtest/gtest.h>

#include "dofs/selection.hpp"
#include "dofs_test_support.hpp"

namespace limber::dofs {
namespace {

class SelectionTest : public ::testing::Test {
protected:
  template <class Predicate> void expect(int body, const Selection& where, Predicate&& holds) {
    const auto expected = scene.expected(body, holds);
    EXPECT_FALSE(expected.empty()) << "the test itself selects nothing";
    const auto nodes = select_nodes(scene.mesh, body, where, {});
    EXPECT_EQ(scene.ordinals(nodes), scene.local_part(expected));
    EXPECT_EQ(std::set<LocalIndex>(nodes.begin(), nodes.end()).size(), nodes.size()) << "no node twice";
  }
  test::TwoBoxes scene;
};

TEST_F(SelectionTest, All) {
  expect(0, SelectAll{}, [](const double*) { return true; });
  expect(1, SelectAll{}, [](const double*) { return true; });
}

TEST_F(SelectionTest, GroupOfItsOwnBody) {
  expect(0, SelectGroup{"xmax"}, [](const double* x) { return x[0] == 2.0; });
  expect(1, SelectGroup{"xmin"}, [](const double* x) { return x[0] == 0.0; });
  expect(1, SelectGroup{"all"}, [](const double*) { return true; });
}

TEST_F(SelectionTest, BoxIncludesItsBounds) {
  const auto inside = [](const double* x) {
    return x[0] >= 0.5 && x[0] <= 1.0 && x[1] >= 0.0 && x[1] <= 0.5 && x[2] >= 1.0;
  };
  expect(0, SelectBox{{0.5, 0.0, 1.0}, {1.0, 0.5, 1.0}}, inside);
}

TEST_F(SelectionTest, SphereIncludesItsSurface) {
  expect(1, SelectSphere{{2.0, 2.0, 2.0}, 1.0}, [](const double* x) {
    return (x[0] - 2) * (x[0] - 2) + (x[1] - 2) * (x[1] - 2) + (x[2] - 2) * (x[2] - 2) <= 1.0;
  });
}

TEST_F(SelectionTest, PlaneTakesNormalsOfAnyLengthAndSign) {
  expect(0, SelectPlane{{0.0, 0.0, 1.0}, {0.0, 0.0, -7.0}}, [](const double* x) { return x[2] == 1.0; });
  // 0.5 to both sides of x + z = 1, along the unit normal: |x + z - 1|/√2.
  expect(0, SelectPlane{{1.0, 3.0, 0.0}, {2.0, 0.0, 2.0}, 0.5},
         [](const double* x) { return std::abs(x[0] + x[2] - 1.0) <= 0.5 * std::sqrt(2.0); });
}

TEST_F(SelectionTest, NodesOfTheFileInAnyOrder) {
  const auto& ids = scene.bodies[1].node_ids;
  std::set<GlobalIndex> expected;
  const GlobalIndex first = scene.bodies[0].node_count();
  for (GlobalIndex n : {20, 3, 7}) expected.insert(first + n);
  const auto nodes = select_nodes(scene.mesh, 1, SelectNodes{{ids[20], ids[3], ids[7], ids[3]}}, {});
  EXPECT_EQ(scene.ordinals(nodes), scene.local_part(expected));
}

TEST_F(SelectionTest, NodesThatNoCellUsesSelectNothing) {
  EXPECT_TRUE(select_nodes(scene.mesh, 1, SelectNodes{{1}}, {}).empty()); // ids 1, 4, … are gaps
}

TEST_F(SelectionTest, RefusesNodesOutsideTheFile) {
  const GlobalIndex count = scene.bodies[1].file_nodes;
  for (GlobalIndex id : {GlobalIndex{-1}, count}) {
    const auto text = test::user_error([&] {
      select_nodes(scene.mesh, 1, SelectNodes{{0, id}}, {"a.yaml", 3, "k", ""});
    });
    EXPECT_EQ(text.rfind("a.yaml:3: k: node " + std::to_string(id) + " does not exist: body body1 has " +
                             std::to_string(count) + " nodes",
                         0),
              0u)
        << text;
  }
}

TEST_F(SelectionTest, RefusesAnUnknownGroupAndNamesTheKnownOnes) {
  const auto text = test::user_error([&] { select_nodes(scene.mesh, 1, SelectGroup{"left"}, {"a.yaml", 3, "k", ""}); });
  EXPECT_EQ(text, "a.yaml:3: k: body body1 has no physical group 'left'\n"
                  "  The mesh has the groups: xmin, xmax, low, high, all (nearest: low).");
}

TEST_F(SelectionTest, SaysWhereAMeshHasNoGroups) {
  auto bodies = scene.bodies;
  bodies[1].groups.clear();
  const auto mesh = test::distribute(bodies);
  const auto text = test::user_error([&] { select_nodes(mesh, 1, SelectGroup{"xmin"}, {}); });
  EXPECT_NE(text.find("has no physical groups"), std::string::npos) << text;
}

TEST_F(SelectionTest, FindsBodiesByName) {
  EXPECT_EQ(find_body(scene.mesh, "body0", {}), 0);
  EXPECT_EQ(find_body(scene.mesh, "body1", {}), 1);
  EXPECT_EQ(test::user_error([&] {
              find_body(scene.mesh, "bar", {"a.yaml", 9, "body", ""});
            }),
            "a.yaml:9: body: there is no body 'bar'");
}

} // namespace
} // namespace limber::dofs
