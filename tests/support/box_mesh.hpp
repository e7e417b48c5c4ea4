#pragma once
/// Meshes made in memory, the same on every rank, and their distribution: what tests of the parallel parts start from.

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mpi.h>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/collective.hpp"
#include "mesh/distribute.hpp"
#include "mesh/tetrahedron_topology.hpp"

namespace limber::test {

/// A box of cubes, six tetrahedra each around the cube's diagonal.
struct Box {
  std::array<int, 3> cubes{2, 2, 2};
  Vector3 min{};
  Vector3 size{1.0, 1.0, 1.0};
  double jitter = 0.1;    ///< interior nodes move by up to this part of a cube's edge; below 1/6 nothing inverts
  int leave_out = 0;      ///< tetrahedra left out at the end, so that counts need not be even
  GlobalIndex id_gap = 0; ///< every other id of the file is followed by so many unused ones
  std::function<bool(const Vector3& center)> keep = {}; ///< cubes that are kept; empty: all
};

/// Fills in what follows from the cells: faces, pieces, and the faces of surface groups.
inline mesh::BodyMesh finished(mesh::BodyMesh body) {
  const std::size_t width = body.nodes_per_cell();
  body.faces = mesh::boundary_faces(body.cells, width).faces;
  auto pieces = mesh::connected_pieces(body.node_count(), body.cells, width);
  body.pieces = std::move(pieces.of_node);
  body.piece_count = pieces.count;
  for (auto& group : body.groups) {
    group.faces.clear();
    for (std::size_t f = 0; f < body.faces.size() && group.dimension == 2; ++f) {
      LocalIndex corners[3];
      mesh::sorted_corners(body.cells, width, body.faces[f], corners);
      if (std::all_of(corners, corners + 3,
                      [&](LocalIndex n) { return std::binary_search(group.nodes.begin(), group.nodes.end(), n); }))
        group.faces.push_back(LocalIndex(f));
    }
  }
  return body;
}

/// The quadratic mesh on the same vertices. \param bend moves edge nodes (in place) off the middle of their edges;
/// groups get the edge nodes between two of their nodes.
inline mesh::BodyMesh quadratic(const mesh::BodyMesh& linear, const std::function<void(double* X)>& bend = {}) {
  mesh::BodyMesh body = linear;
  body.order = 2;
  body.cells.clear();
  std::map<std::pair<LocalIndex, LocalIndex>, LocalIndex> edges;
  for (LocalIndex c = 0; c < linear.cell_count(); ++c) {
    const LocalIndex* v = &linear.cells[4 * std::size_t(c)];
    body.cells.insert(body.cells.end(), v, v + 4);
    for (const auto& [a, b] : mesh::tetrahedron_edges) {
      const auto [edge, is_new] = edges.try_emplace(std::minmax(v[a], v[b]), LocalIndex(body.node_ids.size()));
      body.cells.push_back(edge->second);
      if (!is_new) continue;
      body.node_ids.push_back(body.file_nodes++);
      double middle[3];
      for (std::size_t k = 0; k < 3; ++k)
        middle[k] = 0.5 * (linear.points[3 * std::size_t(v[a]) + k] + linear.points[3 * std::size_t(v[b]) + k]);
      if (bend) bend(middle);
      body.points.insert(body.points.end(), middle, middle + 3);
    }
  }
  for (auto& group : body.groups) {
    const auto corners = group.nodes;
    const auto has = [&](LocalIndex n) { return std::binary_search(corners.begin(), corners.end(), n); };
    for (const auto& [ends, node] : edges)
      if (has(ends.first) && has(ends.second)) group.nodes.push_back(node);
    std::sort(group.nodes.begin(), group.nodes.end());
  }
  return finished(std::move(body));
}

/// Keeps some cells and the nodes that they use.
inline mesh::BodyMesh keep_cells(const mesh::BodyMesh& body, const std::function<bool(LocalIndex)>& keep) {
  mesh::BodyMesh kept;
  kept.file_nodes = body.file_nodes;
  kept.file_cells = body.file_cells;
  std::vector<LocalIndex> new_index(std::size_t(body.node_count()), -1);
  for (LocalIndex c = 0; c < body.cell_count(); ++c)
    for (std::size_t k = 0; k < 4 && keep(c); ++k) new_index[std::size_t(body.cells[4 * std::size_t(c) + k])] = 0;
  LocalIndex count = 0;
  for (std::size_t n = 0; n < new_index.size(); ++n) {
    if (new_index[n] < 0) continue;
    new_index[n] = count++;
    kept.node_ids.push_back(body.node_ids[n]);
    kept.points.insert(kept.points.end(), {body.points[3 * n], body.points[3 * n + 1], body.points[3 * n + 2]});
  }
  for (LocalIndex c = 0; c < body.cell_count(); ++c) {
    if (!keep(c)) continue;
    for (std::size_t k = 0; k < 4; ++k)
      kept.cells.push_back(new_index[std::size_t(body.cells[4 * std::size_t(c) + k])]);
    kept.cell_ids.push_back(body.cell_ids[std::size_t(c)]);
    kept.cell_groups.push_back(body.cell_groups[std::size_t(c)]);
  }
  for (const auto& group : body.groups) {
    kept.groups.push_back({group.name, group.dimension, group.tag, {}, {}});
    for (LocalIndex n : group.nodes)
      if (new_index[std::size_t(n)] >= 0) kept.groups.back().nodes.push_back(new_index[std::size_t(n)]);
  }
  return finished(std::move(kept));
}

/// Groups: xmin, xmax (surfaces), low, high (volumes: tags 3 and 4, half of the cubes each; cells of neither do not
/// exist), all (volume).
inline mesh::BodyMesh make_box(const Box& box) {
  mesh::BodyMesh body;
  const auto [nx, ny, nz] = box.cubes;
  const auto node = [&, nx = nx, ny = ny](int i, int j, int k) {
    return LocalIndex(i + (nx + 1) * (j + (ny + 1) * k));
  };
  const auto padded = [&](GlobalIndex i) { return i + box.id_gap * ((i + 1) / 2); };
  std::mt19937 generator(12345);
  const auto random = [&] { return double(generator()) / 4294967296.0 * 2.0 - 1.0; }; // the same in every library
  body.groups = {{"xmin", 2, 1, {}, {}},
                 {"xmax", 2, 2, {}, {}},
                 {"low", 3, 3, {}, {}},
                 {"high", 3, 4, {}, {}},
                 {"all", 3, 5, {}, {}}};
  std::set<LocalIndex> low, high;
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) {
        const std::array<int, 3> at{i, j, k};
        const bool inside = i > 0 && i < nx && j > 0 && j < ny && k > 0 && k < nz;
        for (std::size_t d = 0; d < 3; ++d) {
          const double edge = box.size[d] / box.cubes[d], shift = random() * box.jitter * edge;
          body.points.push_back(box.min[d] + edge * at[d] + (inside ? shift : 0.0));
        }
        const LocalIndex n = node(i, j, k);
        body.node_ids.push_back(padded(n));
        if (i == 0) body.groups[0].nodes.push_back(n);
        if (i == nx) body.groups[1].nodes.push_back(n);
        body.groups[4].nodes.push_back(n);
      }
  std::vector<bool> kept;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        Vector3 center;
        const std::array<int, 3> cube{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) center[d] = box.min[d] + box.size[d] / box.cubes[d] * (cube[d] + 0.5);
        const bool keep = !box.keep || box.keep(center);
        const bool is_low = 2 * i < nx;
        std::array<int, 3> axes{0, 1, 2};
        bool even = true; // next_permutation in lexicographic order: signs + - - + + -
        int turn = 0;
        do {
          even = turn == 0 || turn == 3 || turn == 4;
          std::array<int, 3> at = cube;
          std::array<LocalIndex, 4> cell{node(i, j, k), 0, 0, 0};
          for (std::size_t step = 0; step < 3; ++step) {
            ++at[std::size_t(axes[step])];
            cell[step + 1] = node(at[0], at[1], at[2]);
          }
          if (!even) std::swap(cell[2], cell[3]);
          // Another first vertex in every cell (an even permutation), so that owners of first vertices vary.
          std::rotate(cell.begin() + 1, cell.begin() + 2, cell.end());
          if (turn % 2 == 1) {
            std::swap(cell[0], cell[1]);
            std::swap(cell[2], cell[3]);
          }
          body.cell_ids.push_back(padded(GlobalIndex(kept.size())));
          body.cells.insert(body.cells.end(), cell.begin(), cell.end());
          body.cell_groups.push_back(is_low ? 3 : 4);
          (is_low ? low : high).insert(cell.begin(), cell.end());
          kept.push_back(keep);
          ++turn;
        } while (std::next_permutation(axes.begin(), axes.end()));
      }
  body.groups[2].nodes.assign(low.begin(), low.end());
  body.groups[3].nodes.assign(high.begin(), high.end());
  body.file_nodes = body.node_ids.back() + 1 + box.id_gap;
  body.file_cells = body.cell_ids.back() + 1 + box.id_gap;
  const auto last = LocalIndex(kept.size()) - box.leave_out;
  return keep_cells(body, [&](LocalIndex c) { return kept[std::size_t(c)] && c < last; });
}

