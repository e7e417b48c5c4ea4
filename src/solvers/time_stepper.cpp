#include "solvers/time_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/spdlog.h>

#include "base/collective.hpp"
#include "solvers/highest_frequency.hpp"

namespace limber::solvers {
namespace {

using integrators::Scheme;

constexpr int steps_between_estimates = 10;
constexpr double most_sub_steps = 1e5;

/// Bodies respond to forces at both ends of a step; the other integrators know one time in it.
bool averages_ends(Scheme scheme) { return scheme == Scheme::bdf2 || scheme == Scheme::newmark; }

} // namespace

TimeStepper::TimeStepper(Parts parts)
    : parts_(std::move(parts)), mass_(parts_.potential.mesh(), parts_.potential.mass()) {
  const auto& selected = parts_.conditions.selected();
  holds_ = std::any_of(selected.begin(), selected.end(), [](GlobalIndex nodes) { return nodes > 0; });
}

StepOutcome TimeStepper::advance(dofs::State& state, double h) {
  const auto& integrator = parts_.integrator;
  auto& potential = parts_.potential;
  if (integrator.is_explicit()) return advance_explicit(state, h);
  if (integrator.needs_accelerations() && (!state.accelerations.present || forces_have_jumped(state)))
    set_accelerations(state, h);

  // 1. What the integrator's table says of this step, and where held nodes go in it.
  const double time_t0 = state.time, part = integrator.unknown_at(), time_x = time_t0 + part * h;
  const auto positions_t0 = state.positions;
  auto form = integrator.form(state, h);
  auto constraints = parts_.conditions.constraints(time_t0, h, positions_t0);
  const auto held = constraints.held;
  const auto displacement = constraints.displacement;
  dofs::HeldMotion motion;
  if (holds_ && integrator.has_held_velocities()) {
    motion = parts_.conditions.held_motion(time_t0, h);
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i])
        integrator.hold(form, state, h, i, positions_t0[i] + part * displacement[i], motion.velocity[i],
                        motion.acceleration[i]);
  }
  for (double& u : constraints.displacement) u *= part;

  // 2. Minimize.
  Booking booking{.positions_t0 = positions_t0, .positions_t1 = state.positions};
  if (averages_ends(integrator.scheme())) parts_.loads.evaluate(time_t0 + 0.5 * h, positions_t0, booking.loads);
  assembly::StepProblem problem{.inertia = !integrator.is_static(),
                                .target = form.target,
                                .scale = form.scale,
                                .gravity = parts_.gravity(time_x),
                                .loads = {},
                                .constraints = std::move(constraints),
                                .velocity_time = form.velocity_time,
                                .velocity_origin = form.velocity_origin};
  parts_.loads.evaluate(time_x, positions_t0, problem.loads);
  if (!averages_ends(integrator.scheme())) booking.loads = problem.loads;
  potential.refresh_lag(positions_t0);
  potential.lag_damping(positions_t0);
  if (state.damping_power < 0.0) state.damping_power = potential.damping_power(state.velocities);
  potential.start_step(std::move(problem));
  std::vector<double> x = positions_t0;
  // The end of the step moves by p/part when the unknown moves by p.
  auto outcome = parts_.newton.solve(x, part * h);
  if (!outcome.converged) return outcome;
  if (integrator.scheme() == Scheme::midpoint) {
    outcome.reason = find_fault(integrator.end_positions(state, x));
    outcome.converged = outcome.reason.empty();
    if (!outcome.converged) return outcome;
  }

  // 3. The next state.
  if (holds_) booking.reactions = potential.reactions(x);
  if (potential.damping().active() && !integrator.is_static()) {
    std::vector<double> v(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) v[i] = (x[i] - form.velocity_origin[i]) / form.velocity_time;
    booking.power = potential.damping_power(v);
  }
  integrator.finish(state, form, x, h);
  for (std::size_t i = 0; i < motion.velocity.size(); ++i) {
    if (!held[i]) continue;
    state.positions[i] = positions_t0[i] + displacement[i];
    state.velocities[i] = motion.velocity[i];
    if (state.accelerations.present) state.accelerations.values[i] = motion.acceleration[i];
  }
  booking.time = time_t0;
  booking.h = h;
  book(state, booking);
  return outcome;
}

