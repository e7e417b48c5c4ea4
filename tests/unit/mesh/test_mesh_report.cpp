// What `limber info` says about a mesh file, whatever it holds.

#include <cmath>
#include <gmsh.h>
#include <gtest/gtest.h>
#include <numeric>

#include "base/error.hpp"
#include "mesh/mesh_report.hpp"
#include "surface_shapes.hpp"

namespace limber::mesh {
namespace {

const std::string kData = std::string(LIMBER_TEST_DATA) + "/meshes/";

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

std::string notes(const MeshReport& report) {
  std::string all;
  for (const std::string& note : report.notes) all += note + "\n";
  return all;
}

std::string msh2(const std::string& nodes, const std::string& elements) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + nodes + "$EndNodes\n$Elements\n" + elements +
         "$EndElements\n";
}

TEST(TetrahedronQuality, IsOneForTheRegularOne) {
  // Corners of a cube; a dozen roundings.
  EXPECT_NEAR(tetrahedron_quality({{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}}}), 0.0, 0.0); // inverted
  EXPECT_NEAR(tetrahedron_quality({{{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}}}), 1.0, 1e-14);
  // V = 1/6, edges² 1 1 1 2 2 2: 12 (1/2)^(2/3) / 9
  EXPECT_NEAR(tetrahedron_quality({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), 4.0 / 3.0 * std::pow(0.5, 2.0 / 3.0),
              1e-14);
  EXPECT_EQ(tetrahedron_quality({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}), 0.0);
}

TEST(MeshReport, CountsWhatIsThere) {
  const MeshReport report = report_mesh_file(kData + "two_tetrahedra.msh", 0.0);
  EXPECT_EQ(report.nodes, 6u);
  EXPECT_EQ(report.unused_nodes, 1u);
  EXPECT_EQ(report.repeated_positions, 0u);
  ASSERT_EQ(report.elements.size(), 3u);
  EXPECT_EQ(report.elements[0].name, "Tetrahedron 4");
  EXPECT_EQ(report.elements[0].count, 2u);
  EXPECT_EQ(report.elements[0].dimension, 3);
  EXPECT_EQ(report.elements[1].dimension, 2);
  EXPECT_EQ(report.elements[2].dimension, 0);
  ASSERT_EQ(report.groups.size(), 3u);
  EXPECT_EQ(report.groups[1].name, "base");
  EXPECT_EQ(report.groups[1].tag, 5);
  EXPECT_EQ(report.groups[1].nodes, 3u);
  EXPECT_EQ(report.groups[1].elements, 1u);
  EXPECT_EQ(report.groups[2].nodes, 5u);
  EXPECT_EQ(report.box_max, (Vector3{5, 5, 5}));
  EXPECT_EQ(report.box_min, (Vector3{0, 0, -2}));
  EXPECT_EQ(report.diagonal, std::hypot(5.0, 5.0, 7.0));
  ASSERT_TRUE(report.tetrahedra);
  const TetrahedraReport& t = *report.tetrahedra;
  EXPECT_EQ(t.count, 2u);
  EXPECT_EQ(t.order, 1);
  EXPECT_NEAR(t.volume, 0.5, 1e-15); // 1/6 + 2/6
  EXPECT_EQ(t.pieces, 1u);
  EXPECT_EQ(t.inverted, 1u);
  EXPECT_EQ(t.flat, 0u);
  EXPECT_EQ(t.worst, 12u);
  // V = 1/3, edges² 1 1 2 4 5 5: 12 / 18
  EXPECT_NEAR(t.smallest_quality, 2.0 / 3.0, 1e-14);
  EXPECT_EQ(t.quality[8], 1u); // 4/3 · 0.63
  EXPECT_EQ(t.quality[6], 1u);
  EXPECT_EQ(std::accumulate(t.quality.begin(), t.quality.end(), std::size_t{0}), 2u);
  EXPECT_EQ(t.shortest_edge, 1.0);
  EXPECT_EQ(t.longest_edge, std::sqrt(5.0));
  EXPECT_EQ(t.unknowns_p1, 15u);
  EXPECT_EQ(t.unknowns_p2, 3u * (5u + 9u)); // two tetrahedra with a common face have nine edges
  const std::string said = text(report);
  for (const char* part :
       {"nodes: 6 (1 in no element", "Tetrahedron 4", "base", "dimension 2, tag 5, 3 nodes, 1 elements",
        "tetrahedra: 2, linear, volume 0.5, in 1 piece", "1 inverted, 0 without volume",
        "smallest 0.6667, tetrahedron 12", "0.6 - 0.7          1 ####", "order 1: 15, about 0 MB"})
    expect_part(said, part);
}

TEST(MeshReport, DoesNotRefuseWhatARunRefuses) {
  const TemporaryFolder folder;
  const std::string nodes = "9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 0 0 0\n";
  const MeshReport cube =
      report_mesh_file(folder.file("hex.msh", msh2(nodes, "2\n1 5 2 1 1 1 2 3 4 5 6 7 8\n2 15 2 1 1 9\n")), 0.0);
  EXPECT_FALSE(cube.tetrahedra);
  EXPECT_EQ(cube.elements.at(0).name, "Hexahedron 8");
  EXPECT_EQ(cube.nodes, 9u);
  EXPECT_EQ(cube.repeated_positions, 1u);
  expect_part(notes(cube), "only tetrahedra");
  expect_part(notes(cube), "not joined");

  const MeshReport flat =
      report_mesh_file(folder.file("flat.msh", msh2(nodes, "2\n4 4 2 1 1 1 2 3 4\n5 4 2 1 1 5 6 8 1\n")), 0.0);
  ASSERT_TRUE(flat.tetrahedra);
  EXPECT_EQ(flat.tetrahedra->flat, 1u);
  EXPECT_EQ(flat.tetrahedra->worst, 4u);
  EXPECT_EQ(flat.tetrahedra->quality[0], 1u);
  expect_part(notes(flat), "1 tetrahedra have no volume");

  const MeshReport surface = report_mesh_file(folder.file("s.msh", msh2(nodes, "1\n1 2 2 1 1 1 2 3\n")), 0.0);
  ASSERT_TRUE(surface.surface);
  EXPECT_FALSE(surface.surface->closed);
  EXPECT_EQ(surface.surface->open_edges, 3u);
  EXPECT_EQ(surface.surface->area, 0.5);
  expect_part(text(surface), "not closed");
  expect_part(notes(surface), "no tetrahedra");

  const MeshReport two =
      report_mesh_file(folder.file("two.msh", msh2(nodes, "2\n1 4 2 1 1 1 2 4 5\n2 4 2 1 1 3 6 8 7\n")), 0.0);
  EXPECT_EQ(two.tetrahedra->pieces, 2u);
  expect_part(notes(two), "2 pieces");
  expect_part(text(report_mesh_file(folder.file("none.msh", msh2(nodes, "0\n")), 0.0)), "elements: none");
  EXPECT_THROW(report_mesh_file(folder.file("missing.msh"), 0.0), base::UserError);
  EXPECT_THROW(report_mesh_file(folder.file("mesh.inp", "x"), 0.0), base::UserError);
}

TEST(MeshReport, ReadsEveryFormat) {
  const MeshReport vtk = report_mesh_file(kData + "two_tetrahedra.vtk", 0.0);
  ASSERT_TRUE(vtk.tetrahedra);
  EXPECT_NEAR(vtk.tetrahedra->volume, 0.5, 1e-15);
  EXPECT_EQ(vtk.tetrahedra->inverted, 0u);
  EXPECT_EQ(vtk.elements.at(0).name, "TETRA");
  ASSERT_EQ(vtk.groups.size(), 3u);
  EXPECT_EQ(vtk.groups[0].dimension, 2);
  EXPECT_EQ(vtk.groups[0].tag, 2);
  EXPECT_EQ(vtk.groups[0].nodes, 3u);
  expect_part(text(vtk), "  2                        dimension 2, tag 2, 3 nodes, 1 elements");

  // Sums of some thousand rounded numbers; see test_surface_fill for the tolerances of new surfaces.
  EXPECT_NEAR(report_mesh_file(kData + "block.geo", 0.0).tetrahedra.value().volume, 1.0, 1e-12);
  const MeshReport step = report_mesh_file(kData + "block.step", 0.01);
  EXPECT_NEAR(step.tetrahedra.value().volume, 2.4e-5, 1e-12 * 2.4e-5);
  EXPECT_EQ(step.tetrahedra->pieces, 1u);
  const MeshReport cube = report_mesh_file(kData + "cube.obj", 0.25);
  EXPECT_NEAR(cube.tetrahedra.value().volume, 1.0, 1e-9);
  EXPECT_FALSE(cube.surface);
}

TEST(MeshReport, ReportsSurfacesThatCannotBeFilled) {
  const TemporaryFolder folder;
  TriangleSurface surface = unit_cube();
  surface.triangles.resize(33);
  const MeshReport report = report_mesh_file(folder.file("open.stl", ascii_stl(surface)), 0.0);
  EXPECT_FALSE(report.tetrahedra);
  ASSERT_TRUE(report.surface);
  EXPECT_EQ(report.surface->triangles, 11u);
  EXPECT_EQ(report.surface->open_edges, 3u);
  EXPECT_FALSE(report.surface->closed);
  EXPECT_EQ(report.surface->area, 5.5);
  EXPECT_EQ(report.surface->shells, 0u);
  expect_part(notes(report), "3 open edges");

  // The faces of a closed cube, as a surface mesh of Gmsh.
  std::string nodes = "8\n", elements = "12\n";
  const TriangleSurface cube = unit_cube();
  for (int i = 0; i < 8; ++i) {
    const Vector3 x = cube.point(i);
    nodes += std::to_string(i + 1);
    for (const double c : x) nodes += " " + std::to_string(c);
    nodes += "\n";
  }
  for (std::size_t t = 0; t < 12; ++t) {
    elements += std::to_string(t + 1) + " 2 2 1 1";
    for (std::size_t k = 0; k < 3; ++k) elements += " " + std::to_string(cube.triangles[3 * t + k] + 1);
    elements += "\n";
  }
  const MeshReport closed = report_mesh_file(folder.file("cube.msh", msh2(nodes, elements)), 0.0);
  ASSERT_TRUE(closed.surface);
  EXPECT_TRUE(closed.surface->closed);
  EXPECT_EQ(closed.surface->shells, 1u);
  EXPECT_NEAR(closed.surface->volume, 1.0, 1e-14); // a dozen roundings
  expect_part(text(closed), "12 triangles, area 6, closed");
}

TEST(MeshReport, HintsAtUnits) {
  const TemporaryFolder folder;
  const auto hint = [&](const std::string& length) {
    const std::string nodes = "4\n1 0 0 0\n2 " + length + " 0 0\n3 0 " + length + " 0\n4 0 0 " + length + "\n";
    return notes(report_mesh_file(folder.file("t.msh", msh2(nodes, "1\n1 4 2 1 1 1 2 3 4\n")), 0.0));
  };
  expect_part(hint("30"), "millimeters, give the body transform: {scale: 0.001}");
  expect_part(hint("1e-5"), "very small");
  EXPECT_EQ(hint("1"), "");
}

} // namespace
} // namespace limber::mesh