/// All bodies in one numbering, as documented for DistributedMesh: a node's index is its ordinal.
struct WholeMesh {
  std::vector<double> points;
  std::vector<GlobalIndex> node_ids;
  std::vector<std::int32_t> node_bodies;
  std::vector<std::set<std::pair<int, std::string>>> node_groups; ///< (body, name)
  std::vector<LocalIndex> cells;                                  ///< 4 ordinals each
  std::vector<GlobalIndex> cell_ids;
  std::vector<std::int32_t> cell_bodies, cell_groups;
  std::size_t node_count() const { return node_ids.size(); }
  std::size_t cell_count() const { return cell_ids.size(); }
};

inline WholeMesh concatenate(const std::vector<mesh::BodyMesh>& bodies) {
  WholeMesh whole;
  GlobalIndex first_node_id = 0, first_cell_id = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& body = bodies[b];
    const auto first = LocalIndex(whole.node_count());
    whole.points.insert(whole.points.end(), body.points.begin(), body.points.end());
    for (GlobalIndex id : body.node_ids) {
      whole.node_ids.push_back(first_node_id + id);
      whole.node_bodies.push_back(std::int32_t(b));
      whole.node_groups.emplace_back();
    }
    for (const auto& group : body.groups)
      for (LocalIndex n : group.nodes) whole.node_groups[std::size_t(first + n)].insert({int(b), group.name});
    for (LocalIndex v : body.cells) whole.cells.push_back(first + v);
    for (GlobalIndex id : body.cell_ids) {
      whole.cell_ids.push_back(first_cell_id + id);
      whole.cell_bodies.push_back(std::int32_t(b));
    }
    whole.cell_groups.insert(whole.cell_groups.end(), body.cell_groups.begin(), body.cell_groups.end());
    first_node_id += body.file_nodes;
    first_cell_id += body.file_cells;
  }
  return whole;
}

