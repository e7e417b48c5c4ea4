// The boundary of a mesh: complete, looking outward, with its groups; and the pieces of a mesh.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "mesh/boundary_faces.hpp"
#include "mesh_test_support.hpp"
#include "support/box_mesh.hpp"

namespace limber::mesh {
namespace {

using test::group;
using test::read;

using Faces = std::vector<std::pair<LocalIndex, int>>;

Faces list(const std::vector<CellFace>& faces) {
  Faces result;
  for (const CellFace& f : faces) result.emplace_back(f.cell, f.side);
  return result;
}

TEST(BoundaryFaces, OfOneTetrahedronLookAwayFromTheOppositeVertex) {
  const std::vector<LocalIndex> cells{0, 1, 2, 3};
  const auto boundary = boundary_faces(cells, 4);
  EXPECT_EQ(list(boundary.faces), (Faces{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
  EXPECT_TRUE(boundary.overfull.empty());
  const Vector3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t side = 0; side < 4; ++side) {
    std::vector<Vector3> corners;
    for (std::size_t k = 0; k < 3; ++k) corners.push_back(x[std::size_t(tetrahedron_faces[side][k])]);
    Vector3 outward;
    for (std::size_t k = 0; k < 3; ++k) outward[k] = corners[0][k] - x[side][k];
    EXPECT_GT(test::dot(test::face_integrals(corners).area, outward), 0.0) << side;
  }
}

TEST(BoundaryFaces, LeaveOutWhatTwoCellsShare) {
  const std::vector<LocalIndex> cells{5, 1, 2, 3, 2, 4, 3, 1}; // face 1 2 3: side 0 of the first, side 1 of the second
  const auto boundary = boundary_faces(cells, 4);
  EXPECT_EQ(list(boundary.faces), (Faces{{0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 2}, {1, 3}}));
  LocalIndex corners[3];
  sorted_corners(cells, 4, {1, 1}, corners);
  EXPECT_EQ(std::vector<LocalIndex>(corners, corners + 3), (std::vector<LocalIndex>{1, 2, 3}));
}

TEST(BoundaryFaces, NameTheThirdAndFurtherCellsOfAFace) {
  const std::vector<LocalIndex> cells{0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5, 6, 2, 1, 0};
  const auto boundary = boundary_faces(cells, 4);
  EXPECT_EQ(list(boundary.overfull), (Faces{{2, 3}, {3, 0}}));
  EXPECT_EQ(boundary.faces.size(), 12u); // the three other faces of each
}

void expect_closed(const BodyMesh& mesh, double tolerance) {
  const double volume = test::volume(mesh);
  EXPECT_NEAR(test::enclosed_volume(mesh), volume, tolerance * volume);
  Vector3 sum{};
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto area = test::face_integrals(test::face_points(mesh, f)).area;
    for (std::size_t k = 0; k < 3; ++k) sum[k] += area[k];
  }
  for (double component : sum) EXPECT_NEAR(component, 0.0, tolerance);
}

TEST(BoundaryFaces, EncloseTheVolume) {
  const auto box = test::make_box({.cubes = {3, 4, 2}, .min = {1.0, -2.0, 0.5}, .size = {1.5, 1.0, 0.5}});
  // Rounding of some 200 faces of size one.
  expect_closed(box, 1e-13);
  EXPECT_EQ(box.faces.size(), 2u * 2u * (3 * 4 + 4 * 2 + 2 * 3));
  expect_closed(test::quadratic(box), 1e-13);
  const auto bent = test::quadratic(box, [](double* x) {
    x[0] += 0.02 * std::sin(5.0 * x[1] * x[2]);
    x[2] += 0.02 * x[0] * x[2];
  });
  EXPECT_GT(std::abs(test::volume(bent) - 0.75), 1e-6) << "the boundary is bent too";
  expect_closed(bent, 1e-13);
  expect_closed(read(SphereMesh{{3, 2, 1}, 1.0, 0.5}), 1e-13);
  expect_closed(read(SphereMesh{{3, 2, 1}, 1.0, 0.5}, 2), 1e-13);
}

TEST(BoundaryFaces, OfQuadraticCellsHaveTheirEdgeNodesBetweenTheirCorners) {
  const auto mesh = test::quadratic(test::make_box({.cubes = {2, 1, 1}}));
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto x = test::face_points(mesh, f);
    for (std::size_t e = 0; e < 3; ++e)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(x[3 + e][k], 0.5 * (x[e][k] + x[(e + 1) % 3][k])); // made by the same operation
  }
}

TEST(BoundaryFaces, OfSurfaceGroupsAreFound) {
  for (const int order : {1, 2}) {
    const BodyMesh mesh = read(BoxMesh{{-1, 0, 2}, {1, 1, 2.5}, 0.3}, order);
    std::vector<int> times(mesh.faces.size(), 0);
    for (std::size_t k = 0; k < 3; ++k)
      for (const bool high : {false, true}) {
        const auto& side = group(mesh, std::string(1, "xyz"[k]) + (high ? "max" : "min"), 2);
        EXPECT_TRUE(std::is_sorted(side.faces.begin(), side.faces.end()));
        Vector3 area{}, expected{};
        const Vector3 extent{2.0, 1.0, 0.5};
        expected[k] = (high ? 1.0 : -1.0) * extent[(k + 1) % 3] * extent[(k + 2) % 3];
        for (const LocalIndex f : side.faces) {
          ++times[std::size_t(f)];
          const auto one = test::face_integrals(test::face_points(mesh, std::size_t(f))).area;
          for (std::size_t d = 0; d < 3; ++d) area[d] += one[d];
        }
        for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(area[d], expected[d], 1e-12); // some 100 roundings
      }
    EXPECT_EQ(times, std::vector<int>(mesh.faces.size(), 1)) << "each face has one side of the box";
    EXPECT_TRUE(group(mesh, "volume", 3).faces.empty());
  }
}

TEST(BoundaryFaces, OfAGroupInsideTheBodyAreNone) {
  // The triangle of the group "base" lies between the two tetrahedra.
  const BodyMesh mesh = read(MeshFile{test::kData + "two_tetrahedra.msh"});
  EXPECT_EQ(mesh.faces.size(), 6u);
  EXPECT_EQ(group(mesh, "base", 2).nodes.size(), 3u);
  EXPECT_TRUE(group(mesh, "base", 2).faces.empty());
}

TEST(Pieces, AreNumberedByTheirFirstNodes) {
  // Node 2 has no cell; 1 3 5 7 and 0 4 6 8 are two pieces.
  const auto pieces = connected_pieces(9, {7, 5, 3, 1, 8, 0, 6, 4}, 4);
  EXPECT_EQ(pieces.count, 3);
  EXPECT_EQ(pieces.of_node, (std::vector<std::int32_t>{0, 1, 2, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(connected_pieces(0, {}, 4).count, 0);
}

TEST(Pieces, HangTogetherByASingleNode) {
  const auto touching = connected_pieces(7, {0, 1, 2, 3, 3, 4, 5, 6}, 4);
  EXPECT_EQ(touching.count, 1);
  // Joined late, through a chain that meets in its middle.
  const auto chain = connected_pieces(13, {0, 1, 2, 3, 9, 10, 11, 12, 6, 7, 8, 9, 3, 4, 5, 6}, 4);
  EXPECT_EQ(chain.count, 1);
}

TEST(Pieces, OfBoxesWithAGapAreCounted) {
  const auto apart = [](const Vector3& center) { return center[0] < 0.4 || center[0] > 0.6; };
  const auto linear = test::make_box({.cubes = {5, 2, 2}, .keep = apart});
  for (const auto& mesh : {linear, test::quadratic(linear)}) {
    EXPECT_EQ(mesh.piece_count, 2);
    for (LocalIndex n = 0; n < mesh.node_count(); ++n)
      EXPECT_EQ(mesh.pieces[std::size_t(n)], test::point(mesh, n)[0] < 0.5 ? 0 : 1);
  }
}

TEST(Pieces, OfAFileAreCounted) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("apart.msh", test::msh2("8\n1 5 0 0\n2 6 0 0\n3 5 1 0\n4 5 0 1\n"
                                                        "5 0 0 0\n6 1 0 0\n7 0 1 0\n8 0 0 1\n",
                                                        "2\n1 4 2 1 1 5 6 7 8\n2 4 2 1 1 1 2 3 4\n"));
  const BodyMesh mesh = read(MeshFile{path});
  EXPECT_EQ(mesh.piece_count, 2);
  EXPECT_EQ(mesh.pieces, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(read(BoxMesh{{0, 0, 0}, {1, 1, 1}, 0.5}, 2).piece_count, 1);
}

} // namespace
} // namespace limber::mesh
