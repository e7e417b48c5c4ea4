// Reading and making meshes with Gmsh: what comes out of good input, and what is said about bad input.

#include <algorithm>
#include <clocale>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmsh.h>
#include <gtest/gtest.h>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/body_mesh.hpp"
#include "mesh_test_support.hpp"

namespace limber::mesh {
namespace {

using test::group;
using test::kData;
using test::msh2;
using test::options_of;
using test::read;
using test::TemporaryFolder;
using test::volume;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void expect_sound(const BodyMesh& mesh) {
  EXPECT_EQ(mesh.points.size(), 3 * mesh.node_ids.size());
  EXPECT_EQ(mesh.cells.size(), 4 * mesh.cell_ids.size());
  EXPECT_EQ(mesh.cell_groups.size(), mesh.cell_ids.size());
  EXPECT_TRUE(std::is_sorted(mesh.node_ids.begin(), mesh.node_ids.end()));
  EXPECT_TRUE(std::is_sorted(mesh.cell_ids.begin(), mesh.cell_ids.end()));
  std::vector<char> used(mesh.node_ids.size(), 0);
  for (const LocalIndex node : mesh.cells) used.at(static_cast<std::size_t>(node)) = 1;
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0);
  for (LocalIndex c = 0; c < mesh.cell_count(); ++c) EXPECT_GT(cell_determinant(mesh, c), 0.0) << "cell " << c;
  for (const PhysicalGroup& g : mesh.groups) {
    EXPECT_TRUE(std::is_sorted(g.nodes.begin(), g.nodes.end()));
    EXPECT_EQ(std::adjacent_find(g.nodes.begin(), g.nodes.end()), g.nodes.end());
    for (const LocalIndex node : g.nodes) EXPECT_LT(node, mesh.node_count());
  }
}

TEST(GmshReader, OrdersByTagTurnsCellsAndDropsUnusedNodes) {
  const BodyMesh mesh = read(MeshFile{kData + "two_tetrahedra.msh"});
  expect_sound(mesh);
  // Tags 1 2 3 7 10 20; node 2 is in no tetrahedron.
  EXPECT_EQ(mesh.node_ids, (std::vector<GlobalIndex>{0, 2, 3, 4, 5}));
  EXPECT_EQ(mesh.points, (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, -2, 0, 0, 0, 0, 0, 1}));
  // Tetrahedron 4 comes before 12, which is inverted: its last two vertices change places.
  EXPECT_EQ(mesh.cell_ids, (std::vector<GlobalIndex>{0, 1}));
  EXPECT_EQ(mesh.cells, (std::vector<LocalIndex>{3, 0, 1, 4, 3, 0, 2, 1}));
  EXPECT_EQ(mesh.turned_cells, 1);
  EXPECT_EQ(mesh.file_nodes, 6);
  EXPECT_EQ(mesh.file_cells, 2);
  EXPECT_EQ(cell_determinant(mesh, 0), 1.0); // integers: exact
  EXPECT_EQ(cell_determinant(mesh, 1), 2.0);
  EXPECT_EQ(mesh.cell_groups, (std::vector<std::int32_t>{9, 9}));
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("1 of 2 tetrahedra are inverted"), std::string::npos) << mesh.warnings[0];

  ASSERT_EQ(mesh.groups.size(), 3u);
  EXPECT_EQ(group(mesh, "4", 0).nodes, (std::vector<LocalIndex>{3}));
  EXPECT_EQ(group(mesh, "base", 2).nodes, (std::vector<LocalIndex>{0, 1, 3}));
  EXPECT_EQ(group(mesh, "base", 2).tag, 5);
  EXPECT_EQ(group(mesh, "body", 3).nodes, (std::vector<LocalIndex>{0, 1, 2, 3, 4}));
}

TEST(GmshReader, TransformScalesThenRotatesThenTranslates) {
  BodyMeshOptions options = options_of(MeshFile{kData + "two_tetrahedra.msh"});
  options.transform = {2.0, {0, 0, 3}, 90.0, {10, 20, 30}};
  const BodyMesh mesh = read_body_mesh(options);
  // (1,0,0) → (2,0,0) → (0,2,0) → (10,22,30); (0,1,0) → (-2,0,0) → (8,20,30); (0,0,-2) → (10,20,26).
  const std::vector<double> expected = {10, 22, 30, 8, 20, 30, 10, 20, 26, 10, 20, 30, 10, 20, 32};
  ASSERT_EQ(mesh.points.size(), expected.size());
  // A few roundings of numbers up to 30.
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(mesh.points[i], expected[i], 1e-14 * 30) << i;
}