/// body0, body1, …
inline std::vector<std::string> body_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t b = 0; b < count; ++b) names.push_back("body" + std::to_string(b));
  return names;
}

/// Collective. Only rank 0's meshes are handed over.
inline mesh::DistributedMesh distribute(const std::vector<mesh::BodyMesh>& bodies,
                                        const mesh::PartitionOptions& options = {}) {
  std::vector<mesh::BodyMesh> mine;
  if (base::rank(MPI_COMM_WORLD) == 0) mine = bodies;
  return mesh::distribute(MPI_COMM_WORLD, std::move(mine), body_names(bodies.size()), options);
}

/// A field over the whole mesh, 3 per ordinal, as this rank's local nodes see it, ghosts included.
inline std::vector<double> to_local(const mesh::DistributedMesh& mesh, const std::vector<double>& whole) {
  std::vector<double> local;
  for (GlobalIndex ordinal : mesh.ordinals)
    for (std::size_t k = 0; k < 3; ++k) local.push_back(whole[3 * std::size_t(ordinal) + k]);
  return local;
}

/// Owned values, 3 per node, put together on every rank by ordinal; longer inputs (with ghosts) are welcome.
/// Collective.
inline std::vector<double> to_whole(const mesh::DistributedMesh& mesh, const std::vector<double>& local) {
  std::vector<double> whole(3 * std::size_t(mesh.global_nodes), 0.0);
  for (std::size_t n = 0; n < std::size_t(mesh.owned_nodes); ++n)
    for (std::size_t k = 0; k < 3; ++k) whole[3 * std::size_t(mesh.ordinals[n]) + k] = local[3 * n + k];
  base::global_sum(mesh.comm, whole);
  return whole;
}

/// Numbers between -1 and 1, the same on every rank and with every library.
inline std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = double(generator()) / 4294967296.0 * 2.0 - 1.0;
  return numbers;
}

} // namespace limber::test
