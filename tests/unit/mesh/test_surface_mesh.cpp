// Surfaces that are to be filled: reading STL and OBJ, defects, orientation and nesting.

#include <gtest/gtest.h>

#include "mesh/surface_mesh.hpp"
#include "mesh/surface_reader.hpp"
#include "surface_shapes.hpp"

namespace limber::mesh {
namespace {

std::string error_of(const TriangleSurface& surface) {
  try {
    check_closed(surface, {.file = "body.stl", .line = 0, .key = {}, .advice = {}});
  } catch (const base::UserError& error) {
    EXPECT_FALSE(error.context().advice.empty());
    EXPECT_EQ(error.context().file, "body.stl");
    return error.message();
  }
  return "accepted";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

// Sums of products of numbers of a few binary digits are exact; 0.3 and 0.7 are not: a dozen roundings.
constexpr double kRounding = 1e-14;

TEST(SurfaceMesh, CubeIsOneVolume) {
  const ClosedSurface closed = check_closed(unit_cube(), {});
  EXPECT_EQ(closed.shells.size(), 1u);
  ASSERT_EQ(closed.volumes.size(), 1u);
  EXPECT_TRUE(closed.volumes[0].cavities.empty());
  EXPECT_TRUE(closed.warnings.empty());
  EXPECT_EQ(closed.surface.triangles, unit_cube().triangles); // outward already
  EXPECT_NEAR(enclosed_volume(closed), 1.0, kRounding);
}

TEST(SurfaceMesh, OrientsEveryTriangle) {
  // Every choice of turned triangles gives the same outward surface, for both directions of the seed.
  for (unsigned turned = 1; turned < 4096; turned += 37) {
    TriangleSurface surface = unit_cube();
    for (std::size_t t = 0; t < 12; ++t)
      if (turned >> t & 1) std::swap(surface.triangles[3 * t + 1], surface.triangles[3 * t + 2]);
    const ClosedSurface closed = check_closed(surface, {});
    EXPECT_NEAR(enclosed_volume(closed), 1.0, kRounding) << turned;
  }
}

TEST(SurfaceMesh, NestsCavitiesAndSolidsInside) {
  // Outer box, cavity in it, a solid in the cavity with a cavity of its own, and a second body beside; all outward.
  TriangleSurface surface;
  add_cube(surface, 0.25, 0.75);
  add_cube(surface, 0.4375, 0.5625);
  add_cube(surface, 0.0, 1.0);
  add_cube(surface, 2.0, 3.0, false);
  add_cube(surface, 0.375, 0.625);
  const ClosedSurface closed = check_closed(surface, {});
  ASSERT_EQ(closed.shells.size(), 5u);
  ASSERT_EQ(closed.volumes.size(), 3u);
  EXPECT_EQ(closed.volumes[0].outer, 2);
  EXPECT_EQ(closed.volumes[0].cavities, std::vector<int>{0});
  EXPECT_EQ(closed.volumes[1].outer, 3);
  EXPECT_TRUE(closed.volumes[1].cavities.empty());
  EXPECT_EQ(closed.volumes[2].outer, 4);
  EXPECT_EQ(closed.volumes[2].cavities, std::vector<int>{1});
  // 1 - 1/8 + 1/64 - 1/512 + 1
  EXPECT_NEAR(enclosed_volume(closed), 2.0 - 0.125 + 0.015625 - 0.001953125, kRounding);
}

TEST(SurfaceMesh, SaysWhereItIsOpen) {
  TriangleSurface surface = unit_cube();
  surface.triangles.resize(surface.triangles.size() - 3);
  EXPECT_EQ(find_defects(surface).open_edges, 3u);
  EXPECT_FALSE(find_defects(surface).closed());
  const std::string error = error_of(surface);
  expect_part(error, "3 open edges");
  expect_part(error, "(1, 0, 0) to (1, 0, 1)");
  surface.triangles.resize(6);
  expect_part(error_of(surface), "4 open edges");
  expect_part(error_of(surface), "and 1 more");
  expect_part(error_of({}), "no triangles");
}

TEST(SurfaceMesh, SaysWhereItIsNotManifold) {
  // Two cubes with a common edge.
  TriangleSurface surface = unit_cube();
  add_box(surface, {1, 1, 0}, {2, 2, 1});
  for (LocalIndex& vertex : surface.triangles) {
    if (vertex == 8) vertex = 3;
    if (vertex == 12) vertex = 7;
  }
  EXPECT_EQ(find_defects(surface).nonmanifold_edges, 1u);
  const std::string error = error_of(surface);
  expect_part(error, "1 non-manifold edges");
  expect_part(error, "(1, 1, 0) to (1, 1, 1)");
}

TEST(SurfaceMesh, DropsDegenerateAndRepeatedTriangles) {
  TriangleSurface surface = unit_cube();
  surface.triangles.insert(surface.triangles.end(), {0, 0, 1});
  surface.triangles.insert(surface.triangles.end(), {2, 0, 3}); // turned and permuted
  const ClosedSurface closed = check_closed(surface, {});
  EXPECT_EQ(closed.surface.triangles, unit_cube().triangles);
  ASSERT_EQ(closed.warnings.size(), 1u);
  expect_part(closed.warnings[0], "1 triangles without area and 1 repeated triangles");

  // A vertex on an edge, joined by a triangle without area: the rest is open there.
  TriangleSurface split = unit_cube();
  split.points.insert(split.points.end(), {0.5, 0.5, 0.0});
  split.triangles[1] = 8; // of 0 2 3: 0 8 3 is flat
  expect_part(error_of(split), "not counting 1 triangles without area");
}

TEST(SurfaceMesh, RefusesWhatHasNoInside) {
  // The projective plane of six vertices: every edge has two triangles, and it has one side.
  TriangleSurface plane;
  plane.points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 2, 2, 1, 1};
  plane.triangles = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 1, 1, 2, 4, 2, 3, 5, 3, 4, 1, 4, 5, 2, 5, 1, 3};
  EXPECT_TRUE(find_defects(plane).closed());
  expect_part(error_of(plane), "one side only");

