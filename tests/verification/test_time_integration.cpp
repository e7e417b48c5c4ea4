/// All integrators on elastic bodies: orders of convergence, conserved quantities, and the ledger of energies.

#include <gtest/gtest.h>
#include <map>

#include "base/collective.hpp"
#include "verification/elastic_body.hpp"

namespace {

using namespace limber;

constexpr const char* all_integrators[] = {"forward_euler", "symplectic_euler", "backward_euler",
                                           "bdf2",          "newmark",          "midpoint"};
const std::map<std::string, int> order{{"forward_euler", 1}, {"symplectic_euler", 1}, {"backward_euler", 1},
                                       {"bdf2", 2},          {"newmark", 2},          {"midpoint", 2}};

/// Waves travel at 12 m/s; the fastest vibration has about 300 rad/s.
const test::Box bar{.cubes = {4, 1, 1}, .size = {1.0, 0.25, 0.25}};

double distance(const test::ElasticBody& body, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3 * std::size_t(body.mesh.owned_nodes); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(base::global_sum(body.mesh.comm, sum));
}

dofs::ConditionOptions shake() {
  dofs::ConditionOptions shake;
  shake.name = "shake";
  shake.body = "body0";
  shake.where = dofs::SelectGroup{"xmin"};
  shake.kind = dofs::ConditionKind::prescribed;
  shake.by_displacement = true;
  shake.motion = {0.0, dofs::Expression::parse("0.01*sin(40*t)"), dofs::Expression::parse("0.01*t")};
  return shake;
}

dofs::ConditionOptions pull() {
  dofs::ConditionOptions pull;
  pull.name = "pull";
  pull.body = "body0";
  pull.where = dofs::SelectGroup{"xmax"};
  pull.kind = dofs::ConditionKind::traction;
  pull.value = {dofs::Expression::parse("1000*cos(30*t)"), 0.0, 300.0};
  return pull;
}

Vector3 gravity(double time) { return {0.0, 0.0, -9.81 * std::cos(20.0 * time)}; }

/// A bar that swings along its axis with a strain of some percent, shaken at one end and pulled at the other while
/// gravity changes: everything that acts in a step depends on time.
std::unique_ptr<test::ElasticBody> driven_bar(const std::string& integrator, const dofs::DampingOptions& damping = {},
                                              double duration = 0.05) {
  test::BodySettings settings;
  settings.integrator = integrator;
  settings.damping = damping;
  settings.conditions = {shake(), pull()};
  settings.gravity_at_time = gravity;
  settings.duration = duration;
  auto body = std::make_unique<test::ElasticBody>(test::make_box(bar), settings);
  for (std::size_t n = 0; n < std::size_t(body->mesh.local_nodes); ++n)
    body->state.velocities[3 * n] = 0.5 * std::cos(M_PI * body->mesh.rest_positions[3 * n]) - 0.5;
  body->conditions.set_initial_velocities(1e-3, body->state.velocities, false);
  return body;
}

constexpr double duration_of_runs = 0.05; // [s], a third of a period

std::unique_ptr<test::ElasticBody> after(const std::string& integrator, const std::vector<double>& steps) {
  // Forward Euler must not take sub-steps of its own here, which depend on the duration.
  auto body =
      driven_bar(integrator, {.mass = 3.0, .stiffness = 0.0}, integrator == "forward_euler" ? 1e-3 : duration_of_runs);
  for (const double h : steps) {
    const auto outcome = body->advance(h);
    EXPECT_TRUE(outcome.converged) << outcome.reason;
  }
  return body;
}

/// `count` intervals, each cut into these parts.
std::vector<double> repeated(int count, const std::vector<double>& parts) {
  std::vector<double> steps;
  for (int i = 0; i < count; ++i)
    for (const double part : parts) steps.push_back(part * duration_of_runs / count);
  return steps;
}

/// Rates by which the differences of runs fall that have twice as many steps each. \param steps of a level
void expect_order(const std::string& integrator, const std::function<std::vector<double>(int level)>& steps,
                  double tolerance) {
  std::unique_ptr<test::ElasticBody> before;
  double previous_x = 0.0, previous_v = 0.0;
  for (int level = 0; level < 4; ++level) {
    auto body = after(integrator, steps(level));
    if (before) {
      const double x = distance(*body, body->state.positions, before->state.positions),
                   v = distance(*body, body->state.velocities, before->state.velocities);
      if (level == 3) {
        const double rate_x = std::log2(previous_x / x), rate_v = std::log2(previous_v / v);
        if (base::rank(body->mesh.comm) == 0)
          std::printf("%-16s %5zu steps: |dx| %.2e rate %.3f, |dv| %.2e rate %.3f\n", integrator.c_str(),
                      steps(level).size(), x, rate_x, v, rate_v);
        EXPECT_NEAR(rate_x, order.at(integrator), tolerance) << integrator;
        EXPECT_NEAR(rate_v, order.at(integrator), tolerance) << integrator;
      }
      previous_x = x;
      previous_v = v;
    }
    before = std::move(body);
  }
}

class Each : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Each, ::testing::ValuesIn(all_integrators),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Each, ConvergesWithItsOrder) {
  if (base::size(MPI_COMM_WORLD) > 1) GTEST_SKIP() << "thousands of steps of a few nodes: long, and no matter of ranks";
  const std::string integrator = GetParam();
  // Steps of which the fastest vibration, 300 rad/s, takes notice: terms of the next order are then below a tenth.
  const int first = integrator == "symplectic_euler" ? 64 : order.at(integrator) == 1 ? 512 : 64;
  expect_order(
      integrator, [&](int level) { return repeated(first << level, {1.0}); }, 0.15);
}