TEST(GmshReader, EveryMshVariantGivesTheSameMesh) {
  const TemporaryFolder folder;
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  // Two boxes that share a face, in two physical volumes, one of them also in a third.
  gmsh::model::occ::addBox(0, 0, 0, 1, 1, 1, 1);
  gmsh::model::occ::addBox(1, 0, 0, 1, 1, 1, 2);
  gmsh::vectorpair parts;
  std::vector<gmsh::vectorpair> map;
  gmsh::model::occ::fragment({{3, 1}}, {{3, 2}}, parts, map);
  gmsh::model::occ::synchronize();
  gmsh::model::addPhysicalGroup(3, {map[0][0].second}, 11);
  gmsh::model::addPhysicalGroup(3, {map[1][0].second}, 12);
  gmsh::model::setPhysicalName(3, 11, "near");
  gmsh::model::setPhysicalName(3, 12, "far");
  gmsh::vectorpair ends;
  gmsh::model::getEntitiesInBoundingBox(-0.1, -0.1, -0.1, 0.1, 1.1, 1.1, ends, 2);
  gmsh::model::addPhysicalGroup(2, {ends.at(0).second}, 3);
  gmsh::option::setNumber("Mesh.MeshSizeMax", 0.4);
  gmsh::model::mesh::generate(3);
  for (const bool binary : {false, true}) {
    for (const double version : {2.2, 4.1}) {
      gmsh::option::setNumber("Mesh.Binary", binary);
      gmsh::option::setNumber("Mesh.MshFileVersion", version);
      gmsh::write(folder.file((binary ? "binary" : "ascii") + std::string(version > 4 ? "4.msh" : "2.msh")));
    }
  }
  gmsh::finalize();

  const BodyMesh first = read(MeshFile{folder.file("ascii4.msh")});
  expect_sound(first);
  EXPECT_NEAR(volume(first), 2.0, 1e-13); // about 100 roundings
  EXPECT_EQ(first.turned_cells, 0);
  EXPECT_TRUE(first.warnings.empty());
  EXPECT_EQ(first.file_cells, first.cell_count());
  for (const std::string name : {"ascii2.msh", "binary2.msh", "binary4.msh"}) {
    SCOPED_TRACE(name);
    const BodyMesh mesh = read(MeshFile{folder.file(name)});
    EXPECT_EQ(mesh.node_ids, first.node_ids);
    EXPECT_EQ(mesh.cells, first.cells);
    EXPECT_EQ(mesh.cell_ids, first.cell_ids);
    EXPECT_EQ(mesh.cell_groups, first.cell_groups);
    ASSERT_EQ(mesh.points.size(), first.points.size());
    // Gmsh writes 16 digits as text.
    for (std::size_t i = 0; i < first.points.size(); ++i) EXPECT_NEAR(mesh.points[i], first.points[i], 4e-16 * 2);
    ASSERT_EQ(mesh.groups.size(), 3u);
    for (std::size_t g = 0; g < 3; ++g) {
      EXPECT_EQ(mesh.groups[g].name, first.groups[g].name);
      EXPECT_EQ(mesh.groups[g].nodes, first.groups[g].nodes);
    }
  }
  // Groups against geometry.
  for (LocalIndex c = 0; c < first.cell_count(); ++c) {
    double x = 0.0;
    for (std::size_t k = 0; k < 4; ++k) x += first.points[3 * std::size_t(first.cells[4 * std::size_t(c) + k])] / 4;
    EXPECT_EQ(first.cell_groups[std::size_t(c)], x < 1.0 ? 11 : 12);
  }
  std::vector<LocalIndex> at_zero, at_most_one;
  for (LocalIndex i = 0; i < first.node_count(); ++i) {
    if (first.points[3 * std::size_t(i)] < 1e-9) at_zero.push_back(i);
    if (first.points[3 * std::size_t(i)] < 1.0 + 1e-9) at_most_one.push_back(i);
  }
  EXPECT_EQ(group(first, "3", 2).nodes, at_zero);
  EXPECT_EQ(group(first, "near", 3).nodes, at_most_one);
}

