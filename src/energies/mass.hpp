#pragma once
/// Mass of linear tetrahedra [kg]: density ρ [kg/m³], rest volume V [m³]. The 12×12 matrix is the nodal one times I₃.

#include "base/host_device.hpp"

namespace limber::energies {

/// Entry (a, b) of the consistent nodal mass matrix: ρ V (1 + δ_ab)/20.
template <class T> LIMBER_HOST_DEVICE T tetrahedron_consistent_mass(T density, T volume, int a, int b) {
  return density * volume * T(a == b ? 2.0 / 20.0 : 1.0 / 20.0);
}

/// Lumped mass of each node, the row sum: ρ V/4.
template <class T> LIMBER_HOST_DEVICE T tetrahedron_lumped_mass(T density, T volume) {
  return density * volume * T(0.25);
}

} // namespace limber::energies
