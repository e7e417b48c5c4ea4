#pragma once
/// A scalar that counts what is computed with it: +, −, ·, /, √ are one operation each, signs, comparisons and
/// selections none. Kernels are templates of their scalar, so that this counts them as they are written; compilers may
/// do with less. To be included before the headers of materials/ and energies/, whose qualified calls must find it.

#include <cmath>

#include "math/pack.hpp"

namespace limber::math {

struct Counted {
  double v = 0.0;
  inline static long operations = 0;

  Counted() = default;
  explicit Counted(double value) : v(value) {}

  friend Counted operator+(Counted a, Counted b) { return counted(a.v + b.v); }
  friend Counted operator-(Counted a, Counted b) { return counted(a.v - b.v); }
  friend Counted operator*(Counted a, Counted b) { return counted(a.v * b.v); }
  friend Counted operator/(Counted a, Counted b) { return counted(a.v / b.v); }
  friend Counted operator-(Counted a) { return Counted(-a.v); }
  friend bool operator<(Counted a, Counted b) { return a.v < b.v; }
  friend bool operator>(Counted a, Counted b) { return a.v > b.v; }
  friend bool operator<=(Counted a, Counted b) { return a.v <= b.v; }
  friend bool operator>=(Counted a, Counted b) { return a.v >= b.v; }
  friend bool operator==(Counted a, Counted b) { return a.v == b.v; }

private:
  static Counted counted(double value) {
    ++operations;
    return Counted(value);
  }
  friend Counted sqrt(Counted a) { return counted(std::sqrt(a.v)); }
};

inline Counted select(bool mask, Counted a, Counted b) { return mask ? a : b; }
inline Counted abs(Counted a) { return Counted(std::fabs(a.v)); }
inline Counted min(Counted a, Counted b) { return a < b ? a : b; }
inline Counted max(Counted a, Counted b) { return b < a ? a : b; }
inline void split_exponent(Counted a, Counted& mantissa, Counted& exponent) {
  split_exponent(a.v, mantissa.v, exponent.v);
}

} // namespace limber::math
