#pragma once
/// Checkpoints: HDF5 files that do not depend on the number of ranks. Values at nodes are stored in the order of the
/// input mesh, bit by bit; every stored thing carries a checksum.

#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/archive.hpp"
#include "mesh/distributed_mesh.hpp"
#include "output/node_blocks.hpp"

namespace limber::output {

class Hdf5File;

/// A hash of ids and rest positions of all nodes, the same however they are distributed. Collective.
std::uint64_t mesh_fingerprint(MPI_Comm comm, const mesh::DistributedMesh& mesh);

/// Collects what it is given, redistributed so that each rank holds an equal share, and writes it all in commit().
/// Names may have folders in them, separated by '/', and must be unique (InternalError).
class CheckpointWriter : public base::Archive {
public:
  /// Collective.
  CheckpointWriter(MPI_Comm comm, std::string path, const mesh::DistributedMesh& mesh);

  bool reading() const override { return false; }
  void value(const std::string& name, double& x) override;
  void value(const std::string& name, std::int64_t& x) override;
  void value(const std::string& name, std::string& x) override;
  void value(const std::string& name, std::vector<double>& x) override;
  void value(const std::string& name, std::vector<std::int64_t>& x) override;
  void node_field(const std::string& name, std::vector<double>& x, int components) override;

  /// Writes the file under a temporary name, flushes it to the disk and renames it. Throws IoError on every rank if one
  /// fails; a file that was there before then remains. Collective.
  void commit();

private:
  struct Value {
    std::string name;
    std::variant<double, std::int64_t, std::string, std::vector<double>, std::vector<std::int64_t>> x;
  };
  struct Field {
    std::string name;
    int components;
    std::vector<double> block;
  };
  void check_new(const std::string& name) const;
  std::vector<std::int64_t> lay_out(const std::string& path, const std::vector<std::uint64_t>& checksums) const;
  void write_blocks(const std::string& path, const std::vector<std::int64_t>& offsets) const;

  MPI_Comm comm_;
  std::string path_;
  NodeBlocks blocks_;
  std::uint64_t fingerprint_;
  std::vector<Value> values_;
  std::vector<Field> fields_;
};

/// Reads what a CheckpointWriter wrote, on any number of ranks.
/// All members throw UserError with advice on every rank: a file that is missing, incomplete, damaged or of another
/// format, another mesh, a name that the file lacks or that has another type or size.
class CheckpointReader : public base::Archive {
public:
  /// Collective.
  CheckpointReader(MPI_Comm comm, std::string path, const mesh::DistributedMesh& mesh);
  ~CheckpointReader() override;

  bool reading() const override { return true; }
  void value(const std::string& name, double& x) override;
  void value(const std::string& name, std::int64_t& x) override;
  void value(const std::string& name, std::string& x) override;
  void value(const std::string& name, std::vector<double>& x) override;
  void value(const std::string& name, std::vector<std::int64_t>& x) override;
  void node_field(const std::string& name, std::vector<double>& x, int components) override;

private:
  void on_rank_0(const std::function<void(const Hdf5File&)>& work) const;
  std::string read_bytes(const std::string& name, int kind, bool scalar) const;
  [[noreturn]] void fail(const std::string& message, const std::string& advice) const;

  MPI_Comm comm_;
  std::string path_;
  NodeBlocks blocks_;
  std::unique_ptr<Hdf5File> file_; ///< rank 0 only
};

/// Writes DIR/checkpoints/checkpoint_000050.h5 (atomically) and then removes all others but the one before it: older
/// ones, and those of later steps, which belong to a run that was restarted from before them.
/// \param serialize hands everything that a restart needs to the archive; it communicates as its members do
/// \returns the path. Throws IoError on every rank; the older checkpoints then remain. Collective.
std::string write_checkpoint(MPI_Comm comm, const mesh::DistributedMesh& mesh, const std::string& directory,
                             std::int64_t step, const std::function<void(base::Archive&)>& serialize);

/// The checkpoint of the latest step in DIR/checkpoints that is a complete file, the same on every rank. Collective.
std::optional<std::string> latest_checkpoint(MPI_Comm comm, const std::string& directory);

/// Removes the checkpoints after `step`: a run restarted from an earlier one than the latest starts with this, or the
/// next restart would follow the abandoned run. Also removes what a killed run left unfinished. Throws IoError on every
/// rank. Collective.
void discard_checkpoints_after(MPI_Comm comm, const std::string& directory, std::int64_t step);

} // namespace limber::output
