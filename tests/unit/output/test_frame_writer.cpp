#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPUnstructuredGridReader.h>

#include "base/error.hpp"
#include "output/checkpoint.hpp"
#include "output/directory.hpp"
#include "output/frame_writer.hpp"
#include "output_test_support.hpp"
#include "support/box_mesh.hpp"

namespace limber::output {
namespace {

using namespace output_test;
using Names = std::vector<std::string>;

constexpr int boxes = 5;

struct Frame {
  std::vector<double> positions;
  std::vector<NamedField> point_fields;
  std::vector<NamedField> cell_fields;
};

/// Displacement (0.25, x, 0) and a cell field 1000 + element_id with values that are not finite among them.
Frame example(const mesh::DistributedMesh& mesh) {
  Frame frame;
  NamedField displacement{"displacement", 3, {}};
  NamedField temperature{"temperature", 1, {}};
  for (LocalIndex n = 0; n < mesh.local_nodes; ++n) {
    const double* x = mesh.rest_positions.data() + 3 * std::size_t(n);
    const std::array<double, 3> u{0.25, x[0], 0.0};
    for (int i = 0; i < 3; ++i) {
      displacement.values.push_back(u[i]);
      frame.positions.push_back(x[i] + u[i]);
    }
    temperature.values.push_back(mesh.ordinals[n] == 2   ? std::numeric_limits<double>::quiet_NaN()
                                 : mesh.ordinals[n] == 3 ? std::numeric_limits<double>::infinity()
                                                         : 1.0 / 3.0);
  }
  NamedField stress{"von_mises", 1, {}};
  for (LocalIndex c = 0; c < mesh.counted_cells; ++c)
    stress.values.push_back(1000.0 + static_cast<double>(mesh.cell_ids[c]));
  frame.point_fields = {displacement, temperature};
  frame.cell_fields = {stress};
  return frame;
}

vtkSmartPointer<vtkUnstructuredGrid> read_frame(const std::string& path) {
  vtkNew<vtkXMLPUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  EXPECT_EQ(reader->GetErrorCode(), 0u) << path;
  return reader->GetOutput();
}

void expect_array(vtkDataSetAttributes* data, const char* name, int type, int components, vtkIdType tuples) {
  vtkDataArray* array = data->GetArray(name);
  ASSERT_NE(array, nullptr) << name;
  // Int64 is `long` or `long long`, whichever VTK likes.
  if (type == VTK_TYPE_INT64) EXPECT_TRUE(array->GetDataTypeSize() == 8 && array->GetDataType() != VTK_DOUBLE) << name;
  else EXPECT_EQ(array->GetDataType(), type) << name;
  EXPECT_EQ(array->GetNumberOfComponents(), components) << name;
  EXPECT_EQ(array->GetNumberOfTuples(), tuples) << name;
}

/// The frame must be the whole strip, every cell once, moved as example() says.
void expect_example(const std::string& path, const Owner& owner) {
  const auto grid = read_frame(path);
  ASSERT_EQ(grid->GetNumberOfCells(), 6 * boxes);
  vtkPointData* point = grid->GetPointData();
  vtkCellData* cell = grid->GetCellData();
  const vtkIdType points = grid->GetNumberOfPoints();
  EXPECT_GE(points, 4 * (boxes + 1));
  EXPECT_EQ(grid->GetPoints()->GetDataType(), VTK_DOUBLE);
  ASSERT_NO_FATAL_FAILURE(expect_array(point, "displacement", VTK_DOUBLE, 3, points));
  ASSERT_NO_FATAL_FAILURE(expect_array(point, "temperature", VTK_DOUBLE, 1, points));
  ASSERT_NO_FATAL_FAILURE(expect_array(point, "node_id", VTK_TYPE_INT64, 1, points));
  ASSERT_NO_FATAL_FAILURE(expect_array(cell, "von_mises", VTK_DOUBLE, 1, 6 * boxes));
  ASSERT_NO_FATAL_FAILURE(expect_array(cell, "element_id", VTK_TYPE_INT64, 1, 6 * boxes));
  for (const char* name : {"body", "group", "rank"})
    ASSERT_NO_FATAL_FAILURE(expect_array(cell, name, VTK_TYPE_INT32, 1, 6 * boxes));
  EXPECT_EQ(point->GetNumberOfArrays(), 3);
  EXPECT_EQ(cell->GetNumberOfArrays(), 5);

  for (vtkIdType p = 0; p < points; ++p) {
    const auto ordinal = static_cast<GlobalIndex>(point->GetArray("node_id")->GetTuple1(p) - 100) / 3;
    const double x = double(ordinal / 4);
    const double expected[3] = {x + 0.25, double(ordinal / 2 % 2) + x, double(ordinal % 2)};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(grid->GetPoint(p)[i], expected[i]);
    EXPECT_EQ(point->GetArray("displacement")->GetComponent(p, 1), x);
    const double temperature = point->GetArray("temperature")->GetTuple1(p);
    if (ordinal == 2) EXPECT_TRUE(std::isnan(temperature));
    else if (ordinal == 3) EXPECT_EQ(temperature, std::numeric_limits<double>::infinity());
    else EXPECT_EQ(temperature, 1.0 / 3.0);
  }

  // Against the strip as one rank has it.
  const mesh::DistributedMesh whole = strip(boxes, [](GlobalIndex) { return rank(); });
  std::map<GlobalIndex, LocalIndex> by_id;
  for (LocalIndex c = 0; c < whole.cell_count(); ++c) by_id[whole.cell_ids[c]] = c;
  vtkNew<vtkIdList> corners;
  for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
    const auto id = static_cast<GlobalIndex>(cell->GetArray("element_id")->GetTuple1(c));
    ASSERT_TRUE(by_id.count(id)) << "element " << id << " is unknown or there twice";
    const LocalIndex reference = by_id[id];
    by_id.erase(id);
    EXPECT_EQ(grid->GetCellType(c), VTK_TETRA);
    grid->GetCellPoints(c, corners);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(point->GetArray("node_id")->GetTuple1(corners->GetId(i)), whole.node_ids[whole.cell(reference)[i]]);
    EXPECT_EQ(cell->GetArray("von_mises")->GetTuple1(c), 1000.0 + static_cast<double>(id));
    EXPECT_EQ(cell->GetArray("body")->GetTuple1(c), whole.cell_bodies[reference]);
    EXPECT_EQ(cell->GetArray("group")->GetTuple1(c), whole.cell_groups[reference]);
    EXPECT_EQ(cell->GetArray("rank")->GetTuple1(c), owner(whole.ordinals[whole.cell(reference)[0]]));
  }
}

class FrameWriterTest : public ::testing::Test {
protected:
  FrameWriterTest() { prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::fresh); }
  void write(FrameWriter& writer, double time) {
    writer.write(time, frame.positions, frame.point_fields, frame.cell_fields);
  }
  /// Time and file of each frame in the PVD, as text.
  std::vector<std::string> pvd() const {
    MPI_Barrier(comm);
    const std::string text = read_text(folder / "bar.pvd");
    std::vector<std::string> frames;
    for (std::size_t at = 0; (at = text.find("timestep=\"", at)) != std::string::npos;) {
      at += 10;
      const std::size_t file = text.find("file=\"", at) + 6;
      frames.push_back(text.substr(at, text.find('"', at) - at) + " " + text.substr(file, text.find('"', file) - file));
    }
    MPI_Barrier(comm);
    return frames;
  }
  Folder folder;
  Owner owner = distributions(boxes)[0];
  mesh::DistributedMesh mesh = strip(boxes, owner);
  Frame frame = example(mesh);
};

