#pragma once
/// Materials that keep something at each integration point of an element, such as a lagged rotation.

#include "base/host_device.hpp"

namespace limber::materials {

/// One material for each of N points.
template <class Material, int N> struct MaterialPoints { Material points[N]; };

/// The material at point q: the same everywhere, or the one that is kept there.
template <class Material> LIMBER_HOST_DEVICE const Material& material_at(const Material& material, int) {
  return material;
}
template <class Material, int N>
LIMBER_HOST_DEVICE const Material& material_at(const MaterialPoints<Material, N>& material, int q) {
  return material.points[q];
}

} // namespace limber::materials
