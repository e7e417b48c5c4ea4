#include <gtest/gtest.h>
#include <map>

#include "dofs/conditions.hpp"
#include "dofs_test_support.hpp"

namespace limber::dofs {
namespace {

ConditionOptions condition(const std::string& name, const Selection& where, ConditionKind kind = ConditionKind::fixed,
                           const Vector3& velocity = {}) {
  ConditionOptions options;
  options.name = name;
  options.body = "body0";
  options.where = where;
  options.kind = kind;
  options.velocity = velocity;
  return options;
}
ConditionOptions moving(const std::string& name, const Selection& where, const Vector3& velocity) {
  return condition(name, where, ConditionKind::prescribed, velocity);
}

class ConditionsTest : public ::testing::Test {
protected:
  /// Compares with what a function of body and rest position says: held and displacement per component.
  template <class Held> void expect(const Constraints& constraints, Held&& held, const Vector3& displacement) {
    ASSERT_EQ(constraints.held.size(), 3 * std::size_t(scene.mesh.local_nodes));
    ASSERT_EQ(constraints.displacement.size(), constraints.held.size());
    for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
      for (std::size_t k = 0; k < 3; ++k) {
        const bool is_held = scene.mesh.node_bodies[n] == 0 && held(scene.mesh.rest_positions.data() + 3 * n, k);
        EXPECT_EQ(constraints.held[3 * n + k], is_held ? 1 : 0) << n << " " << k;
        // One product of two roundings; the overlap is a difference of times of size one.
        EXPECT_NEAR(constraints.displacement[3 * n + k], is_held ? displacement[k] : 0.0, 1e-14);
      }
  }
  static bool xmin(const double* x) { return x[0] == 0.0; }
  static bool xmax(const double* x) { return x[0] == 2.0; }
  test::TwoBoxes scene;
};

TEST_F(ConditionsTest, FixedNodesAreHeldAndStay) {
  const Conditions conditions(scene.mesh, {condition("clamp", SelectGroup{"xmin"})});
  EXPECT_EQ(conditions.selected(), std::vector<GlobalIndex>{9});
  const auto constraints = conditions.constraints(3.0, 0.1);
  EXPECT_FALSE(constraints.any_motion);
  expect(constraints, [](const double* x, std::size_t) { return xmin(x); }, {});
}

TEST_F(ConditionsTest, WithoutConditionsNothingIsHeld) {
  const auto constraints = Conditions(scene.mesh, {}).constraints(0.0, 0.1);
  EXPECT_FALSE(constraints.any_motion);
  expect(constraints, [](const double*, std::size_t) { return false; }, {});
}

TEST_F(ConditionsTest, OnlyTheNamedComponentsAreHeld) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {1.0, 2.0, 3.0});
  pull.components = {false, true, false};
  const auto constraints = Conditions(scene.mesh, {pull}).constraints(0.0, 0.5);
  EXPECT_TRUE(constraints.any_motion) << "on ranks without a held node too";
  expect(constraints, [](const double* x, std::size_t k) { return xmax(x) && k == 1; }, {0.5, 1.0, 1.5});
}

TEST_F(ConditionsTest, ConditionsOnTheSameNodeIntersect) {
  auto a = moving("a", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}), b = moving("b", SelectAll{}, {0.0, 0.0, -1.0});
  a.components = {true, false, false};
  b.components = {false, false, true};
  const auto constraints = Conditions(scene.mesh, {a, b}).constraints(0.0, 0.5);
  expect(constraints, [](const double* x, std::size_t k) { return k == 2 || (k == 0 && xmax(x)); }, {0.5, 0.0, -0.5});
}

TEST_F(ConditionsTest, HoldsForTheOverlapOfStepAndInterval) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {2.0, 0.0, -4.0});
  pull.from = 1.0;
  pull.until = 2.0;
  const Conditions conditions(scene.mesh, {pull});
  struct {
    double time, h, overlap;
  } const steps[] = {
      {0.0, 0.9, 0.0},         // before
      {0.0, 1.0, 0.0},         // up to the beginning
      {0.75, 0.5, 0.25},       // across the beginning
      {1.25, 0.5, 0.5},        // inside
      {1.0, 1.0, 1.0},         // all of it
      {1.75, 0.5, 0.25},       // across the end
      {2.0, 0.5, 0.0},         // from the end on
      {2.5, 0.5, 0.0},         // after
      {0.5, 2.0, 1.0},         // a step longer than the interval
      {2.0 - 1e-15, 0.5, 0.0}, // an overlap that is round-off
  };
  for (const auto& s : steps) {
    SCOPED_TRACE(s.time);
    const auto constraints = conditions.constraints(s.time, s.h);
    EXPECT_EQ(constraints.any_motion, s.overlap > 0.0);
    expect(constraints, [&](const double* x, std::size_t) { return s.overlap > 0.0 && xmax(x); },
           {2.0 * s.overlap, 0.0, -4.0 * s.overlap});
  }
}