TEST_F(FrameWriterTest, ReadsBackOnAnyDistributionAndNumberOfPieces) {
  std::int64_t index = 0;
  for (const Owner& distribution : distributions(boxes))
    for (const int max_pieces : {1, 2, 3, 64}) {
      const Folder other;
      prepare_output_directory(comm, other.path(), "bar", DirectoryMode::fresh);
      const mesh::DistributedMesh distributed = strip(boxes, distribution);
      FrameWriter writer(comm, distributed, other.path(), "bar", max_pieces);
      const Frame values = example(distributed);
      writer.write(0.0, values.positions, values.point_fields, values.cell_fields);
      const int pieces = std::min(max_pieces, ranks());
      Names expected{"bar_000000.pvtu"};
      for (int p = 0; p < pieces; ++p) expected.push_back(piece_name("bar", 0, p));
      EXPECT_EQ(list(other / "frames"), expected);
      expect_example(frame_path(other.path(), "bar", 0), distribution);
      ++index;
    }
}

/// A linear body and a quadratic one with straight edges, distributed by METIS.
struct MixedOrders {
  std::vector<mesh::BodyMesh> bodies{
      test::make_box({.cubes = {2, 1, 1}, .leave_out = 1}),
      test::quadratic(test::make_box({.cubes = {2, 1, 1}, .min = {3.0, 0.0, 0.0}, .leave_out = 1, .id_gap = 1}))};
  mesh::DistributedMesh mesh = test::distribute(bodies);
};

