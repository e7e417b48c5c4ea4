// Volume meshes in VTK's formats, written by hand and by VTK, whole and damaged.

#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include "mesh/vtk_reader.hpp"
#include "surface_shapes.hpp"

namespace limber::mesh {
namespace {

const std::string kData = std::string(LIMBER_TEST_DATA) + "/meshes/";

using Nodes = std::vector<LocalIndex>;

std::string error_of(const std::string& path) {
  try {
    read_vtk_volume(path, {.file = path, .line = 0, .key = {}, .advice = {}});
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.context().file, path);
    EXPECT_FALSE(error.context().advice.empty());
    return error.what();
  }
  return "accepted";
}

/// Nothing may reach the terminal while it lives: not a word of VTK's own.
class ExpectSilence {
public:
  ExpectSilence() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
  }
  ~ExpectSilence() {
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  }
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

struct Cell {
  int type;
  std::vector<vtkIdType> nodes;
};

/// Ten points whose coordinates are 0.5 i, 0.25 i², -i.
vtkNew<vtkUnstructuredGrid> grid_of(const std::vector<Cell>& cells) {
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (int i = 0; i < 10; ++i) points->InsertNextPoint(0.5 * i, 0.25 * i * i, -i);
  grid->SetPoints(points);
  for (const Cell& cell : cells)
    grid->InsertNextCell(cell.type, static_cast<vtkIdType>(cell.nodes.size()), cell.nodes.data());
  return grid;
}

void add_groups(vtkUnstructuredGrid* grid, const char* name, const std::vector<int>& values) {
  vtkNew<vtkIntArray> array;
  array->SetName(name);
  for (const int value : values) array->InsertNextValue(value);
  grid->GetCellData()->AddArray(array);
}

enum class Form { ascii_vtu, binary_vtu, appended_vtu, compressed_vtu, ascii_vtk, binary_vtk };
constexpr Form kForms[] = {Form::ascii_vtu,      Form::binary_vtu, Form::appended_vtu,
                           Form::compressed_vtu, Form::ascii_vtk,  Form::binary_vtk};

std::string write(const TemporaryFolder& folder, vtkUnstructuredGrid* grid, Form form = Form::ascii_vtu) {
  if (form == Form::ascii_vtk || form == Form::binary_vtk) {
    vtkNew<vtkUnstructuredGridWriter> writer;
    const std::string path = folder.file("mesh.vtk");
    writer->SetFileName(path.c_str());
    writer->SetInputData(grid);
    form == Form::ascii_vtk ? writer->SetFileTypeToASCII() : writer->SetFileTypeToBinary();
    writer->Write();
    return path;
  }
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  const std::string path = folder.file("mesh.vtu");
  writer->SetFileName(path.c_str());
  writer->SetInputData(grid);
  if (form == Form::ascii_vtu) writer->SetDataModeToAscii();
  if (form == Form::binary_vtu) writer->SetDataModeToBinary();
  if (form == Form::appended_vtu) {
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
  }
  if (form != Form::compressed_vtu) writer->SetCompressorTypeToNone();
  writer->Write();
  return path;
}

const std::vector<Cell> kMixed = {{VTK_TRIANGLE, {0, 2, 1}}, {VTK_TETRA, {0, 1, 2, 3}}, {VTK_LINE, {4, 5}},
                                  {VTK_TETRA, {4, 3, 2, 1}}, {VTK_VERTEX, {9}},         {VTK_TRIANGLE, {3, 4, 2}},
                                  {VTK_TETRA, {5, 3, 2, 4}}, {VTK_TRIANGLE, {5, 4, 2}}};

TEST(VtkReader, EveryFormGivesTheSameMesh) {
  const TemporaryFolder folder;
  const auto grid = grid_of(kMixed);
  add_groups(grid, "group", {7, 3, 2, 0, 5, 7, 3, 8});
  for (const Form form : kForms) {
    SCOPED_TRACE(static_cast<int>(form));
    const ExtractedMesh mesh = read_vtk_volume(write(folder, grid, form), {});
    EXPECT_EQ(mesh.order, 1);
    ASSERT_EQ(mesh.points.size(), 30u);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(mesh.node_tags[i], i + 1);
      const double x = static_cast<double>(i); // few binary digits: exact
      EXPECT_EQ(mesh.points[3 * i], 0.5 * x);
      EXPECT_EQ(mesh.points[3 * i + 1], 0.25 * x * x);
      EXPECT_EQ(mesh.points[3 * i + 2], -x);
    }
    EXPECT_EQ(mesh.cell_tags, (std::vector<std::size_t>{2, 4, 7}));
    EXPECT_EQ(mesh.cells, (Nodes{0, 1, 2, 3, 4, 3, 2, 1, 5, 3, 2, 4}));
    EXPECT_EQ(mesh.cell_groups, (std::vector<std::int32_t>{3, 0, 3}));
    ASSERT_EQ(mesh.groups.size(), 5u);
    const int dimensions[] = {0, 1, 2, 2, 3}, tags[] = {5, 2, 7, 8, 3};
    const Nodes nodes[] = {{9}, {4, 5}, {0, 1, 2, 3, 4}, {2, 4, 5}, {0, 1, 2, 3, 4, 5}};
    const Nodes triangles[] = {{}, {}, {0, 2, 1, 3, 4, 2}, {5, 4, 2}, {}};
    for (std::size_t g = 0; g < 5; ++g) {
      EXPECT_EQ(mesh.groups[g].dimension, dimensions[g]);
      EXPECT_EQ(mesh.groups[g].tag, tags[g]);
      EXPECT_EQ(mesh.groups[g].name, "");
      EXPECT_EQ(mesh.groups[g].nodes, nodes[g]);
      EXPECT_EQ(mesh.groups[g].triangles, triangles[g]);
    }
    EXPECT_TRUE(mesh.warnings.empty());
  }
}

