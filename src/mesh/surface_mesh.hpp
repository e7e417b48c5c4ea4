#pragma once
/// Triangulated surfaces that are to be filled with tetrahedra: what makes them bound volumes.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace limber::mesh {

/// Vertices of identical coordinates are one vertex. Lengths in file units.
struct TriangleSurface {
  std::vector<double> points;        ///< 3 per vertex
  std::vector<LocalIndex> triangles; ///< 3 vertices per triangle

  std::size_t point_count() const { return points.size() / 3; }
  std::size_t triangle_count() const { return triangles.size() / 3; }
  Vector3 point(LocalIndex vertex) const;
};

/// What keeps a surface from bounding a volume. Edges are counted without the degenerate and duplicate triangles.
struct SurfaceDefects {
  std::size_t degenerate = 0;        ///< triangles that name a vertex twice or have no area
  std::size_t duplicates = 0;        ///< further triangles with the same three vertices
  std::size_t open_edges = 0;        ///< edges with one triangle
  std::size_t nonmanifold_edges = 0; ///< edges with more than two
  std::vector<std::array<Vector3, 2>> first_open, first_nonmanifold; ///< at most three each, by vertex number

  bool closed() const { return open_edges == 0 && nonmanifold_edges == 0; }
};
SurfaceDefects find_defects(const TriangleSurface& surface);

/// One connected solid: a shell around it and the shells of the cavities in it.
struct SurfaceVolume {
  int outer = 0; ///< indices into ClosedSurface::shells
  std::vector<int> cavities;
};

/// Each shell is connected through edges. Normals point out of the solids: outward on outer shells, into the cavity on
/// the others.
struct ClosedSurface {
  TriangleSurface surface;
  std::vector<std::vector<LocalIndex>> shells; ///< increasing triangle indices, by first triangle
  std::vector<SurfaceVolume> volumes;          ///< by outer shell
  std::vector<std::string> warnings;
};

/// Drops degenerate and duplicate triangles (with a warning), orients the rest, and finds shells and volumes: a shell
/// inside another bounds a cavity, a shell in a cavity is solid again. Throws UserError where an edge has not exactly
/// two triangles, where the surface has no inside (Moebius strip, no triangles, no volume), and where two shells cross
/// each other. A shell that crosses itself is not noticed.
ClosedSurface check_closed(const TriangleSurface& surface, const base::ErrorContext& context);

/// Volume between the surfaces [file units³]: the sum of x0 · (x1 × x2) / 6 over the triangles (divergence theorem).
double enclosed_volume(const ClosedSurface& closed);

} // namespace limber::mesh
