#include "mesh/surface_fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gmsh.h>
#include <map>
#include <numbers>
#include <utility>

#include "mesh/gmsh_mesher.hpp"
#include "mesh/messages.hpp"

namespace limber::mesh {

namespace {

/// Edges where the normal turns by more are kept when the surface is meshed anew.
constexpr double kFeatureAngle = 40.0 * std::numbers::pi / 180.0;

/// The tetrahedra between unchanged triangles fill their volume but for rounding.
constexpr double kVolumeTolerance = 1e-6;

/// A new surface that changes the volume by more deserves a word.
constexpr double kVolumeChange = 0.01;

/// One discrete surface per shell; its tag is the shell's index + 1, a node's tag its vertex + 1.
void add_discrete_surfaces(const ClosedSurface& closed) {
  std::vector<char> added(closed.surface.point_count(), 0);
  for (std::size_t s = 0; s < closed.shells.size(); ++s) {
    const int tag = gmsh::model::addDiscreteEntity(2, static_cast<int>(s) + 1);
    std::vector<std::size_t> nodes, corners;
    std::vector<double> points;
    for (const LocalIndex t : closed.shells[s]) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto vertex = static_cast<std::size_t>(closed.surface.triangles[3 * static_cast<std::size_t>(t) + k]);
        corners.push_back(vertex + 1);
        if (added[vertex]) continue; // also where shells touch in a vertex
        added[vertex] = 1;
        nodes.push_back(vertex + 1);
        points.insert(points.end(), &closed.surface.points[3 * vertex], &closed.surface.points[3 * vertex] + 3);
      }
    }
    gmsh::model::mesh::addNodes(2, tag, nodes, points);
    gmsh::model::mesh::addElementsByType(tag, 2, {}, corners);
  }
}

/// Every triangle in four: Gmsh crashes on patches of a single triangle, which flat corners are.
ClosedSurface split_triangles(const ClosedSurface& closed) {
  ClosedSurface finer;
  finer.surface.points = closed.surface.points;
  finer.volumes = closed.volumes;
  std::map<std::pair<LocalIndex, LocalIndex>, LocalIndex> middles;
  const auto middle = [&](LocalIndex a, LocalIndex b) {
    const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), LocalIndex(finer.surface.point_count()));
    if (is_new) {
      const Vector3 x = closed.surface.point(a), y = closed.surface.point(b);
      for (std::size_t k = 0; k < 3; ++k) finer.surface.points.push_back(0.5 * (x[k] + y[k]));
    }
    return found->second;
  };
  for (const auto& shell : closed.shells) {
    auto& split = finer.shells.emplace_back();
    for (const LocalIndex t : shell) {
      const LocalIndex* v = &closed.surface.triangles[3 * static_cast<std::size_t>(t)];
      const LocalIndex m[3] = {middle(v[0], v[1]), middle(v[1], v[2]), middle(v[2], v[0])};
      for (int i = 0; i < 4; ++i) split.push_back(LocalIndex(finer.surface.triangle_count()) + i);
      finer.surface.triangles.insert(finer.surface.triangles.end(),
                                     {v[0], m[0], m[2], v[1], m[1], m[0], v[2], m[2], m[1], m[0], m[1], m[2]});
    }
  }
  return finer;
}

/// Cuts the shells into patches that can be meshed anew. Returns the patches of each shell.
std::vector<std::vector<int>> make_patches(const ClosedSurface& closed) {
  std::map<Vector3, std::size_t> shell_at;
  for (std::size_t s = 0; s < closed.shells.size(); ++s)
    for (const LocalIndex t : closed.shells[s])
      for (std::size_t k = 0; k < 3; ++k)
        shell_at.emplace(closed.surface.point(closed.surface.triangles[3 * static_cast<std::size_t>(t) + k]), s);

  gmsh::model::mesh::classifySurfaces(kFeatureAngle, true, true, std::numbers::pi);
  gmsh::vectorpair surfaces;
  gmsh::model::getEntities(surfaces, 2);
  std::vector<std::vector<int>> patches(closed.shells.size());
  for (const auto& [dimension, tag] : surfaces) {
    std::vector<std::size_t> triangles, nodes;
    gmsh::model::mesh::getElementsByType(2, triangles, nodes, tag);
    // Two shells may share a vertex, but not all three of a triangle.
    std::vector<std::size_t> votes(closed.shells.size(), 0);
    for (const std::size_t node : nodes) {
      std::vector<double> x, parametric;
      gmsh::model::mesh::getNode(node, x, parametric);
      if (const auto found = shell_at.find({x[0], x[1], x[2]}); found != shell_at.end()) ++votes[found->second];
    }
    patches[static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin())].push_back(tag);
  }
  gmsh::model::mesh::createGeometry();
  return patches;
}

