#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "output/checkpoint.hpp"
#include "output/directory.hpp"
#include "output_test_support.hpp"

namespace limber::output {
namespace {

using namespace output_test;
using Names = std::vector<std::string>;

constexpr int boxes = 6;
constexpr double ghost_value = -12345.0;

/// What a run might keep.
struct Contents {
  double time = 0.0;
  std::int64_t step = 0;
  std::string text;
  std::vector<double> times;
  std::vector<std::int64_t> indices;
  std::vector<double> positions; // 3 per local node
  std::vector<double> masses;    // 1 per local node

  void serialize(base::Archive& archive) {
    archive.value("time", time);
    archive.value("step", step);
    archive.value("notes/text", text);
    archive.value("frames/times", times);
    archive.value("frames/indices", indices);
    archive.node_field("positions", positions, 3);
    archive.node_field("integrator/masses", masses, 1);
  }
};

/// Bits that a conversion would change: not-a-number with a payload, a negative zero, a subnormal number.
double node_value(GlobalIndex ordinal, int component) {
  switch ((ordinal + component) % 5) {
  case 0:
    return std::bit_cast<double>(0x7ff8000000000000u + static_cast<std::uint64_t>(ordinal));
  case 1:
    return -0.0;
  case 2:
    return std::numeric_limits<double>::denorm_min() * static_cast<double>(ordinal + 1);
  case 3:
    return -std::numeric_limits<double>::infinity();
  default:
    return std::sqrt(static_cast<double>(3 * ordinal + component));
  }
}

Contents example(const mesh::DistributedMesh& mesh) {
  Contents contents;
  contents.time = 0.1 + 0.2;
  contents.step = -(std::int64_t{1} << 60) - 1;
  contents.text = "two\nlines, \xc3\xa4";
  contents.times = {0.0, 1.0 / 3.0};
  for (LocalIndex n = 0; n < mesh.local_nodes; ++n) {
    const bool owned = n < mesh.owned_nodes;
    for (int c = 0; c < 3; ++c) contents.positions.push_back(owned ? node_value(mesh.ordinals[n], c) : ghost_value);
    contents.masses.push_back(owned ? node_value(mesh.ordinals[n], 7) : ghost_value);
  }
  return contents;
}

Contents blank(const mesh::DistributedMesh& mesh) {
  Contents contents;
  contents.text = "to be replaced";
  contents.indices = {1, 2, 3};
  contents.positions.assign(3 * std::size_t(mesh.local_nodes), ghost_value);
  contents.masses.assign(std::size_t(mesh.local_nodes), ghost_value);
  return contents;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
}

void expect_same(const Contents& a, const Contents& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.indices, b.indices);
  expect_same(a.positions, b.positions);
  expect_same(a.masses, b.masses);
}

std::string write(const std::string& directory, std::int64_t step, const mesh::DistributedMesh& mesh) {
  Contents contents = example(mesh);
  return write_checkpoint(comm, mesh, directory, step, [&](base::Archive& archive) { contents.serialize(archive); });
}

/// The message of the UserError that reading the whole file gives on every rank; empty: none.
std::string error_of_reading(const std::string& path, const mesh::DistributedMesh& mesh) {
  Contents contents = blank(mesh);
  return error_of<base::UserError>([&] {
    CheckpointReader reader(comm, path, mesh);
    contents.serialize(reader);
  });
}

class Checkpoint : public ::testing::Test {
protected:
  Checkpoint() { prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::fresh); }
  Names files() const { return list(folder / "checkpoints"); }
  Folder folder;
  mesh::DistributedMesh slabs = strip(boxes, distributions(boxes)[0]);
};

TEST_F(Checkpoint, ExactOnAnyDistribution) {
  std::string bytes;
  for (const Owner& writing : distributions(boxes)) {
    const std::string path = write(folder.path(), 50, strip(boxes, writing));
    EXPECT_EQ(path, folder / "checkpoints/checkpoint_000050.h5");
    EXPECT_EQ(files(), Names{"checkpoint_000050.h5"});
    if (bytes.empty()) bytes = read_text(path);
    EXPECT_EQ(read_text(path), bytes) << "the file must not depend on the distribution";
    for (const Owner& owner : distributions(boxes)) {
      const mesh::DistributedMesh mesh = strip(boxes, owner);
      Contents contents = blank(mesh);
      CheckpointReader reader(comm, path, mesh);
      contents.serialize(reader);
      expect_same(contents, example(mesh));
    }
    MPI_Barrier(comm);
  }
}

