#include <cmath>
#include <gtest/gtest.h>

#include "dofs/conditions.hpp"
#include "dofs_test_support.hpp"

namespace limber::dofs {
namespace {

ConditionOptions condition(const std::string& name, const Selection& where, ConditionKind kind = ConditionKind::fixed) {
  ConditionOptions options;
  options.name = name;
  options.body = "body0";
  options.where = where;
  options.kind = kind;
  return options;
}
ExpressionVector parse(const std::string& x, const std::string& y, const std::string& z) {
  return {Expression::parse(x), Expression::parse(y), Expression::parse(z)};
}
ConditionOptions moving(const std::string& name, const Selection& where, const ExpressionVector& velocity) {
  auto options = condition(name, where, ConditionKind::prescribed);
  options.motion = velocity;
  return options;
}
ConditionOptions displaced(const std::string& name, const Selection& where, const ExpressionVector& displacement) {
  auto options = moving(name, where, displacement);
  options.by_displacement = true;
  return options;
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
  /// The same where held nodes of body0 move differently: displacement is a function of rest position and component.
  template <class Displacement>
  void expect_moved(const Constraints& constraints, bool (*held)(const double*), Displacement&& displacement) {
    for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
      for (std::size_t k = 0; k < 3; ++k) {
        const double* X = scene.mesh.rest_positions.data() + 3 * n;
        const bool is_held = scene.mesh.node_bodies[n] == 0 && held(X);
        EXPECT_EQ(constraints.held[3 * n + k], is_held ? 1 : 0) << n << " " << k;
        // A few roundings of numbers up to 3.
        EXPECT_NEAR(constraints.displacement[3 * n + k], is_held ? displacement(X, k) : 0.0, 5e-15);
      }
  }
  static std::vector<double> after(std::vector<double> positions, const Constraints& constraints) {
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += constraints.displacement[i];
    return positions;
  }
  const std::vector<double>& rest() const { return scene.mesh.rest_positions; }
  static bool xmin(const double* x) { return x[0] == 0.0; }
  static bool xmax(const double* x) { return x[0] == 2.0; }
  test::TwoBoxes scene;
};

TEST_F(ConditionsTest, FixedNodesAreHeldAndStay) {
  const Conditions conditions(scene.mesh, {condition("clamp", SelectGroup{"xmin"})}, {});
  EXPECT_EQ(conditions.selected(), std::vector<GlobalIndex>{9});
  const auto constraints = conditions.constraints(3.0, 0.1, scene.mesh.rest_positions);
  EXPECT_FALSE(constraints.any_motion);
  expect(constraints, [](const double* x, std::size_t) { return xmin(x); }, {});
}

TEST_F(ConditionsTest, WithoutConditionsNothingIsHeld) {
  const auto constraints = Conditions(scene.mesh, {}, {}).constraints(0.0, 0.1, scene.mesh.rest_positions);
  EXPECT_FALSE(constraints.any_motion);
  expect(constraints, [](const double*, std::size_t) { return false; }, {});
}

TEST_F(ConditionsTest, OnlyTheNamedComponentsAreHeld) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {1.0, 2.0, 3.0});
  pull.components = {false, true, false};
  const auto constraints = Conditions(scene.mesh, {pull}, {}).constraints(0.0, 0.5, scene.mesh.rest_positions);
  EXPECT_TRUE(constraints.any_motion) << "on ranks without a held node too";
  expect(constraints, [](const double* x, std::size_t k) { return xmax(x) && k == 1; }, {0.5, 1.0, 1.5});
}

TEST_F(ConditionsTest, ConditionsOnTheSameNodeIntersect) {
  auto a = moving("a", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}), b = moving("b", SelectAll{}, {0.0, 0.0, -1.0});
  a.components = {true, false, false};
  b.components = {false, false, true};
  const auto constraints = Conditions(scene.mesh, {a, b}, {}).constraints(0.0, 0.5, scene.mesh.rest_positions);
  expect(constraints, [](const double* x, std::size_t k) { return k == 2 || (k == 0 && xmax(x)); }, {0.5, 0.0, -0.5});
}

TEST_F(ConditionsTest, HoldsForTheOverlapOfStepAndInterval) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {2.0, 0.0, -4.0});
  pull.from = 1.0;
  pull.until = 2.0;
  const Conditions conditions(scene.mesh, {pull}, {});
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
    const auto constraints = conditions.constraints(s.time, s.h, scene.mesh.rest_positions);
    EXPECT_EQ(constraints.any_motion, s.overlap > 0.0);
    expect(constraints, [&](const double* x, std::size_t) { return s.overlap > 0.0 && xmax(x); },
           {2.0 * s.overlap, 0.0, -4.0 * s.overlap});
  }
}

