/// Backward Euler over many steps: order, dissipation, and what it conserves.

#include <gtest/gtest.h>

#include "assembly/mass_matrix.hpp"
#include "assembly/nodal_sparsity.hpp"
#include "base/collective.hpp"
#include "verification/elastic_body.hpp"

namespace {

using namespace limber;

double norm(MPI_Comm comm, const mesh::DistributedMesh& mesh, const std::vector<double>& a) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3 * std::size_t(mesh.owned_nodes); ++i) sum += a[i] * a[i];
  return std::sqrt(base::global_sum(comm, sum));
}

std::vector<double> combine(double s, const std::vector<double>& a, double t, const std::vector<double>& b) {
  std::vector<double> c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) c[i] = s * a[i] + t * b[i];
  return c;
}

/// A bar that swings along its axis: v = A cos(πX/L) along x, with a strain of some percent. Waves travel at 12 m/s.
const test::Box bar{.cubes = {4, 1, 1}, .size = {1.0, 0.25, 0.25}};

std::unique_ptr<test::ElasticBody> swinging_bar() {
  auto body = std::make_unique<test::ElasticBody>(test::make_box(bar), test::BodySettings{});
  for (std::size_t n = 0; n < body->mesh.node_ids.size(); ++n)
    body->state.velocities[3 * n] = 0.5 * std::cos(M_PI * body->mesh.rest_positions[3 * n]);
  return body;
}

std::vector<double> positions_after(int steps, double duration) {
  const auto body = swinging_bar();
  for (int i = 0; i < steps; ++i) {
    const auto outcome = body->advance(duration / steps);
    EXPECT_TRUE(outcome.converged) << outcome.reason;
  }
  return body->state.positions;
}

TEST(BackwardEuler, ConvergesWithFirstOrder) {
  constexpr double duration = 0.05; // a third of a period
  // Extrapolated from two fine runs: an error of second order, 1e-3 of the error that is measured.
  const auto reference = combine(2.0, positions_after(2048, duration), -1.0, positions_after(1024, duration));
  const auto body = swinging_bar();
  double previous = 0.0;
  for (const int steps : {32, 64, 128, 256, 512}) {
    const double error =
        norm(body->mesh.comm, body->mesh, combine(1.0, positions_after(steps, duration), -1.0, reference));
    if (previous > 0.0) {
      const double rate = std::log2(previous / error);
      if (base::rank(body->mesh.comm) == 0) std::printf("%4d steps: error %.3e, rate %.3f\n", steps, error, rate);
      EXPECT_NEAR(rate, 1.0, 0.1);
    }
    previous = error;
  }
}

TEST(BackwardEuler, LosesEnergyInEveryStep) {
  const auto body = swinging_bar();
  auto before = body->conserved();
  const double first = before.kinetic;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(body->advance(2e-3).converged);
    const auto after = body->conserved();
    EXPECT_LT(after.kinetic + after.elastic, before.kinetic + before.elastic) << "step " << i;
    before = after;
  }
  EXPECT_LT(before.kinetic + before.elastic, 0.9 * first);
}

TEST(BackwardEuler, FallsAsItsClosedFormSays) {
  constexpr double g = 9.81, h = 0.01;
  test::ElasticBody body(test::make_box(bar), {.gravity = {0.0, 0.0, -g}});
  for (int n = 1; n <= 30; ++n) {
    ASSERT_TRUE(body.advance(h).converged);
    double velocity_error = 0.0, position_error = 0.0;
    for (std::size_t i = 0; i < body.state.positions.size(); ++i) {
      const double v = i % 3 == 2 ? -g * n * h : 0.0, fall = i % 3 == 2 ? -g * h * h * n * (n + 1) / 2.0 : 0.0;
      velocity_error = std::max(velocity_error, std::abs(body.state.velocities[i] - v));
      position_error = std::max(position_error, std::abs(body.state.positions[i] - body.mesh.rest_positions[i] - fall));
    }
    // Round-off of positions, 1e-16 m, in every step; velocities are differences of positions divided by h.
    EXPECT_LE(position_error, 1e-13 * n);
    EXPECT_LE(velocity_error, 1e-13 / h * n);
  }
}

/// Σ a × M b over all ranks.
Vector3 moment(const test::ElasticBody& body, const assembly::MassMatrix& mass, const std::vector<double>& a,
               const std::vector<double>& b) {
  std::vector<double> mb, sum(3, 0.0);
  mass.multiply(b, mb);
  for (std::size_t n = 0; n < mb.size(); n += 3)
    for (std::size_t k = 0; k < 3; ++k)
      sum[k] += a[n + (k + 1) % 3] * mb[n + (k + 2) % 3] - a[n + (k + 2) % 3] * mb[n + (k + 1) % 3];
  base::global_sum(body.mesh.comm, sum);
  return {sum[0], sum[1], sum[2]};
}

/// A bar that spins about a skew axis through its corner, flies and swings; returns the angular momentum that is left
/// after 0.2 s, as a fraction.
double spin(int steps) {
  // A tolerance of 1e-11 m/s leaves an error of the last Newton step, which is far smaller, of the order of round-off.
  test::ElasticBody body(test::make_box(bar), {.tolerance = 1e-11});
  const std::vector<assembly::BodyMass> masses{{1000.0, {}}};
  const auto sparsity = assembly::nodal_sparsity(body.mesh);
  const assembly::MassMatrix mass(body.mesh, sparsity, masses);
  const Vector3 w{0.5, 2.0, 3.0};
  for (std::size_t n = 0; n < body.mesh.node_ids.size(); ++n)
    for (std::size_t k = 0; k < 3; ++k) {
      const double* x = body.state.positions.data() + 3 * n;
      body.state.velocities[3 * n + k] = 1.0 + w[(k + 1) % 3] * x[(k + 2) % 3] - w[(k + 2) % 3] * x[(k + 1) % 3];
    }

  const auto start = body.conserved();
  auto before = start;
  for (int i = 0; i < steps; ++i) {
    const double h = 0.2 / steps;
    const auto velocities_t0 = body.state.velocities;
    EXPECT_TRUE(body.advance(h).converged);
    const auto after = body.conserved();
    // From M (v₁ − v₀) = −h ∇Φ(x₁), with forces that balance at x₁:
    // Σ M v₁ = Σ M v₀ and Σ x₁ × M v₁ = Σ x₀ × M v₀ + h Σ v₁ × M v₀. The mass is 62.5 kg, v about 3 m/s; positions
    // round at 1e-16 m, so that velocities do at 1e-14 m/s and momenta at 1e-12 kg m/s in a step.
    const Vector3 change = moment(body, mass, body.state.velocities, velocities_t0);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after.momentum[k], start.momentum[k], 1e-11 * (i + 1));
      EXPECT_NEAR(after.angular_momentum[k], before.angular_momentum[k] + h * change[k], 1e-11);
    }
    EXPECT_LT(after.kinetic + after.elastic, before.kinetic + before.elastic);
    before = after;
  }
  const auto length = [](const Vector3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); };
  // The part of the flight of the whole body is in both; it does not turn, so that the difference is the spin's.
  return length({start.angular_momentum[0] - before.angular_momentum[0],
                 start.angular_momentum[1] - before.angular_momentum[1],
                 start.angular_momentum[2] - before.angular_momentum[2]}) /
         length(start.angular_momentum);
}

TEST(BackwardEuler, KeepsMomentumAndLosesSpinWithFirstOrder) {
  const double coarse = spin(20), fine = spin(40);
  EXPECT_GT(coarse, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.1);
}

} // namespace
