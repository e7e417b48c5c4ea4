#include "output/frame_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "base/collective.hpp"
#include "base/error.hpp"
#include "output/atomic_file.hpp"
#include "output/directory.hpp"
#include "output/vtu_document.hpp"

namespace limber::output {
namespace {

MPI_Datatype mpi_type(const double*) { return MPI_DOUBLE; }
MPI_Datatype mpi_type(const std::int64_t*) { return MPI_INT64_T; }
MPI_Datatype mpi_type(const std::int32_t*) { return MPI_INT32_T; }

/// Number of points or cells of each rank of the group, on its rank 0.
std::vector<int> gather_counts(MPI_Comm comm, std::size_t count) {
  std::vector<int> counts(base::rank(comm) == 0 ? base::size(comm) : 0);
  const int mine = static_cast<int>(count);
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  return counts;
}

void check_fields(const std::vector<NamedField>& fields, std::size_t count, const char* where) {
  for (const NamedField& field : fields)
    if (field.components < 1 || field.values.size() < count * static_cast<std::size_t>(field.components))
      throw base::InternalError("field " + field.name + " has too few values for the " + where + " of a rank");
}

/// Values of the chosen nodes, in their order.
std::vector<double> pick(const std::vector<double>& values, int components, const std::vector<LocalIndex>& nodes) {
  std::vector<double> picked;
  picked.reserve(nodes.size() * static_cast<std::size_t>(components));
  for (const LocalIndex node : nodes) {
    const auto first = values.begin() + std::ptrdiff_t(node) * components;
    picked.insert(picked.end(), first, first + components);
  }
  return picked;
}

template <class T> std::vector<T> head(const std::vector<T>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

} // namespace

template <class T>
std::vector<T> FrameWriter::gather(const std::vector<T>& values, int components, const std::vector<int>& counts) const {
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  const std::size_t total = counts.empty() ? 0 : std::size_t(offsets.back()) + std::size_t(counts.back());
  std::vector<T> all(total * static_cast<std::size_t>(components));
  // Counts in tuples: counts of MPI 3 are 32-bit.
  MPI_Datatype tuple;
  MPI_Type_contiguous(components, mpi_type(static_cast<const T*>(nullptr)), &tuple);
  MPI_Type_commit(&tuple);
  const int mine = static_cast<int>(values.size() / static_cast<std::size_t>(components));
  MPI_Gatherv(values.data(), mine, tuple, all.data(), counts.data(), offsets.data(), tuple, 0, group_comm_);
  MPI_Type_free(&tuple);
  return all;
}

FrameWriter::FrameWriter(MPI_Comm comm, const mesh::DistributedMesh& mesh, std::string directory, std::string name,
                         int max_pieces)
    : comm_(comm), directory_(std::move(directory)), name_(std::move(name)), local_nodes_(mesh.local_nodes),
      counted_cells_(mesh.counted_cells) {
  const int rank = base::rank(comm_);
  const int ranks = base::size(comm_);
  pieces_ = std::clamp(max_pieces, 1, ranks);
  piece_ = static_cast<int>(std::int64_t(rank) * pieces_ / ranks);
  MPI_Comm_split(comm_, piece_, rank, &group_comm_);

  const auto counted = static_cast<std::size_t>(counted_cells_);
  const std::vector<LocalIndex> corners(mesh.cells.begin(),
                                        mesh.cells.begin() + mesh.cell_offsets[static_cast<std::size_t>(counted)]);
  nodes_ = corners;
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  point_counts_ = gather_counts(group_comm_, nodes_.size());
  cell_counts_ = gather_counts(group_comm_, counted);
  const std::vector<int> corner_counts = gather_counts(group_comm_, corners.size());
  base::all_or_throw(comm_, [&] {
    for (const std::vector<int>* counts : {&std::as_const(point_counts_), &std::as_const(cell_counts_), &corner_counts})
      if (std::accumulate(counts->begin(), counts->end(), std::int64_t{0}) > std::numeric_limits<int>::max())
        throw base::UserError("the ranks that share a piece of a frame have more nodes or cells than MPI can gather");
  });

  // Points of a rank follow those of the ranks before it in its group.
  std::int64_t first_point = 0;
  const auto point_count = static_cast<std::int64_t>(nodes_.size());
  MPI_Exscan(&point_count, &first_point, 1, MPI_INT64_T, MPI_SUM, group_comm_);
  if (base::rank(group_comm_) == 0) first_point = 0;
  std::vector<std::int64_t> connectivity(corners.size());
  std::transform(corners.begin(), corners.end(), connectivity.begin(), [&](LocalIndex node) {
    return first_point + (std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  });
  std::vector<std::int32_t> sizes(counted);
  for (std::size_t c = 0; c < counted; ++c) sizes[c] = std::int32_t(mesh.cell(LocalIndex(c)).size());
  std::vector<std::int64_t> node_ids(nodes_.size());
  std::transform(nodes_.begin(), nodes_.end(), node_ids.begin(),
                 [&](LocalIndex node) { return mesh.node_ids[static_cast<std::size_t>(node)]; });

  cell_sizes_ = gather(sizes, 1, cell_counts_);
  connectivity_ = gather(connectivity, 1, corner_counts);
  node_ids_ = gather(node_ids, 1, point_counts_);
  cell_ids_ = gather(head(mesh.cell_ids, counted), 1, cell_counts_);
  bodies_ = gather(head(mesh.cell_bodies, counted), 1, cell_counts_);
  groups_ = gather(head(mesh.cell_groups, counted), 1, cell_counts_);
  ranks_ = gather(std::vector<std::int32_t>(counted, rank), 1, cell_counts_);
}

FrameWriter::~FrameWriter() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized && group_comm_ != MPI_COMM_NULL) MPI_Comm_free(&group_comm_);
}

void FrameWriter::write(double time, const std::vector<double>& positions, const std::vector<NamedField>& point_fields,
                        const std::vector<NamedField>& cell_fields) {
  base::all_or_throw(comm_, [&] {
    if (positions.size() < 3 * static_cast<std::size_t>(local_nodes_))
      throw base::InternalError("a frame needs the positions of all local nodes");
    check_fields(point_fields, static_cast<std::size_t>(local_nodes_), "nodes");
    check_fields(cell_fields, static_cast<std::size_t>(counted_cells_), "cells");
  });

  const std::vector<double> points = gather(pick(positions, 3, nodes_), 3, point_counts_);
  std::vector<std::vector<double>> point_values, cell_values; // fields of the whole piece
  PieceView piece{
      .points = points, .cell_sizes = cell_sizes_, .connectivity = connectivity_, .point_data = {}, .cell_data = {}};
  for (const NamedField& field : point_fields) {
    point_values.push_back(gather(pick(field.values, field.components, nodes_), field.components, point_counts_));
    piece.point_data.push_back({field.name, field.components, std::span<const double>(point_values.back())});
  }
  piece.point_data.push_back({"node_id", 1, std::span<const std::int64_t>(node_ids_)});
  for (const NamedField& field : cell_fields) {
    const auto count = static_cast<std::size_t>(counted_cells_) * static_cast<std::size_t>(field.components);
    cell_values.push_back(gather(head(field.values, count), field.components, cell_counts_));
    piece.cell_data.push_back({field.name, field.components, std::span<const double>(cell_values.back())});
  }
  piece.cell_data.push_back({"element_id", 1, std::span<const std::int64_t>(cell_ids_)});
  piece.cell_data.push_back({"body", 1, std::span<const std::int32_t>(bodies_)});
  piece.cell_data.push_back({"group", 1, std::span<const std::int32_t>(groups_)});
  piece.cell_data.push_back({"rank", 1, std::span<const std::int32_t>(ranks_)});

  std::vector<std::string> files; // of this rank
  try {
    base::all_or_throw(comm_, [&] {
      if (base::rank(group_comm_) == 0) {
        files.push_back(directory_ + "/frames/" + piece_name(name_, next_index_, piece_));
        write_file(temporary_name(files.back()), vtu_document(piece));
      }
      if (base::rank(comm_) == 0) {
        std::vector<std::string> names;
        for (int p = 0; p < pieces_; ++p) names.push_back(piece_name(name_, next_index_, p));
        files.push_back(frame_path(directory_, name_, next_index_));
        write_file(temporary_name(files.back()), pvtu_document(piece, names));
      }
    });
    base::all_or_throw(comm_, [&] {
      for (const std::string& file : files) rename_file(temporary_name(file), file);
    });
    times_.push_back(time);
    indices_.push_back(next_index_);
    base::all_or_throw(comm_, [&] {
      if (base::rank(comm_) == 0) write_pvd();
    });
    ++next_index_;
  } catch (...) {
    for (const std::string& file : files) {
      remove_file(temporary_name(file));
      remove_file(file);
    }
    if (!indices_.empty() && indices_.back() == next_index_) {
      indices_.pop_back();
      times_.pop_back();
    }
    throw;
  }
}

void FrameWriter::write_pvd() const {
  std::string text = "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                     "  <Collection>\n";
  for (std::size_t i = 0; i < times_.size(); ++i)
    text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", times_[i],
                        xml_escape(fmt::format("frames/{}_{:06}.pvtu", name_, indices_[i])));
  write_file_atomically(directory_ + "/" + name_ + ".pvd", text + "  </Collection>\n</VTKFile>\n");
}