TEST(VtkReader, KnowsTheNamesOfGroupArrays) {
  const TemporaryFolder folder;
  for (const char* name : {"group", "physical", "gmsh:physical", "medit:ref", "CellEntityIds", "other"}) {
    const auto grid = grid_of({{VTK_TETRA, {0, 1, 2, 3}}});
    add_groups(grid, name, {6});
    const bool known = std::string(name) != "other";
    for (const Form form : {Form::ascii_vtu, Form::ascii_vtk})
      EXPECT_EQ(read_vtk_volume(write(folder, grid, form), {}).cell_groups.at(0), known ? 6 : 0) << name;
  }
  const auto grid = grid_of({{VTK_TETRA, {0, 1, 2, 3}}});
  add_groups(grid, "physical", {6});
  add_groups(grid, "group", {4});
  EXPECT_EQ(read_vtk_volume(write(folder, grid), {}).cell_groups.at(0), 4);

  const auto real = grid_of({{VTK_TETRA, {0, 1, 2, 3}}});
  vtkNew<vtkDoubleArray> array;
  array->SetName("group");
  array->InsertNextValue(1.0);
  real->GetCellData()->AddArray(array);
  const ExtractedMesh mesh = read_vtk_volume(write(folder, real), {});
  EXPECT_EQ(mesh.cell_groups.at(0), 0);
  ASSERT_EQ(mesh.warnings.size(), 1u);
  expect_part(mesh.warnings[0], "one integer a cell");
}

TEST(VtkReader, ReadsQuadraticTetrahedra) {
  const TemporaryFolder folder;
  const auto grid =
      grid_of({{VTK_QUADRATIC_TETRA, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {VTK_QUADRATIC_TRIANGLE, {2, 1, 0, 5, 4, 6}}});
  add_groups(grid, "physical", {1, 2});
  for (const Form form : kForms) {
    const ExtractedMesh mesh = read_vtk_volume(write(folder, grid, form), {});
    EXPECT_EQ(mesh.order, 2);
    EXPECT_EQ(mesh.nodes_per_cell(), 10u);
    EXPECT_EQ(mesh.cells, (Nodes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})); // VTK's order is that of ExtractedMesh
    ASSERT_EQ(mesh.groups.size(), 2u);
    EXPECT_EQ(mesh.groups[0].nodes, (Nodes{0, 1, 2, 4, 5, 6}));
    EXPECT_EQ(mesh.groups[0].triangles, (Nodes{2, 1, 0}));
  }
}