TEST_F(ConditionsTest, TheWholeMotionDoesNotDependOnTheSteps) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {2.0, 0.0, 0.0});
  pull.from = 0.13;
  pull.until = 0.77;
  const Conditions conditions(scene.mesh, {pull}, {});
  for (int steps : {1, 3, 10, 64}) {
    double moved = 0.0;
    for (int i = 0; i < steps; ++i) {
      const auto c = conditions.constraints(double(i) / steps, 1.0 / steps, scene.mesh.rest_positions);
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
  const Conditions conditions(scene.mesh, {first, second}, {});
  expect(conditions.constraints(0.25, 0.25, scene.mesh.rest_positions),
         [](const double* x, std::size_t) { return xmax(x); }, {0.25, 0.0, 0.0});
  expect(conditions.constraints(0.5, 0.25, scene.mesh.rest_positions),
         [](const double* x, std::size_t) { return xmax(x); }, {-0.25, 0.0, 0.0});
}

TEST_F(ConditionsTest, AStepAcrossATakeoverMovesForBoth) {
  auto first = moving("first", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
       second = moving("second", SelectGroup{"xmax"}, {-3.0, 0.0, 2.0});
  first.until = 0.5;
  second.from = 0.5;
  // 0.1 s with the first velocity, 0.2 s with the second.
  expect(Conditions(scene.mesh, {first, second}, {}).constraints(0.4, 0.3, scene.mesh.rest_positions),
         [](const double* x, std::size_t) { return xmax(x); }, {0.1 - 0.6, 0.0, 0.4});
}

TEST_F(ConditionsTest, EqualConditionsMayOverlap) {
  const auto a = moving("a", SelectGroup{"xmax"}, {1.0, 0.0, 0.0}),
             b = moving("b", SelectBox{{1.0, 0.0, 0.0}, {2.0, 1.0, 1.0}}, {1.0, 0.0, 0.0});
  const Conditions conditions(scene.mesh, {a, b}, {});
  expect(conditions.constraints(0.0, 0.5, scene.mesh.rest_positions),
         [](const double* x, std::size_t) { return x[0] >= 1.0; }, {0.5, 0.0, 0.0});
}

TEST_F(ConditionsTest, RefusesContradictions) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {0.0, 1.0, 0.0});
  auto clamp = condition("clamp", SelectBox{{2.0, 1.0, 1.0}, {2.0, 1.0, 1.0}}); // a single node, on few ranks
  clamp.config_file = "a.yaml";
  clamp.config_line = 12;
  clamp.config_key = "boundary_conditions[1]";
  const auto text = test::user_error([&] { Conditions(scene.mesh, {pull, clamp}, {}); });
  const auto node = scene.expected(0, [](const double* x) { return x[0] == 2.0 && x[1] == 1.0 && x[2] == 1.0; });
  EXPECT_EQ(text, "a.yaml:12: boundary_conditions[1]: conditions 'pull' and 'clamp' move component y of node " +
                      std::to_string(*node.begin()) +
                      " differently\n  Let them hold different components or times, or select different nodes.");

  auto other_component = clamp;
  other_component.components = {true, false, true};
  EXPECT_NO_THROW(Conditions(scene.mesh, {pull, other_component}, {}));
  auto later = clamp;
  later.from = 1.0;
  pull.until = 1.0;
  EXPECT_NO_THROW(Conditions(scene.mesh, {pull, later}, {}));
  later.from = 0.9;
  EXPECT_THROW(Conditions(scene.mesh, {pull, later}, {}), base::UserError);
}

TEST_F(ConditionsTest, RefusesAConditionThatSelectsNothing) {
  auto empty = condition("air", SelectBox{{5.0, 5.0, 5.0}, {6.0, 6.0, 6.0}});
  empty.config_file = "a.yaml";
  const auto text = test::user_error([&] { Conditions(scene.mesh, {empty}, {}); });
  EXPECT_EQ(text.rfind("a.yaml: condition 'air' selects no node of body body0", 0), 0u) << text;
}

TEST_F(ConditionsTest, RefusesUnknownBodiesAndGroups) {
  auto unknown = condition("c", SelectAll{});
  unknown.body = "bar";
  EXPECT_EQ(test::user_error([&] { Conditions(scene.mesh, {unknown}, {}); }), "there is no body 'bar'");
  const auto text = test::user_error([&] { Conditions(scene.mesh, {condition("c", SelectGroup{"left"})}, {}); });
  EXPECT_EQ(text.rfind("body body0 has no physical group 'left'", 0), 0u) << text;
}

