#pragma once
/// Index types and small value types that every folder uses.

#include <array>
#include <cstdint>

namespace limber {

/// Index of a node, cell or degree of freedom on this rank.
using LocalIndex = std::int32_t;
/// Index over all ranks, or an id of the input mesh.
using GlobalIndex = std::int64_t;
/// A point, vector or color in space.
using Vector3 = std::array<double, 3>;

} // namespace limber
