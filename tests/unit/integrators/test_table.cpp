#include <gtest/gtest.h>

#include "integrators/table.hpp"

namespace limber::integrators {
namespace {

TEST(BackwardEuler, TargetScaleAndVelocities) {
  // Powers of two: every operation is exact.
  const double h = 0.25;
  const std::vector<double> x0{1.0, -2.0, 0.5}, v0{4.0, 8.0, -1.0}, x1{2.0, 1.0, 0.0};
  EXPECT_EQ(backward_euler_target(x0, v0, h), (std::vector<double>{2.0, 0.0, 0.25}));
  EXPECT_EQ(backward_euler_scale(h), 0.0625);
  EXPECT_EQ(backward_euler_velocities(x1, x0, h), (std::vector<double>{4.0, 12.0, -2.0}));
}

} // namespace
} // namespace limber::integrators
