// What is refused, turned, straightened or warned of in a mesh.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "mesh/mesh_checks.hpp"
#include "mesh_test_support.hpp"
#include "support/box_mesh.hpp"

namespace limber::mesh {
namespace {

using test::contains;
using test::msh2;
using test::read;
using test::TemporaryFolder;
using test::user_error;

std::string all_warnings(const BodyMesh& mesh) {
  std::string text;
  for (const auto& warning : mesh.warnings) text += warning + "\n";
  return text;
}

/// A quadratic tetrahedron whose node 5, between vertices 1 and 2, has moved towards vertex 1.
std::string folded_nodes(const std::string& x) {
  auto nodes = test::kQuadraticNodes;
  const auto at = nodes.find("5 1 0 0\n");
  return nodes.replace(at, 8, "5 " + x + " 0 0\n");
}

TEST(MeshChecks, AFoldedQuadraticFileIsRefusedWithItsTag) {
  // On an edge of length 2 with ends at 0 and 2, dx/dξ = 4 m − 2 at the first end is negative for m < 1/2.
  const TemporaryFolder folder;
  const std::string cell = "1\n17 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n";
  const auto bad = folder.file("folded.msh", msh2(folded_nodes("0.49"), cell));
  const auto text = user_error([&] { read(MeshFile{bad}); });
  EXPECT_TRUE(contains(text, "fold over themselves") && contains(text, "tags 17\n")) << text;
  EXPECT_TRUE(contains(text, "order: 1")) << text;
  EXPECT_EQ(read(MeshFile{bad}, 1).order, 1) << "what the advice says";
  EXPECT_NO_THROW(read(MeshFile{folder.file("bent.msh", msh2(folded_nodes("0.51"), cell))}));
}

std::vector<std::size_t> tags_of(const BodyMesh& body) {
  std::vector<std::size_t> tags(std::size_t(body.file_cells));
  for (std::size_t i = 0; i < tags.size(); ++i) tags[i] = 100 + i;
  return tags;
}

/// A flat plate, bent so much that a single straight edge crosses its neighbors: z − 0.6 x (1 − x), determinant one.
BodyMesh bent_plate() {
  return test::quadratic(test::make_box({.cubes = {1, 1, 1}, .size = {1.0, 1.0, 0.05}}),
                         [](double* x) { x[2] -= 0.6 * x[0] * (1.0 - x[0]); });
}

TEST(MeshChecks, CurvedCellsThatAreValidStay) {
  BodyMesh plate = bent_plate();
  const auto points = plate.points;
  check_curved_cells(plate, tags_of(plate), true, {});
  EXPECT_EQ(plate.points, points);
  EXPECT_TRUE(plate.warnings.empty());
  BodyMesh linear = test::make_box({.cubes = {1, 1, 1}});
  EXPECT_NO_THROW(check_curved_cells(linear, tags_of(linear), true, {}));
}

TEST(MeshChecks, StraighteningGoesOnUntilAllCellsAreValid) {
  BodyMesh plate = bent_plate();
  // The node of some edge of cell 0 goes beyond a vertex.
  const auto edge_node = std::size_t(plate.cells[4]), vertex = std::size_t(plate.cells[0]);
  for (std::size_t k = 0; k < 3; ++k)
    plate.points[3 * edge_node + k] += 2.0 * (plate.points[3 * vertex + k] - plate.points[3 * edge_node + k]);

  BodyMesh refused = plate;
  const auto text = user_error([&] { check_curved_cells(refused, tags_of(plate), false, {"a.msh", 0, "", ""}); });
  EXPECT_TRUE(contains(text, "a.msh") && contains(text, "tags 100")) << text;
  EXPECT_EQ(refused.points, plate.points) << "the user's mesh is not changed";

  check_curved_cells(plate, tags_of(plate), true, {});
  ASSERT_EQ(plate.warnings.size(), 1u);
  EXPECT_TRUE(contains(plate.warnings[0], "their edges are straight")) << plate.warnings[0];
  EXPECT_GT(std::stoi(plate.warnings[0]), 1) << "neighbors too: " << plate.warnings[0];
  EXPECT_NO_THROW(check_curved_cells(plate, tags_of(plate), false, {}));
  const auto& cell = plate.cells;
  for (std::size_t e = 0; e < 6; ++e)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = std::size_t(cell[std::size_t(tetrahedron_edges[e][0])]),
                 b = std::size_t(cell[std::size_t(tetrahedron_edges[e][1])]);
      EXPECT_EQ(plate.points[3 * std::size_t(cell[4 + e]) + k],
                0.5 * (plate.points[3 * a + k] + plate.points[3 * b + k]));
    }
}

TEST(MeshChecks, CoarseCurvedShapesAreStraightenedWhereTheyMustBe) {
  // Thin walls against a large size: the arcs of one side cross those of the other.
  const TemporaryFolder folder;
  const auto path = folder.file("tube.geo", "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0,0,0, 0,0,1, 1};\n"
                                            "Cylinder(2) = {0,0,0, 0,0,1, 0.95};\n"
                                            "BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n");
  const BodyMesh mesh = read(MeshFile{path, 1.0}, 2);
  EXPECT_TRUE(contains(all_warnings(mesh), "their edges are straight")) << all_warnings(mesh);
}

TEST(MeshChecks, OverlappingCellsAreRefusedWithTheirTags) {
  const TemporaryFolder folder;
  const auto path = folder.file("overlap.msh", msh2("6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 0.1 0.1 2\n",
                                                    "3\n11 4 2 1 1 1 2 3 4\n12 4 2 1 1 1 2 3 5\n"
                                                    "13 4 2 1 1 1 2 3 6\n"));
  const auto text = user_error([&] { read(MeshFile{path}); });
  EXPECT_TRUE(contains(text, "more than two tetrahedra share") && contains(text, "tags 13\n")) << text;
  EXPECT_TRUE(contains(text, path)) << text;
}

TEST(MeshChecks, NodesAtTheSamePlaceAreWarnedOf) {
  const TemporaryFolder folder;
  // Two tetrahedra that should share the face 2 3 4 and have nodes of their own there.
  const auto path = folder.file("doubled.msh", msh2("8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 0\n6 0 1 0\n"
                                                    "7 0 0 1\n8 1 1 1\n",
                                                    "2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 5 6 7 8\n"));
  const BodyMesh mesh = read(MeshFile{path});
  EXPECT_EQ(mesh.piece_count, 2);
  EXPECT_TRUE(contains(all_warnings(mesh), "3 nodes lie exactly on another one")) << all_warnings(mesh);
}

TEST(MeshChecks, SizesThatLookLikeMillimetersAreWarnedOf) {
  auto options = test::options_of(BoxMesh{{0, 0, 0}, {120, 5, 5}, 5});
  EXPECT_TRUE(contains(all_warnings(read_body_mesh(options)), "120 m across")) << "diagonal 120.2";
  EXPECT_TRUE(contains(all_warnings(read_body_mesh(options)), "scale: 0.001"));
  options.transform.scale = 0.001;
  EXPECT_EQ(all_warnings(read_body_mesh(options)), "");
  options.transform.scale = 1e-8;
  EXPECT_TRUE(contains(all_warnings(read_body_mesh(options)), "only 1.2e-06 m across"))
      << all_warnings(read_body_mesh(options));
}

TEST(MeshChecks, RepeatedNodesOfQuadraticCellsAreRefused) {
  ExtractedMesh mesh;
  mesh.order = 2;
  mesh.cell_tags = {3, 8};
  mesh.cells = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 4};
  const auto text = user_error([&] { check_repeated_vertices(mesh, {}); });
  EXPECT_TRUE(contains(text, "tags 8\n")) << text;
}

TEST(MeshChecks, CopiesOfQuadraticCellsAreFoundByTheirVertices) {
  ExtractedMesh mesh;
  mesh.order = 2;
  mesh.cell_tags = {1, 2, 3};
  mesh.cells = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 0, 1, 2, 4, 5, 6, 7, 11, 12, 13, 3, 2, 1, 0, 10, 6, 9, 8, 7, 5};
  EXPECT_EQ(first_copies(mesh), (std::vector<char>{1, 1, 0}));
}

TEST(MeshChecks, ListsOfOffendersAreShort) {
  Offenders offenders;
  for (std::size_t tag = 1; tag <= 5; ++tag) offenders.add(tag);
  EXPECT_EQ(offenders.text(), "1, 2, 3, 4, 5");
  offenders.add(6);
  offenders.add(7);
  EXPECT_EQ(offenders.count(), 7u);
  EXPECT_EQ(offenders.text(), "1, 2, 3, 4, 5 and 2 more");
}

} // namespace
} // namespace limber::mesh
