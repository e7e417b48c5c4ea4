#include "mesh/surface_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <string_view>

#include "mesh/gmsh_file_check.hpp"

namespace limber::mesh {

namespace {

[[noreturn]] void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

const char kExportAgain[] = "Export the surface again as binary or ASCII .stl, or as .obj.";

std::string content_of(const std::string& path, const base::ErrorContext& context) {
  check_readable(path, context);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) fail("the file cannot be read", context, "Check the file's permissions and the disk.");
  return std::move(bytes).str();
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

/// Words of a text, one after the other; counts lines.
class Words {
public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// Empty at the end; `in_line` stops at the end of the line also.
  std::string_view next(bool in_line = false) {
    while (!rest_.empty() && is_space(rest_.front()) && !(in_line && rest_.front() == '\n')) step();
    std::size_t length = 0;
    while (length < rest_.size() && !is_space(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  std::string_view line_rest() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(line.size());
    return line;
  }
  int line() const { return line_; }

private:
  void step() {
    if (rest_.front() == '\n') ++line_;
    rest_.remove_prefix(1);
  }
  std::string_view rest_;
  int line_ = 1;
};

double to_number(std::string_view word, const Words& words, base::ErrorContext context) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // A number too small for a double is zero.
  const bool tiny = error == std::errc::result_out_of_range && std::abs(value) < 1.0;
  if ((error != std::errc{} && !tiny) || end != word.data() + word.size() || !std::isfinite(value)) {
    context.line = words.line();
    fail(word.empty() ? "a coordinate is missing: the file is damaged or cut off"
                      : "'" + std::string(word.substr(0, 40)) + "' is not a coordinate",
         context, kExportAgain);
  }
  return value;
}

bool same_word(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

constexpr std::size_t kStlHeader = 84;   // 80 bytes of text and the number of triangles
constexpr std::size_t kStlTriangle = 50; // normal, three vertices in single precision, two bytes of attributes

void read_binary_stl(std::string_view bytes, TriangleSurface& surface) {
  const std::size_t count = little_endian(bytes.data() + 80);
  surface.points.reserve(9 * count);
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t k = 0; k < 9; ++k) {
      const std::uint32_t bits = little_endian(bytes.data() + kStlHeader + kStlTriangle * t + 12 + 4 * k);
      float x;
      std::memcpy(&x, &bits, sizeof x);
      surface.points.push_back(static_cast<double>(x));
    }
  }
}

void read_ascii_stl(std::string_view text, TriangleSurface& surface, base::ErrorContext context) {
  Words words(text);
  bool ended = false;
  std::size_t in_facet = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    context.line = words.line();
    if (same_word(word, "solid") || same_word(word, "endsolid")) {
      // The name may hold any words. A file may hold several solids.
      words.line_rest();
      ended = same_word(word, "endsolid");
    } else if (same_word(word, "facet")) {
      in_facet = 0;
    } else if (same_word(word, "vertex")) {
      for (int k = 0; k < 3; ++k) surface.points.push_back(to_number(words.next(), words, context));
      ++in_facet;
    } else if (same_word(word, "endfacet") && in_facet != 3) {
      fail("a facet has " + std::to_string(in_facet) + " vertices instead of three", context, kExportAgain);
    }
  }
  if (!ended || surface.points.size() % 9 != 0)
    fail("the file is cut off: it does not end with endsolid", context, kExportAgain);
}

void read_stl(std::string_view bytes, TriangleSurface& surface, const base::ErrorContext& context) {
  const bool has_header = bytes.size() >= kStlHeader;
  const std::size_t binary_size =
      has_header ? kStlHeader + kStlTriangle * std::size_t{little_endian(bytes.data() + 80)} : 0;
  // Some binary files also begin with "solid", but their size tells.
  if (has_header && bytes.size() == binary_size) {
    read_binary_stl(bytes, surface);
  } else if (bytes.substr(0, 5) == "solid" || same_word(Words(bytes).next(), "solid")) {
    read_ascii_stl(bytes, surface, context);
  } else {
    fail(has_header ? "this is no STL file, or it is cut off: " + std::to_string(bytes.size()) +
                          " bytes, where its header says " + std::to_string(binary_size)
                    : "this is no STL file, or it is cut off",
         context, kExportAgain);
  }
  surface.triangles.resize(surface.points.size() / 3);
  std::iota(surface.triangles.begin(), surface.triangles.end(), 0);
}

/// Cuts a polygon into triangles by clipping ears (Meisters 1975) in the plane of its Newell normal, the best-shaped
/// corner first so that quadrangles are cut along the shorter way.
void triangulate(std::vector<LocalIndex> polygon, TriangleSurface& surface) {
  using Point = std::array<double, 2>;
  std::array<double, 3> normal{};
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector3 a = surface.point(polygon[i]), b = surface.point(polygon[(i + 1) % polygon.size()]);
    for (std::size_t k = 0; k < 3; ++k)
      normal[k] += (a[(k + 1) % 3] - b[(k + 1) % 3]) * (a[(k + 2) % 3] + b[(k + 2) % 3]);
  }
  const auto axis = static_cast<std::size_t>(
      std::max_element(normal.begin(), normal.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      normal.begin());
  const double sign = normal[axis] < 0.0 ? -1.0 : 1.0;
  const auto project = [&](LocalIndex vertex) -> Point {
    const Vector3 x = surface.point(vertex);
    return {x[(axis + 1) % 3], sign * x[(axis + 2) % 3]};
  };
  const auto area = [](const Point& a, const Point& b, const Point& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  };
  const auto length2 = [](const Point& a, const Point& b) {
    return std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2);
  };
  while (polygon.size() > 3) {
    const std::size_t n = polygon.size();
    std::size_t best = 1; // where nothing is an ear (a polygon that crosses itself) any corner is as good
    double best_quality = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const Point a = project(polygon[(i + n - 1) % n]), b = project(polygon[i]), c = project(polygon[(i + 1) % n]);
      const double twice = area(a, b, c);
      const double quality = twice / (length2(a, b) + length2(b, c) + length2(c, a));
      if (!(quality > best_quality)) continue;
      bool ear = true;
      for (std::size_t k = 2; k < n - 1 && ear; ++k) {
        const Point p = project(polygon[(i + k) % n]);
        ear = !(area(a, b, p) >= 0.0 && area(b, c, p) >= 0.0 && area(c, a, p) >= 0.0);
      }
      if (!ear) continue;
      best = i;
      best_quality = quality;
    }
    const std::size_t before = best == 0 ? n - 1 : best - 1, after = best + 1 == n ? 0 : best + 1;
    surface.triangles.insert(surface.triangles.end(), {polygon[before], polygon[best], polygon[after]});
    polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(best));
  }
  surface.triangles.insert(surface.triangles.end(), polygon.begin(), polygon.end());
}