TEST_F(ConditionsTest, VelocitiesMayDependOnTimeAndPlace) {
  const Conditions conditions(scene.mesh, {moving("pull", SelectGroup{"xmax"}, parse("2*t + y", "x*z", "6*t^5"))}, {});
  const auto constraints = conditions.constraints(0.5, 0.25, rest());
  EXPECT_TRUE(constraints.any_motion);
  // Integrals over [0.5, 0.75]; the quadrature is exact up to degree five.
  expect_moved(constraints, xmax, [](const double* X, std::size_t k) {
    const double moved[3] = {0.75 * 0.75 - 0.25 + 0.25 * X[1], 0.25 * X[0] * X[2],
                             std::pow(0.75, 6) - std::pow(0.5, 6)};
    return moved[k];
  });
}

TEST_F(ConditionsTest, DisplacementsLeadFromWhereverTheNodeIs) {
  const Conditions conditions(scene.mesh, {displaced("bend", SelectGroup{"xmax"}, parse("0.1*t*x", "-t*t", "y-z"))},
                              {});
  auto positions = rest();
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += 0.01 * std::sin(double(i));
  const auto moved = after(positions, conditions.constraints(0.5, 0.25, positions));
  expect_moved(conditions.constraints(0.5, 0.25, positions), xmax, [&](const double* X, std::size_t k) {
    const double u[3] = {0.1 * 0.75 * X[0], -0.75 * 0.75, X[1] - X[2]};
    const auto i = std::size_t(X - rest().data()) + k;
    return X[k] + u[k] - positions[i];
  });
  // The place is reached up to the rounding of the sum, whatever the way there.
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
    if (scene.mesh.node_bodies[n] == 0 && xmax(&rest()[3 * n])) {
      EXPECT_NEAR(moved[3 * n], rest()[3 * n] * 1.075, 4.5e-16 * 2);
    }
}

TEST_F(ConditionsTest, NodesThatHaveArrivedStayExactly) {
  const Conditions conditions(scene.mesh, {displaced("shift", SelectGroup{"xmax"}, parse("0.1", "1/3", "-0.7"))}, {});
  auto positions = rest(); // so far off that the way there is rounded
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += 1.3 * std::sin(double(i));
  const auto first = conditions.constraints(0.0, 0.1, positions);
  EXPECT_TRUE(first.any_motion);
  positions = after(positions, first);
  for (int step = 1; step < 4; ++step) {
    const auto next = conditions.constraints(0.1 * step, 0.1, positions);
    EXPECT_FALSE(next.any_motion) << step;
    for (double u : next.displacement) EXPECT_EQ(u, 0.0);
    positions = after(positions, next);
  }
}

TEST_F(ConditionsTest, StaticDisplacementsGrowWithTheRamp) {
  auto options = displaced("shift", SelectGroup{"xmax"}, parse("0.4", "0", "0.2*x"));
  const auto at = [&](const Ramp& ramp, double time) {
    return Conditions(scene.mesh, {options}, ramp).constraints(time, 0.5, rest());
  };
  const auto share = [&](const Constraints& constraints, double factor) {
    expect_moved(constraints, xmax, [&](const double*, std::size_t k) { return k == 1 ? 0.0 : 0.4 * factor; });
  };
  const Ramp by_default{true, true, 2.0}, not_by_default{true, false, 2.0}, dynamic{false, true, 2.0};
  share(at(by_default, 0.0), 0.25);
  share(at(by_default, 1.5), 1.0);
  share(at(not_by_default, 0.0), 1.0);
  share(at(dynamic, 0.0), 1.0);
  options.ramp = false;
  share(at(by_default, 0.0), 1.0);
  options.ramp = true;
  share(at(not_by_default, 0.0), 0.25);
  share(at(dynamic, 0.0), 1.0);
}

TEST_F(ConditionsTest, VelocitiesAreNotRamped) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {0.4, 0.0, -0.2});
  pull.ramp = true;
  expect(Conditions(scene.mesh, {pull}, {true, true, 2.0}).constraints(0.0, 0.5, rest()),
         [](const double* x, std::size_t) { return xmax(x); }, {0.2, 0.0, -0.1});
}

