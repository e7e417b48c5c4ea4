// Meshes of shells and springs: grids, surfaces that are not filled, edges.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "mesh/body_mesh.hpp"
#include "mesh/thin_meshes.hpp"
#include "surface_shapes.hpp"

namespace limber::mesh {
namespace {

const std::string kData = std::string(LIMBER_TEST_DATA) + "/meshes/";
constexpr double kRoundOff = 1e-14;

BodyMeshOptions options_for(BodyKind kind, decltype(MeshSource::shape) shape, double thickness = 0.1) {
  BodyMeshOptions options;
  options.kind = kind;
  options.source.shape = std::move(shape);
  options.thickness = thickness;
  return options;
}

GridMesh grid(int columns, int rows, bool both = false) {
  return {.min = {-0.5, -0.5, 2.0}, .max = {0.5, 0.5, 2.0}, .columns = columns, .rows = rows, .both_diagonals = both};
}

std::string error_of(const BodyMeshOptions& options) {
  try {
    read_body_mesh(options);
  } catch (const base::UserError& error) {
    EXPECT_FALSE(error.context().advice.empty());
    return error.what();
  }
  return "accepted";
}
void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

const PhysicalGroup& group(const BodyMesh& body, const std::string& name) {
  const auto found =
      std::find_if(body.groups.begin(), body.groups.end(), [&](const auto& g) { return g.name == name; });
  if (found == body.groups.end()) throw std::runtime_error("no group " + name);
  return *found;
}

/// The list of the case studies' reference (checkerboard diagonals), the first column.
TEST(Grid, has_the_triangles_of_the_case_studies) {
  const auto body = read_body_mesh(options_for(BodyKind::shell, grid(4, 4)));
  ASSERT_EQ(body.cell_count(), 32);
  EXPECT_EQ(body.node_count(), 25);
  const std::vector<LocalIndex> first{0, 5, 6, 0, 6, 1, 1, 6, 2, 6, 7, 2, 2, 7, 8, 2, 8, 3, 3, 8, 4, 8, 9, 4};
  EXPECT_EQ(std::vector<LocalIndex>(body.cells.begin(), body.cells.begin() + 24), first);
  EXPECT_EQ(std::vector<double>(body.points.begin() + 3 * 7, body.points.begin() + 3 * 7 + 3),
            (std::vector<double>{-0.25, 0.0, 2.0})); // column 1, row 2
  EXPECT_EQ(body.thickness, 0.1);
  EXPECT_EQ(body.faces.size(), 32u);
  EXPECT_EQ(body.piece_count, 1);
  EXPECT_EQ(group(body, "xmin").nodes, (std::vector<LocalIndex>{0, 1, 2, 3, 4}));
  EXPECT_EQ(group(body, "ymax").nodes, (std::vector<LocalIndex>{4, 9, 14, 19, 24}));
  EXPECT_EQ(group(body, "surface").faces.size(), 32u);
}

TEST(Grid, is_its_own_mirror_image_to_the_last_bit) {
  const auto body = read_body_mesh(options_for(BodyKind::shell, grid(7, 3)));
  for (int i = 0; i <= 7; ++i)
    for (int j = 0; j <= 3; ++j) {
      EXPECT_EQ(body.points[std::size_t(3 * (4 * i + j))], -body.points[std::size_t(3 * (4 * (7 - i) + j))]);
      EXPECT_EQ(body.points[std::size_t(3 * (4 * i + j) + 1)], -body.points[std::size_t(3 * (4 * i + 3 - j) + 1)]);
    }
}

TEST(Grid, springs_along_both_diagonals_carry_the_lumped_mass) {
  auto options = options_for(BodyKind::springs, grid(4, 3, true), 0.2);
  options.transform.scale = 2.0;
  const auto body = read_body_mesh(options);
  ASSERT_EQ(body.cell_count(), 4 * 4 + 5 * 3 + 2 * 12); // along x, along y, diagonals
  ASSERT_EQ(body.cell_volumes.size(), std::size_t(body.cell_count()));
  EXPECT_NEAR(sum(body.cell_volumes), 0.2 * 4.0, kRoundOff);
  std::vector<double> nodal(20, 0.0);
  for (std::size_t e = 0; e < body.cell_volumes.size(); ++e)
    for (std::size_t k = 0; k < 2; ++k) nodal[std::size_t(body.cells[2 * e + k])] += 0.5 * body.cell_volumes[e];
  const double cell = 0.2 * 0.5 * (2.0 / 3.0); // thickness × sides
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 3; ++j) {
      const int cells = (i % 4 == 0 ? 1 : 2) * (j % 3 == 0 ? 1 : 2);
      EXPECT_NEAR(nodal[std::size_t(4 * i + j)], cells * cell / 4.0, kRoundOff);
    }
}

TEST(Grid, refuses_what_makes_no_sense) {
  auto flat = grid(2, 2);
  flat.max[1] = flat.min[1];
  expect_part(error_of(options_for(BodyKind::shell, flat)), "no area");
  auto tilted = grid(2, 2);
  tilted.max[2] += 1.0;
  expect_part(error_of(options_for(BodyKind::shell, tilted)), "no area");
  expect_part(error_of(options_for(BodyKind::shell, grid(0, 2))), "0 × 2 cells");
  expect_part(error_of(options_for(BodyKind::shell, grid(100000, 100000))), "cells");
}

TEST(Springs, are_the_edges_of_tetrahedra) {
  auto options = options_for(BodyKind::springs, MeshFile{kData + "two_tetrahedra.msh", 0.0}, 0.0);
  const auto body = read_body_mesh(options);
  options.kind = BodyKind::solid;
  const auto solid = read_body_mesh(options);
  std::set<std::pair<LocalIndex, LocalIndex>> edges;
  double volume = 0.0;
  for (LocalIndex c = 0; c < solid.cell_count(); ++c) {
    volume += cell_determinant(solid, c) / 6.0;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) {
        const LocalIndex i = solid.cells[4 * std::size_t(c) + a], j = solid.cells[4 * std::size_t(c) + b];
        if (i < j) edges.emplace(i, j);
      }
  }
  ASSERT_EQ(std::size_t(body.cell_count()), edges.size());
  std::size_t e = 0;
  for (const auto& [i, j] : edges) {
    EXPECT_EQ(body.cells[2 * e], i);
    EXPECT_EQ(body.cells[2 * e + 1], j);
    EXPECT_EQ(body.cell_ids[e], GlobalIndex(e));
    ++e;
  }
  EXPECT_NEAR(sum(body.cell_volumes), volume, kRoundOff * volume);
  EXPECT_TRUE(body.faces.empty());
}

