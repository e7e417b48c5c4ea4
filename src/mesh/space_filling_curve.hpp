#pragma once
/// Hilbert curve: sorts nodes in space, so that neighbors in the mesh are neighbors in memory.

#include <cstdint>
#include <vector>

namespace limber::mesh {

/// Position of each point on a Hilbert curve of 21 levels over the points' bounding cube.
/// \param points 3 per point
std::vector<std::uint64_t> hilbert_keys(const std::vector<double>& points);

} // namespace limber::mesh