TEST(ChangingSteps, KeepTheOrder) {
  // Steps halve and double: what a failed step, a last step and a restart with another size do.
  for (const char* integrator : {"bdf2", "newmark", "midpoint"})
    expect_order(
        integrator,
        [](int level) {
          return repeated(24 << level, {1.0 / 3.0, 2.0 / 3.0});
        },
        0.15);
}

TEST(ChangingSteps, OneThatGrowsFivefoldKeepsTheOrder) {
  // There bdf2 takes a step of backward Euler.
  const auto steps = [](int level) {
    const int count = 30 << level;
    std::vector<double> sizes(std::size_t(count), 0.5 * duration_of_runs / count);
    sizes.insert(sizes.end(), std::size_t(count / 5), 2.5 * duration_of_runs / count);
    return sizes;
  };
  expect_order(
      "bdf2", [&](int level) { return steps(level + 1); }, 0.25);
}

TEST_P(Each, HeldNodesObeyTheirConditions) {
  const auto body = driven_bar(GetParam());
  constexpr double h = 1e-3;
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(body->advance(h).converged);
  const double t = body->state.time;
  for (std::size_t n = 0; n < std::size_t(body->mesh.local_nodes); ++n) {
    const double* X = &body->mesh.rest_positions[3 * n];
    if (X[0] > 1e-9) continue;
    const double *x = &body->state.positions[3 * n], *v = &body->state.velocities[3 * n];
    EXPECT_EQ(x[0], X[0]);
    EXPECT_EQ(v[0], 0.0);
    EXPECT_NEAR(x[1], X[1] + 0.01 * std::sin(40.0 * t), 1e-14); // a few roundings of positions below 1
    EXPECT_NEAR(x[2], X[2] + 0.01 * t, 1e-14);
    // Differences of fourth order: 5 (h/4)⁴/5 · 0.01·40⁵ = 4e-9; backward Euler has the mean of the step.
    const bool mean = body->integrator.scheme() == integrators::Scheme::backward_euler;
    const double expected =
        mean ? 0.01 * (std::sin(40.0 * t) - std::sin(40.0 * (t - h))) / h : 0.4 * std::cos(40.0 * t);
    EXPECT_NEAR(v[1], expected, 1e-8);
    EXPECT_NEAR(v[2], 0.01, 1e-12); // roundings of the displacement over h
  }
}

TEST(HeldNodes, AJumpOfTheirVelocityLeavesNoRipple) {
  for (const char* integrator : {"bdf2", "newmark", "midpoint"}) {
    SCOPED_TRACE(integrator);
    test::BodySettings settings;
    settings.integrator = integrator;
    auto push = shake();
    push.where = dofs::SelectAll{};
    push.by_displacement = false;
    push.motion = {0.2, 0.0, 0.0};
    push.from = 0.01;
    auto hold = push;
    hold.name = "hold";
    hold.kind = dofs::ConditionKind::fixed;
    hold.from = 0.0;
    hold.until = 0.01;
    settings.conditions = {hold, push};
    test::ElasticBody body(test::make_box(bar), settings);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(body.advance(1e-3).converged);
      const double t = body.state.time;
      for (std::size_t j = 0; j < body.state.positions.size(); ++j) {
        EXPECT_EQ(body.state.velocities[j], j % 3 == 0 && t > 0.0105 ? 0.2 : 0.0);
        if (body.state.accelerations.present) {
          EXPECT_EQ(body.state.accelerations.values[j], 0.0);
        }
      }
    }
  }
}