TEST(Springs, may_be_listed_as_pairs) {
  auto options = options_for(BodyKind::springs, grid(2, 2));
  options.needs_volumes = false;
  options.pairs = {{8, 0}, {0, 4}};
  const auto body = read_body_mesh(options);
  EXPECT_EQ(body.node_ids, (std::vector<GlobalIndex>{0, 4, 8})); // nodes without a spring are left out
  EXPECT_EQ(body.cells, (std::vector<LocalIndex>{2, 0, 0, 1}));
  EXPECT_TRUE(body.cell_volumes.empty());

  options.pairs = {{0, 9}};
  expect_part(error_of(options), "a node that the mesh does not have");
  options.pairs = {{3, 3}};
  expect_part(error_of(options), "no length");
  options.pairs = {{0, 1}, {1, 0}};
  expect_part(error_of(options), "listed twice");
  options.pairs = {{0, 1}};
  options.needs_volumes = true;
  expect_part(error_of(options), "no volume for a density");
}

TEST(Springs, of_a_surface_need_a_thickness_for_a_density) {
  auto options = options_for(BodyKind::springs, grid(2, 2), 0.0);
  expect_part(error_of(options), "thickness");
  options.needs_volumes = false;
  EXPECT_EQ(read_body_mesh(options).cell_count(), 16);
}

