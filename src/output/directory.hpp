#pragma once
/// The output folder before a run, and the names of the files in it.

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>

namespace limber::output {

enum class DirectoryMode {
  fresh,     ///< the folder must be absent or empty
  overwrite, ///< what an earlier run of the same name wrote is removed, other files are kept
  restart    ///< everything is kept
};

/// Creates DIR, DIR/frames and DIR/checkpoints. Rank 0 acts.
/// Throws UserError on every rank: a folder that is not empty in fresh mode, a path that is a file or that cannot be
/// created, written or cleared.
/// \param name simulation.name: overwrite removes NAME.pvd, the frames and checkpoints, statistics.csv, conditions.csv,
/// probes.csv, log.txt and
///             resolved.yaml. Collective.
void prepare_output_directory(MPI_Comm comm, const std::string& directory, const std::string& name, DirectoryMode mode);

/// Keeps a second run out of DIR as long as it lives, by an advisory lock on DIR itself that also ends with the
/// process. DIR need not exist before. Where the file system has no locks, nothing is kept out.
class DirectoryLock {
public:
  /// Throws UserError on every rank if another run holds the lock or DIR cannot be made. Collective.
  DirectoryLock(MPI_Comm comm, const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

private:
  int descriptor_ = -1; ///< rank 0 only
};

/// DIR/frames/NAME_000123.pvtu.
std::string frame_path(const std::string& directory, const std::string& name, std::int64_t index);

/// NAME_000123_p0007.vtu, without a folder.
std::string piece_name(const std::string& name, std::int64_t index, int piece);

/// Frame index if `file` (without folder) is a file of a frame of NAME, temporary ones included.
std::optional<std::int64_t> frame_index(const std::string& file, const std::string& name);

/// DIR/checkpoints/checkpoint_000050.h5.
std::string checkpoint_path(const std::string& directory, std::int64_t step);

struct CheckpointName {
  std::int64_t step;
  bool temporary;
};

/// What `file` (without folder) says if it is named as a checkpoint.
std::optional<CheckpointName> parse_checkpoint_name(const std::string& file);

} // namespace limber::output
