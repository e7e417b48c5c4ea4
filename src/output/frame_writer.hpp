#pragma once
/// The VTU time series: DIR/NAME.pvd and DIR/frames/.

#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::output {

/// Values at nodes or cells under the name that ParaView shows.
struct NamedField {
  std::string name;
  int components = 1;
  std::vector<double> values; ///< `components` per node or cell
};

/// Writes frames numbered from 0. A piece holds the counted cells of a group of ranks and, for each of those ranks, the
/// nodes of its cells (those on a border more than once). Besides the fields given: point data node_id (Int64), cell
/// data element_id (Int64), body, group and rank (Int32).
///
/// Every file is written under a temporary name; the PVD lists a frame only when all of its files have their final
/// ones, so a run that is killed or fills the disk leaves all earlier frames readable.
class FrameWriter {
public:
  static constexpr int default_max_pieces = 64;

  /// \param directory an existing folder with a folder `frames` (prepare_output_directory)
  /// \param max_pieces files a frame at most; consecutive ranks share one. Collective.
  FrameWriter(MPI_Comm comm, const mesh::DistributedMesh& mesh, std::string directory, std::string name,
              int max_pieces = default_max_pieces);
  ~FrameWriter(); ///< Collective.
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// Writes the next frame. Values that are not finite are written as they are.
  /// \param time [s]
  /// \param positions current ones, 3 per local node [m], ghosts valid
  /// \param point_fields per local node, ghosts valid; the same names in the same order on every rank
  /// \param cell_fields per local cell, at least for the counted ones; likewise
  /// Throws IoError on every rank if one of them cannot write; the series then ends with the frame before. Collective.
  void write(double time, const std::vector<double>& positions, const std::vector<NamedField>& point_fields,
             const std::vector<NamedField>& cell_fields);

  /// The list of frames. Reading it drops frames that are not in this folder (a restart into another one) and those
  /// written after the checkpoint, from the PVD and from the disk; numbering goes on after the checkpoint's last frame.
  /// Throws IoError. Collective.
  void serialize(base::Archive& archive);

  /// Drops the frames after `time` [s] from the PVD and removes all files of later frames. Throws IoError. Collective.
  void discard_frames_after(double time);

  /// Number of the next frame.
  std::int64_t next_index() const { return next_index_; }

private:
  void write_pvd() const;          ///< Rank 0 only.
  void remove_later_files() const; ///< Rank 0 only.
  /// Values of all ranks of the group on its rank 0. \param counts tuples of each rank, there
  template <class T>
  std::vector<T> gather(const std::vector<T>& values, int components, const std::vector<int>& counts) const;

  MPI_Comm comm_;
  MPI_Comm group_comm_ = MPI_COMM_NULL; ///< ranks that share a piece; its rank 0 writes
  std::string directory_;
  std::string name_;
  int pieces_ = 1;
  int piece_ = 0; ///< of this rank

  std::vector<LocalIndex> nodes_; ///< local nodes of counted cells, increasing
  LocalIndex local_nodes_ = 0;
  LocalIndex counted_cells_ = 0;

  // What does not change from frame to frame, on the writer of a piece; empty elsewhere.
  std::vector<std::int32_t> cell_sizes_;
  std::vector<std::int64_t> connectivity_;
  std::vector<std::int64_t> node_ids_;
  std::vector<std::int64_t> cell_ids_;
  std::vector<std::int32_t> bodies_;
  std::vector<std::int32_t> groups_;
  std::vector<std::int32_t> ranks_;
  std::vector<int> point_counts_; ///< per rank of the group
  std::vector<int> cell_counts_;

  std::vector<double> times_;         ///< [s], of the frames in the PVD
  std::vector<std::int64_t> indices_; ///< their numbers
  std::int64_t next_index_ = 0;
};

} // namespace limber::output