  TriangleSurface flat = unit_cube();
  for (std::size_t i = 2; i < flat.points.size(); i += 3) flat.points[i] = flat.points[i - 2];
  EXPECT_NE(error_of(flat), "accepted");
}

TEST(SurfaceMesh, RefusesShellsThatCross) {
  TriangleSurface corner = unit_cube();
  add_cube(corner, 0.5, 1.5);
  expect_part(error_of(corner), "cross each other");
  // Two bars across each other: no vertex of one is in the other.
  TriangleSurface bars;
  add_box(bars, {0, 0.4, 0.4}, {1, 0.6, 0.6});
  add_box(bars, {0.4, 0, 0.3}, {0.6, 1, 0.7});
  expect_part(error_of(bars), "cross each other");
}

TEST(SurfaceReader, ReadsAsciiAndBinaryStl) {
  const TemporaryFolder folder;
  TriangleSurface cube = unit_cube();
  for (double& x : cube.points) x = 2.0 * x - 0.5; // negative and exact in single precision
  for (const std::string& path : {folder.file("a.stl", ascii_stl(cube)), folder.file("b.STL", binary_stl(cube))}) {
    const TriangleSurface surface = read_surface(path, {});
    EXPECT_EQ(surface.point_count(), 8u) << path;
    ASSERT_EQ(surface.triangle_count(), 12u);
    for (std::size_t i = 0; i < 36; ++i)
      EXPECT_EQ(surface.point(surface.triangles[i]), cube.point(cube.triangles[i])) << path << i;
    EXPECT_NEAR(enclosed_volume(check_closed(surface, {})), 8.0, 8 * kRounding);
  }
}

TEST(SurfaceReader, CutsPolygonsOfObj) {
  const TriangleSurface cube = read_surface(std::string(LIMBER_TEST_DATA) + "/meshes/cube.obj", {});
  EXPECT_EQ(cube.point_count(), 8u); // one vertex is repeated, one unused
  EXPECT_EQ(cube.triangle_count(), 12u);
  EXPECT_NEAR(enclosed_volume(check_closed(cube, {})), 1.0, kRounding);

  // An L-shaped prism: its two hexagonal faces are not convex.
  const TemporaryFolder folder;
  const std::string text = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                           "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                           "f 6 5 4 3 2 1\nf 7/1 8/2 9/3 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\n"
                           "f 5 6 12 11\nf -7 -12 -6 -1\n";
  const TriangleSurface prism = read_surface(folder.file("l.obj", text), {});
  EXPECT_EQ(prism.triangle_count(), 4u + 4u + 12u);
  EXPECT_NEAR(enclosed_volume(check_closed(prism, {})), 3.0, 3 * kRounding);
  // No triangle sticks out of the L: the areas of the floor's triangles sum to its area.
  double floor = 0.0;
  for (std::size_t t = 0; t < 4; ++t) {
    const Vector3 a = prism.point(prism.triangles[3 * t]), b = prism.point(prism.triangles[3 * t + 1]),
                  c = prism.point(prism.triangles[3 * t + 2]);
    floor += 0.5 * std::abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  }
  EXPECT_EQ(floor, 3.0); // small integers
}

TEST(SurfaceReader, RefusesDamagedFiles) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& name, const std::string& content) -> std::string {
    const std::string path = folder.file(name, content);
    try {
      read_surface(path, {.file = path, .line = 0, .key = {}, .advice = {}});
    } catch (const base::UserError& error) {
      EXPECT_FALSE(error.context().advice.empty());
      return error.what();
    }
    return "accepted";
  };
  const std::string binary = binary_stl(unit_cube()), ascii = ascii_stl(unit_cube());
  for (std::size_t size = 0; size < binary.size(); size += 7)
    ASSERT_NE(error("cut.stl", binary.substr(0, size)), "accepted") << size;
  for (std::size_t size = 0; size < ascii.find("endsolid"); size += 11)
    ASSERT_NE(error("cut.stl", ascii.substr(0, size)), "accepted") << size;
  expect_part(error("empty.stl", ""), "empty");
  expect_part(error("word.stl", "solid a\nfacet\nvertex 0 x 1\nendfacet\nendsolid\n"), "'x' is not a coordinate");
  expect_part(error("word.stl", "solid a\nfacet\nvertex 0 x 1\nendfacet\nendsolid\n"), ":3");
  expect_part(error("two.stl", "solid a\nfacet\nvertex 0 1 1\nvertex 0 1 2\nendfacet\nendsolid\n"), "2 vertices");
  expect_part(error("none.stl", "solid a\nendsolid\n"), "no triangles");
  expect_part(error("far.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n"), "vertex 3");
  expect_part(error("zero.obj", "v 0 0 0\nf 0 1 1\n"), "vertex 0");
  expect_part(error("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n"), "2 corners");
  expect_part(error("short.obj", "v 0 0\nv 1 0 0\nf 1 2\n"), "a coordinate is missing");
  EXPECT_THROW(read_surface(folder.file("missing.stl"), {}), base::UserError);
}

} // namespace
} // namespace limber::mesh
