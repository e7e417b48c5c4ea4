#pragma once
/// Energy of a spring between two nodes:
///   ψ = l² k/2 (|d|²/l² − 1)²,   d = x_1 − x_0, l the rest length
/// k: stiffness [N/m]; ψ [J]. The factor l² makes it an integral over the body that the springs stand for, so that the
/// same k serves every mesh. A polynomial, finite also where the spring has no length.
/// Arrays: positions x[6] and gradient g[6] are vertex-major [m]; Hessians H[36] have entry (a, b) at a + 6 b.
/// Li et al., "Physics-based simulation", chapter 4.3, equation (4.3.1).

#include "math/matrix3.hpp"

namespace limber::energies {

template <class T> struct SpringRest {
  T length2; ///< l² [m²]
};

template <class T> struct SpringStiffness {
  T stiffness; ///< k [N/m]

  static constexpr bool infinite_at_inversion = false;
};

/// |d|²/l² at the positions x[6].
template <class T> LIMBER_HOST_DEVICE T spring_ratio2(const SpringRest<T>& rest, const T x[6]) {
  const T d[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
  return math::dot3(d, d) / rest.length2;
}

/// Rest data from the rest positions X[6]; a spring without length gives infinite or NaN values.
template <class T> LIMBER_HOST_DEVICE SpringRest<T> make_spring_rest(const T X[6]) {
  const T d[3] = {X[3] - X[0], X[4] - X[1], X[5] - X[2]};
  return {math::dot3(d, d)};
}

/// ψ [J]
template <class T>
LIMBER_HOST_DEVICE T spring_energy(const SpringStiffness<T>& material, const SpringRest<T>& rest, const T x[6]) {
  const T strain = spring_ratio2(rest, x) - T(1.0);
  return T(0.5) * material.stiffness * rest.length2 * strain * strain;
}

/// Returns the energy [J], writes the gradient ±2 k (|d|²/l² − 1) d [N].
template <class T>
LIMBER_HOST_DEVICE T spring_energy_gradient(const SpringStiffness<T>& material, const SpringRest<T>& rest, const T x[6],
                                            T g[6]) {
  const T strain = spring_ratio2(rest, x) - T(1.0);
  const T force = T(2.0) * material.stiffness * strain;
  for (int i = 0; i < 3; ++i) {
    g[3 + i] = force * (x[3 + i] - x[i]);
    g[i] = -g[3 + i];
  }
  return T(0.5) * material.stiffness * rest.length2 * strain * strain;
}

/// Hessian [K −K; −K K] [N/m], K = 2 k ((|d|²/l² − 1) I + 2 d dᵀ/l²).
/// \param project take the nearest positive semi-definite matrix: K has the eigenvalues 2 k (3 |d|²/l² − 1) along d and
///   2 k (|d|²/l² − 1) across it, and negative ones are left out
template <class T>
LIMBER_HOST_DEVICE void spring_hessian(const SpringStiffness<T>& material, const SpringRest<T>& rest, const T x[6],
                                       bool project, T H[36]) {
  const T d[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
  const T ratio = math::dot3(d, d) / rest.length2, k2 = T(2.0) * material.stiffness;
  T across = k2 * (ratio - T(1.0)), direct = T(2.0) * k2 / rest.length2; // K = across I + direct d dᵀ
  if (project) {
    const auto compressed = ratio < T(1.0), pushed = ratio <= T(1.0 / 3.0);
    const T along = k2 * (T(3.0) * ratio - T(1.0)) / (math::select(pushed, T(1.0), ratio) * rest.length2);
    direct = math::select(compressed, math::select(pushed, T(0.0), along), direct);
    across = math::select(compressed, T(0.0), across);
  }
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      T entry = direct * (d[i] * d[j]);
      if (i == j) entry = entry + across;
      H[i + 6 * j] = H[i + 3 + 6 * (j + 3)] = entry;
      H[i + 3 + 6 * j] = H[i + 6 * (j + 3)] = -entry;
    }
}

/// Entry (a, b) of the consistent nodal mass matrix of a straight line over its mass: (1 + δ_ab)/6.
LIMBER_HOST_DEVICE constexpr double spring_mass_share(int a, int b) { return a == b ? 2.0 / 6.0 : 1.0 / 6.0; }

} // namespace limber::energies
