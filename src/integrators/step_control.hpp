#pragma once
/// Sizes of the time steps: the nominal one, halved where a step fails and doubled back afterwards.

#include <algorithm>
#include <cmath>

#include "base/archive.hpp"

namespace limber::integrators {

class StepControl {
public:
  StepControl(double nominal, double duration, int max_halvings)
      : nominal_(nominal), duration_(duration), max_halvings_(max_halvings), size_(nominal) {}

  bool finished(double time) const { return time >= duration_ - tolerance * nominal_; }

  /// Size of the step from `time`: not beyond the next multiple of the nominal size nor the end of the run, so that
  /// halved steps lead back to the times of an undisturbed run.
  double next(double time) const {
    double to_grid = nominal_ * next_multiple(time) - time;
    if (std::abs(to_grid - nominal_) <= tolerance * nominal_) to_grid = nominal_; // the same bits in every full step
    const double h = std::min(size_, to_grid);
    const double rest = duration_ - time;
    return rest <= h * (1.0 + tolerance) && std::abs(rest - h) > tolerance * nominal_ ? rest : h;
  }

  /// Time after a step of size h: exactly a multiple of the nominal size where it is one, else exactly the duration.
  /// The multiple comes first, so that a run that stops there and is continued has the times of one that goes on.
  double advance(double time, double h) const {
    const double end = time + h, grid = nominal_ * std::round(end / nominal_);
    if (std::abs(end - grid) <= tolerance * nominal_) return grid;
    return std::abs(end - duration_) <= tolerance * nominal_ ? duration_ : end;
  }

  void accepted() { size_ = std::min(2.0 * size_, nominal_); }

  /// Halves the size of the step that failed. \return false if that was done often enough
  bool rejected(double h) {
    size_ = 0.5 * h;
    return size_ >= nominal_ * std::ldexp(1.0, -max_halvings_) * (1.0 - tolerance);
  }

  /// A restart may change the nominal size and the duration: only how far the size was reduced is kept.
  void serialize(base::Archive& archive) {
    double reduction = size_ / nominal_;
    archive.value("step_reduction", reduction);
    size_ = reduction * nominal_;
  }

private:
  static constexpr double tolerance = 1e-9; ///< relative to the nominal size; far above round-off in times
  double next_multiple(double time) const { return std::floor(time / nominal_ + tolerance) + 1.0; }

  double nominal_, duration_; ///< [s]
  int max_halvings_;
  double size_; ///< [s]
};

} // namespace limber::integrators