/// Volume of the linear tetrahedra in the model.
double meshed_volume() {
  std::vector<std::size_t> tags, nodes, cells, corners;
  std::vector<double> points, parametric;
  gmsh::model::mesh::getNodes(tags, points, parametric, -1, -1, false, false);
  std::vector<std::size_t> index(1 + (tags.empty() ? 0 : *std::max_element(tags.begin(), tags.end())), 0);
  for (std::size_t i = 0; i < tags.size(); ++i) index[tags[i]] = i;
  gmsh::model::mesh::getElementsByType(4, cells, corners);
  double sum = 0.0;
  for (std::size_t c = 0; c + 3 < corners.size(); c += 4) {
    const double* x[4];
    for (std::size_t k = 0; k < 4; ++k) x[k] = &points[3 * index.at(corners[c + k])];
    double e[3][3];
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t k = 0; k < 3; ++k) e[a][k] = x[a + 1][k] - x[0][k];
    sum +=
        std::abs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
        6.0;
  }
  return sum;
}

void fill_model(const ClosedSurface& given, double element_size) {
  const ClosedSurface closed = element_size > 0.0 ? split_triangles(given) : given;
  add_discrete_surfaces(closed);
  std::vector<std::vector<int>> surfaces(closed.shells.size());
  for (std::size_t s = 0; s < surfaces.size(); ++s) surfaces[s] = {static_cast<int>(s) + 1};
  be_deterministic();
  if (element_size > 0.0) {
    surfaces = make_patches(closed);
    use_uniform_size(element_size);
  }
  std::vector<int> volumes, boundary;
  for (const auto& [outer, cavities] : closed.volumes) {
    std::vector<int> loops = {gmsh::model::geo::addSurfaceLoop(surfaces[static_cast<std::size_t>(outer)])};
    for (const int cavity : cavities)
      loops.push_back(gmsh::model::geo::addSurfaceLoop(surfaces[static_cast<std::size_t>(cavity)]));
    volumes.push_back(gmsh::model::geo::addVolume(loops));
  }
  gmsh::model::geo::synchronize();
  for (const auto& of_shell : surfaces) boundary.insert(boundary.end(), of_shell.begin(), of_shell.end());
  add_physical_group(2, boundary, "surface");
  add_physical_group(3, volumes, "volume");
  use_delaunay();
  gmsh::model::mesh::generate(3);
}

} // namespace

std::vector<std::string> fill_surface(const GmshSession& session, const TriangleSurface& surface, double element_size,
                                      const base::ErrorContext& context) {
  const ClosedSurface closed = check_closed(surface, context);
  std::vector<std::string> warnings = closed.warnings;
  const double enclosed = enclosed_volume(closed);
  if (element_size != 0.0) check_element_size(element_size, enclosed, context);

  base::ErrorContext advised = context;
  advised.advice =
      element_size > 0.0
          ? "See whether the surface crosses itself (MeshLab: Select Self Intersecting Faces), repair it, or "
            "try another element_size; without element_size the triangles are kept as they are."
          : "See whether the surface crosses itself (MeshLab: Select Self Intersecting Faces) and repair it; "
            "a positive element_size meshes the surface anew.";
  const std::string failure = "the surface cannot be filled with tetrahedra";
  session.run(failure, advised, [&] { fill_model(closed, element_size); });
  double filled = 0.0;
  session.run(failure, advised, [&] { filled = meshed_volume(); });
  const std::string volumes = "the tetrahedra fill " + number(filled) + ", the surface encloses " + number(enclosed);
  const double change = std::abs(filled - enclosed) / enclosed;
  if (!(filled > 0.0)) throw base::UserError(quote(failure + ": none results", session.messages()), advised);
  if (element_size == 0.0 && change > kVolumeTolerance)
    throw base::UserError(quote(failure + ": " + volumes, session.messages()), advised);
  if (change > kVolumeChange)
    warnings.push_back(volumes + " (file units cubed): a smaller element_size follows the surface more closely");
  return warnings;
}

} // namespace limber::mesh
