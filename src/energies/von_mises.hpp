#pragma once
/// Cauchy stress and its von Mises value.

#include "math/matrix3.hpp"

namespace limber::energies {

/// σ = P Fᵀ/J [Pa], symmetric up to round-off; J ≠ 0.
template <class T>
LIMBER_HOST_DEVICE math::Matrix3<T> cauchy_stress(const math::Matrix3<T>& p, const math::Matrix3<T>& f) {
  return (T(1.0) / math::determinant(f)) * (p * math::transpose(f));
}

/// √(3/2 dev σ : dev σ) [Pa]
template <class T> LIMBER_HOST_DEVICE T von_mises_stress(const math::Matrix3<T>& sigma) {
  math::Matrix3<T> deviator = sigma;
  const T mean = math::trace(sigma) * T(1.0 / 3.0);
  for (int i = 0; i < 3; ++i) deviator(i, i) = deviator(i, i) - mean;
  return math::sqrt(T(1.5) * math::contract(deviator, deviator));
}

} // namespace limber::energies
