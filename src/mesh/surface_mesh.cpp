#include "mesh/surface_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <utility>

namespace limber::mesh {

namespace {

constexpr std::size_t kListed = 3; ///< offenders that a message names

/// A triangle is flat where twice its area is below this multiple of its longest edge squared: rounding errors of
/// doubles, not of the single precision in which STL files are written.
constexpr double kFlat = 1e-12;

/// A shell encloses nothing below this multiple of its diagonal cubed.
constexpr double kNoVolume = 1e-12;

[[noreturn]] void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

const char kRemedy[] = "Repair the surface (for example MeshLab: Filters > Cleaning and Repairing, and Close Holes; "
                       "Blender: 3D-Print toolbox, Make Manifold), or export the body as a tetrahedral mesh.";

Vector3 minus(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }

std::string text(const Vector3& x) {
  char line[96];
  std::snprintf(line, sizeof line, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
  return line;
}

std::array<LocalIndex, 3> corners(const TriangleSurface& surface, std::size_t triangle) {
  const auto at = surface.triangles.begin() + 3 * static_cast<std::ptrdiff_t>(triangle);
  return {at[0], at[1], at[2]};
}

bool degenerate(const TriangleSurface& surface, std::size_t triangle) {
  const auto [a, b, c] = corners(surface, triangle);
  if (a == b || b == c || c == a) return true;
  const Vector3 ab = minus(surface.point(b), surface.point(a)), ac = minus(surface.point(c), surface.point(a)),
                bc = minus(surface.point(c), surface.point(b));
  return !(norm(cross(ab, ac)) > kFlat * std::max({dot(ab, ab), dot(ac, ac), dot(bc, bc)}));
}

/// Increasing indices of the triangles that are neither degenerate nor a repetition.
std::vector<LocalIndex> sound_triangles(const TriangleSurface& surface, SurfaceDefects& defects) {
  std::vector<std::pair<std::array<LocalIndex, 3>, LocalIndex>> keys;
  keys.reserve(surface.triangle_count());
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    if (degenerate(surface, t)) {
      ++defects.degenerate;
      continue;
    }
    auto key = corners(surface, t);
    std::sort(key.begin(), key.end());
    keys.emplace_back(key, static_cast<LocalIndex>(t));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<LocalIndex> kept;
  kept.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i].first == keys[i - 1].first) ++defects.duplicates;
    else kept.push_back(keys[i].second);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

struct HalfEdge {
  LocalIndex low, high;
  LocalIndex triangle;
  bool forward; ///< the triangle runs from low to high
  bool operator<(const HalfEdge& other) const {
    return std::pair(low, high) != std::pair(other.low, other.high)
               ? std::pair(low, high) < std::pair(other.low, other.high)
               : triangle < other.triangle;
  }
};

std::vector<HalfEdge> sorted_edges(const TriangleSurface& surface) {
  std::vector<HalfEdge> edges;
  edges.reserve(surface.triangles.size());
  for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
    const auto v = corners(surface, t);
    for (std::size_t k = 0; k < 3; ++k) {
      const LocalIndex from = v[k], to = v[(k + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), static_cast<LocalIndex>(t), from < to});
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

void count_edges(const TriangleSurface& surface, const std::vector<HalfEdge>& edges, SurfaceDefects& defects) {
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
    if (end - begin == 2) continue;
    const bool open = end - begin == 1;
    ++(open ? defects.open_edges : defects.nonmanifold_edges);
    auto& listed = open ? defects.first_open : defects.first_nonmanifold;
    if (listed.size() < kListed) listed.push_back({surface.point(edges[begin].low), surface.point(edges[begin].high)});
  }
}

TriangleSurface keep(const TriangleSurface& surface, const std::vector<LocalIndex>& triangles) {
  TriangleSurface kept{surface.points, {}};
  kept.triangles.reserve(3 * triangles.size());
  for (const LocalIndex t : triangles)
    for (const LocalIndex vertex : corners(surface, static_cast<std::size_t>(t))) kept.triangles.push_back(vertex);
  return kept;
}

std::string edge_list(const std::vector<std::array<Vector3, 2>>& edges, std::size_t count) {
  std::string list;
  for (const auto& [a, b] : edges) list += "\n    " + text(a) + " to " + text(b);
  if (count > edges.size()) list += "\n    and " + std::to_string(count - edges.size()) + " more";
  return list;
}

std::string dropped(const SurfaceDefects& defects) {
  std::string list;
  if (defects.degenerate > 0) list += std::to_string(defects.degenerate) + " triangles without area";
  if (defects.duplicates > 0)
    list += (list.empty() ? "" : " and ") + std::to_string(defects.duplicates) + " repeated triangles";
  return list;
}

void require_closed(const SurfaceDefects& defects, const base::ErrorContext& context) {
  if (defects.closed()) return;
  std::string what = "the surface does not enclose a volume:";
  if (defects.open_edges > 0)
    what += "\n  " + std::to_string(defects.open_edges) +
            " open edges (with one triangle only):" + edge_list(defects.first_open, defects.open_edges);
  if (defects.nonmanifold_edges > 0)
    what += "\n  " + std::to_string(defects.nonmanifold_edges) + " non-manifold edges (with more than two triangles):" +
            edge_list(defects.first_nonmanifold, defects.nonmanifold_edges);
  if (const std::string left_out = dropped(defects); !left_out.empty()) what += "\n  not counting " + left_out;
  fail(what, context, kRemedy);
}

void flip(TriangleSurface& surface, LocalIndex triangle) {
  const auto at = surface.triangles.begin() + 3 * static_cast<std::ptrdiff_t>(triangle);
  std::swap(at[1], at[2]);
}

/// Shells by breadth-first search over the edges, turning each triangle to agree with the one it is reached from.
std::vector<std::vector<LocalIndex>> orient_shells(TriangleSurface& surface, const std::vector<HalfEdge>& edges,
                                                   const base::ErrorContext& context) {
  struct Neighbor {
    LocalIndex triangle = -1;
    bool same_direction = false; ///< both run along the common edge in the same direction, as given
  };
  const std::size_t count = surface.triangle_count();
  std::vector<std::array<Neighbor, 3>> neighbors(count);
  std::vector<char> filled(count, 0);
  const auto connect = [&](const HalfEdge& a, const HalfEdge& b) {
    const auto t = static_cast<std::size_t>(a.triangle);
    neighbors[t][static_cast<std::size_t>(filled[t]++)] = {b.triangle, a.forward == b.forward};
  };
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    connect(edges[i], edges[i + 1]);
    connect(edges[i + 1], edges[i]);
  }