TEST(GmshReader, TakesTetrahedraOutsidePhysicalGroups) {
  // The second tetrahedron moves to a volume that is in no group.
  std::string text = content_of(kData + "two_tetrahedra.msh");
  const TemporaryFolder folder;
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("1 0 1 1\n", "1 0 1 2\n");
  replace("1 0 0 0 1 1 1 1 9 1 1\n", "1 0 0 0 1 1 1 1 9 1 1\n2 0 0 0 1 1 1 0 0\n");
  replace("3 4 1 12\n", "4 4 1 12\n");
  replace("3 1 4 2\n12 10 1 3 7\n", "3 2 4 1\n12 10 1 3 7\n3 1 4 1\n");
  const BodyMesh mesh = read(MeshFile{folder.file("outside.msh", text)});
  EXPECT_EQ(mesh.cell_groups, (std::vector<std::int32_t>{9, 0}));
}

TEST(GmshReader, TakesARepeatedTetrahedronOnce) {
  const TemporaryFolder folder;
  const std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                           "$EndNodes\n$Elements\n2\n1 4 2 5 1 1 2 3 4\n2 4 2 6 1 1 2 3 4\n$EndElements\n";
  const BodyMesh mesh = read(MeshFile{folder.file("twice.msh", text)});
  EXPECT_EQ(mesh.cell_ids, (std::vector<GlobalIndex>{0}));
  EXPECT_EQ(mesh.file_cells, 2);
  EXPECT_EQ(mesh.cell_groups, (std::vector<std::int32_t>{5}));
  EXPECT_EQ(group(mesh, "6", 3).nodes.size(), 4u);
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("more than once"), std::string::npos) << mesh.warnings[0];
}

TEST(GmshReader, MeshesGeometryFiles) {
  const BodyMesh as_written = read(MeshFile{kData + "block.geo"});
  expect_sound(as_written);
  EXPECT_NEAR(volume(as_written), 1.0, 1e-13);
  for (const LocalIndex node : group(as_written, "floor", 2).nodes)
    EXPECT_EQ(as_written.points[3 * std::size_t(node) + 2], 0.0);
  const BodyMesh finer = read(MeshFile{kData + "block.geo", 0.2});
  EXPECT_NEAR(volume(finer), 1.0, 1e-13);
  // (0.5 / 0.2)³ = 16 times as many in the limit; the coarse one is almost all boundary.
  EXPECT_GT(finer.cell_count(), 5 * as_written.cell_count());
}

TEST(GmshReader, MeshesTheBracket) {
  const BodyMesh mesh = read(MeshFile{std::string(LIMBER_SOURCE_DIR) + "/meshes/bracket.geo"});
  expect_sound(mesh);
  EXPECT_EQ(mesh.file_nodes, mesh.node_count());
  EXPECT_GT(mesh.cell_count(), 25000);
  EXPECT_LT(mesh.cell_count(), 35000);
  EXPECT_EQ(group(mesh, "part", 3).nodes.size(), std::size_t(mesh.node_count()));
  for (const LocalIndex node : group(mesh, "clamp", 2).nodes) EXPECT_NEAR(mesh.points[3 * std::size_t(node)], 0, 1e-12);
  for (const LocalIndex node : group(mesh, "grip", 2).nodes) {
    const double* const x = &mesh.points[3 * std::size_t(node)];
    EXPECT_NEAR(std::hypot(x[0] - 0.14, x[1]), 0.01, 1e-9); // OpenCASCADE places nodes to about 1e-10 m
  }
}

TEST(GmshReader, MakesBoxes) {
  const BoxMesh box{{-1, 0, 2}, {1, 1, 2.5}, 0.2};
  const BodyMesh mesh = read(box);
  expect_sound(mesh);
  EXPECT_NEAR(volume(mesh), 1.0, 1e-13);
  EXPECT_EQ(mesh.groups.size(), 7u);
  EXPECT_EQ(group(mesh, "volume", 3).nodes.size(), std::size_t(mesh.node_count()));
  for (std::size_t k = 0; k < 3; ++k) {
    for (const bool high : {false, true}) {
      const double plane = high ? box.max[k] : box.min[k];
      std::vector<LocalIndex> expected;
      for (LocalIndex i = 0; i < mesh.node_count(); ++i)
        if (std::abs(mesh.points[3 * std::size_t(i) + k] - plane) < 1e-12) expected.push_back(i);
      EXPECT_EQ(group(mesh, std::string(1, "xyz"[k]) + (high ? "max" : "min"), 2).nodes, expected);
    }
  }
}