/// The bar in free flight, spinning about a skew axis and swinging.
std::unique_ptr<test::ElasticBody> flying_bar(const std::string& integrator, dofs::MassKind mass) {
  test::BodySettings settings;
  settings.integrator = integrator;
  settings.tolerance = 1e-11; // the last Newton step leaves the square of that
  settings.mass.kind = mass;
  auto body = std::make_unique<test::ElasticBody>(test::make_box(bar), settings);
  const Vector3 w{0.5, 2.0, 3.0};
  for (std::size_t n = 0; n < std::size_t(body->mesh.local_nodes); ++n)
    for (std::size_t k = 0; k < 3; ++k) {
      const double* x = &body->state.positions[3 * n];
      body->state.velocities[3 * n + k] = 1.0 + w[(k + 1) % 3] * x[(k + 2) % 3] - w[(k + 2) % 3] * x[(k + 1) % 3] +
                                          (k == 0 ? 0.5 * std::cos(M_PI * x[0]) : 0.0);
    }
  return body;
}

TEST_P(Each, KeepsLinearMomentumInFreeFlight) {
  for (const auto mass : {dofs::MassKind::consistent, dofs::MassKind::lumped}) {
    const auto body = flying_bar(GetParam(), mass);
    const auto start = body->conserved();
    double largest = 0.0;
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(body->advance(2e-3).converged);
      const auto now = body->conserved();
      for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, std::abs(now.momentum[k] - start.momentum[k]));
    }
    if (base::rank(body->mesh.comm) == 0)
      std::printf("%-16s momentum %.1e of %.0f\n", GetParam(), largest, start.momentum[0]);
    // Positions round at 1e-16 m, velocities (divided by h) at 1e-13 m/s in a step; 62.5 kg, 50 steps. Linear solves
    // end at 1e-13 of the forces.
    EXPECT_LE(largest, 1e-9);
  }
}

TEST(Midpoint, KeepsAngularMomentum) {
  const auto body = flying_bar("midpoint", dofs::MassKind::consistent);
  const auto start = body->conserved();
  double largest = 0.0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(body->advance(2e-3).converged);
    const auto now = body->conserved();
    for (std::size_t k = 0; k < 3; ++k)
      largest = std::max(largest, std::abs(now.angular_momentum[k] - start.angular_momentum[k]));
  }
  if (base::rank(body->mesh.comm) == 0)
    std::printf("angular momentum %.1e of %.0f\n", largest, start.angular_momentum[2]);
  EXPECT_LE(largest, 1e-9); // as linear momentum, with lever arms of a meter
}

TEST(Energy, StaysBoundedOverTenThousandSteps) {
  if (base::size(MPI_COMM_WORLD) > 1) GTEST_SKIP() << "thousands of steps of a few nodes: long, and no matter of ranks";
  for (const char* integrator : {"midpoint", "newmark"}) {
    test::BodySettings settings;
    settings.integrator = integrator;
    settings.tolerance = 1e-8;
    test::ElasticBody body(test::make_box({.cubes = {1, 1, 1}, .size = {0.25, 0.25, 0.25}}), settings);
    for (std::size_t i = 0; i < body.state.velocities.size(); ++i)
      body.state.velocities[i] = 0.5 * std::sin(7.0 * body.mesh.rest_positions[i] + 3.0 * double(i % 3));
    const auto energy = [&] {
      const auto c = body.conserved();
      return c.kinetic + c.elastic;
    };
    const double start = energy();
    double lowest = start, highest = start;
    for (int i = 0; i < 10000; ++i) {
      ASSERT_TRUE(body.advance(5e-3).converged) << integrator << ' ' << i;
      const double now = energy();
      lowest = std::min(lowest, now);
      highest = std::max(highest, now);
    }
    if (base::rank(body.mesh.comm) == 0)
      std::printf("%-16s energy between %.4f and %.4f of the first\n", integrator, lowest / start, highest / start);
    EXPECT_GT(lowest, 0.8 * start) << integrator;
    EXPECT_LT(highest, 1.2 * start) << integrator;
  }
}

/// Largest change of the balance over the energy that was exchanged.
double imbalance(const std::string& integrator, int steps) {
  constexpr double duration = duration_of_runs;
  const auto body =
      driven_bar(integrator, {.mass = 3.0, .stiffness = 2e-3}, integrator == "forward_euler" ? 1e-3 : duration);
  const double start = body->energy_balance(gravity(0.0));
  double largest = 0.0;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(body->advance(duration / steps).converged);
    largest = std::max(largest, std::abs(body->energy_balance(gravity(body->state.time)) - start));
  }
  const auto& ledger = body->state.ledger;
  // Everything that is booked is of some size.
  EXPECT_GT(std::abs(ledger.load_work), 0.05);
  EXPECT_GT(std::abs(ledger.boundary_work), 0.05);
  EXPECT_GT(ledger.dissipated, 0.05);
  return largest;
}

