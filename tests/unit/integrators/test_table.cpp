/// The integrators' formulas on single components, against closed forms and an independent reference.

#include <array>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "integrators/table.hpp"

namespace limber::integrators {
namespace {

// Powers of two: every operation is exact.
constexpr double h = 0.25;
const std::vector<double> x1{2.0, 1.0, 0.0};
dofs::State state() {
  dofs::State s;
  s.positions = {1.0, -2.0, 0.5};
  s.velocities = {4.0, 8.0, -1.0};
  return s;
}

TEST(Integrator, BackwardEuler) {
  const Integrator integrator("backward_euler");
  auto s = state();
  const auto form = integrator.form(s, h);
  EXPECT_FALSE(integrator.is_static());
  EXPECT_EQ(form.target, (std::vector<double>{2.0, 0.0, 0.25}));
  EXPECT_EQ(form.scale, 0.0625);
  integrator.finish(s, form, x1, h);
  EXPECT_EQ(s.velocities, (std::vector<double>{4.0, 12.0, -2.0}));
  EXPECT_EQ(s.positions, x1);
}

TEST(Integrator, StaticsHasNoInertiaAndNoVelocities) {
  const Integrator integrator("static");
  auto s = state();
  const auto form = integrator.form(s, h);
  EXPECT_TRUE(integrator.is_static());
  EXPECT_TRUE(form.target.empty());
  EXPECT_EQ(form.scale, 1.0);
  integrator.finish(s, form, x1, h);
  EXPECT_EQ(s.velocities, std::vector<double>(3, 0.0));
}

TEST(Integrator, TheTableForEqualSteps) {
  auto s = state();
  s.previous_positions.set({0.0, -4.0, 1.0});
  s.previous_velocities.set({2.0, 8.0, 0.0});
  s.accelerations.set({8.0, 16.0, -4.0});
  s.previous_step = h;
  {
    const auto form = Integrator("bdf2").form(s, h);
    EXPECT_DOUBLE_EQ(form.scale, 4.0 / 9.0 * h * h);
    EXPECT_DOUBLE_EQ(form.velocity_time, 2.0 / 3.0 * h);
    EXPECT_DOUBLE_EQ(form.velocity_origin[1], (4.0 * -2.0 + 4.0) / 3.0);
    EXPECT_DOUBLE_EQ(form.target[1], (4.0 * -2.0 + 4.0) / 3.0 + 2.0 * h / 9.0 * (4.0 * 8.0 - 8.0));
  }
  {
    const auto form = Integrator("newmark", 0.375, 0.75).form(s, h);
    EXPECT_DOUBLE_EQ(form.scale, 0.375 * h * h);
    EXPECT_DOUBLE_EQ(form.velocity_time, 0.5 * h);
    EXPECT_DOUBLE_EQ(form.target[1], -2.0 + h * 8.0 + 0.125 * h * h * 16.0);
    EXPECT_DOUBLE_EQ(form.velocity_origin[1], form.target[1] - 0.5 * h * (8.0 + h * 0.25 * 16.0));
  }
  const auto form = Integrator("midpoint").form(s, h);
  EXPECT_EQ(form.scale, 0.25 * h * h);
  EXPECT_EQ(form.velocity_time, 0.5 * h);
  EXPECT_EQ(form.target[1], -2.0 + 0.5 * h * 8.0);
  EXPECT_EQ(form.velocity_origin, s.positions);
}

/// Positions, velocities and accelerations of x = 1 + 2t + 3t².
struct Parabola {
  static double x(double t) { return 1.0 + 2.0 * t + 3.0 * t * t; }
  static double v(double t) { return 2.0 + 6.0 * t; }
  static constexpr double a = 6.0;
};

TEST(Integrator, MethodsOfSecondOrderAreExactForConstantAccelerationInUnequalSteps) {
  for (const char* name : {"bdf2", "newmark", "midpoint"}) {
    SCOPED_TRACE(name);
    const Integrator integrator(name);
    dofs::State s;
    double t = 0.3;
    s.positions = {Parabola::x(t)};
    s.velocities = {Parabola::v(t)};
    s.accelerations.set({Parabola::a});
    if (integrator.scheme() == Scheme::bdf2) {
      s.previous_step = 0.15;
      s.previous_positions.set({Parabola::x(t - 0.15)});
      s.previous_velocities.set({Parabola::v(t - 0.15)});
    }
    for (const double step : {0.1, 0.2, 0.05, 0.1, 0.11}) {
      const auto form = integrator.form(s, step);
      const double v0 = s.velocities[0];
      // Where M (x − x̂) + βh² ∇Φ = 0 with the force −∇Φ = M a.
      const double x = form.target[0] + form.scale * Parabola::a;
      integrator.finish(s, form, {x}, step);
      t += step;
      EXPECT_NEAR(s.positions[0], Parabola::x(t), 1e-13); // a few dozen roundings of numbers below 8
      EXPECT_NEAR(s.velocities[0], Parabola::v(t), 1e-12);
      // What damping sees is the velocity where the forces are.
      const double seen = (x - form.velocity_origin[0]) / form.velocity_time;
      EXPECT_NEAR(seen, integrator.scheme() == Scheme::midpoint ? 0.5 * (v0 + s.velocities[0]) : s.velocities[0],
                  1e-12);
    }
  }
}

TEST(Integrator, Bdf2StartsAndGrowsFastByBackwardEuler) {
  const Integrator bdf2("bdf2"), euler("backward_euler");
  auto s = state();
  EXPECT_EQ(bdf2.form(s, h).target, euler.form(s, h).target);
  bdf2.finish(s, bdf2.form(s, h), x1, h);
  EXPECT_EQ(bdf2.form(s, 2.0 * h).scale, 4.0 * h * h / std::pow(5.0 / 3.0, 2));
  EXPECT_EQ(bdf2.form(s, 3.0 * h).scale, 9.0 * h * h);
  EXPECT_EQ(bdf2.form(s, 3.0 * h).target, euler.form(s, 3.0 * h).target);
}

TEST(Integrator, HeldComponentsHaveTheMotionOfTheirCondition) {
  for (const char* name : {"bdf2", "newmark"}) {
    const Integrator integrator(name);
    auto s = state();
    s.accelerations.set({8.0, 16.0, -4.0});
    auto form = integrator.form(s, h);
    integrator.hold(form, s, h, 1, 0.7, 0.3, -5.0);
    EXPECT_NEAR((0.7 - form.velocity_origin[1]) / form.velocity_time, 0.3, 1e-14) << name;
    // The mean over the first step of bdf2, which is one of backward Euler.
    const double expected = integrator.scheme() == Scheme::bdf2 ? (0.3 - 8.0) / h : -5.0;
    EXPECT_NEAR((0.7 - form.target[1]) / form.scale, expected, 1e-12) << name;
  }
  const Integrator midpoint("midpoint");
  auto form = midpoint.form(state(), h);
  midpoint.hold(form, state(), h, 1, 0.7, 0.3, -5.0);
  EXPECT_NEAR((0.7 - form.target[1]) / form.scale, (0.3 - 8.0) / h, 1e-12);
}

TEST(Integrator, AStateOfAnotherIntegratorLeavesNothingBehind) {
  auto s = state();
  const Integrator newmark("newmark"), bdf2("bdf2");
  s.accelerations.set({8.0, 16.0, -4.0});
  newmark.finish(s, newmark.form(s, h), x1, h);
  EXPECT_TRUE(s.accelerations.present);
  bdf2.finish(s, bdf2.form(s, h), x1, h);
  EXPECT_FALSE(s.accelerations.present);
  EXPECT_TRUE(s.previous_positions.present);
  Integrator("symplectic_euler").advance(s, {0.0, 0.0, 0.0}, h);
  EXPECT_FALSE(s.previous_positions.present);
}

/// Largest |amplitude| after many steps of x'' + 2c x' + ω² x = 0 with damping of the velocity at the step's begin.
double amplitude(const Integrator& integrator, double omega, double c, double step, int steps) {
  dofs::State s;
  s.positions = {1.0};
  s.velocities = {0.1};
  double largest = 0.0;
  for (int i = 0; i < steps; ++i) {
    integrator.advance(s, {-omega * omega * s.positions[0] - 2.0 * c * s.velocities[0]}, step);
    if (i > steps / 2) largest = std::max(largest, std::abs(s.positions[0]));
  }
  return largest;
}

TEST(Integrator, StableStepsOfExplicitMethodsAreSharp) {
  constexpr int steps = 4000;
  for (const auto& [omega, alpha, beta] :
       {std::array{3.0, 0.0, 0.0}, {3.0, 1.0, 0.0}, {3.0, 0.0, 0.3}, {2.0, 9.0, 0.0}}) {
    const double c = 0.5 * (alpha + beta * omega * omega);
    const dofs::DampingOptions damping{alpha, beta};
    const Integrator symplectic("symplectic_euler"), forward("forward_euler");
    const double bound = symplectic.stable_step(omega, damping, damping, 1.0);
    EXPECT_LT(amplitude(symplectic, omega, c, 0.99 * bound, steps), 20.0) << omega << ' ' << c;
    EXPECT_GT(amplitude(symplectic, omega, c, 1.01 * bound, steps), 1e6) << omega << ' ' << c;
    if (c == 0.0) continue;
    // In an endless run nothing may grow.
    const double damped = forward.stable_step(omega, damping, damping, 1e30);
    EXPECT_LT(amplitude(forward, omega, c, 0.99 * damped, steps), 2.0) << omega << ' ' << c;
    EXPECT_GT(amplitude(forward, omega, c, 1.05 * damped, steps), 1e3) << omega << ' ' << c;
  }
  EXPECT_EQ(Integrator("symplectic_euler").stable_step(0.0, {}, {}, 1.0), std::numeric_limits<double>::infinity());
}

TEST(Integrator, StableStepsAreThoseOfTheWorstBody) {
  // Damping helps forward Euler and costs symplectic Euler some of its step.
  const dofs::DampingOptions some{1.0, 0.1};
  const Integrator symplectic("symplectic_euler"), forward("forward_euler");
  EXPECT_EQ(forward.stable_step(3.0, {}, some, 7.0), forward.stable_step(3.0, {}, {}, 7.0));
  EXPECT_GT(forward.stable_step(3.0, some, some, 7.0), forward.stable_step(3.0, {}, some, 7.0));
  EXPECT_EQ(symplectic.stable_step(3.0, {}, some, 7.0), symplectic.stable_step(3.0, some, some, 7.0));
  EXPECT_LT(symplectic.stable_step(3.0, {}, some, 7.0), symplectic.stable_step(3.0, {}, {}, 7.0));
}

TEST(Integrator, ForwardEulerGrowsByNoMoreThanAFactorEInARun) {
  constexpr double omega = 50.0, duration = 4.0;
  const Integrator forward("forward_euler");
  const double step = forward.stable_step(omega, {}, {}, duration);
  dofs::State s;
  s.positions = {1.0};
  s.velocities = {0.0};
  for (int i = 0; i < int(duration / step); ++i) forward.advance(s, {-omega * omega * s.positions[0]}, step);
  const double energy = std::pow(s.positions[0], 2) + std::pow(s.velocities[0] / omega, 2);
  EXPECT_GT(energy, 2.7);
  EXPECT_LE(energy, M_E); // (1 + ε)^(1/ε) from below
}

/// A particle in the potential ½ k |x|² (tests/data/time_integrators.json); 12 digits.
TEST(Integrator, AgreesWithTheReference) {
  std::ifstream file(LIMBER_TEST_DATA "/time_integrators.json");
  const auto reference = nlohmann::json::parse(file);
  int compared = 0;
  for (const auto& run : reference.at("runs")) {
    const std::string method = run.at("method"), name = method == "implicit_midpoint" ? "midpoint" : method;
    SCOPED_TRACE(method);
    const double step = run.at("h");
    const Integrator integrator(name);
    dofs::State s;
    s.positions = {1.0, 0.0};
    s.velocities = {0.0, 1.0};
    std::size_t next = 0;
    for (int n = 0; n <= int(run.at("steps")); ++n) {
      const auto &x = s.positions, &v = s.velocities;
      const double radius = run.at("radius")[std::size_t(n)], energy = run.at("energy")[std::size_t(n)],
                   spin = run.at("angular_momentum")[std::size_t(n)];
      EXPECT_NEAR(std::hypot(x[0], x[1]), radius, 1e-11 * radius) << n;
      EXPECT_NEAR(0.5 * (x[0] * x[0] + x[1] * x[1] + v[0] * v[0] + v[1] * v[1]), energy, 1e-11 * energy) << n;
      EXPECT_NEAR(x[0] * v[1] - x[1] * v[0], spin, 1e-11 * std::abs(spin)) << n;
      if (next < run.at("step_ids").size() && int(run.at("step_ids")[next]) == n) {
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_NEAR(x[k], double(run.at("x")[next][k]), 1e-11 * radius) << n;
          EXPECT_NEAR(v[k], double(run.at("v")[next][k]), 1e-11 * std::sqrt(2.0 * energy)) << n;
          ++compared;
        }
        ++next;
      }
      if (integrator.is_explicit()) {
        integrator.advance(s, {-x[0], -x[1]}, step);
      } else {
        const auto form = integrator.form(s, step);
        const double reduced = 1.0 / (1.0 + form.scale); // the minimizer of ½ |y − x̂|² + βh² ½ |y|²
        integrator.finish(s, form, {form.target[0] * reduced, form.target[1] * reduced}, step);
      }
    }
  }
  EXPECT_EQ(compared, 140);
}

} // namespace
} // namespace limber::integrators