TEST(GmshReader, MakesSpheresAndCylinders) {
  const auto sphere_error = [](double h) {
    const BodyMesh mesh = read(SphereMesh{{1, 2, 3}, 0.5, h});
    expect_sound(mesh);
    for (const LocalIndex i : group(mesh, "surface", 2).nodes) {
      const double* const x = &mesh.points[3 * std::size_t(i)];
      EXPECT_NEAR(std::hypot(x[0] - 1, x[1] - 2, x[2] - 3), 0.5, 1e-9);
    }
    const double exact = std::numbers::pi / 6;
    return (exact - volume(mesh)) / exact;
  };
  // A facet of edge h cuts off a cap: the volume is too small by about 3/8 (h/R)² · 1/3 … 1 of it.
  for (const double h : {0.2, 0.1}) {
    EXPECT_GT(sphere_error(h), 0.0);
    EXPECT_LT(sphere_error(h), 0.5 * (h / 0.5) * (h / 0.5));
  }
  EXPECT_LT(sphere_error(0.1), 0.4 * sphere_error(0.2)); // a quarter in the limit

  const BodyMesh mesh = read(CylinderMesh{{0, 0, 0}, {0, 3, 4}, 0.7, 0.3});
  expect_sound(mesh);
  const double exact = std::numbers::pi * 0.49 * 5;
  EXPECT_LT(volume(mesh), exact);
  EXPECT_NEAR(volume(mesh), exact, exact * 0.5 * (0.3 / 0.7) * (0.3 / 0.7));
  for (const auto& [name, height] : {std::pair{"start", 0.0}, std::pair{"end", 5.0}})
    for (const LocalIndex i : group(mesh, name, 2).nodes)
      EXPECT_NEAR((3 * mesh.points[3 * std::size_t(i) + 1] + 4 * mesh.points[3 * std::size_t(i) + 2]) / 5, height,
                  1e-9);
  EXPECT_FALSE(group(mesh, "side", 2).nodes.empty());
}

TEST(GmshReader, RepeatsBitwise) {
  // The second mesh is made on a heap that the first has used.
  for (const double h : {0.2, 0.07}) {
    const BodyMesh a = read(BoxMesh{{0, 0, 0}, {1, 1, 1}, h});
    const BodyMesh b = read(BoxMesh{{0, 0, 0}, {1, 1, 1}, h});
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.cells, b.cells);
  }
}

TEST(GmshReader, LeavesTheProcessAsItWas) {
  const std::string locale = std::setlocale(LC_ALL, "C.UTF-8") ? "C.UTF-8" : std::setlocale(LC_ALL, nullptr);
  const auto handler = +[](int) {};
  std::signal(SIGINT, handler);
  const auto folder = std::filesystem::current_path();
  read(MeshFile{kData + "two_tetrahedra.msh"});
  EXPECT_THROW(read(MeshFile{kData + "none.msh"}), base::UserError);
  EXPECT_EQ(std::setlocale(LC_ALL, nullptr), locale);
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), handler);
  EXPECT_EQ(std::filesystem::current_path(), folder);
  std::setlocale(LC_ALL, "C");
}

// Bad input.

std::string msh4(const std::string& nodes, const std::string& elements) {
  return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n" + nodes + "$EndNodes\n$Elements\n" + elements +
         "$EndElements\n";
}
const std::string kNodes2 = "5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 0\n";
const std::string kNodes4 = "1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
const std::string kElements4 = "1 1 1 1\n3 1 4 1\n1 1 2 3 4\n";

struct BadFile {
  std::string name;
  std::string content;
  std::vector<std::string> says;
};

class BadFiles : public testing::TestWithParam<BadFile> {};

