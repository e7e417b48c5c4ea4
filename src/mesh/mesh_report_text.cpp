#include <algorithm>
#include <cstdio>

#include "mesh/mesh_report.hpp"

namespace limber::mesh {

namespace {

constexpr std::size_t kBarLength = 40;

template <class... Values> std::string line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return std::string(text) + "\n";
}

std::string memory(double bytes) {
  char text[32];
  bytes < 1e9 ? std::snprintf(text, sizeof text, "%.0f MB", bytes / 1e6)
              : std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

std::string text(const TetrahedraReport& t) {
  std::string out;
  out += line("tetrahedra: %zu, %s, volume %.6g, in %zu %s", t.count,
              t.order == 1   ? "linear"
              : t.order == 2 ? "quadratic"
                             : "of several or higher orders",
              t.volume, t.pieces, t.pieces == 1 ? "piece" : "pieces");
  out += line("  edges from %.4g to %.4g; %zu inverted, %zu without volume", t.shortest_edge, t.longest_edge,
              t.inverted, t.flat);
  out += line("  quality (mean ratio, 1: regular): smallest %.4f, tetrahedron %zu", t.smallest_quality, t.worst);
  const std::size_t most = std::max<std::size_t>(1, *std::max_element(t.quality.begin(), t.quality.end()));
  for (std::size_t bin = 0; bin < t.quality.size(); ++bin) {
    // A bin that is not empty shows.
    const std::size_t bar = (t.quality[bin] * kBarLength + most - 1) / most;
    out += line("  %.1f - %.1f %10zu%s%s", 0.1 * static_cast<double>(bin), 0.1 * static_cast<double>(bin + 1),
                t.quality[bin], bar > 0 ? " " : "", std::string(bar, '#').c_str());
  }
  out += line("  unknowns and memory of a run, all ranks together: order 1: %zu, about %s; order 2: %zu, about %s",
              t.unknowns_p1, memory(kBytesPerUnknownP1 * static_cast<double>(t.unknowns_p1)).c_str(), t.unknowns_p2,
              memory(kBytesPerUnknownP2 * static_cast<double>(t.unknowns_p2)).c_str());
  return out;
}

std::string text(const SurfaceReport& s) {
  std::string out =
      line("surface: %zu triangles, area %.6g, %s", s.triangles, s.area, s.closed ? "closed" : "not closed");
  out += line("  %zu open edges, %zu edges of more than two triangles, %zu triangles without area, %zu repeated",
              s.open_edges, s.nonmanifold_edges, s.degenerate, s.duplicates);
  if (s.shells > 0) out += line("  %zu %s, volume %.6g", s.shells, s.shells == 1 ? "shell" : "shells", s.volume);
  if (!s.why_not_a_solid.empty() && s.closed) out += "  " + s.why_not_a_solid + "\n";
  return out;
}

} // namespace

std::string text(const MeshReport& r) {
  std::string out = r.path + "\n";
  out += line("nodes: %zu (%zu in no element, %zu in the same place as another)", r.nodes, r.unused_nodes,
              r.repeated_positions);
  out += line("box: (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g), diagonal %.6g", r.box_min[0], r.box_min[1], r.box_min[2],
              r.box_max[0], r.box_max[1], r.box_max[2], r.diagonal);
  out += r.elements.empty() ? "elements: none\n" : "elements:\n";
  for (const ElementCount& e : r.elements) {
    char dimension[24] = "dimension unknown";
    if (e.dimension >= 0) std::snprintf(dimension, sizeof dimension, "dimension %d", e.dimension);
    out += line("  %-24s %10zu  %s, order %d", e.name.c_str(), e.count, dimension, e.order);
  }
  out += r.groups.empty() ? "physical groups: none\n" : "physical groups:\n";
  for (const GroupCount& g : r.groups)
    out += line("  %-24s dimension %d, tag %d, %zu nodes, %zu elements",
                (g.name.empty() ? std::to_string(g.tag) : g.name).c_str(), g.dimension, g.tag, g.nodes, g.elements);
  if (r.tetrahedra) out += text(*r.tetrahedra);
  if (r.surface) out += text(*r.surface);
  for (const std::string& note : r.notes) out += "note: " + note + "\n";
  out.pop_back();
  return out;
}

} // namespace limber::mesh
