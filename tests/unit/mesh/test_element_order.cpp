// Linear meshes made quadratic and back, directly and as read from files and shapes.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <set>

#include "mesh/element_order.hpp"
#include "mesh_test_support.hpp"

namespace limber::mesh {
namespace {

using test::contains;
using test::group;
using test::msh2;
using test::point;
using test::read;
using test::TemporaryFolder;

/// Two tetrahedra on the face 1 2 3; nodes with tags 2, 3, 5, 8, 13.
ExtractedMesh two_cells() {
  ExtractedMesh mesh;
  mesh.node_tags = {2, 3, 5, 8, 13};
  mesh.points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  mesh.cell_tags = {4, 6};
  mesh.cells = {0, 1, 2, 3, 2, 4, 3, 1};
  mesh.cell_groups = {7, 0};
  return mesh;
}

/// The node in the middle of an edge, found by its place; −1: none.
LocalIndex middle(const ExtractedMesh& mesh, LocalIndex a, LocalIndex b) {
  for (std::size_t n = 5; n < mesh.node_tags.size(); ++n) {
    bool there = true;
    for (std::size_t k = 0; k < 3; ++k)
      there = there && 2.0 * mesh.points[3 * n + k] ==
                           mesh.points[3 * std::size_t(a) + k] + mesh.points[3 * std::size_t(b) + k]; // halves: exact
    if (there) return LocalIndex(n);
  }
  return -1;
}

std::vector<LocalIndex> sorted(std::vector<LocalIndex> nodes) {
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

TEST(ElementOrder, RaisingPutsOneNodeOnEveryEdge) {
  ExtractedMesh mesh = two_cells();
  const auto linear = mesh;
  raise_order(mesh);
  EXPECT_EQ(mesh.order, 2);
  // 6 + 6 edges less the 3 of the common face; tags follow the last one, sorted by the ends of the edges.
  EXPECT_EQ(mesh.node_tags, (std::vector<std::size_t>{2, 3, 5, 8, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}));
  ASSERT_EQ(mesh.points.size(), 3 * mesh.node_tags.size());
  ASSERT_EQ(mesh.cells.size(), 20u);
  EXPECT_EQ(middle(mesh, 0, 1), 5);
  EXPECT_EQ(middle(mesh, 3, 4), 13);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(mesh.cells[10 * c + k], linear.cells[4 * c + k]);
    for (std::size_t e = 0; e < 6; ++e)
      EXPECT_EQ(mesh.cells[10 * c + 4 + e], middle(mesh, mesh.cells[10 * c + std::size_t(tetrahedron_edges[e][0])],
                                                   mesh.cells[10 * c + std::size_t(tetrahedron_edges[e][1])]));
  }
  EXPECT_EQ(mesh.cell_tags, linear.cell_tags);
  EXPECT_EQ(mesh.cell_groups, linear.cell_groups);
}

TEST(ElementOrder, GroupsGetTheNodesOfTheirOwnEdges) {
  ExtractedMesh mesh = two_cells();
  mesh.groups = {{0, 1, "points", {0, 1}, {}, {}},
                 {1, 2, "lines", {0, 1, 2, 3, 4}, {}, {0, 1, 3, 2, 0, 4}}, // 0 4 is no edge
                 {2, 3, "surface", {0, 1, 2, 3, 4}, {0, 1, 2, 4, 3, 1}, {}},
                 {3, 4, "volume", {0, 1, 2, 3}, {}, {}}};
  raise_order(mesh);
  const auto with = [&](std::vector<LocalIndex> nodes, const std::vector<std::pair<LocalIndex, LocalIndex>>& edges) {
    for (const auto& [a, b] : edges) nodes.push_back(middle(mesh, a, b));
    return sorted(nodes);
  };
  EXPECT_EQ(mesh.groups[0].nodes, (std::vector<LocalIndex>{0, 1}));
  EXPECT_EQ(mesh.groups[1].nodes, with({0, 1, 2, 3, 4}, {{0, 1}, {2, 3}}));
  // The edge 2 3 has both ends in the group, but is an edge of none of its triangles.
  EXPECT_EQ(mesh.groups[2].nodes, with({0, 1, 2, 3, 4}, {{0, 1}, {1, 2}, {2, 0}, {4, 3}, {3, 1}, {1, 4}}));
  EXPECT_EQ(mesh.groups[3].nodes, with({0, 1, 2, 3}, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}));
}

TEST(ElementOrder, LoweringGivesTheLinearCellsBack) {
  ExtractedMesh mesh = two_cells();
  const auto linear = mesh;
  raise_order(mesh);
  const auto nodes = mesh.node_tags;
  lower_order(mesh);
  EXPECT_EQ(mesh.order, 1);
  EXPECT_EQ(mesh.cells, linear.cells);
  EXPECT_EQ(mesh.node_tags, nodes) << "ids of the file stay";
}

TEST(ReadOrder, AQuadraticFileIsReadAsItIs) {
  const TemporaryFolder folder;
  const auto path = folder.file("p2.msh", msh2(test::kQuadraticNodes, test::kQuadraticCell));
  for (const int order : {0, 2}) {
    const BodyMesh mesh = read(MeshFile{path}, order);
    EXPECT_EQ(mesh.order, 2);
    EXPECT_TRUE(mesh.warnings.empty());
    EXPECT_EQ(mesh.node_count(), 10);
    // Gmsh's node 9 lies between vertices 3 and 4, node 10 between 2 and 4.
    EXPECT_EQ(mesh.cells, (std::vector<LocalIndex>{0, 1, 2, 3, 4, 5, 6, 7, 9, 8}));
    EXPECT_EQ(test::largest_offset(mesh), 0.0); // integers
    EXPECT_NEAR(test::volume(mesh), 8.0 / 6.0, 1e-14);
  }
}

TEST(ReadOrder, InvertedQuadraticCellsAreTurnedWithTheirEdges) {
  const TemporaryFolder folder;
  // Vertices 3 and 4 exchanged, and the nodes of edges accordingly: 5 01, 7 and 8 change, 6 and 10 change.
  const auto path = folder.file("turned.msh", msh2(test::kQuadraticNodes, "1\n1 11 2 1 1 1 2 4 3 5 10 8 7 9 6\n"));
  const BodyMesh mesh = read(MeshFile{path});
  EXPECT_EQ(mesh.turned_cells, 1);
  EXPECT_EQ(test::largest_offset(mesh), 0.0);
  EXPECT_NEAR(test::volume(mesh), 8.0 / 6.0, 1e-14);
}

TEST(ReadOrder, Order1DropsTheNodesOnEdges) {
  const TemporaryFolder folder;
  // A surface (12) with a quadratic triangle.
  const auto path = folder.file("p2.msh", msh2(test::kQuadraticNodes, "2\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n"
                                                                      "2 9 2 12 1 1 2 3 5 6 7\n"));
  const BodyMesh quadratic = read(MeshFile{path});
  EXPECT_EQ(group(quadratic, "12", 2).nodes, (std::vector<LocalIndex>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(group(quadratic, "12", 2).faces, (std::vector<LocalIndex>{3})); // opposite vertex 3

  const BodyMesh mesh = read(MeshFile{path}, 1);
  EXPECT_EQ(mesh.order, 1);
  EXPECT_EQ(mesh.node_ids, (std::vector<GlobalIndex>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.file_nodes, 10);
  EXPECT_EQ(mesh.cells, (std::vector<LocalIndex>{0, 1, 2, 3}));
  EXPECT_EQ(group(mesh, "12", 2).nodes, (std::vector<LocalIndex>{0, 1, 2}));
  EXPECT_EQ(group(mesh, "12", 2).faces, (std::vector<LocalIndex>{3}));
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_TRUE(contains(mesh.warnings[0], "nodes on edges are left out")) << mesh.warnings[0];
}

TEST(ReadOrder, Order2PutsNodesOnTheEdgesOfALinearFile) {
  const BodyMesh mesh = read(MeshFile{test::kData + "two_tetrahedra.msh"}, 2);
  EXPECT_EQ(mesh.order, 2);
  EXPECT_EQ(mesh.node_count(), 5 + 9);
  EXPECT_EQ(mesh.file_nodes, 6 + 9); // with the unused one
  EXPECT_EQ(test::largest_offset(mesh), 0.0);
  EXPECT_NEAR(test::volume(mesh), 0.5, 1e-15 * 10); // 54 points, numbers of size 2
  EXPECT_EQ(group(mesh, "body", 3).nodes.size(), 14u);
  EXPECT_EQ(group(mesh, "4", 0).nodes.size(), 1u);
  // All in the plane z = 0: three corners and their three edges.
  const auto& base = group(mesh, "base", 2);
  EXPECT_EQ(base.nodes.size(), 6u);
  for (const LocalIndex n : base.nodes) EXPECT_EQ(point(mesh, n)[2], 0.0);
  EXPECT_TRUE(base.faces.empty()) << "the triangle lies between the tetrahedra";
}

TEST(ReadOrder, Order2ExtendsGroupsOfLines) {
  const TemporaryFolder folder;
  const auto path =
      folder.file("line.msh", msh2("4\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n", "2\n1 1 2 5 1 2 3\n2 4 2 1 1 1 2 3 4\n"));
  const BodyMesh mesh = read(MeshFile{path}, 2);
  const auto& line = group(mesh, "5", 1);
  ASSERT_EQ(line.nodes.size(), 3u);
  EXPECT_EQ(point(mesh, line.nodes[2]), (Vector3{1, 1, 0}));
}

TEST(ReadOrder, GeometryFilesMayChooseTheirOrder) {
  const TemporaryFolder folder;
  const auto path = folder.file("p2.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0,1,1,1};\n"
                                          "Mesh.ElementOrder = 2;\nMesh.MeshSizeMax = 0.5;\n");
  const BodyMesh as_written = read(MeshFile{path}), linear = read(MeshFile{path}, 1);
  EXPECT_EQ(as_written.order, 2);
  EXPECT_NEAR(test::volume(as_written), 1.0, 1e-12);
  EXPECT_EQ(linear.order, 1);
  EXPECT_EQ(linear.cell_count(), as_written.cell_count());
  const BodyMesh raised = read(MeshFile{test::kData + "block.geo"}, 2);
  EXPECT_EQ(raised.order, 2);
  EXPECT_NEAR(test::volume(raised), 1.0, 1e-12);
}

/// Errors of the volume, for a size and half of it.
struct Convergence {
  double coarse, fine;
  double rate() const { return std::log2(coarse / fine); }
};

template <class Make> Convergence convergence(const Make& make, double h, int order, double exact) {
  const auto error = [&](double size) {
    const BodyMesh mesh = read(make(size), order);
    EXPECT_TRUE(mesh.warnings.empty()) << mesh.warnings[0];
    // A chord of length c is c²/8R from its arc, c < 2 h: an eighth is never exceeded for h < R/2.
    EXPECT_LT(test::largest_offset(mesh), 0.125);
    return std::abs(test::volume(mesh) - exact) / exact;
  };
  return {error(h), error(0.5 * h)};
}

TEST(ReadOrder, CurvedSpheresConvergeFaster) {
  const auto sphere = [](double h) { return SphereMesh{{1, 2, 3}, 0.5, h}; };
  const BodyMesh mesh = read(sphere(0.15), 2);
  ASSERT_EQ(mesh.order, 2);
  // The group is the surface: every node of a boundary face, corners and edges, OpenCASCADE's tolerance off at most.
  std::set<LocalIndex> on_surface;
  for (const CellFace& face : mesh.faces)
    for (const int k : tetrahedron_faces[face.side])
      on_surface.insert(mesh.cells[10 * std::size_t(face.cell) + std::size_t(k)]);
  const auto& surface = group(mesh, "surface", 2);
  EXPECT_EQ(surface.nodes, std::vector<LocalIndex>(on_surface.begin(), on_surface.end()));
  EXPECT_EQ(surface.faces.size(), mesh.faces.size());
  for (const LocalIndex n : surface.nodes) {
    const auto x = point(mesh, n);
    EXPECT_NEAR(std::hypot(x[0] - 1, x[1] - 2, x[2] - 3), 0.5, 1e-9);
  }
  const double exact = std::numbers::pi / 6.0;
  const auto linear = convergence(sphere, 0.2, 1, exact), quadratic = convergence(sphere, 0.2, 2, exact);
  // Second order against third at least; the meshes of two sizes are not similar, hence half an order of slack.
  EXPECT_NEAR(linear.rate(), 2.0, 0.5);
  EXPECT_GT(quadratic.rate(), 2.5);
  EXPECT_GT(quadratic.rate(), linear.rate() + 0.5);
  EXPECT_LT(quadratic.fine, 0.05 * linear.fine);
}

TEST(ReadOrder, CurvedCylindersConvergeFaster) {
  const auto cylinder = [](double h) { return CylinderMesh{{0, 0, 0}, {0, 3, 4}, 0.7, h}; };
  const BodyMesh mesh = read(cylinder(0.3), 2);
  ASSERT_EQ(mesh.order, 2);
  for (const LocalIndex n : group(mesh, "side", 2).nodes) {
    const auto x = point(mesh, n);
    const double along = (3 * x[1] + 4 * x[2]) / 5;
    EXPECT_NEAR(std::hypot(x[0], x[1] - 0.6 * along, x[2] - 0.8 * along), 0.7, 1e-9);
  }
  for (const LocalIndex n : group(mesh, "end", 2).nodes)
    EXPECT_NEAR((3 * point(mesh, n)[1] + 4 * point(mesh, n)[2]) / 5, 5.0, 1e-9);
  const double exact = std::numbers::pi * 0.49 * 5;
  const auto linear = convergence(cylinder, 0.3, 1, exact), quadratic = convergence(cylinder, 0.3, 2, exact);
  EXPECT_NEAR(linear.rate(), 2.0, 0.5);
  EXPECT_GT(quadratic.rate(), 2.5);
  EXPECT_GT(quadratic.rate(), linear.rate() + 0.5);
  EXPECT_LT(quadratic.fine, 0.05 * linear.fine);
}

} // namespace
} // namespace limber::mesh