bool TimeStepper::forces_have_jumped(const dofs::State& state) const {
  const double slack = 1e-9 * std::max(std::abs(state.time), state.previous_step);
  return std::any_of(parts_.switches.begin(), parts_.switches.end(),
                     [&](double t) { return t > state.time - state.previous_step + slack && t <= state.time + slack; });
}

void TimeStepper::set_accelerations(dofs::State& state, double h) {
  auto& potential = parts_.potential;
  // Loads take effect after their time: just behind it.
  assembly::StepProblem problem{.inertia = false,
                                .target = {},
                                .gravity = parts_.gravity(state.time),
                                .loads = {},
                                .constraints = parts_.conditions.constraints(state.time, h, state.positions)};
  parts_.loads.evaluate(state.time + 1e-3 * h, state.positions, problem.loads);
  const auto held = problem.constraints.held;
  potential.refresh_lag(state.positions);
  potential.lag_damping(state.positions);
  potential.start_step(std::move(problem));
  std::vector<double> f, a(state.positions.size(), 0.0);
  if (holds_) {
    // Those of the end of the step differ by a term of first order; being used once, they leave the second order.
    const auto motion = parts_.conditions.held_motion(state.time, h);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (held[i]) a[i] = motion.acceleration[i];
  }
  potential.forces(state.positions, state.velocities, f);
  mass_.solve(f, held, a);
  state.accelerations.set(std::move(a));
}

double TimeStepper::stable_step(const dofs::State& state, double h) {
  if (frequency_ < 0.0 || state.step % steps_between_estimates == 0)
    frequency_ = highest_frequency(parts_.potential, mass_, state.positions,
                                   parts_.conditions.constraints(state.time, h, state.positions));
  const auto& damping = parts_.potential.damping();
  return margin_ * parts_.integrator.stable_step(frequency_, damping.smallest(), damping.largest(), parts_.duration);
}

StepOutcome TimeStepper::advance_explicit(dofs::State& state, double h) {
  StepOutcome outcome;
  const double stable = stable_step(state, h);
  const double count = std::max(1.0, std::ceil(h / stable * (1.0 - 1e-12)));
  if (!(count <= most_sub_steps)) {
    outcome.reason =
        fmt::format("a step of {:g} s needs more than {:g} stable sub-steps of {:.3g} s (fastest vibration "
                    "{:.3g} rad/s)",
                    h, most_sub_steps, stable, frequency_);
    outcome.advice = "Take an implicit integrator, or symplectic_euler instead of forward_euler, or a coarser mesh.";
    return outcome;
  }
  if (count != logged_sub_steps_) {
    logged_sub_steps_ = count;
    spdlog::info("  stable step {:.3g} s (fastest vibration {:.3g} rad/s): {:g} sub-step{} of {:.3g} s", stable,
                 frequency_, count, count == 1.0 ? "" : "s", h / count);
  }
  parts_.potential.lag_damping(state.positions);
  dofs::State next = state;
  for (int s = 0; s < int(count) && outcome.reason.empty(); ++s)
    outcome.reason = sub_step(next, state.time + s * (h / count), h / count, outcome.linear_iterations);
  if (outcome.reason.empty()) outcome.reason = find_fault(next.positions);
  outcome.converged = outcome.reason.empty();
  if (!outcome.converged) {
    frequency_ = -1.0; // may have risen with the deformation, and may go on rising within the step
    margin_ *= 0.5;
    outcome.advice = "Look whether the motion itself is too fast; an implicit integrator takes larger steps.";
    return outcome;
  }
  margin_ = std::min(2.0 * margin_, largest_margin);
  next.previous_step = h;
  state = std::move(next);
  return outcome;
}

