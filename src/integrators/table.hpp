#pragma once
/// The time integrators' table (docs/theory.md): how a step becomes a minimization, and its minimizer the next state.
///
///   minimize E(x) = ½ ‖x − x̂‖²_M + β h² Φ(x),   damping sees the velocity (x − x_v)/ĥ
///
/// Hairer and Wanner, Solving Ordinary Differential Equations II, V.1 (bdf2); Newmark, J. Eng. Mech. Div. ASCE 85,
/// 1959; Hairer, Lubich and Wanner, Geometric Numerical Integration, 2nd ed., I.1 and VI.6 (symplectic Euler,
/// midpoint).

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dofs/body_options.hpp"
#include "dofs/state.hpp"

namespace limber::integrators {

enum class Scheme { statics, forward_euler, symplectic_euler, backward_euler, bdf2, newmark, midpoint };

/// What is particular to one step. Vectors: 3 per local node.
struct StepForm {
  std::vector<double> target;          ///< x̂ [m]; empty in statics
  double scale = 1.0;                  ///< β h² [s²]; 1 in statics
  double velocity_time = 1.0;          ///< ĥ [s]; of no meaning in statics
  std::vector<double> velocity_origin; ///< x_v [m]; empty in statics
};

class Integrator {
public:
  /// \param name one of the configuration's. Throws InternalError for another one.
  /// \param beta,gamma of Newmark's method
  explicit Integrator(const std::string& name, double beta = 0.25, double gamma = 0.5)
      : scheme_(scheme_of(name)), beta_(beta), gamma_(gamma) {}

  Scheme scheme() const { return scheme_; }
  bool is_static() const { return scheme_ == Scheme::statics; }
  bool is_explicit() const { return scheme_ == Scheme::forward_euler || scheme_ == Scheme::symplectic_euler; }
  /// Whether form() takes the state's accelerations.
  bool needs_accelerations() const { return scheme_ == Scheme::newmark; }
  /// Whether held nodes have the velocity of their condition at the end of the step. Backward Euler gives them the mean
  /// of the step, as it does all others.
  bool has_held_velocities() const { return !is_static() && scheme_ != Scheme::backward_euler; }
  /// What part of the step has passed at the unknown x of the minimization, where Φ is taken.
  double unknown_at() const { return scheme_ == Scheme::midpoint ? 0.5 : 1.0; }

  /// The minimization of a step of size h. Not for explicit integrators.
  StepForm form(const dofs::State& s, double h) const {
    StepForm form;
    const auto &x = s.positions, &v = s.velocities;
    if (is_static()) return form;
    form.target.resize(x.size());
    form.velocity_origin = x;
    if (scheme_ == Scheme::midpoint) {
      form.scale = 0.25 * h * h;
      form.velocity_time = 0.5 * h;
      for (std::size_t i = 0; i < x.size(); ++i) form.target[i] = x[i] + 0.5 * h * v[i];
    } else if (scheme_ == Scheme::newmark) {
      const auto& a = s.accelerations.values;
      form.scale = beta_ * h * h;
      form.velocity_time = beta_ * h / gamma_;
      for (std::size_t i = 0; i < x.size(); ++i) {
        form.target[i] = x[i] + h * v[i] + (0.5 - beta_) * h * h * a[i];
        form.velocity_origin[i] = form.target[i] - form.velocity_time * (v[i] + (1.0 - gamma_) * h * a[i]);
      }
    } else if (takes_history(s, h)) {
      const Bdf2 c(h / s.previous_step);
      form.scale = h * h / (c.lead * c.lead);
      form.velocity_time = h / c.lead;
      for (std::size_t i = 0; i < x.size(); ++i) {
        form.velocity_origin[i] = c.past(x[i], s.previous_positions.values[i]) / c.lead;
        form.target[i] =
            form.velocity_origin[i] + h * c.past(v[i], s.previous_velocities.values[i]) / (c.lead * c.lead);
      }
    } else { // backward Euler
      form.scale = h * h;
      form.velocity_time = h;
      for (std::size_t i = 0; i < x.size(); ++i) form.target[i] = x[i] + h * v[i];
    }
    return form;
  }

  /// Makes x̂ and x_v of a held component such that it has the velocity and the acceleration of its condition, rather
  /// than those of the formula, which would answer a jump of the velocity by a ripple (newmark, midpoint).
  /// \param x the unknown's value there [m] \param velocity,acceleration of the condition, at the end of the step
  void hold(StepForm& form, const dofs::State& s, double h, std::size_t i, double x, double velocity,
            double acceleration) const {
    if (!has_held_velocities()) return;
    const double mean = (velocity - s.velocities[i]) / h;
    if (scheme_ == Scheme::midpoint) {
      form.target[i] = x - form.scale * mean;
      return;
    }
    if (scheme_ == Scheme::bdf2) {
      acceleration = mean;
      if (takes_history(s, h)) {
        const Bdf2 c(h / s.previous_step);
        acceleration = (c.lead * velocity - c.past(s.velocities[i], s.previous_velocities.values[i])) / h;
      }
    }
    form.target[i] = x - form.scale * acceleration;
    form.velocity_origin[i] = x - form.velocity_time * velocity;
  }