TEST_F(ConditionsTest, TheWholeMotionDoesNotDependOnTheSteps) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {2.0, 0.0, 0.0});
  pull.from = 0.13;
  pull.until = 0.77;
  const Conditions conditions(scene.mesh, {pull});
  for (int steps : {1, 3, 10, 64}) {
    double moved = 0.0;
    for (int i = 0; i < steps; ++i) {
      const auto c = conditions.constraints(double(i) / steps, 1.0 / steps);
      double largest = 0.0;
      for (double u : c.displacement) largest = std::max(largest, u);
      moved += base::global_max(MPI_COMM_WORLD, largest);
    }
    EXPECT_NEAR(moved, 2.0 * 0.64, 1e-13) << steps; // 64 roundings of numbers of size one
  }
}

TEST_F(ConditionsTest, AConditionMayTakeOverFromAnother) {
  auto first = moving("first", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
       second = moving("second", SelectGroup{"xmax"}, {-1.0, 0.0, 0.0});
  first.until = 0.5;
  second.from = 0.5;
  const Conditions conditions(scene.mesh, {first, second});
  expect(conditions.constraints(0.25, 0.25), [](const double* x, std::size_t) { return xmax(x); }, {0.25, 0.0, 0.0});
  expect(conditions.constraints(0.5, 0.25), [](const double* x, std::size_t) { return xmax(x); }, {-0.25, 0.0, 0.0});
}

TEST_F(ConditionsTest, AStepAcrossATakeoverMovesForBoth) {
  auto first = moving("first", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
       second = moving("second", SelectGroup{"xmax"}, {-3.0, 0.0, 2.0});
  first.until = 0.5;
  second.from = 0.5;
  // 0.1 s with the first velocity, 0.2 s with the second.
  expect(Conditions(scene.mesh, {first, second}).constraints(0.4, 0.3),
         [](const double* x, std::size_t) { return xmax(x); }, {0.1 - 0.6, 0.0, 0.4});
}

TEST_F(ConditionsTest, EqualConditionsMayOverlap) {
  const auto a = moving("a", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
             b = moving("b", SelectBox{{1.0, 0.0, 0.0}, {2.0, 1.0, 1.0}}, {1.0, 0.0, 0.0});
  const Conditions conditions(scene.mesh, {a, b});
  expect(conditions.constraints(0.0, 0.5), [](const double* x, std::size_t) { return x[0] >= 1.0; }, {0.5, 0.0, 0.0});
}

TEST_F(ConditionsTest, RefusesContradictions) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {0.0, 1.0, 0.0});
  auto clamp = condition("clamp", SelectBox{{2.0, 1.0, 1.0}, {2.0, 1.0, 1.0}}); // a single node, on few ranks
  clamp.config_file = "a.yaml";
  clamp.config_line = 12;
  clamp.config_key = "boundary_conditions[1]";
  const auto text = test::user_error([&] { Conditions(scene.mesh, {pull, clamp}); });
  const auto node = scene.expected(0, [](const double* x) { return x[0] == 2.0 && x[1] == 1.0 && x[2] == 1.0; });
  EXPECT_EQ(text, "a.yaml:12: boundary_conditions[1]: conditions 'pull' and 'clamp' move component y of node " +
                      std::to_string(*node.begin()) +
                      " differently\n  Let them hold different components or times, or select different nodes.");

  auto other_component = clamp;
  other_component.components = {true, false, true};
  EXPECT_NO_THROW(Conditions(scene.mesh, {pull, other_component}));
  auto later = clamp;
  later.from = 1.0;
  pull.until = 1.0;
  EXPECT_NO_THROW(Conditions(scene.mesh, {pull, later}));
  later.from = 0.9;
  EXPECT_THROW(Conditions(scene.mesh, {pull, later}), base::UserError);
}

TEST_F(ConditionsTest, RefusesAConditionThatSelectsNothing) {
  auto empty = condition("air", SelectBox{{5.0, 5.0, 5.0}, {6.0, 6.0, 6.0}});
  empty.config_file = "a.yaml";
  const auto text = test::user_error([&] { Conditions(scene.mesh, {empty}); });
  EXPECT_EQ(text.rfind("a.yaml: condition 'air' selects no node of body body0", 0), 0u) << text;
}

TEST_F(ConditionsTest, RefusesUnknownBodiesAndGroups) {
  auto unknown = condition("c", SelectAll{});
  unknown.body = "bar";
  EXPECT_EQ(test::user_error([&] { Conditions(scene.mesh, {unknown}); }), "there is no body 'bar'");
  const auto text = test::user_error([&] { Conditions(scene.mesh, {condition("c", SelectGroup{"left"})}); });
  EXPECT_EQ(text.rfind("body body0 has no physical group 'left'", 0), 0u) << text;
}

} // namespace
} // namespace limber::dofs
