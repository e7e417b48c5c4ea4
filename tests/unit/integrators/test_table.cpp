#include <gtest/gtest.h>

#include "integrators/table.hpp"

namespace limber::integrators {
namespace {

// Powers of two: every operation is exact.
constexpr double h = 0.25;
const std::vector<double> x0{1.0, -2.0, 0.5}, v0{4.0, 8.0, -1.0}, x1{2.0, 1.0, 0.0};

TEST(Integrator, BackwardEuler) {
  const Integrator integrator("backward_euler");
  EXPECT_FALSE(integrator.is_static());
  EXPECT_EQ(integrator.target(x0, v0, h), (std::vector<double>{2.0, 0.0, 0.25}));
  EXPECT_EQ(integrator.scale(h), 0.0625);
  EXPECT_EQ(integrator.velocities(x1, x0, h), (std::vector<double>{4.0, 12.0, -2.0}));
}

TEST(Integrator, StaticsHasNoInertiaAndNoVelocities) {
  const Integrator integrator("static");
  EXPECT_TRUE(integrator.is_static());
  EXPECT_TRUE(integrator.target(x0, v0, h).empty());
  EXPECT_EQ(integrator.scale(h), 1.0);
  EXPECT_EQ(integrator.velocities(x1, x0, h), std::vector<double>(3, 0.0));
}

} // namespace
} // namespace limber::integrators