TEST_F(FrameWriterTest, QuadraticCellsHaveTheirNodesInVtksOrder) {
  const MixedOrders scene;
  for (const int max_pieces : {1, 2, 64}) {
    const Folder other;
    prepare_output_directory(comm, other.path(), "bar", DirectoryMode::fresh);
    FrameWriter writer(comm, scene.mesh, other.path(), "bar", max_pieces);
    NamedField stress{"stress", 6, {}};
    for (LocalIndex c = 0; c < scene.mesh.counted_cells; ++c)
      for (int k = 0; k < 6; ++k) stress.values.push_back(double(10 * scene.mesh.cell_ids[std::size_t(c)] + k));
    writer.write(0.0, scene.mesh.rest_positions, {}, {stress});
    MPI_Barrier(comm);

    const auto grid = read_frame(frame_path(other.path(), "bar", 0));
    const test::WholeMesh whole = test::concatenate(scene.bodies);
    ASSERT_EQ(grid->GetNumberOfCells(), vtkIdType(whole.cell_count()));
    std::map<GlobalIndex, std::size_t> by_id;
    std::vector<std::size_t> offsets{0};
    for (std::size_t c = 0; c < whole.cell_count(); ++c) {
      by_id[whole.cell_ids[c]] = c;
      offsets.push_back(offsets.back() + (whole.cell_bodies[c] == 0 ? 4 : 10));
    }
    vtkDataArray* ids = grid->GetPointData()->GetArray("node_id");
    vtkDataArray* stresses = grid->GetCellData()->GetArray("stress");
    ASSERT_EQ(stresses->GetNumberOfComponents(), 6);
    int quadratic = 0;
    for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
      const auto id = GlobalIndex(grid->GetCellData()->GetArray("element_id")->GetTuple1(c));
      ASSERT_TRUE(by_id.count(id)) << "element " << id << " is unknown or there twice";
      const std::size_t reference = by_id[id];
      by_id.erase(id);
      const bool linear = whole.cell_bodies[reference] == 0;
      ASSERT_EQ(grid->GetCellType(c), linear ? VTK_TETRA : VTK_QUADRATIC_TETRA);
      vtkCell* cell = grid->GetCell(c);
      ASSERT_EQ(cell->GetNumberOfPoints(), linear ? 4 : 10);
      for (vtkIdType i = 0; i < cell->GetNumberOfPoints(); ++i)
        EXPECT_EQ(ids->GetTuple1(cell->GetPointId(i)),
                  double(whole.node_ids[std::size_t(whole.cells[offsets[reference] + std::size_t(i)])]));
      for (int k = 0; k < 6; ++k) EXPECT_EQ(stresses->GetComponent(c, k), double(10 * id + k));
      if (linear) continue;
      ++quadratic;
      for (int e = 0; e < 6; ++e) { // VTK's own idea of which node belongs to which edge
        vtkCell* edge = cell->GetEdge(e);
        ASSERT_EQ(edge->GetNumberOfPoints(), 3);
        double a[3], b[3], middle[3];
        edge->GetPoints()->GetPoint(0, a);
        edge->GetPoints()->GetPoint(1, b);
        edge->GetPoints()->GetPoint(2, middle);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(middle[k], 0.5 * (a[k] + b[k]), 1e-15); // of coordinates up to 4
      }
    }
    EXPECT_EQ(quadratic, 11);
    EXPECT_TRUE(by_id.empty());
  }
}

TEST_F(FrameWriterTest, PvdListsTrueTimes) {
  FrameWriter writer(comm, mesh, folder.path(), "bar");
  for (const double time : {0.0, 0.1 + 0.2, 1e-9}) write(writer, time);
  EXPECT_EQ(pvd(), (Names{"0 frames/bar_000000.pvtu", "0.30000000000000004 frames/bar_000001.pvtu",
                          "1e-09 frames/bar_000002.pvtu"}));
  EXPECT_EQ(list(folder.path()), (Names{"bar.pvd", "checkpoints", "frames"}));
}

TEST_F(FrameWriterTest, SameInputSameBytes) {
  FrameWriter writer(comm, mesh, folder.path(), "bar");
  write(writer, 0.0);
  write(writer, 1.0);
  MPI_Barrier(comm);
  for (int p = 0; p < ranks(); ++p)
    EXPECT_EQ(read_text(folder / ("frames/" + piece_name("bar", 0, p))),
              read_text(folder / ("frames/" + piece_name("bar", 1, p))));
}

TEST_F(FrameWriterTest, PiecesAreCompressed) {
  const int many = 500;
  const mesh::DistributedMesh large = strip(many, [](GlobalIndex) { return 0; });
  FrameWriter writer(comm, large, folder.path(), "bar");
  writer.write(0.0, large.rest_positions,
               {{"displacement", 3, std::vector<double>(3 * std::size_t(large.local_nodes))}}, {});
  MPI_Barrier(comm);
  const std::string path = folder / ("frames/" + piece_name("bar", 0, 0));
  // Uncompressed: 8 bytes × (7 per node + 5 per cell and its tags) is over 0.2 MB.
  EXPECT_LT(std::filesystem::file_size(path), 60000u);
  EXPECT_NE(read_text(path).find("vtkZLibDataCompressor"), std::string::npos);
}

