#include "mesh/space_filling_curve.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace limber::mesh {
namespace {

constexpr int levels = 21;

/// Skilling, "Programming the Hilbert curve" (AIP 2004): axes to transposed index, then bits interleaved.
std::uint64_t hilbert_index(std::array<std::uint32_t, 3> x) {
  for (std::uint32_t q = 1u << (levels - 1); q > 1; q >>= 1) {
    const std::uint32_t p = q - 1;
    for (auto& xi : x) {
      if (xi & q) {
        x[0] ^= p;
      } else {
        const std::uint32_t t = (x[0] ^ xi) & p;
        x[0] ^= t;
        xi ^= t;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = 1u << (levels - 1); q > 1; q >>= 1)
    if (x[2] & q) t ^= q - 1;
  for (auto& xi : x) xi ^= t;

  std::uint64_t key = 0;
  for (int bit = levels - 1; bit >= 0; --bit)
    for (std::uint32_t xi : x) key = (key << 1) | ((xi >> bit) & 1u);
  return key;
}

} // namespace

std::vector<std::uint64_t> hilbert_keys(const std::vector<double>& points) {
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], points[i]);
    high[i % 3] = std::max(high[i % 3], points[i]);
  }
  double side = 0.0;
  for (int k = 0; k < 3; ++k) side = std::max(side, high[k] - low[k]);
  const double cells = double((1u << levels) - 1);
  const double scale = side > 0.0 ? cells / side : 0.0;

  std::vector<std::uint64_t> keys(points.size() / 3);
  for (std::size_t n = 0; n < keys.size(); ++n) {
    std::array<std::uint32_t, 3> x;
    for (int k = 0; k < 3; ++k)
      x[k] = static_cast<std::uint32_t>(std::min(cells, std::max(0.0, (points[3 * n + k] - low[k]) * scale)));
    keys[n] = hilbert_index(x);
  }
  return keys;
}

} // namespace limber::mesh
