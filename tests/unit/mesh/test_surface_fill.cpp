// Filling surfaces with tetrahedra, and the formats that Gmsh meshes on reading.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gmsh.h>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <numbers>
#include <sstream>

#include "mesh/gmsh_model.hpp"
#include "mesh/gmsh_session.hpp"
#include "mesh/surface_fill.hpp"
#include "surface_shapes.hpp"

namespace limber::mesh {
namespace {

/// What is in Gmsh's model.
struct Model {
  std::map<std::size_t, Vector3> points;
  std::vector<std::size_t> cells;     ///< corners of linear or quadratic tetrahedra
  std::vector<std::size_t> triangles; ///< corners
  std::size_t nodes_per_cell = 4;
  std::map<std::string, int> groups; ///< name to dimension
  double volume = 0.0;
  double quadratic_volume = 0.0; ///< of the curved elements
  double smallest_determinant = 1.0;

  bool operator==(const Model& other) const {
    return points == other.points && cells == other.cells && triangles == other.triangles;
  }
};

double determinant(const Vector3& a, const Vector3& b, const Vector3& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}
Vector3 minus(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Model model_now() {
  Model model;
  std::vector<std::size_t> tags, nodes;
  std::vector<double> x, parametric;
  gmsh::model::mesh::getNodes(tags, x, parametric, -1, -1, false, false);
  for (std::size_t i = 0; i < tags.size(); ++i) model.points[tags[i]] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
  const auto corners = [](int type, std::size_t per_element, std::size_t kept) {
    std::vector<std::size_t> elements, all, result;
    gmsh::model::mesh::getElementsByType(type, elements, all);
    for (std::size_t e = 0; e < elements.size(); ++e)
      result.insert(result.end(), all.begin() + static_cast<std::ptrdiff_t>(e * per_element),
                    all.begin() + static_cast<std::ptrdiff_t>(e * per_element + kept));
    return result;
  };
  model.cells = corners(4, 4, 4);
  model.triangles = corners(2, 3, 3);
  if (model.cells.empty()) {
    model.cells = corners(11, 10, 4);
    model.triangles = corners(9, 6, 3);
    model.nodes_per_cell = 10;
    std::vector<double> local, weights, jacobians, determinants, at;
    gmsh::model::mesh::getIntegrationPoints(11, "Gauss3", local, weights);
    gmsh::model::mesh::getJacobians(11, local, jacobians, determinants, at);
    for (std::size_t i = 0; i < determinants.size(); ++i) {
      model.quadratic_volume += determinants[i] * weights[i % weights.size()];
      model.smallest_determinant = std::min(model.smallest_determinant, determinants[i]);
    }
  }
  for (std::size_t c = 0; c < model.cells.size(); c += 4) {
    const Vector3 o = model.points.at(model.cells[c]);
    model.volume +=
        determinant(minus(model.points.at(model.cells[c + 1]), o), minus(model.points.at(model.cells[c + 2]), o),
                    minus(model.points.at(model.cells[c + 3]), o)) /
        6.0;
  }
  gmsh::vectorpair physical;
  gmsh::model::getPhysicalGroups(physical);
  for (const auto& [dimension, tag] : physical) {
    std::string name;
    gmsh::model::getPhysicalName(dimension, tag, name);
    model.groups[name] = dimension;
  }
  return model;
}

Model filled(const TriangleSurface& surface, double element_size, std::vector<std::string>* warnings = nullptr) {
  const GmshSession session;
  const auto said = fill_surface(session, surface, element_size, {});
  if (warnings) *warnings = said;
  return model_now();
}

Model loaded(const std::string& path, double element_size = 0.0, int order = 1,
             std::vector<std::string>* warnings = nullptr) {
  const GmshSession session;
  const auto said = load_file(session, {path, element_size}, {}, order);
  if (warnings) *warnings = said;
  return model_now();
}

template <class Work> std::string error_of(const Work& work) {
  try {
    work();
  } catch (const base::UserError& error) {
    EXPECT_FALSE(error.context().advice.empty()) << error.what();
    return error.what();
  }
  return "accepted";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

// Sums of some thousand rounded numbers.
constexpr double kRounding = 1e-12;

const std::map<std::string, int> kFilledGroups = {{"surface", 2}, {"volume", 3}};

TEST(SurfaceFill, KeepsTheTriangles) {
  std::vector<std::string> warnings;
  const Model model = filled(unit_cube(), 0.0, &warnings);
  EXPECT_TRUE(warnings.empty());
  EXPECT_NEAR(model.volume, 1.0, kRounding);
  EXPECT_EQ(model.groups, kFilledGroups);
  // Gmsh numbers anew, but the triangles are those given.
  const TriangleSurface cube = unit_cube();
  std::vector<Vector3> given, found;
  for (const LocalIndex vertex : cube.triangles) given.push_back(cube.point(vertex));
  for (const std::size_t node : model.triangles) found.push_back(model.points.at(node));
  const auto sorted = [](std::vector<Vector3> corners) {
    std::vector<std::vector<Vector3>> triangles;
    for (std::size_t t = 0; t + 2 < corners.size(); t += 3) {
      triangles.push_back({corners[t], corners[t + 1], corners[t + 2]});
      std::sort(triangles.back().begin(), triangles.back().end());
    }
    std::sort(triangles.begin(), triangles.end());
    return triangles;
  };
  EXPECT_EQ(sorted(found), sorted(given));
}

TEST(SurfaceFill, LeavesCavitiesEmptyAndFillsSeveralBodies) {
  TriangleSurface surface = unit_cube();
  add_cube(surface, 0.25, 0.75);
  add_cube(surface, 0.375, 0.625);
  add_cube(surface, 2.0, 3.0);
  const double exact = 2.0 - 0.125 + 0.015625;
  EXPECT_NEAR(filled(surface, 0.0).volume, exact, kRounding);
  const Model finer = filled(surface, 0.125);
  EXPECT_NEAR(finer.volume, exact, 1e-9); // nodes of the new surface are interpolated in the old triangles
  EXPECT_EQ(finer.groups, kFilledGroups);
  EXPECT_GT(finer.cells.size(), 4u * 1000u);
}

TEST(SurfaceFill, MeshesTheSurfaceAnew) {
  const Model coarse = filled(unit_cube(), 0.5), fine = filled(unit_cube(), 0.125);
  for (const Model* model : {&coarse, &fine}) {
    EXPECT_NEAR(model->volume, 1.0, 1e-9); // as above
    const double size = model == &coarse ? 0.5 : 0.125;
    double mean = 0.0;
    for (std::size_t i = 0; i < model->triangles.size(); i += 3) {
      const Vector3 e = minus(model->points.at(model->triangles[i]), model->points.at(model->triangles[i + 1]));
      mean += 3.0 * std::hypot(e[0], e[1], e[2]) / static_cast<double>(model->triangles.size());
    }
    // Gmsh meets the size within a few tenths.
    EXPECT_GT(mean, 0.7 * size);
    EXPECT_LT(mean, 1.4 * size);
  }
  // Sixteen times as many in the limit.
  EXPECT_GT(fine.triangles.size(), 10 * coarse.triangles.size());
}

TEST(SurfaceFill, MeshesATetrahedronAnew) {
  // Each of its faces is a patch of one triangle, on which Gmsh would crash.
  const TriangleSurface surface{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}};
  const Model model = filled(surface, 0.3);
  EXPECT_NEAR(model.volume, 1.0 / 6.0, 1e-9);
  EXPECT_GT(model.cells.size(), 4u * 20u);
}

TEST(SurfaceFill, FillsACurvedSurface) {
  // The sphere as a surface: coarse triangles, meshed anew with larger and with smaller ones.
  const TemporaryFolder folder;
  {
    const GmshSession session;
    make_sphere(session, {{1, 2, 3}, 1.0, 0.15}, {});
    // STL lists the triangles of the surfaces in physical groups.
    gmsh::write(folder.file("sphere.stl"));
  }
  const double exact = 4.0 / 3.0 * std::numbers::pi;
  const Model kept = loaded(folder.file("sphere.stl"));
  // Facets of edge h cut off caps: about (h/R)² / 4 of the volume.
  EXPECT_LT(kept.volume, exact);
  EXPECT_GT(kept.volume, exact * (1 - 0.15 * 0.15));
  for (const double size : {0.1, 0.3}) {
    const Model anew = loaded(folder.file("sphere.stl"), size);
    EXPECT_LT(anew.volume, exact);
    EXPECT_GT(anew.volume, exact * (1 - 0.15 * 0.15 - size * size));
    EXPECT_NE(anew.triangles.size(), kept.triangles.size());
    EXPECT_EQ(anew.triangles.size() < kept.triangles.size(), size == 0.3);
  }
  std::vector<std::string> warnings;
  loaded(folder.file("sphere.stl"), 0.8, 1, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  expect_part(warnings[0], "a smaller element_size");
}

TEST(SurfaceFill, RepeatsBitwise) {
  TriangleSurface surface = unit_cube();
  add_cube(surface, 0.25, 0.75);
  for (const double size : {0.0, 0.2}) EXPECT_TRUE(filled(surface, size) == filled(surface, size)) << size;
}

TEST(SurfaceFill, SaysWhyItFails) {
  // A spike pushed through the opposite face: the surface crosses itself, which only Gmsh sees.
  TriangleSurface spike = unit_cube();
  for (std::size_t t = 0; t < 12; ++t) {
    // Fan the top face's triangles around a point below the floor.
    if (t != 2) continue;
    const LocalIndex apex = static_cast<LocalIndex>(spike.point_count());
    const LocalIndex a = spike.triangles[6], b = spike.triangles[7], c = spike.triangles[8];
    spike.points.insert(spike.points.end(), {0.6, 0.3, -0.5});
    spike.triangles[8] = apex;
    spike.triangles.insert(spike.triangles.end(), {b, c, apex, c, a, apex});
  }
  const std::string error = error_of([&] { filled(spike, 0.0); });
  expect_part(error, "cannot be filled");
  expect_part(error, "Gmsh: ");
  expect_part(error, "crosses itself");
  TriangleSurface open = unit_cube();
  open.triangles.resize(33);
  expect_part(error_of([&] { filled(open, 0.0); }), "3 open edges");
  expect_part(error_of([&] { filled(unit_cube(), -1.0); }), "element_size is -1");
  expect_part(error_of([&] { filled(unit_cube(), 1e-5); }), "tetrahedra");
}

const std::string kBlock = std::string(LIMBER_TEST_DATA) + "/meshes/block.step"; // 20 x 30 x 40 mm

/// Boxes of 20 x 30 x 40 in the current unit of OpenCASCADE, which outlives Gmsh and which STEP files depend on.
std::string written_boxes(const TemporaryFolder& folder, const std::string& name, int boxes) {
  const GmshSession session;
  std::ostringstream dropped; // OpenCASCADE prints
  std::streambuf* const out = std::cout.rdbuf(dropped.rdbuf());
  for (int i = 0; i < boxes; ++i) gmsh::model::occ::addBox(100 * i, 0, 0, 20, 30, 40);
  gmsh::model::occ::synchronize();
  gmsh::write(folder.file(name));
  std::cout.rdbuf(out);
  return folder.file(name);
}

TEST(CadFiles, AreMeshedInMeters) {
  const TemporaryFolder folder;
  const std::string brep = written_boxes(folder, "box.brep", 1);
  const std::string stp = folder.file("box.stp");
  std::filesystem::copy_file(kBlock, stp);
  for (const std::string& path : {kBlock, stp, brep}) {
    const double scale = path == brep ? 1.0 : 1e-3;
    const double exact = 24000 * std::pow(scale, 3);
    testing::internal::CaptureStdout();
    std::vector<std::string> warnings;
    const Model model = loaded(path, 0.0, 1, &warnings);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    ASSERT_NEAR(model.volume, exact, kRounding * exact) << path;
    ASSERT_EQ(warnings.size(), 1u);
    expect_part(warnings[0], "a twentieth of the diagonal");
    EXPECT_EQ(model.groups.size(), 7u);
    EXPECT_EQ(model.groups.at("volume"), 3);
    for (int i = 1; i <= 6; ++i) EXPECT_EQ(model.groups.at("surface" + std::to_string(i)), 2);
    EXPECT_GT(model.cells.size(), 4u * 2000u); // size (diagonal / 20)³ / 4 each

    const Model coarse = loaded(path, 10 * scale, 1, &warnings);
    EXPECT_TRUE(warnings.empty());
    EXPECT_LT(coarse.cells.size(), model.cells.size() / 5);
    EXPECT_TRUE(coarse == loaded(path, 10 * scale)) << path;
  }
  const Model two = loaded(written_boxes(folder, "two.brep", 2), 10.0);
  EXPECT_EQ(two.groups.at("volume1"), 3);
  EXPECT_EQ(two.groups.at("volume2"), 3);
  EXPECT_EQ(two.groups.at("surface12"), 2);
}

TEST(CadFiles, DoNotChangeWhatScriptsRead) {
  // Scripts get the millimeters of OpenCASCADE's default, whatever was read before them.
  const TemporaryFolder folder;
  const std::string script = folder.file("merge.geo", "SetFactory(\"OpenCASCADE\");\nMerge \"" + kBlock + "\";\n");
  EXPECT_NEAR(loaded(script, 10.0).volume, 24000.0, kRounding * 24000.0);
  EXPECT_NEAR(loaded(kBlock, 0.01).volume, 2.4e-5, kRounding * 2.4e-5);
  EXPECT_NEAR(loaded(script, 10.0).volume, 24000.0, kRounding * 24000.0);
}

TEST(CadFiles, AreRefusedWithAdvice) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& path, double size = 0.0) { return error_of([&] { loaded(path, size); }); };
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  std::ifstream whole(kBlock, std::ios::binary);
  std::ostringstream bytes;
  bytes << whole.rdbuf();
  expect_part(error(folder.file("cut.step", bytes.str().substr(0, 3000))), "OpenCASCADE: ERR StepFile");
  expect_part(error(folder.file("word.step", "hello\n")), "cannot be read");
  expect_part(error(folder.file("word.brep", "hello\n")), "nothing is in it");
  expect_part(error(folder.file("word.iges", "hello\n")), "nothing is in it");
  expect_part(error(folder.file("missing.step")), "no such file");
  expect_part(error(kBlock, -1.0), "element_size");
  expect_part(error(kBlock, 1e-9), "tetrahedra");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const std::string unknown = error(folder.file("mesh.inp"));
  for (const char* ending : {".msh", ".vtu", ".vtk", ".geo", ".step", ".stp", ".iges", ".igs", ".brep", ".stl", ".obj"})
    expect_part(unknown, ending);
}

TEST(QuadraticMeshes, AreCurvedToTheGeometry) {
  const double exact = 4.0 / 3.0 * std::numbers::pi;
  const auto sphere = [&](int order) {
    const GmshSession session;
    make_sphere(session, {{0, 0, 0}, 1.0, 0.3}, {}, order);
    return model_now();
  };
  const Model linear = sphere(1), quadratic = sphere(2);
  EXPECT_EQ(quadratic.nodes_per_cell, 10u);
  EXPECT_EQ(quadratic.cells.size(), linear.cells.size());
  EXPECT_NEAR(quadratic.volume, linear.volume, kRounding); // the same corners, with other tags
  EXPECT_GT(quadratic.smallest_determinant, 0.0);
  // The nodes inside curved edges lie on the sphere: the error falls from order h² to h⁴.
  EXPECT_GT(exact - linear.volume, 0.01 * exact);
  EXPECT_LT(std::abs(exact - quadratic.quadratic_volume), 0.001 * exact);
  EXPECT_TRUE(quadratic == sphere(2));
  EXPECT_EQ(sphere(0).nodes_per_cell, 4u);

  EXPECT_EQ(loaded(kBlock, 0.01, 2).nodes_per_cell, 10u);
  EXPECT_EQ(loaded(std::string(LIMBER_TEST_DATA) + "/meshes/block.geo", 0.0, 2).nodes_per_cell, 10u);
  for (const double size : {0.0, 0.3}) {
    const Model cube = loaded(std::string(LIMBER_TEST_DATA) + "/meshes/cube.obj", size, 2);
    EXPECT_EQ(cube.nodes_per_cell, 10u);
    EXPECT_NEAR(cube.quadratic_volume, 1.0, 1e-9); // nodes of the new surface are interpolated in the old triangles
  }
}

} // namespace
} // namespace limber::mesh