TEST_P(BadFiles, AreRefusedWithAdvice) {
  const TemporaryFolder folder;
  const BadFile& bad = GetParam();
  const std::string path = folder.file(bad.name);
  std::ofstream(path, std::ios::binary) << bad.content;
  try {
    read(MeshFile{path});
    FAIL() << "accepted";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.context().file, path);
    EXPECT_EQ(error.context().key, "bodies[0].mesh");
    for (const std::string& part : bad.says)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << "\nnot in\n" << error.what();
  }
}

const BadFile kBadFiles[] = {
    {"empty.msh", "", {"it is empty"}},
    {"garbage.msh", "A letter, not a mesh.\n$5 are enclosed.\n", {"not a Gmsh mesh", "Save"}},
    {"zeros.msh", std::string(300, '\0'), {"not a Gmsh mesh"}},
    {"old.msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n", {"not a Gmsh mesh"}},
    {"version.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", {"version 4.00", "Convert"}},
    {"format_only.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", {"no $Nodes section"}},
    {"huge_nodes.msh", msh4("1 4000000000 1 4\n3 1 0 4000000000\n1\n", kElements4), {"$Nodes", "4000000000 entries"}},
    {"huge_block.msh", msh4("1 4 1 4\n3 1 0 4000000000\n1\n", kElements4), {"more nodes than it announces"}},
    {"few_nodes.msh", msh4("1 5 1 5" + kNodes4.substr(7), kElements4), {"fewer nodes"}},
    {"huge_elements.msh", msh4(kNodes4, "1 99999999999 1 1\n3 1 4 1\n1 1 2 3 4\n"), {"$Elements", "99999999999"}},
    {"more_elements.msh", msh4(kNodes4, "1 1 1 1\n3 1 4 2\n1 1 2 3 4\n2 1 2 3 4\n"), {"more elements"}},
    {"huge_count.msh", msh2("999999999\n1 0 0 0\n", "1\n1 4 0 1 2 3 4\n"), {"$Nodes", "999999999"}},
    {"cut.msh", msh2(kNodes2, "2\n1 4 0 1 2 3 4\n"), {"$Elements", "damaged or incomplete"}},
    {"unknown_type.msh", msh2(kNodes2, "1\n1 77 0 1 2 3 4\n"), {"element type 77"}},
    {"unknown_node.msh", msh2(kNodes2, "1\n1 4 2 1 1 1 2 3 9\n"), {"9"}},
    {"no_cells.msh", msh2(kNodes2, "0\n"), {"no elements of dimension 3"}},
    {"surface.msh", msh2(kNodes2, "1\n1 2 2 1 1 1 2 3\n"), {"surface mesh", "Mesh the volume"}},
    {"not_finite.msh",
     msh2("4\n1 0 0 0\n2 1 0 0\n3 nan 1 0\n4 0 0 1\n", "1\n1 4 2 1 1 1 2 3 4\n"),
     {"tags 3", "finite"}},
    {"flat.msh",
     msh2(kNodes2, "2\n1 4 2 1 1 1 2 3 4\n8 4 2 1 1 1 2 3 5\n"),
     {"1 of 2 tetrahedra have no volume", "tags 8"}},
    {"twice.msh", msh2(kNodes2, "1\n6 4 2 1 1 1 2 3 3\n"), {"name a node twice", "tags 6"}},
    {"same_node_tag.msh", msh2("4\n1 0 0 0\n2 1 0 0\n2 0 1 0\n4 0 0 1\n", "1\n1 4 2 1 1 1 2 4 2\n"), {}},
    {"pyramid.msh", msh2(kNodes2, "1\n1 7 2 1 1 1 2 5 3 4\n"), {"Pyramid 5", "only tetrahedra"}},
    {"cubic.msh",
     msh2(
         "20\n" +
             [] {
               std::string nodes;
               for (int i = 1; i <= 20; ++i) nodes += std::to_string(i) + " 0 0 " + std::to_string(i) + "\n";
               return nodes;
             }(),
         "1\n1 29 2 1 1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"),
     {"Tetrahedron 20", "order 3", "expected order 1 or 2"}},
    {"mixed_orders.msh",
     msh2("11" + test::kQuadraticNodes.substr(2) + "11 3 3 3\n",
          "2\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n2 4 2 1 2 2 3 4 11\n"),
     {"both linear and quadratic", "one order"}},
    {"mixed_orders_in_one_volume.msh",
     msh2("11" + test::kQuadraticNodes.substr(2) + "11 3 3 3\n",
          "2\n1 4 2 1 1 2 3 4 11\n2 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n"),
     {"both linear and quadratic", "one order"}},
    {"same_name.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"2\"\n$EndPhysicalNames\n$Nodes\n" + kNodes2 +
         "$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 2 2 2 5 3 4\n$EndElements\n",
     {"two physical groups", "'2'"}},
    {"mesh.inp", "*NODE\n", {"'.inp'", ".msh", ".geo"}},
    {"syntax.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1;\n", {"geometry cannot be read", "line 2"}},
    {"flat.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n", {"no volume", "Define a Volume"}},
    {"hexahedra.geo",
     "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0,1,1,1};\nTransfinite Curve{:} = 3;\nTransfinite Surface{:};\n"
     "Recombine Surface{:};\nTransfinite Volume{1};\n",
     {"Hexahedron 8", "only tetrahedra"}},
    {"cubic.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0,1,1,1};\nMesh.ElementOrder = 3;\n", {"order 3"}},
};