TEST_F(Checkpoint, OtherNumberOfRanks) {
  // Each rank reads on its own, and rank 0 writes on its own, what all do together.
  const std::string path = write(folder.path(), 50, slabs);
  const mesh::DistributedMesh whole = strip(boxes, [](GlobalIndex) { return rank(); });
  Contents contents = blank(whole);
  CheckpointReader reader(MPI_COMM_SELF, path, whole);
  contents.serialize(reader);
  expect_same(contents, example(whole));
  ::sleep(1); // a time of creation in the file, in seconds, would show
  if (rank() == 0) {
    CheckpointWriter writer(MPI_COMM_SELF, folder / "alone.h5", whole);
    contents.serialize(writer);
    writer.commit();
    EXPECT_EQ(read_text(folder / "alone.h5"), read_text(path));
  }
}

TEST_F(Checkpoint, RanksThatOwnNothing) {
  // Five ranks or more would have empty blocks, too.
  const mesh::DistributedMesh mesh = strip(0, [](GlobalIndex) { return 0; });
  const std::string path = write(folder.path(), 1, mesh);
  EXPECT_EQ(error_of_reading(path, mesh), "");
}

TEST_F(Checkpoint, KeepsTheLastTwo) {
  for (const int step : {50, 100, 1000000}) write(folder.path(), step, slabs);
  EXPECT_EQ(files(), (Names{"checkpoint_000100.h5", "checkpoint_1000000.h5"}));
  EXPECT_EQ(latest_checkpoint(comm, folder.path()), folder / "checkpoints/checkpoint_1000000.h5");
  // A run restarted from step 100 leaves the other branch behind.
  write(folder.path(), 150, slabs);
  EXPECT_EQ(files(), (Names{"checkpoint_000100.h5", "checkpoint_000150.h5"}));
  discard_checkpoints_after(comm, folder.path(), 100);
  EXPECT_EQ(files(), Names{"checkpoint_000100.h5"});
}

TEST_F(Checkpoint, LatestIgnoresWhatIsNotComplete) {
  EXPECT_EQ(latest_checkpoint(comm, folder.path()), std::nullopt);
  EXPECT_EQ(latest_checkpoint(comm, folder / "absent"), std::nullopt);
  const std::string path = write(folder.path(), 50, slabs);
  write_text(folder / "checkpoints/checkpoint_000100.h5.tmp", read_text(path));
  write_text(folder / "checkpoints/checkpoint_000150.h5", read_text(path).substr(0, 3000));
  EXPECT_EQ(latest_checkpoint(comm, folder.path()), path);
}

TEST_F(Checkpoint, NamesTheMeshThatDiffers) {
  const std::string path = write(folder.path(), 50, slabs);
  const std::string count = error_of_reading(path, strip(boxes + 1, distributions(boxes + 1)[0]));
  EXPECT_NE(count.find("a mesh of 28 nodes, this one has 32"), std::string::npos) << count;

  mesh::DistributedMesh moved = strip(boxes, distributions(boxes)[0]);
  if (rank() == ranks() - 1) moved.rest_positions[0] = std::nextafter(moved.rest_positions[0], 100.0);
  EXPECT_NE(error_of_reading(path, moved).find("rest positions"), std::string::npos);
  mesh::DistributedMesh renumbered = strip(boxes, distributions(boxes)[0]);
  if (rank() == 0) std::swap(renumbered.node_ids[0], renumbered.node_ids[1]);
  EXPECT_NE(error_of_reading(path, renumbered).find("rest positions"), std::string::npos);
}