TEST_F(ConditionsTest, DisplacementsAreReleasedWhereTheyEnd) {
  auto shift = displaced("shift", SelectGroup{"xmax"}, parse("0.2*t", "0", "0"));
  shift.from = 0.25;
  shift.until = 1.0;
  const Conditions conditions(scene.mesh, {shift}, {});
  const auto before = conditions.constraints(0.0, 0.25, rest());
  expect(before, [](const double*, std::size_t) { return false; }, {});
  // At the end of what is held, t = 1, not of the step.
  const auto across = conditions.constraints(0.75, 0.5, rest());
  expect(across, [](const double* x, std::size_t) { return xmax(x); }, {0.2, 0.0, 0.0});
  for (std::size_t i = 0; i < across.held.size(); ++i)
    EXPECT_EQ(across.holder[i], across.held[i] ? 0 : -1) << "reactions of the step are those of its last holder";
  // An equilibrium is that of the end of the step, where nothing is held any more.
  const Conditions loads(scene.mesh, {shift}, {true, false, 2.0});
  const auto free = loads.constraints(0.75, 0.5, rest());
  expect(free, [](const double*, std::size_t) { return false; }, {});
  for (std::int32_t holder : free.holder) EXPECT_EQ(holder, -1);
  EXPECT_FALSE(free.any_motion);
  expect(conditions.constraints(1.0, 0.5, rest()), [](const double*, std::size_t) { return false; }, {});
}

TEST_F(ConditionsTest, VelocitiesAndDisplacementsMayTakeTurns) {
  auto pull = moving("pull", SelectGroup{"xmax"}, {1.0, 0.0, 0.0});
  auto shift = displaced("shift", SelectGroup{"xmax"}, parse("0.3", "0", "0.5*t"));
  pull.until = shift.from = 0.5;
  // Whatever the velocity has done, the displacement counts from rest.
  const auto to_shift = Conditions(scene.mesh, {pull, shift}, {}).constraints(0.4, 0.3, rest());
  expect(to_shift, [](const double* x, std::size_t) { return xmax(x); }, {0.3, 0.0, 0.35});
  std::swap(pull.from, shift.from);
  std::swap(pull.until, shift.until);
  // To the place at 0.5 s, then 0.2 s with the velocity.
  const auto to_pull = Conditions(scene.mesh, {pull, shift}, {}).constraints(0.4, 0.3, rest());
  expect(to_pull, [](const double* x, std::size_t) { return xmax(x); }, {0.3 + 0.2, 0.0, 0.25});
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
    EXPECT_EQ(to_pull.holder[3 * n], to_pull.held[3 * n] ? 0 : -1) << "pull holds at the end";
}

TEST_F(ConditionsTest, ExpressionsAreComparedAtThreeTimes) {
  const auto refused = [&](const ConditionOptions& a, const ConditionOptions& b) {
    return test::user_error([&] { Conditions(scene.mesh, {a, b}, {false, true, 1.0}); }) != "nothing thrown";
  };
  const auto where = SelectGroup{"xmax"};
  const auto velocity = [&](const std::string& x) { return moving("v" + x, where, parse(x, "0", "0")); };
  const auto displacement = [&](const std::string& x) { return displaced("u" + x, where, parse(x, "0", "0")); };
  EXPECT_FALSE(refused(velocity("2*t"), velocity("t+t")));
  EXPECT_TRUE(refused(velocity("2*t"), velocity("t"))) << "equal at the begin";
  EXPECT_TRUE(refused(velocity("t*(1-t)"), velocity("0"))) << "equal at begin and end";
  EXPECT_FALSE(refused(displacement("t*x"), displacement("2*t"))) << "x is 2 there";
  EXPECT_TRUE(refused(displacement("t*y"), displacement("t")));
  EXPECT_TRUE(refused(displacement("t"), velocity("1"))) << "round-off would decide";
  EXPECT_FALSE(refused(displacement("0"), velocity("0")));
  EXPECT_FALSE(refused(displacement("0*t"), condition("fixed", where)));
  EXPECT_TRUE(refused(displacement("0.1"), condition("fixed", where)));
}