  std::vector<std::vector<LocalIndex>> shells;
  std::vector<signed char> turned(count, -1); // -1: not reached yet
  for (std::size_t seed = 0; seed < count; ++seed) {
    if (turned[seed] >= 0) continue;
    turned[seed] = 0;
    std::vector<LocalIndex> shell = {static_cast<LocalIndex>(seed)};
    for (std::size_t i = 0; i < shell.size(); ++i) {
      const auto t = static_cast<std::size_t>(shell[i]);
      for (const auto& [neighbor, same_direction] : neighbors[t]) {
        const auto n = static_cast<std::size_t>(neighbor);
        const auto needed = static_cast<signed char>(turned[t] ^ static_cast<signed char>(same_direction));
        if (turned[n] < 0) {
          turned[n] = needed;
          shell.push_back(neighbor);
        } else if (turned[n] != needed) {
          fail("the surface has one side only (as a Moebius strip or a Klein bottle), so that it has no inside; seen "
               "at " +
                   text(surface.point(surface.triangles[3 * n])),
               context, kRemedy);
        }
      }
    }
    std::sort(shell.begin(), shell.end());
    shells.push_back(std::move(shell));
  }
  for (std::size_t t = 0; t < count; ++t)
    if (turned[t] == 1) flip(surface, static_cast<LocalIndex>(t));
  return shells;
}

struct Box {
  Vector3 min, max;
  bool contains(const Vector3& x) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (x[k] < min[k] || x[k] > max[k]) return false;
    return true;
  }
  bool overlaps(const Box& other) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (min[k] > other.max[k] || max[k] < other.min[k]) return false;
    return true;
  }
};

template <class Vertices> Box box_of(const TriangleSurface& surface, const Vertices& vertices) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Box box{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const LocalIndex vertex : vertices) {
    const Vector3 x = surface.point(vertex);
    for (std::size_t k = 0; k < 3; ++k) {
      box.min[k] = std::min(box.min[k], x[k]);
      box.max[k] = std::max(box.max[k], x[k]);
    }
  }
  return box;
}

