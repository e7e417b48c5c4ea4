/// Velocities and accelerations of held components.

#include <cmath>
#include <gtest/gtest.h>

#include "dofs/conditions.hpp"
#include "dofs_test_support.hpp"

namespace limber::dofs {
namespace {

ConditionOptions moving(const std::string& name, bool by_displacement, const ExpressionVector& motion) {
  ConditionOptions options;
  options.name = name;
  options.body = "body0";
  options.where = SelectGroup{"xmin"};
  options.kind = ConditionKind::prescribed;
  options.by_displacement = by_displacement;
  options.motion = motion;
  return options;
}

class HeldMotionTest : public ::testing::Test {
protected:
  /// The same for all nodes of the group, zero elsewhere.
  void expect(const HeldMotion& motion, const Vector3& velocity, const Vector3& acceleration, double tolerance) {
    ASSERT_EQ(motion.velocity.size(), 3 * std::size_t(scene.mesh.local_nodes));
    for (std::size_t i = 0; i < motion.velocity.size(); ++i) {
      const std::size_t n = i / 3;
      const bool held = scene.mesh.node_bodies[n] == 0 && scene.mesh.rest_positions[3 * n] == 0.0;
      EXPECT_NEAR(motion.velocity[i], held ? velocity[i % 3] : 0.0, tolerance);
      EXPECT_NEAR(motion.acceleration[i], held ? acceleration[i % 3] : 0.0, tolerance);
    }
  }
  test::TwoBoxes scene;
};

TEST_F(HeldMotionTest, IsThatOfTheConditionAtTheEndOfTheStep) {
  // Exact for these polynomials but for the round-off of displacements of size one over h².
  const Conditions by_displacement(
      scene.mesh, {moving("a", true, {0.5, Expression::parse("2*t"), Expression::parse("t^3 - t^4")})}, {});
  const double t = 1.25;
  expect(by_displacement.held_motion(1.0, 0.25), {0.0, 2.0, 3.0 * t * t - 4.0 * t * t * t},
         {0.0, 0.0, 6.0 * t - 12.0 * t * t}, 1e-11);
  const Conditions by_velocity(scene.mesh,
                               {moving("a", false, {0.5, Expression::parse("2*t"), Expression::parse("t^4")})}, {});
  expect(by_velocity.held_motion(1.0, 0.25), {0.5, 2.0 * t, t * t * t * t}, {0.0, 2.0, 4.0 * t * t * t}, 1e-11);
}

TEST_F(HeldMotionTest, EndsWhereTheConditionEnds) {
  auto options = moving("a", true, {0.0, 0.0, Expression::parse("t <= 1.1001 ? t^2 : 1/0")});
  options.until = 1.1;
  const Conditions conditions(scene.mesh, {options}, {});
  // The expression is not asked for later times, where it is infinite.
  expect(conditions.held_motion(1.0, 0.25), {0.0, 0.0, 2.2}, {0.0, 0.0, 2.0}, 1e-9);
  expect(conditions.held_motion(1.5, 0.25), {}, {}, 0.0);
}

TEST_F(HeldMotionTest, StartsAtTheBegin) {
  const Conditions conditions(scene.mesh, {moving("a", true, {0.0, 0.0, Expression::parse("3*t + t^2")})}, {});
  std::vector<double> mean(3 * std::size_t(scene.mesh.local_nodes), 0.0), begin = mean;
  conditions.set_initial_velocities(0.5, mean);
  conditions.set_initial_velocities(0.5, begin, false);
  for (std::size_t i = 2; i < mean.size(); i += 3) {
    const bool held = scene.mesh.node_bodies[i / 3] == 0 && scene.mesh.rest_positions[i - 2] == 0.0;
    EXPECT_NEAR(mean[i], held ? 3.5 : 0.0, 1e-14);
    EXPECT_NEAR(begin[i], held ? 3.0 : 0.0, 1e-13); // five values over h/4
  }
}

} // namespace
} // namespace limber::dofs
