#include <gtest/gtest.h>

#include "base/error.hpp"
#include "output/directory.hpp"
#include "output_test_support.hpp"

namespace limber::output {
namespace {

using namespace output_test;
using Names = std::vector<std::string>;

TEST(Directory, CreatesFolders) {
  const Folder folder;
  prepare_output_directory(comm, folder / "a/b", "bar", DirectoryMode::fresh);
  EXPECT_EQ(list(folder / "a/b"), (Names{"checkpoints", "frames"}));
}

TEST(Directory, AcceptsAnEmptyFolder) {
  const Folder folder;
  prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::fresh);
  EXPECT_EQ(list(folder.path()), (Names{"checkpoints", "frames"}));
}

TEST(Directory, RefusesAFolderThatIsNotEmpty) {
  const Folder folder;
  write_text(folder / "notes.txt", "mine");
  const std::string text =
      error_of<base::UserError>([&] { prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::fresh); });
  EXPECT_NE(text.find("--overwrite"), std::string::npos);
  EXPECT_NE(text.find("--restart"), std::string::npos);
  EXPECT_EQ(list(folder.path()), Names{"notes.txt"});
}

TEST(Directory, OverwriteRemovesOnlyOurFiles) {
  const Folder folder;
  prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::fresh);
  for (const char* file : {"bar.pvd", "statistics.csv", "log.txt", "resolved.yaml", "frames/bar_000000.pvtu",
                           "frames/bar_000000_p0000.vtu", "frames/bar_1234567_p0063.vtu.tmp",
                           "checkpoints/checkpoint_000050.h5", "checkpoints/checkpoint_000050.h5.tmp", "bar2.pvd",
                           "notes.txt", "frames/bar_2_000000.pvtu", "frames/bar_000000.png", "checkpoints/keep.h5"})
    write_text(folder / file, "x");
  prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::overwrite);
  EXPECT_EQ(list(folder.path()), (Names{"bar2.pvd", "checkpoints", "frames", "notes.txt"}));
  EXPECT_EQ(list(folder / "frames"), (Names{"bar_000000.png", "bar_2_000000.pvtu"}));
  EXPECT_EQ(list(folder / "checkpoints"), Names{"keep.h5"});
}

TEST(Directory, RestartKeepsEverything) {
  const Folder folder;
  prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::fresh);
  for (const char* file : {"bar.pvd", "frames/bar_000000.pvtu", "checkpoints/checkpoint_000050.h5"})
    write_text(folder / file, "x");
  prepare_output_directory(comm, folder.path(), "bar", DirectoryMode::restart);
  EXPECT_EQ(list(folder.path()), (Names{"bar.pvd", "checkpoints", "frames"}));
  EXPECT_EQ(list(folder / "frames"), Names{"bar_000000.pvtu"});
  EXPECT_EQ(list(folder / "checkpoints"), Names{"checkpoint_000050.h5"});
}

TEST(Directory, RefusesAFile) {
  const Folder folder;
  write_text(folder / "file", "x");
  for (const DirectoryMode mode : {DirectoryMode::fresh, DirectoryMode::overwrite, DirectoryMode::restart})
    for (const char* path : {"file", "file/below"})
      EXPECT_NE(error_of<base::UserError>([&] { prepare_output_directory(comm, folder / path, "bar", mode); }), "");
}

TEST(Directory, NamesSortNumericallyAndReadBack) {
  EXPECT_EQ(frame_path("out", "bar", 123), "out/frames/bar_000123.pvtu");
  EXPECT_EQ(piece_name("bar", 123, 7), "bar_000123_p0007.vtu");
  EXPECT_EQ(frame_index("bar_000123.pvtu", "bar"), 123);
  EXPECT_EQ(frame_index("bar_000123_p0007.vtu", "bar"), 123);
  EXPECT_EQ(frame_index("bar_000123_p0007.vtu.tmp", "bar"), 123);
  for (const char* other : {"bar_123.pvtu", "bar_000123_p7.vtu", "bar_000123.vtu", "bar_000123.pvtu.bak",
                            "ba_000123.pvtu", "bar_-00123.pvtu", "bar_"})
    EXPECT_EQ(frame_index(other, "bar"), std::nullopt) << other;
  EXPECT_EQ(parse_checkpoint_name("checkpoint_000050.h5")->step, 50);
  EXPECT_TRUE(parse_checkpoint_name("checkpoint_000050.h5.tmp")->temporary);
  EXPECT_FALSE(parse_checkpoint_name("checkpoint_last.h5").has_value());
}

} // namespace
} // namespace limber::output