std::string TimeStepper::sub_step(dofs::State& state, double time, double h, int& iterations) {
  const auto& integrator = parts_.integrator;
  auto& potential = parts_.potential;
  const auto positions_t0 = state.positions;
  assembly::StepProblem problem{.inertia = false,
                                .target = {},
                                .gravity = parts_.gravity(time + h),
                                .loads = {},
                                .constraints = parts_.conditions.constraints(time, h, positions_t0)};
  parts_.loads.evaluate(time + h, positions_t0, problem.loads);
  const auto held = problem.constraints.held;
  const auto displacement = problem.constraints.displacement;
  Booking booking{.positions_t0 = positions_t0, .positions_t1 = state.positions, .loads = problem.loads};
  potential.refresh_lag(positions_t0);
  potential.start_step(std::move(problem));

  dofs::HeldMotion motion;
  std::vector<double> f, a(positions_t0.size(), 0.0);
  if (holds_) {
    motion = parts_.conditions.held_motion(time, h);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (held[i]) a[i] = (motion.velocity[i] - state.velocities[i]) / h;
  }
  potential.forces(positions_t0, state.velocities, f);
  iterations += mass_.solve(f, held, a);
  if (holds_) {
    potential.mass().multiply(a, booking.reactions);
    for (std::size_t i = 0; i < f.size(); ++i) booking.reactions[i] = held[i] ? booking.reactions[i] - f[i] : 0.0;
  }
  booking.power = potential.damping_power(state.velocities);

  integrator.advance(state, a, h);
  for (std::size_t i = 0; i < motion.velocity.size(); ++i)
    if (held[i]) {
      state.positions[i] = positions_t0[i] + displacement[i];
      state.velocities[i] = motion.velocity[i];
    }
  // Squares must be finite, too: energies are made of them.
  const auto& v = state.velocities;
  const bool bad = std::any_of(v.begin(), v.end(), [](double value) { return !std::isfinite(value * value); });
  if (base::global_or(potential.mesh().comm, bad)) return "velocities are not finite or too large";
  booking.time = time;
  booking.h = h;
  book(state, booking);
  return {};
}

std::string TimeStepper::find_fault(const std::vector<double>& positions) const {
  const auto& potential = parts_.potential;
  const std::string bad = potential.describe_non_finite(positions);
  if (!bad.empty()) return bad;
  const auto worst = potential.min_jacobian(positions, true);
  if (worst.cell_id < 0 || worst.jacobian > 0.0) return {};
  return fmt::format("{} is inverted at the end of the step (det F = {:g})", potential.cell_name(worst.cell_id),
                     worst.jacobian);
}

void TimeStepper::book(dofs::State& state, const Booking& booking) const {
  const auto& mesh = parts_.potential.mesh();
  const bool averages = averages_ends(parts_.integrator.scheme());
  const Vector3 g0 = parts_.gravity(booking.time), g1 = parts_.gravity(booking.time + booking.h);
  const auto& mass = parts_.potential.mass().row_sums();
  std::vector<double> work(2, 0.0); // of loads, of held nodes
  for (std::size_t i = 0; i < 3 * mass.size(); ++i) {
    const double x0 = booking.positions_t0[i], x1 = booking.positions_t1[i], dx = x1 - x0;
    work[0] += booking.loads[i] * dx - mass[i / 3] * (g1[i % 3] - g0[i % 3]) * 0.5 * (x0 + x1);
    if (!holds_) continue;
    // A component that was not held before has a reaction of zero: there is none to average with.
    const double before = averages && state.reactions.present ? state.reactions.values[i] : 0.0;
    work[1] += (before == 0.0 ? booking.reactions[i] : 0.5 * (before + booking.reactions[i])) * dx;
  }
  base::global_sum(mesh.comm, work);
  state.ledger.load_work += work[0];
  state.ledger.boundary_work += work[1];
  state.ledger.dissipated += booking.h * (averages ? 0.5 * (state.damping_power + booking.power) : booking.power);
  state.damping_power = booking.power;
  if (!holds_) return;
  auto reactions = booking.reactions;
  reactions.resize(3 * std::size_t(mesh.local_nodes), 0.0);
  state.reactions.set(std::move(reactions));
}

void TimeStepper::serialize(base::Archive& archive) {
  archive.value("explicit/frequency", frequency_);
  archive.value("explicit/margin", margin_);
}

} // namespace limber::solvers