  /// Positions at the end of the step.
  std::vector<double> end_positions(const dofs::State& s, const std::vector<double>& x) const {
    if (scheme_ != Scheme::midpoint) return x;
    std::vector<double> end(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) end[i] = 2.0 * x[i] - s.positions[i];
    return end;
  }

  /// Makes the state that of the end of the step; step and time are left to the caller.
  /// \param x the minimizer of form(state, h), 3 per local node
  void finish(dofs::State& s, const StepForm& form, const std::vector<double>& x, double h) const {
    auto positions_t1 = end_positions(s, x);
    std::vector<double> velocities_t1(x.size(), 0.0);
    for (std::size_t i = 0; i < x.size() && !is_static(); ++i) {
      if (scheme_ == Scheme::midpoint)
        velocities_t1[i] = 2.0 * (positions_t1[i] - s.positions[i]) / h - s.velocities[i];
      else if (scheme_ != Scheme::newmark) velocities_t1[i] = (x[i] - form.velocity_origin[i]) / form.velocity_time;
    }
    if (scheme_ == Scheme::newmark) {
      std::vector<double> a(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        a[i] = (x[i] - form.target[i]) / form.scale;
        velocities_t1[i] = s.velocities[i] + h * ((1.0 - gamma_) * s.accelerations.values[i] + gamma_ * a[i]);
      }
      s.accelerations.set(std::move(a));
    }
    if (scheme_ == Scheme::bdf2) {
      s.previous_positions.set(std::move(s.positions));
      s.previous_velocities.set(std::move(s.velocities));
    }
    // A state of another integrator may have what this one does not keep.
    if (scheme_ != Scheme::newmark) s.accelerations = {};
    if (scheme_ != Scheme::bdf2) s.previous_positions = s.previous_velocities = {};
    s.positions = std::move(positions_t1);
    s.velocities = std::move(velocities_t1);
    s.previous_step = h;
  }

  /// A step of an explicit integrator: forward Euler x += h vⁿ, v += h aⁿ; symplectic Euler v += h aⁿ, x += h vⁿ⁺¹.
  /// \param accelerations M⁻¹ f(xⁿ), 3 per local node
  void advance(dofs::State& s, const std::vector<double>& accelerations, double h) const {
    for (std::size_t i = 0; i < accelerations.size(); ++i) {
      const double v0 = s.velocities[i];
      s.velocities[i] += h * accelerations[i];
      s.positions[i] += h * (scheme_ == Scheme::forward_euler ? v0 : s.velocities[i]);
    }
    s.accelerations = s.previous_positions = s.previous_velocities = {};
    s.previous_step = h;
  }

  /// Largest stable step of an explicit integrator [s] for vibrations up to the angular frequency ω [rad/s], with
  /// damping coefficients between `least` and `most`. With c = (α + βω²)/2, symplectic Euler has 2/(√(ω² + c²) + c)
  /// (Belytschko, Liu and Moran, Nonlinear Finite Elements, 6.2). Forward Euler makes every undamped vibration grow:
  /// its step is the one with which the energy of the fastest grows by no more than a factor e in the whole run.
  double stable_step(double omega, const dofs::DampingOptions& least, const dofs::DampingOptions& most,
                     double duration) const {
    if (omega <= 0.0 && most.mass <= 0.0) return std::numeric_limits<double>::infinity();
    const double c = 0.5 * (most.mass + most.stiffness * omega * omega);
    if (scheme_ == Scheme::symplectic_euler) return 2.0 / (std::hypot(omega, c) + c);
    const double growth = omega > 0.0 ? least.stiffness + (least.mass + 1.0 / duration) / (omega * omega)
                                      : std::numeric_limits<double>::infinity();
    return c > omega ? std::min(growth, 2.0 / (c + std::sqrt(c * c - omega * omega))) : growth;
  }

private:
  /// v = (lead·x − past(xⁿ, xⁿ⁻¹))/h for steps that grow by ω; (1.5, 2xⁿ − xⁿ⁻¹/2) for equal ones.
  struct Bdf2 {
    explicit Bdf2(double ratio) : omega(ratio), lead((1.0 + 2.0 * ratio) / (1.0 + ratio)) {}
    double past(double x0, double before) const { return (1.0 + omega) * x0 - omega * omega / (1.0 + omega) * before; }
    double omega, lead;
  };

  /// Whether a step of bdf2 uses the one before. A step that is more than twice as long does not (the method is
  /// unstable from 1 + √2 on): single steps of backward Euler keep the order.
  bool takes_history(const dofs::State& s, double h) const {
    return scheme_ == Scheme::bdf2 && s.previous_positions.present && s.previous_velocities.present &&
           s.previous_step > 0.0 && h <= 2.001 * s.previous_step;
  }

  static Scheme scheme_of(const std::string& name) {
    constexpr std::pair<const char*, Scheme> names[] = {{"static", Scheme::statics},
                                                        {"forward_euler", Scheme::forward_euler},
                                                        {"symplectic_euler", Scheme::symplectic_euler},
                                                        {"backward_euler", Scheme::backward_euler},
                                                        {"bdf2", Scheme::bdf2},
                                                        {"newmark", Scheme::newmark},
                                                        {"midpoint", Scheme::midpoint}};
    for (const auto& [known, scheme] : names)
      if (name == known) return scheme;
    throw base::InternalError("there is no integrator '" + name + "'");
  }

  Scheme scheme_;
  double beta_, gamma_;
};

} // namespace limber::integrators