Box box_of_shell(const TriangleSurface& surface, const std::vector<LocalIndex>& shell) {
  std::vector<LocalIndex> vertices;
  for (const LocalIndex t : shell)
    for (const LocalIndex vertex : corners(surface, static_cast<std::size_t>(t))) vertices.push_back(vertex);
  return box_of(surface, vertices);
}

double signed_volume(const TriangleSurface& surface, const std::vector<LocalIndex>& triangles, const Vector3& origin) {
  double sum = 0.0;
  for (const LocalIndex t : triangles) {
    const auto [a, b, c] = corners(surface, static_cast<std::size_t>(t));
    sum +=
        dot(minus(surface.point(a), origin), cross(minus(surface.point(b), origin), minus(surface.point(c), origin)));
  }
  return sum / 6.0;
}

/// Whether the shell winds around `x`: its solid angle seen from there is 4π, or 0. Unlike the crossings of a ray the
/// angles have no special cases at edges. Angle of a triangle: Van Oosterom & Strackee, IEEE Trans. Biomed. Eng. 1983.
bool winds_around(const TriangleSurface& surface, const std::vector<LocalIndex>& shell, const Vector3& x) {
  double angle = 0.0;
  for (const LocalIndex t : shell) {
    const auto [a, b, c] = corners(surface, static_cast<std::size_t>(t));
    const Vector3 u = minus(surface.point(a), x), v = minus(surface.point(b), x), w = minus(surface.point(c), x);
    const double lu = norm(u), lv = norm(v), lw = norm(w);
    angle += 2.0 * std::atan2(dot(u, cross(v, w)), lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv);
  }
  return std::abs(angle) > 2.0 * std::numbers::pi;
}

double orientation(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  return dot(minus(d, a), cross(minus(b, a), minus(c, a)));
}

/// Whether pq goes through the triangle, its edges included; p and q on opposite sides of its plane, not in it.
bool pierces(const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b, const Vector3& c) {
  if (!(orientation(a, b, c, p) * orientation(a, b, c, q) < 0.0)) return false;
  const double ab = orientation(p, q, a, b), bc = orientation(p, q, b, c), ca = orientation(p, q, c, a);
  return (ab >= 0.0 && bc >= 0.0 && ca >= 0.0) || (ab <= 0.0 && bc <= 0.0 && ca <= 0.0);
}

/// Throws where an edge of one shell pierces a triangle of the other: sweep along x over what lies in both boxes.
void require_no_crossing(const TriangleSurface& surface, const std::vector<LocalIndex>& one, const Box& one_box,
                         const std::vector<LocalIndex>& two, const Box& two_box, const base::ErrorContext& context) {
  struct Item {
    Box box;
    LocalIndex triangle;
  };
  const auto candidates = [&](const std::vector<LocalIndex>& shell, const Box& region) {
    std::vector<Item> items;
    for (const LocalIndex t : shell) {
      const Box box = box_of(surface, corners(surface, static_cast<std::size_t>(t)));
      if (box.overlaps(region)) items.push_back({box, t});
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.box.min[0] < b.box.min[0]; });
    return items;
  };
  const auto check = [&](LocalIndex s, LocalIndex t) {
    const auto v = corners(surface, static_cast<std::size_t>(s)), w = corners(surface, static_cast<std::size_t>(t));
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3 p = surface.point(v[k]), q = surface.point(v[(k + 1) % 3]);
      if (pierces(p, q, surface.point(w[0]), surface.point(w[1]), surface.point(w[2])))
        fail("two parts of the surface cross each other, near " + text(p), context,
             "Unite the parts (a boolean union in the program that made them), or move them apart.");
    }
  };
  const std::vector<Item> first = candidates(one, two_box), second = candidates(two, one_box);
  // Items of `second` that begin too far left never return; those active are kept in a list.
  std::vector<const Item*> active;
  std::size_t next = 0;
  for (const Item& item : first) {
    for (; next < second.size() && second[next].box.min[0] <= item.box.max[0]; ++next) active.push_back(&second[next]);
    std::erase_if(active, [&](const Item* other) { return other->box.max[0] < item.box.min[0]; });
    for (const Item* other : active) {
      if (!item.box.overlaps(other->box)) continue;
      check(item.triangle, other->triangle);
      check(other->triangle, item.triangle);
    }
  }
}