INSTANTIATE_TEST_SUITE_P(GmshReader, BadFiles, testing::ValuesIn(kBadFiles), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(GmshReader, RefusesWhatIsNoFile) {
  for (const std::string& path : {kData + "none.msh", std::string("/")})
    EXPECT_THROW(read(MeshFile{path}), base::UserError);
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("folder.msh"));
  EXPECT_THROW(read(MeshFile{folder.file("folder.msh")}), base::UserError);
}

TEST(GmshReader, SurvivesEveryTruncation) {
  const TemporaryFolder folder;
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  gmsh::open(kData + "two_tetrahedra.msh");
  gmsh::option::setNumber("Mesh.Binary", 1);
  for (const double version : {2.2, 4.1}) {
    gmsh::option::setNumber("Mesh.MshFileVersion", version);
    gmsh::write(folder.file(version > 4 ? "4.msh" : "2.msh"));
  }
  gmsh::finalize();
  for (const std::string& whole : {folder.file("2.msh"), folder.file("4.msh"), kData + "two_tetrahedra.msh"}) {
    const std::string bytes = content_of(whole);
    // Up to the end marker of the elements, which the file cannot do without.
    const std::size_t needed = bytes.find("$EndElements") + 12;
    ASSERT_LT(needed, bytes.size());
    for (std::size_t size = 1; size < needed; ++size)
      EXPECT_THROW(read(MeshFile{folder.file("cut.msh", bytes.substr(0, size))}), base::UserError)
          << whole << " " << size;
  }
}

TEST(GmshReader, RefusesBadOptions) {
  const auto refused = [](const BodyMeshOptions& options, const std::string& says) {
    try {
      read_body_mesh(options);
      ADD_FAILURE() << "accepted: " << says;
    } catch (const base::UserError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
      EXPECT_EQ(error.context().key, "bodies[0].mesh");
      EXPECT_EQ(error.context().file, "scene.yaml");
      EXPECT_EQ(error.context().line, 7);
      EXPECT_FALSE(error.context().advice.empty());
    }
  };
  const BoxMesh box{{0, 0, 0}, {1, 1, 1}, 0.5};
  BodyMeshOptions options;
  for (const double scale : {0.0, -1.0, std::nan("")}) {
    options = options_of(box);
    options.transform.scale = scale;
    refused(options, "scale");
  }
  options = options_of(box);
  options.transform.rotation_axis = {0, 0, 0};
  options.transform.rotation_degrees = 10;
  refused(options, "axis");
  refused(options_of(BoxMesh{{0, 0, 0}, {1, 0, 1}, 0.5}), "no volume");
  refused(options_of(BoxMesh{{0, 0, 0}, {1, 1, 1}, 0.0}), "element_size");
  refused(options_of(BoxMesh{{0, 0, 0}, {1, 1, 1}, 1e-5}), "tetrahedra");
  refused(options_of(SphereMesh{{0, 0, 0}, -1, 0.5}), "no volume");
  refused(options_of(CylinderMesh{{0, 0, 1}, {0, 0, 1}, 1, 0.5}), "no volume");
}

} // namespace
} // namespace limber::mesh
