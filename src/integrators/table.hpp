#pragma once
/// The time integrators' table (docs/design.md); this version has backward Euler and statics.

#include <string>
#include <vector>

namespace limber::integrators {

/// How a step of an integrator becomes a minimization, and its minimizer the next state.
class Integrator {
public:
  /// \param name backward_euler | static
  explicit Integrator(const std::string& name) : static_(name == "static") {}

  bool is_static() const { return static_; }

  /// x̂ [m] of a step of size h; empty in statics, where there is no inertia. Backward Euler: xⁿ + h vⁿ
  std::vector<double> target(const std::vector<double>& positions, const std::vector<double>& velocities,
                             double h) const {
    if (static_) return {};
    std::vector<double> target(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) target[i] = positions[i] + h * velocities[i];
    return target;
  }

  /// β h² [s²]; backward Euler: β = 1; statics: 1 s²
  double scale(double h) const { return static_ ? 1.0 : h * h; }

  /// Velocities at the end of the step: backward Euler (x − xⁿ)/h; zero in statics.
  std::vector<double> velocities(const std::vector<double>& positions_t1, const std::vector<double>& positions_t0,
                                 double h) const {
    std::vector<double> velocities(positions_t1.size(), 0.0);
    for (std::size_t i = 0; i < velocities.size() && !static_; ++i)
      velocities[i] = (positions_t1[i] - positions_t0[i]) / h;
    return velocities;
  }

private:
  bool static_;
};

} // namespace limber::integrators
