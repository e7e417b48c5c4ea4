#pragma once
/// Neumaier's compensated sum: energies of many stencils are added with an error that does not grow with their number.

#include <cmath>

namespace limber::base {

class CompensatedSum {
public:
  void add(double x) {
    const double sum = sum_ + x;
    correction_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const {
    // An infinite term leaves NaN in the correction.
    return std::isfinite(sum_) ? sum_ + correction_ : sum_;
  }

private:
  double sum_ = 0.0;
  double correction_ = 0.0;
};

} // namespace limber::base