void FrameWriter::remove_later_files() const {
  std::error_code error;
  std::vector<std::filesystem::path> later;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/frames", error)) {
    const auto index = frame_index(entry.path().filename().string(), name_);
    if (index && *index >= next_index_) later.push_back(entry.path());
  }
  for (const auto& path : later) {
    std::filesystem::remove(path, error);
    if (error) throw base::IoError("cannot remove " + path.string() + ": " + error.message());
  }
}

void FrameWriter::discard_frames_after(double time) {
  while (!times_.empty() && times_.back() > time) {
    next_index_ = indices_.back();
    times_.pop_back();
    indices_.pop_back();
  }
  base::all_or_throw(comm_, [&] {
    if (base::rank(comm_) != 0) return;
    write_pvd(); // before the files go: it must not list what is not there
    remove_later_files();
  });
}

void FrameWriter::serialize(base::Archive& archive) {
  archive.value("frames/times", times_);
  archive.value("frames/indices", indices_);
  archive.value("frames/next_index", next_index_);
  if (!archive.reading()) return;

  std::vector<char> present(indices_.size());
  if (base::rank(comm_) == 0)
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      std::error_code error;
      present[i] = std::filesystem::exists(frame_path(directory_, name_, indices_[i]), error) ? 1 : 0;
    }
  base::broadcast_bytes(comm_, present);
  std::vector<double> times;
  std::vector<std::int64_t> indices;
  for (std::size_t i = 0; i < present.size(); ++i)
    if (present[i]) {
      times.push_back(times_[i]);
      indices.push_back(indices_[i]);
    }
  times_ = std::move(times);
  indices_ = std::move(indices);
  discard_frames_after(std::numeric_limits<double>::infinity());
}

} // namespace limber::output