TEST(Shell, takes_the_triangles_of_a_surface_file) {
  for (const char* name : {"cube.stl", "cube.obj"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    TriangleSurface surface;
    add_box(surface, {0, 0, 0}, {1, 1, 1});
    std::string path = kData + "cube.obj";
    if (std::string(name) == "cube.stl") {
      std::string text = "solid cube\n";
      for (std::size_t t = 0; t < surface.triangle_count(); ++t) {
        text += "facet normal 0 0 0\nouter loop\n";
        for (std::size_t k = 0; k < 3; ++k) {
          const auto x = surface.point(surface.triangles[3 * t + k]);
          text += "vertex " + std::to_string(x[0]) + " " + std::to_string(x[1]) + " " + std::to_string(x[2]) + "\n";
        }
        text += "endloop\nendfacet\n";
      }
      path = folder.file(name, text + "endsolid\n");
    }
    const auto body = read_body_mesh(options_for(BodyKind::shell, MeshFile{path, 0.0}));
    EXPECT_EQ(body.cell_count(), 12);
    EXPECT_EQ(body.node_count(), 8);
    EXPECT_EQ(group(body, "surface").faces.size(), 12u);
  }
}

/// A unit square of two triangles with a side of two lines, beside one tetrahedron or not.
std::string msh(bool tetrahedron) {
  return std::string(
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 7 \"side\"\n2 8 \"skin\"\n"
             "$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n$EndNodes\n$Elements\n") +
         (tetrahedron ? "4" : "3") + "\n1 1 2 7 1 1 2\n2 2 2 8 1 1 2 3\n3 2 2 8 1 1 3 4\n" +
         (tetrahedron ? "4 4 2 9 1 1 2 4 5\n" : "") + "$EndElements\n";
}

TEST(Shell, takes_the_triangles_of_a_gmsh_file_with_their_groups) {
  const TemporaryFolder folder;
  for (const bool tetrahedron : {false, true}) {
    const auto path = folder.file("square.msh", msh(tetrahedron));
    const auto body = read_body_mesh(options_for(BodyKind::shell, MeshFile{path, 0.0}));
    EXPECT_EQ(body.cells, (std::vector<LocalIndex>{0, 1, 2, 0, 2, 3}));
    EXPECT_EQ(body.cell_groups, (std::vector<std::int32_t>{8, 8}));
    EXPECT_EQ(group(body, "side").nodes, (std::vector<LocalIndex>{0, 1}));
    EXPECT_EQ(group(body, "skin").faces, (std::vector<LocalIndex>{0, 1}));
    // Springs take the elements of the highest dimension.
    auto springs = options_for(BodyKind::springs, MeshFile{path, 0.0});
    EXPECT_EQ(read_body_mesh(springs).cell_count(), tetrahedron ? 6 : 5);
  }
}

TEST(Shell, takes_the_triangles_of_a_vtk_file) {
  const TemporaryFolder folder;
  const auto path = folder.file(
      "square.vtk", "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                    "0 0 0 1 0 0 1 1 0 0 1 0\nCELLS 3 11\n2 0 1\n3 0 1 2\n3 0 2 3\nCELL_TYPES 3\n3\n5\n5\n"
                    "CELL_DATA 3\nSCALARS group int 1\nLOOKUP_TABLE default\n7\n8\n8\n");
  const auto body = read_body_mesh(options_for(BodyKind::shell, MeshFile{path, 0.0}));
  EXPECT_EQ(body.cells, (std::vector<LocalIndex>{0, 1, 2, 0, 2, 3}));
  EXPECT_EQ(group(body, "7").nodes, (std::vector<LocalIndex>{0, 1}));
  EXPECT_EQ(group(body, "8").faces.size(), 2u);
  EXPECT_EQ(read_body_mesh(options_for(BodyKind::springs, MeshFile{path, 0.0})).cell_count(), 5);
}

TEST(Shell, refuses_meshes_without_usable_triangles) {
  expect_part(error_of(options_for(BodyKind::shell, BoxMesh{{0, 0, 0}, {1, 1, 1}, 0.5})), "cannot be made from");
  expect_part(error_of(options_for(BodyKind::shell, MeshFile{kData + "block.step", 0.0})), "cannot be made from");
  expect_part(error_of(options_for(BodyKind::shell, MeshFile{kData + "cube.obj", 0.1})), "element_size has no effect");
  const TemporaryFolder folder;
  const auto line = folder.file("line.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 0\n"
                                            "$EndNodes\n$Elements\n1\n1 1 2 7 1 1 2\n$EndElements\n");
  expect_part(error_of(options_for(BodyKind::shell, MeshFile{line, 0.0})), "no triangles");
  auto lines = options_for(BodyKind::springs, MeshFile{line, 0.0});
  lines.needs_volumes = false;
  EXPECT_EQ(read_body_mesh(lines).cell_count(), 1);
  const auto quad =
      folder.file("quad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n"
                              "4 0 1 0\n$EndNodes\n$Elements\n1\n1 3 2 7 1 1 2 3 4\n$EndElements\n");
  expect_part(error_of(options_for(BodyKind::shell, MeshFile{quad, 0.0})), "only linear triangles");
  const auto thin = folder.file("thin.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n");
  expect_part(error_of(options_for(BodyKind::shell, MeshFile{thin, 0.0})), "1 of 2 triangles have no area");
}

TEST(Shell, meshes_the_surfaces_of_a_geometry) {
  const TemporaryFolder folder;
  const auto path = folder.file("disk.geo", "SetFactory(\"OpenCASCADE\");\nDisk(1) = {0, 0, 0, 1};\n"
                                            "Physical Surface(\"disk\") = {1};\n");
  const auto body = read_body_mesh(options_for(BodyKind::shell, MeshFile{path, 0.3}));
  EXPECT_GT(body.cell_count(), 30);
  EXPECT_EQ(group(body, "disk").faces.size(), std::size_t(body.cell_count()));
}

} // namespace
} // namespace limber::mesh