TEST(VtkReader, ReadsFilesWrittenByHand) {
  const ExtractedMesh mesh = read_vtk_volume(kData + "two_tetrahedra.vtk", {});
  EXPECT_EQ(mesh.cells, (Nodes{0, 1, 2, 3, 0, 2, 1, 4}));
  EXPECT_EQ(mesh.points, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -2}));
  EXPECT_EQ(mesh.cell_groups, (std::vector<std::int32_t>{9, 4}));
  EXPECT_EQ(mesh.cell_tags, (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(mesh.groups.size(), 3u);
  EXPECT_EQ(mesh.groups[0].triangles, (Nodes{0, 1, 2}));
}

TEST(VtkReader, RefusesOtherCells) {
  const TemporaryFolder folder;
  const Cell tetrahedron = {VTK_TETRA, {0, 1, 2, 3}};
  const auto error = [&](const std::vector<Cell>& cells) { return error_of(write(folder, grid_of(cells))); };
  const Cell hexahedron = {VTK_HEXAHEDRON, {0, 1, 2, 3, 4, 5, 6, 7}};
  expect_part(error({tetrahedron, hexahedron, hexahedron, {VTK_WEDGE, {0, 1, 2, 3, 4, 5}}}),
              "2 of type HEXAHEDRON, 1 of type WEDGE");
  expect_part(error({tetrahedron, hexahedron}), "Tetrahedralize");
  expect_part(error({tetrahedron, {VTK_QUADRATIC_TETRA, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}),
              "1 linear and 1 quadratic tetrahedra");
  expect_part(error({{VTK_TRIANGLE, {0, 1, 2}}}), "surface where a volume is needed");
  expect_part(error({{VTK_TRIANGLE, {0, 1, 2}}}), ".stl or .obj");
  expect_part(error({}), "no tetrahedra");
  expect_part(error({{VTK_LINE, {0, 1}}}), "no tetrahedra");
}

TEST(VtkReader, RefusesDamagedFiles) {
  const ExpectSilence silence;
  const TemporaryFolder folder;
  const auto error = [&](const std::string& name, const std::string& content) {
    return error_of(folder.file(name, content));
  };
  expect_part(error("empty.vtu", ""), "empty");
  expect_part(error("empty.vtk", ""), "empty");
  expect_part(error("word.vtu", "hello"), "no VTK XML file");
  expect_part(error("word.vtk", "hello"), "no legacy VTK file");
  expect_part(error("image.vtu", "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"0.1\"></VTKFile>\n"),
              "no VTK XML file");
  EXPECT_NE(
      error("bare.vtu", "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"></VTKFile>\n"),
      "accepted");
  expect_part(error("points.vtk", "# vtk DataFile Version 3.0\nsurface\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n"),
              "surface where a volume is needed");
  expect_part(error_of(folder.file("missing.vtu")), "no such file");
  const std::string head = "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n";
  const std::string points = "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n";
  expect_part(error("node.vtk", head + points + "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n"), "refers to the node 4");
  expect_part(error("node.vtk", head + points + "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n"), "refers to the node -1");
  expect_part(error("few.vtk", head + points + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n"), "3 nodes instead of 4");
  EXPECT_NE(error("types.vtk", head + points + "CELLS 2 10\n4 0 1 2 3 4 0 1 2 3\nCELL_TYPES 1\n10\n"), "accepted");
  EXPECT_NE(error("count.vtk", head + points + "CELLS 1 5\n40 0 1 2 3\nCELL_TYPES 1\n10\n"), "accepted");
  expect_part(error("huge.vtu", "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">"
                                "<UnstructuredGrid>\n<Piece NumberOfPoints=\"4000000000\" NumberOfCells=\"1\">\n"),
              "announces more");
  EXPECT_NE(error("huge.vtk", head + "POINTS 4000000000 double\n0 0 0\n"), "accepted");
}

TEST(VtkReader, SurvivesTruncationAndDamage) {
  // A file cut anywhere up to its last datum is refused; one with a wrong character never ends the process.
  const ExpectSilence silence;
  const TemporaryFolder folder;
  const auto grid = grid_of({{VTK_TETRA, {0, 1, 2, 3}}, {VTK_TETRA, {4, 3, 2, 1}}});
  add_groups(grid, "group", {1, 2});
  for (const Form form : kForms) {
    const std::string path = write(folder, grid, form);
    std::ostringstream whole;
    whole << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string bytes = whole.str();
    const bool legacy = form == Form::ascii_vtk || form == Form::binary_vtk;
    // Legacy files may end after the cells' types; the data after that are not needed.
    const std::size_t needed = legacy ? bytes.find("CELL_TYPES") : bytes.find("</UnstructuredGrid>");
    ASSERT_NE(needed, std::string::npos);
    const std::string damaged = folder.file(legacy ? "damaged.vtk" : "damaged.vtu");
    for (std::size_t size = 1; size < needed; size += 13) {
      std::ofstream(damaged, std::ios::binary) << bytes.substr(0, size);
      EXPECT_NE(error_of(damaged), "accepted") << static_cast<int>(form) << " " << size;
    }
    // The sizes of compressed blocks are the one thing that VTK believes: a wrong one makes it ask for all memory.
    if (form == Form::compressed_vtu) continue;
    for (std::size_t at = 0; at < bytes.size(); at += 17) {
      for (const char c : {'9', '-', '\xff'}) {
        std::string changed = bytes;
        changed[at] = c;
        std::ofstream(damaged, std::ios::binary) << changed;
        error_of(damaged);
      }
    }
  }
}

} // namespace
} // namespace limber::mesh