TEST_F(Checkpoint, NamesWhatIsMissingOrOfAnotherType) {
  CheckpointReader reader(comm, write(folder.path(), 50, slabs), slabs);
  double number = 0;
  std::int64_t integer = 0;
  std::vector<double> values(3 * std::size_t(slabs.local_nodes));
  const auto error = [&](const auto& work) { return error_of<base::UserError>(work); };
  EXPECT_NE(error([&] { reader.value("other/thing", number); }).find("no 'other/thing'"), std::string::npos);
  EXPECT_NE(error([&] { reader.node_field("velocities", values, 3); }).find("no 'velocities'"), std::string::npos);
  EXPECT_NE(error([&] { reader.value("time", integer); }).find("another type"), std::string::npos);
  EXPECT_NE(error([&] { reader.value("time", values); }).find("another type"), std::string::npos);
  EXPECT_NE(error([&] { reader.value("frames", number); }), "");
  EXPECT_NE(error([&] { reader.node_field("frames/times", values, 1); }).find("another type"), std::string::npos);
  EXPECT_NE(error([&] { reader.node_field("positions", values, 1); }).find("another size"), std::string::npos);
  reader.value("time", number); // the reader is still usable
  EXPECT_EQ(number, 0.1 + 0.2);
}

TEST_F(Checkpoint, RefusesDamagedFiles) {
  const std::string path = write(folder.path(), 50, slabs);
  const std::string bytes = read_text(path);
  MPI_Barrier(comm);
  const std::string broken = folder / "broken.h5";
  EXPECT_NE(error_of_reading(broken, slabs).find("--restart"), std::string::npos) << "absent";
  write_text(broken, "");
  EXPECT_NE(error_of_reading(broken, slabs), "");
  write_text(broken, "not HDF5 at all");
  EXPECT_NE(error_of_reading(broken, slabs), "");
  for (const std::size_t size : {bytes.size() / 10, bytes.size() / 2, bytes.size() - 1}) {
    write_text(broken, bytes.substr(0, size));
    EXPECT_NE(error_of_reading(broken, slabs), "") << size << " of " << bytes.size() << " bytes";
  }
  // One flipped bit: noticed, or in bytes that nothing uses, so that reading gives the same.
  int noticed = 0, harmless = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_text(broken, damaged);
    Contents contents = blank(slabs);
    const auto text = error_of<base::UserError>([&] {
      CheckpointReader reader(comm, broken, slabs);
      contents.serialize(reader);
    });
    if (text.empty()) expect_same(contents, example(slabs));
    ++(text.empty() ? harmless : noticed);
    MPI_Barrier(comm);
  }
  EXPECT_GT(noticed, 10);
  RecordProperty("harmless", harmless);
}

TEST_F(Checkpoint, AFullDiskLeavesTheOlderOnes) {
  const int many = 3000; // 0.4 MB of values
  const mesh::DistributedMesh mesh = strip(many, distributions(many)[0]);
  const std::string path = write(folder.path(), 50, mesh);
  for (const rlim_t bytes : {0, 500, 20000, 200000}) {
    std::string text;
    {
      const FullDisk full(bytes);
      text = error_of<base::IoError>([&] { write(folder.path(), 100, mesh); });
    }
    EXPECT_NE(text.find("checkpoint_000100.h5"), std::string::npos) << text;
    EXPECT_EQ(files(), Names{"checkpoint_000050.h5"});
  }
  if (rank() == ranks() - 1) { // one rank alone fails
    const FullDisk full(1000);
    EXPECT_NE(error_of<base::IoError>([&] { write(folder.path(), 100, mesh); }), "");
  } else {
    EXPECT_NE(error_of<base::IoError>([&] { write(folder.path(), 100, mesh); }), "");
  }
  EXPECT_EQ(files(), Names{"checkpoint_000050.h5"});
  EXPECT_EQ(error_of_reading(path, mesh), "");
  write(folder.path(), 100, mesh); // there is room again
  EXPECT_EQ(files(), (Names{"checkpoint_000050.h5", "checkpoint_000100.h5"}));
}

TEST_F(Checkpoint, FailsWhereNothingCanBeWritten) {
  write_text(folder / "file", "x");
  EXPECT_NE(error_of<base::IoError>([&] { write(folder / "file", 50, slabs); }), "");
}

TEST_F(Checkpoint, RefusesAmbiguousNames) {
  CheckpointWriter writer(comm, folder / "a.h5", slabs);
  double x = 1;
  writer.value("time", x);
  EXPECT_THROW(writer.value("time", x), base::InternalError);
}

} // namespace
} // namespace limber::output