TEST_P(Each, BalancesEnergyToItsOrder) {
  const std::string integrator = GetParam();
  const int steps = integrator == "forward_euler" ? 1024 : integrator == "symplectic_euler" ? 256 : 128;
  const double coarse = imbalance(integrator, steps), fine = imbalance(integrator, 2 * steps);
  std::printf("%-16s imbalance %.2e, %.2e J: rate %.3f\n", integrator.c_str(), coarse, fine, std::log2(coarse / fine));
  EXPECT_NEAR(std::log2(coarse / fine), order.at(integrator), 0.25);
}

TEST(Damping, OfTheMassStopsAFlightExponentially) {
  test::BodySettings settings;
  settings.integrator = "newmark";
  settings.damping = {.mass = 5.0, .stiffness = 0.01};
  test::ElasticBody body(test::make_box(bar), settings);
  for (double& v : body.state.velocities) v = 2.0;
  const auto start = body.conserved();
  constexpr double h = 1e-3;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(body.advance(h).converged);
  // The trapezoidal rule for v' = −αv; stiffness does not damp a translation. Solved to 1e-9 m/s in every step.
  const double left = std::pow((1.0 - 2.5 * h) / (1.0 + 2.5 * h), 200);
  for (const double v : body.state.velocities) EXPECT_NEAR(v, 2.0 * left, 1e-7);
  const auto end = body.conserved();
  EXPECT_NEAR(body.state.ledger.dissipated, start.kinetic - end.kinetic, 1e-5 * start.kinetic); // of second order in h
}

TEST(Damping, OfTheStiffnessTakesEnergyFromVibrationsAndNoMomentum) {
  for (const char* integrator : all_integrators) {
    SCOPED_TRACE(integrator);
    test::BodySettings settings;
    settings.integrator = integrator;
    settings.damping = {.mass = 0.0, .stiffness = 5e-3};
    settings.tolerance = 1e-11;
    test::ElasticBody body(test::make_box(bar), settings);
    for (std::size_t n = 0; n < std::size_t(body.mesh.local_nodes); ++n)
      body.state.velocities[3 * n] = 1.0 + 0.5 * std::cos(M_PI * body.mesh.rest_positions[3 * n]);
    const auto start = body.conserved();
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(body.advance(2e-3).converged);
    const auto end = body.conserved();
    EXPECT_NEAR(end.momentum[0], start.momentum[0], 1e-8);
    const double flight = 0.5 * start.momentum[0] * start.momentum[0] / 62.5; // what is left when it does not vibrate
    // The slowest vibration, 37 rad/s, decays with a damping ratio of 0.09: to 0.07 in 0.4 s, in large steps to a
    // little more (forward Euler adds energy, too).
    EXPECT_LT(end.kinetic + end.elastic - flight, 0.3 * (start.kinetic + start.elastic - flight));
    EXPECT_GT(end.kinetic + end.elastic - flight, -1e-9 * flight);
    EXPECT_GT(body.state.ledger.dissipated, 0.0);
  }
}

TEST(Explicit, TakesSubStepsWhereTheStepIsNotStable) {
  for (const auto mass : {dofs::MassKind::consistent, dofs::MassKind::lumped}) {
    const auto body = flying_bar("symplectic_euler", mass), fine = flying_bar("symplectic_euler", mass);
    const auto start = body->conserved();
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(body->advance(0.05).converged); // ten times too large
      const auto now = body->conserved();
      // Symplectic Euler's energy swings by about ωh/2 of the vibration's, which is a tenth of the whole here.
      EXPECT_NEAR(now.kinetic + now.elastic, start.kinetic, 0.05 * start.kinetic);
    }
  }
}

TEST(Explicit, RefusesWhatWouldTakeForever) {
  test::BodySettings settings;
  settings.integrator = "forward_euler";
  settings.duration = 1e6;
  test::ElasticBody body(test::make_box(bar), settings);
  const auto before = body.state.positions;
  const auto outcome = body.advance(1.0);
  EXPECT_FALSE(outcome.converged);
  EXPECT_NE(outcome.reason.find("stable sub-steps"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.advice.find("implicit"), std::string::npos) << outcome.advice;
  EXPECT_EQ(body.state.positions, before);
}

TEST(Explicit, ReportsAnInversionAndLeavesTheStateAlone) {
  auto body = flying_bar("symplectic_euler", dofs::MassKind::lumped);
  for (std::size_t n = 0; n < std::size_t(body->mesh.local_nodes); ++n)
    body->state.velocities[3 * n] =
        -2e3 * body->mesh.rest_positions[3 * n]; // shrinks to nothing within half a millisecond
  const auto before = body->state.positions;
  const auto outcome = body->advance(1e-3);
  EXPECT_FALSE(outcome.converged);
  EXPECT_FALSE(outcome.reason.empty());
  EXPECT_EQ(body->state.positions, before);
}

} // namespace
