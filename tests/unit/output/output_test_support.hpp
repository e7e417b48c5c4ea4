#pragma once
/// A small mesh distributed by hand, a folder that all ranks see, and a disk that fills up.

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mpi.h>
#include <set>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "base/collective.hpp"
#include "mesh/distributed_mesh.hpp"

namespace limber::output_test {

inline const MPI_Comm comm = MPI_COMM_WORLD;
inline int rank() { return base::rank(comm); }
inline int ranks() { return base::size(comm); }

/// Which rank owns the node of an ordinal.
using Owner = std::function<int(GlobalIndex ordinal)>;

/// A strip of cubes along x, each of six tetrahedra around its diagonal. Node ids and cell ids have gaps, as those of
/// meshes with unused nodes. Cell i belongs to body i % 2 and has group 10 + i % 3.
inline mesh::DistributedMesh strip(int boxes, const Owner& owner) {
  const GlobalIndex nodes = 4 * (GlobalIndex(boxes) + 1);
  std::vector<std::array<GlobalIndex, 4>> cells; // ordinals
  for (GlobalIndex b = 0; b < boxes; ++b) {
    const auto corner = [&](int x, int y, int z) { return 4 * (b + x) + 2 * y + z; };
    std::array<int, 3> order{0, 1, 2};
    do {
      std::array<int, 3> at{0, 0, 0};
      std::array<GlobalIndex, 4> cell{corner(0, 0, 0), 0, 0, 0};
      for (int k = 0; k < 3; ++k) {
        at[order[k]] = 1;
        cell[k + 1] = corner(at[0], at[1], at[2]);
      }
      cells.push_back(cell);
    } while (std::next_permutation(order.begin(), order.end()));
  }

  mesh::DistributedMesh mesh;
  mesh.comm = comm;
  mesh.global_nodes = nodes;
  mesh.global_cells = static_cast<GlobalIndex>(cells.size());
  std::vector<GlobalIndex> local; // ordinals: owned from the back, so that local order is not the order of ids
  for (GlobalIndex n = nodes - 1; n >= 0; --n)
    if (owner(n) == rank()) local.push_back(n);
  mesh.owned_nodes = static_cast<LocalIndex>(local.size());
  std::set<GlobalIndex> ghosts;
  for (const auto& cell : cells)
    if (std::any_of(cell.begin(), cell.end(), [&](GlobalIndex n) { return owner(n) == rank(); }))
      for (const GlobalIndex n : cell)
        if (owner(n) != rank()) ghosts.insert(n);
  local.insert(local.end(), ghosts.begin(), ghosts.end());
  mesh.local_nodes = static_cast<LocalIndex>(local.size());
  std::map<GlobalIndex, LocalIndex> index;
  for (const GlobalIndex n : local) {
    index.emplace(n, static_cast<LocalIndex>(index.size()));
    mesh.ordinals.push_back(n);
    mesh.node_ids.push_back(100 + 3 * n);
    mesh.rest_positions.insert(mesh.rest_positions.end(), {double(n / 4), double(n / 2 % 2), double(n % 2)});
  }
  mesh.cell_offsets = {0};
  for (const bool counted : {true, false})
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto& cell = cells[c];
      const bool mine = std::any_of(cell.begin(), cell.end(), [&](GlobalIndex n) { return owner(n) == rank(); });
      if (!mine || (owner(cell[0]) == rank()) != counted) continue;
      for (const GlobalIndex n : cell) mesh.cells.push_back(index.at(n));
      mesh.cell_offsets.push_back(static_cast<LocalIndex>(mesh.cells.size()));
      mesh.cell_ids.push_back(7 + 2 * static_cast<GlobalIndex>(c));
      mesh.cell_bodies.push_back(static_cast<std::int32_t>(c % 2));
      mesh.cell_groups.push_back(static_cast<std::int32_t>(10 + c % 3));
      if (counted) ++mesh.counted_cells;
    }
  return mesh;
}

/// Distributions: slabs, dealt out one by one, everything on the last rank (the others hold nothing at all).
inline std::vector<Owner> distributions(int boxes) {
  const GlobalIndex nodes = 4 * (GlobalIndex(boxes) + 1);
  const int n = ranks();
  return {[=](GlobalIndex i) { return static_cast<int>(i * n / nodes); },
          [=](GlobalIndex i) { return static_cast<int>(i * 7 % n); }, [=](GlobalIndex) { return n - 1; }};
}

/// A folder for one test, removed at its end.
class Folder {
public:
  Folder() {
    if (rank() == 0) {
      std::string name = (std::filesystem::temp_directory_path() / "limber-output-XXXXXX").string();
      path_ = ::mkdtemp(name.data());
    }
    base::broadcast(comm, path_);
  }
  ~Folder() {
    MPI_Barrier(comm);
    if (rank() == 0) std::filesystem::remove_all(path_);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

/// Lets no file of this process grow beyond `bytes`: writes fail as they do on a full disk, also for root.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

private:
  void (*handler_)(int);
  rlimit before_{};
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Rank 0 writes, the others wait.
inline void write_text(const std::string& path, const std::string& text) {
  if (rank() == 0) std::ofstream(path, std::ios::binary) << text;
  MPI_Barrier(comm);
}

/// Names of the files in a folder, sorted.
inline std::vector<std::string> list(const std::string& path) {
  MPI_Barrier(comm);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  MPI_Barrier(comm);
  return names;
}

/// The error of type E that `work` must throw on this rank, as on every other.
template <class E> std::string error_of(const std::function<void()>& work) {
  std::string text;
  try {
    work();
  } catch (const E& error) {
    text = error.what();
  }
  return text;
}

} // namespace limber::output_test