/// The vertex number of a corner such as 3, 3/1, 3//2 or -1 (counted from the last vertex so far); zero-based.
LocalIndex to_vertex(std::string_view word, std::size_t count, const base::ErrorContext& context) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size())
    fail("'" + std::string(word) + "' is not a corner of a face", context, kExportAgain);
  const auto total = static_cast<std::int64_t>(count);
  const std::int64_t index = number > 0 ? number - 1 : total + number;
  if (number == 0 || index < 0 || index >= total)
    fail("a face refers to vertex " + std::to_string(number) + "; there are " + std::to_string(count) + " so far",
         context, kExportAgain);
  return static_cast<LocalIndex>(index);
}

void read_obj(std::string_view text, TriangleSurface& surface, base::ErrorContext context) {
  Words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    context.line = words.line();
    if (word == "v") {
      for (int k = 0; k < 3; ++k) surface.points.push_back(to_number(words.next(true), words, context));
    } else if (word == "f") {
      std::vector<LocalIndex> polygon;
      for (std::string_view corner = words.next(true); !corner.empty(); corner = words.next(true))
        polygon.push_back(to_vertex(corner, surface.point_count(), context));
      if (polygon.size() < 3) fail("a face has " + std::to_string(polygon.size()) + " corners", context, kExportAgain);
      triangulate(std::move(polygon), surface);
      continue;
    }
    words.line_rest();
  }
}

/// Merges vertices of identical coordinates and drops those that no triangle uses; the rest keep their order.
void merge_vertices(TriangleSurface& surface) {
  const std::size_t count = surface.point_count();
  for (double& x : surface.points) x += 0.0; // -0 and 0 are the same place
  std::vector<LocalIndex> order(count), same_as(count), new_index(count, -1);
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](LocalIndex a, LocalIndex b) {
    const Vector3 x = surface.point(a), y = surface.point(b);
    return x != y ? x < y : a < b;
  };
  std::sort(order.begin(), order.end(), less);
  for (std::size_t i = 0; i < count; ++i) {
    const auto vertex = static_cast<std::size_t>(order[i]);
    const bool again = i > 0 && surface.point(order[i]) == surface.point(order[i - 1]);
    same_as[vertex] = again ? same_as[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  for (LocalIndex& vertex : surface.triangles) {
    vertex = same_as[static_cast<std::size_t>(vertex)];
    new_index[static_cast<std::size_t>(vertex)] = 0;
  }
  std::vector<double> points;
  LocalIndex next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = next++;
    points.insert(points.end(), &surface.points[3 * i], &surface.points[3 * i] + 3);
  }
  for (LocalIndex& vertex : surface.triangles) vertex = new_index[static_cast<std::size_t>(vertex)];
  surface.points.swap(points);
}

} // namespace

TriangleSurface read_surface(const std::string& path, const base::ErrorContext& context) {
  const std::string bytes = content_of(path, context);
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // A corner takes at least two bytes, a vertex at least six.
  if (bytes.size() > 2 * std::size_t(std::numeric_limits<LocalIndex>::max()))
    fail("the file is too large for a surface with 32-bit indices", context, "Use a coarser surface.");
  TriangleSurface surface;
  ending == ".obj" ? read_obj(bytes, surface, context) : read_stl(bytes, surface, context);
  if (surface.triangles.empty()) fail("the file has no triangles", context, kExportAgain);
  for (const double x : surface.points)
    if (!std::isfinite(x)) fail("the surface has coordinates that are not finite numbers", context, kExportAgain);
  merge_vertices(surface);
  return surface;
}

} // namespace limber::mesh