TEST_F(ConditionsTest, ValuesThatAreNotFiniteAreRefusedOnAllRanks) {
  // One node, which is local to few ranks.
  auto shift = displaced("shift", SelectBox{{2.0, 1.0, 1.0}, {2.0, 1.0, 1.0}}, parse("0", "0", "1/(t-0.5)"));
  shift.config_file = "a.yaml";
  shift.config_line = 4;
  shift.config_key = "boundary_conditions[0]";
  const Conditions conditions(scene.mesh, {shift}, {});
  EXPECT_NO_THROW(conditions.constraints(0.0, 0.25, rest()));
  EXPECT_EQ(test::user_error([&] { conditions.constraints(0.25, 0.25, rest()); }),
            "a.yaml:4: boundary_conditions[0]: condition 'shift' is not finite at t = 0.5 s and the rest position "
            "(2, 1, 1)\n  Check the expression '1/(t-0.5)' for divisions by zero and the like.");

  shift.motion = parse("0", "0", "1/t");
  auto velocities = std::vector<double>(rest().size(), 0.0);
  const Conditions at_once(scene.mesh, {shift}, {});
  EXPECT_NE(test::user_error([&] { at_once.set_initial_velocities(0.1, velocities); }).find("'shift' is not finite"),
            std::string::npos);

  auto pull = moving("pull", shift.where, parse("sqrt(-1-t)", "0", "0"));
  const Conditions pulled(scene.mesh, {pull}, {});
  EXPECT_NE(test::user_error([&] { pulled.constraints(0.0, 0.1, rest()); }).find("'pull' is not finite"),
            std::string::npos);
  // A comparison with another condition meets it too.
  EXPECT_NE(test::user_error([&] {
              Conditions(scene.mesh, {pull, condition("all", SelectAll{})}, {});
            }).find("'pull'"),
            std::string::npos);
}

TEST_F(ConditionsTest, HoldersAreTheFirstInTheList) {
  const auto load = condition("load", SelectAll{}, ConditionKind::traction);
  auto slide = condition("slide", SelectAll{});
  slide.components = {false, false, true};
  const Conditions conditions(scene.mesh, {load, condition("clamp", SelectGroup{"xmin"}), load, slide}, {});
  EXPECT_EQ(conditions.selected(), (std::vector<GlobalIndex>{0, 9, 0, 45}));
  const auto constraints = conditions.constraints(0.0, 0.1, rest());
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n) {
    const bool body = scene.mesh.node_bodies[n] == 0, clamped = body && xmin(&rest()[3 * n]);
    EXPECT_EQ(constraints.holder[3 * n], clamped ? 1 : -1);
    EXPECT_EQ(constraints.holder[3 * n + 2], clamped ? 1 : body ? 3 : -1);
  }
}

TEST_F(ConditionsTest, TellsWhatIsHeldAndWhenThatChanges) {
  auto clamp = condition("clamp", SelectGroup{"xmin"}), pull = moving("pull", SelectGroup{"xmax"}, {1.0, 0.0, 0.0});
  clamp.until = 2.0;
  pull.from = 0.5;
  pull.until = 2.0;
  pull.components = {true, false, false};
  const Conditions conditions(scene.mesh, {pull, clamp}, {});
  EXPECT_EQ(conditions.switches(), (std::vector<double>{0.0, 0.5, 2.0}));
  struct {
    double time;
    bool clamped, pulled;
  } const cases[] = {{0.0, true, false}, {0.4, true, false}, {0.5, true, true}, {2.0, true, true}, {2.1, false, false}};
  for (const auto& c : cases) {
    const auto held = conditions.held_at(c.time);
    for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n)
      for (std::size_t k = 0; k < 3; ++k) {
        const bool first = scene.mesh.node_bodies[n] == 0;
        const bool expected =
            first && ((c.clamped && xmin(&rest()[3 * n])) || (c.pulled && xmax(&rest()[3 * n]) && k == 0));
        EXPECT_EQ(held[3 * n + k], expected ? 1 : 0) << c.time;
      }
  }
}

TEST_F(ConditionsTest, InitialVelocitiesAreThoseOfTheFirstStep) {
  auto pull = moving("pull", SelectGroup{"xmax"}, parse("3 + t", "0", "y"));
  pull.components = {true, false, true};
  auto shift = displaced("shift", SelectGroup{"xmin"}, parse("0.5*t", "t*t", "0.1"));
  auto later = moving("later", SelectAll{}, {9.0, 9.0, 9.0});
  later.from = 0.1;
  later.until = 0.2;
  pull.until = shift.until = 0.1;
  std::vector<double> velocities(rest().size(), -7.0);
  Conditions(scene.mesh, {later, pull, shift}, {}).set_initial_velocities(0.05, velocities);
  for (std::size_t n = 0; n < std::size_t(scene.mesh.local_nodes); ++n) {
    const double* X = &rest()[3 * n];
    const bool first = scene.mesh.node_bodies[n] == 0;
    // Means over the step: 3 + h/2, and displacements at its end over h; 0.1 at once is no velocity.
    const Vector3 expected = first && xmax(X)   ? Vector3{3.025, -7.0, X[1]}
                             : first && xmin(X) ? Vector3{0.5, 0.05, 0.0}
                                                : Vector3{-7.0, -7.0, -7.0};
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(velocities[3 * n + k], expected[k], 1e-14); // quotients of size 3
  }
}

} // namespace
} // namespace limber::dofs