TEST_F(FrameWriterTest, RefusesFieldsThatAreTooShort) {
  FrameWriter writer(comm, mesh, folder.path(), "bar");
  if (rank() == 0) frame.point_fields[0].values.pop_back();
  EXPECT_THROW(write(writer, 0.0), base::InternalError);
}

TEST_F(FrameWriterTest, AFullDiskLeavesTheFramesBefore) {
  FrameWriter writer(comm, mesh, folder.path(), "bar");
  write(writer, 0.0);
  const Names before = list(folder / "frames");
  for (const int failing : {-1, 0, ranks() - 1}) // all ranks, or one alone
    for (const rlim_t bytes : {0, 1000}) {
      std::string text;
      {
        const FullDisk full(failing < 0 || rank() == failing ? bytes : RLIM_INFINITY);
        text = error_of<base::IoError>([&] { write(writer, 1.0); });
      }
      EXPECT_NE(text.find("cannot write"), std::string::npos);
      EXPECT_EQ(list(folder / "frames"), before);
      EXPECT_EQ(pvd(), Names{"0 frames/bar_000000.pvtu"});
    }
  expect_example(frame_path(folder.path(), "bar", 0), owner);
  write(writer, 2.0); // there is room again
  EXPECT_EQ(pvd(), (Names{"0 frames/bar_000000.pvtu", "2 frames/bar_000001.pvtu"}));
  expect_example(frame_path(folder.path(), "bar", 1), owner);
}

TEST_F(FrameWriterTest, APvdThatCannotBeWrittenTakesItsFrameBack) {
  FrameWriter writer(comm, mesh, folder.path(), "bar");
  if (rank() == 0) std::filesystem::create_directory(folder / "bar.pvd");
  MPI_Barrier(comm);
  EXPECT_NE(error_of<base::IoError>([&] { write(writer, 0.0); }), "");
  EXPECT_EQ(list(folder / "frames"), Names{});
  EXPECT_EQ(list(folder.path()), (Names{"bar.pvd", "checkpoints", "frames"}));
}

TEST_F(FrameWriterTest, RestartContinuesTheSeries) {
  std::string checkpoint;
  {
    FrameWriter writer(comm, mesh, folder.path(), "bar");
    write(writer, 0.0);
    write(writer, 0.5);
    checkpoint =
        write_checkpoint(comm, mesh, folder.path(), 5, [&](base::Archive& archive) { writer.serialize(archive); });
    write(writer, 1.0);
    write(writer, 1.5);
  }
  write_text(folder / "frames/bar_000007_p0099.vtu.tmp", "torn");
  write_text(folder / "frames/mine.txt", "kept");

  FrameWriter writer(comm, mesh, folder.path(), "bar", 1);
  CheckpointReader reader(comm, checkpoint, mesh);
  writer.serialize(reader);
  const Names old{"0 frames/bar_000000.pvtu", "0.5 frames/bar_000001.pvtu"};
  EXPECT_EQ(pvd(), old);
  Names files;
  for (const int index : {0, 1}) {
    files.push_back(frame_path("", "bar", index).substr(8));
    for (int p = 0; p < ranks(); ++p) files.push_back(piece_name("bar", index, p));
  }
  files.push_back("mine.txt");
  EXPECT_EQ(list(folder / "frames"), files);
  write(writer, 0.75);
  EXPECT_EQ(pvd(), (Names{old[0], old[1], "0.75 frames/bar_000002.pvtu"}));
  for (const int index : {0, 1, 2}) expect_example(frame_path(folder.path(), "bar", index), owner);

  // Into another folder: the old frames are not there and must not be listed.
  const Folder other;
  prepare_output_directory(comm, other.path(), "bar", DirectoryMode::fresh);
  FrameWriter elsewhere(comm, mesh, other.path(), "bar");
  CheckpointReader again(comm, checkpoint, mesh);
  elsewhere.serialize(again);
  EXPECT_EQ(read_text(other / "bar.pvd").find("DataSet"), std::string::npos);
  EXPECT_EQ(elsewhere.next_index(), 2);
}

TEST_F(FrameWriterTest, DiscardsByTime) {
  FrameWriter writer(comm, mesh, folder.path(), "bar");
  for (const double time : {0.0, 1.0, 2.0}) write(writer, time);
  writer.discard_frames_after(1.0);
  EXPECT_EQ(pvd(), (Names{"0 frames/bar_000000.pvtu", "1 frames/bar_000001.pvtu"}));
  EXPECT_EQ(writer.next_index(), 2);
  EXPECT_EQ(list(folder / "frames").size(), 2 * (1 + std::size_t(ranks())));
}

} // namespace
} // namespace limber::output