/// A point of the shell: the center of its largest triangle, far from where other shells may touch it.
Vector3 point_on(const TriangleSurface& surface, const std::vector<LocalIndex>& shell) {
  Vector3 center{};
  double largest = -1.0;
  for (const LocalIndex t : shell) {
    const auto [i, j, k] = corners(surface, static_cast<std::size_t>(t));
    const Vector3 a = surface.point(i), b = surface.point(j), c = surface.point(k);
    const double area = norm(cross(minus(b, a), minus(c, a)));
    if (!(area > largest)) continue;
    largest = area;
    for (std::size_t n = 0; n < 3; ++n) center[n] = (a[n] + b[n] + c[n]) / 3.0;
  }
  return center;
}

/// Nesting: a shell inside an odd number of others is a cavity of the innermost of them.
void find_volumes(ClosedSurface& closed, const base::ErrorContext& context) {
  const std::size_t count = closed.shells.size();
  TriangleSurface& surface = closed.surface;
  std::vector<Box> boxes;
  std::vector<Vector3> points;
  for (const auto& shell : closed.shells) {
    boxes.push_back(box_of_shell(surface, shell));
    points.push_back(point_on(surface, shell));
    if (!(std::abs(signed_volume(surface, shell, boxes.back().min)) >
          kNoVolume * std::pow(norm(minus(boxes.back().max, boxes.back().min)), 3)))
      fail("a part of the surface encloses no volume, near " + text(points.back()), context, kRemedy);
  }
  std::vector<std::vector<std::size_t>> around(count); // shells that contain this one
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t t = 0; t < count; ++t) {
      if (s == t || !boxes[s].overlaps(boxes[t])) continue;
      if (s < t) require_no_crossing(surface, closed.shells[s], boxes[s], closed.shells[t], boxes[t], context);
      if (boxes[t].contains(points[s]) && winds_around(surface, closed.shells[t], points[s])) around[s].push_back(t);
    }
  }
  std::vector<std::size_t> volume_of(count, count);
  for (std::size_t s = 0; s < count; ++s) {
    const bool cavity = around[s].size() % 2 == 1;
    if ((signed_volume(surface, closed.shells[s], boxes[s].min) < 0.0) != cavity)
      for (const LocalIndex t : closed.shells[s]) flip(surface, t);
    if (cavity) continue;
    volume_of[s] = closed.volumes.size();
    closed.volumes.push_back({static_cast<int>(s), {}});
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (volume_of[s] < count) continue;
    const auto parent = std::find_if(around[s].begin(), around[s].end(),
                                     [&](std::size_t t) { return around[t].size() + 1 == around[s].size(); });
    if (parent == around[s].end())
      fail("the parts of the surface are not nested in each other in a clear way, near " + text(points[s]), context,
           kRemedy);
    closed.volumes[volume_of[*parent]].cavities.push_back(static_cast<int>(s));
  }
}

} // namespace

Vector3 TriangleSurface::point(LocalIndex vertex) const {
  const double* const x = &points[3 * static_cast<std::size_t>(vertex)];
  return {x[0], x[1], x[2]};
}

SurfaceDefects find_defects(const TriangleSurface& surface) {
  SurfaceDefects defects;
  const TriangleSurface kept = keep(surface, sound_triangles(surface, defects));
  count_edges(kept, sorted_edges(kept), defects);
  return defects;
}

ClosedSurface check_closed(const TriangleSurface& surface, const base::ErrorContext& context) {
  for (const double x : surface.points)
    if (!std::isfinite(x)) fail("the surface has coordinates that are not finite numbers", context, kRemedy);
  ClosedSurface closed;
  SurfaceDefects defects;
  closed.surface = keep(surface, sound_triangles(surface, defects));
  if (closed.surface.triangles.empty())
    fail("the surface has no triangles" + (dropped(defects).empty() ? "" : " but " + dropped(defects)), context,
         "Give the closed surface of the body.");
  const std::vector<HalfEdge> edges = sorted_edges(closed.surface);
  count_edges(closed.surface, edges, defects);
  require_closed(defects, context);
  if (const std::string left_out = dropped(defects); !left_out.empty())
    closed.warnings.push_back("left out of the surface: " + left_out);
  closed.shells = orient_shells(closed.surface, edges, context);
  find_volumes(closed, context);
  return closed;
}

double enclosed_volume(const ClosedSurface& closed) {
  double sum = 0.0;
  for (const auto& shell : closed.shells)
    sum += signed_volume(closed.surface, shell,
                         closed.surface.point(closed.surface.triangles[3 * static_cast<std::size_t>(shell.front())]));
  return sum;
}

} // namespace limber::mesh
