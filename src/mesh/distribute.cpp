#include "mesh/distribute.hpp"

#include <algorithm>
#include <cstring>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <numeric>
#include <span>
#include <spdlog/spdlog.h>

#include "base/collective.hpp"
#include "mesh/space_filling_curve.hpp"
#include "mesh/tetrahedron_topology.hpp"

namespace limber::mesh {
namespace {

/// What rank 0 holds while it hands out: all bodies in one numbering. A node's index here is its ordinal.
struct WholeMesh {
  std::vector<double> points;
  std::vector<GlobalIndex> node_ids;
  std::vector<std::int32_t> node_bodies;
  std::vector<std::int32_t> node_pieces;
  std::vector<LocalIndex> cell_offsets{0}, cells;
  std::vector<GlobalIndex> cell_ids;
  std::vector<std::int32_t> cell_bodies, cell_groups;
  std::vector<double> cell_volumes;
  std::vector<LocalIndex> face_offsets{0}, faces;
  std::vector<std::int32_t> face_bodies, face_group_indices;
  std::vector<LocalIndex> face_group_offsets;
  std::vector<LocalIndex> group_offsets;
  std::vector<std::int32_t> group_indices;
  std::vector<BodyInfo> bodies;
  std::vector<GroupInfo> groups;
};

/// Flat bytes, for MPI.
class Packet {
public:
  template <class T> void add(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::int64_t n = std::int64_t(values.size());
    append(&n, sizeof n);
    append(values.data(), values.size() * sizeof(T));
  }
  void add(const std::string& text) { add(std::vector<char>(text.begin(), text.end())); }
  template <class T> std::vector<T> take() {
    std::int64_t n = 0;
    extract(&n, sizeof n);
    std::vector<T> values(static_cast<std::size_t>(n));
    extract(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string take_text() {
    const auto text = take<char>();
    return {text.begin(), text.end()};
  }
  std::vector<char> bytes;

private:
  void append(const void* data, std::size_t n) {
    const auto* begin = static_cast<const char*>(data);
    bytes.insert(bytes.end(), begin, begin + n);
  }
  void extract(void* data, std::size_t n) {
    if (n > 0) std::memcpy(data, bytes.data() + position_, n);
    position_ += n;
  }
  std::size_t position_ = 0;
};

constexpr int message_tag = 4711;
constexpr std::int64_t message_chunk = std::int64_t{1} << 30; // counts of MPI 3 are 32-bit

void send(MPI_Comm comm, int to, const std::vector<char>& bytes) {
  const std::int64_t n = std::int64_t(bytes.size());
  MPI_Send(&n, 1, MPI_INT64_T, to, message_tag, comm);
  for (std::int64_t begin = 0; begin < n; begin += message_chunk)
    MPI_Send(bytes.data() + begin, int(std::min(message_chunk, n - begin)), MPI_BYTE, to, message_tag, comm);
}

std::vector<char> receive(MPI_Comm comm) {
  std::int64_t n = 0;
  MPI_Recv(&n, 1, MPI_INT64_T, 0, message_tag, comm, MPI_STATUS_IGNORE);
  std::vector<char> bytes(static_cast<std::size_t>(n));
  for (std::int64_t begin = 0; begin < n; begin += message_chunk)
    MPI_Recv(bytes.data() + begin, int(std::min(message_chunk, n - begin)), MPI_BYTE, 0, message_tag, comm,
             MPI_STATUS_IGNORE);
  return bytes;
}

template <class T> void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// (member, group) pairs as rows of a compressed matrix.
void compress(std::vector<std::pair<LocalIndex, std::int32_t>>& memberships, std::size_t rows,
              std::vector<LocalIndex>& offsets, std::vector<std::int32_t>& indices) {
  std::sort(memberships.begin(), memberships.end());
  offsets.assign(rows + 1, 0);
  for (const auto& [member, group] : memberships) {
    ++offsets[std::size_t(member) + 1];
    indices.push_back(group);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
}

void append_cells_and_faces(WholeMesh& whole, const BodyMesh& body, LocalIndex first_node) {
  const std::size_t width = body.nodes_per_cell(), corners = body.order == 1 ? 3 : 6;
  for (LocalIndex v : body.cells) whole.cells.push_back(first_node + v);
  for (LocalIndex c = 0; c < body.cell_count(); ++c)
    whole.cell_offsets.push_back(whole.cell_offsets.back() + LocalIndex(width));
  for (const CellFace& face : body.faces) {
    for (std::size_t k = 0; k < corners; ++k) {
      const std::size_t node = body.kind == BodyKind::solid ? std::size_t(tetrahedron_faces[face.side][k]) : k;
      whole.faces.push_back(first_node + body.cells[width * std::size_t(face.cell) + node]);
    }
    whole.face_offsets.push_back(LocalIndex(whole.faces.size()));
  }
}

WholeMesh concatenate(std::vector<BodyMesh>&& meshes, const std::vector<std::string>& names) {
  WholeMesh whole;
  std::vector<std::pair<LocalIndex, std::int32_t>> node_groups, face_groups;
  GlobalIndex first_node_id = 0, first_cell_id = 0;
  std::int32_t first_piece = 0;
  for (std::size_t b = 0; b < meshes.size(); ++b) {
    BodyMesh& body = meshes[b];
    const LocalIndex first = LocalIndex(whole.node_ids.size()), first_face = LocalIndex(whole.face_bodies.size());
    whole.bodies.push_back({.name = names[b],
                            .first_node_id = first_node_id,
                            .first_cell_id = first_cell_id,
                            .nodes = body.node_count(),
                            .cells = body.cell_count(),
                            .file_nodes = body.file_nodes,
                            .faces = GlobalIndex(body.faces.size()),
                            .order = body.order,
                            .first_piece = first_piece,
                            .pieces = body.piece_count,
                            .kind = body.kind,
                            .thickness = body.thickness});
    append(whole.points, body.points);
    for (GlobalIndex id : body.node_ids) whole.node_ids.push_back(first_node_id + id);
    for (GlobalIndex id : body.cell_ids) whole.cell_ids.push_back(first_cell_id + id);
    for (std::int32_t piece : body.pieces) whole.node_pieces.push_back(first_piece + piece);
    append_cells_and_faces(whole, body, first);
    append(whole.cell_groups, body.cell_groups);
    append(whole.cell_volumes, body.cell_volumes);
    whole.node_bodies.resize(whole.node_ids.size(), std::int32_t(b));
    whole.cell_bodies.resize(whole.cell_ids.size(), std::int32_t(b));
    whole.cell_volumes.resize(whole.cell_ids.size(), 0.0);
    whole.face_bodies.resize(std::size_t(first_face) + body.faces.size(), std::int32_t(b));
    for (PhysicalGroup& group : body.groups) {
      for (LocalIndex n : group.nodes) node_groups.emplace_back(first + n, std::int32_t(whole.groups.size()));
      for (LocalIndex f : group.faces) face_groups.emplace_back(first_face + f, std::int32_t(whole.groups.size()));
      whole.groups.push_back({int(b), group.name, group.dimension, group.tag});
    }
    first_node_id += body.file_nodes;
    first_cell_id += body.file_cells;
    first_piece += body.piece_count;
    body = {};
  }
  compress(node_groups, whole.node_ids.size(), whole.group_offsets, whole.group_indices);
  compress(face_groups, whole.face_bodies.size(), whole.face_group_offsets, whole.face_group_indices);
  return whole;
}

/// The new numbering: by part, then along the Hilbert curve.
struct Numbering {
  std::vector<LocalIndex> ordinal_of; ///< global number → ordinal
  std::vector<LocalIndex> number_of;  ///< ordinal → global number
  std::vector<GlobalIndex> first_of;  ///< part → its first global number; parts + 1
};

Numbering number_nodes(const WholeMesh& whole, const std::vector<int>& part, int parts) {
  const auto keys = hilbert_keys(whole.points);
  Numbering numbering;
  numbering.ordinal_of.resize(part.size());
  std::iota(numbering.ordinal_of.begin(), numbering.ordinal_of.end(), 0);
  std::sort(numbering.ordinal_of.begin(), numbering.ordinal_of.end(), [&](LocalIndex a, LocalIndex b) {
    const auto i = std::size_t(a), j = std::size_t(b);
    return std::tie(part[i], keys[i], a) < std::tie(part[j], keys[j], b);
  });
  numbering.number_of.resize(part.size());
  for (std::size_t n = 0; n < part.size(); ++n)
    numbering.number_of[std::size_t(numbering.ordinal_of[n])] = LocalIndex(n);
  numbering.first_of.assign(std::size_t(parts) + 1, 0);
  for (int p : part) ++numbering.first_of[std::size_t(p) + 1];
  std::partial_sum(numbering.first_of.begin(), numbering.first_of.end(), numbering.first_of.begin());
  return numbering;
}

/// Stencils (cells or faces) that touch each part, counted ones (first node in the part) first, each group along the
/// curve.
std::vector<std::vector<LocalIndex>> stencils_by_part(const std::vector<LocalIndex>& offsets,
                                                      const std::vector<LocalIndex>& nodes,
                                                      const std::vector<int>& part, const Numbering& numbering,
                                                      int parts) {
  std::vector<std::vector<LocalIndex>> result(static_cast<std::size_t>(parts));
  const auto nodes_of = [&](LocalIndex s) {
    const auto begin = std::size_t(offsets[std::size_t(s)]);
    return std::span(nodes.data() + begin, std::size_t(offsets[std::size_t(s) + 1]) - begin);
  };
  for (LocalIndex s = 0; s + 1 < LocalIndex(offsets.size()); ++s)
    for (LocalIndex node : nodes_of(s)) {
      auto& list = result[std::size_t(part[std::size_t(node)])];
      if (list.empty() || list.back() != s) list.push_back(s);
    }
  for (int p = 0; p < parts; ++p) {
    const auto key = [&](LocalIndex s) {
      const auto mine = nodes_of(s);
      LocalIndex lowest = numbering.number_of[std::size_t(mine[0])];
      for (LocalIndex node : mine) lowest = std::min(lowest, numbering.number_of[std::size_t(node)]);
      return std::tuple(part[std::size_t(mine[0])] != p, lowest, s);
    };
    std::sort(result[std::size_t(p)].begin(), result[std::size_t(p)].end(),
              [&](LocalIndex a, LocalIndex b) { return key(a) < key(b); });
  }
  return result;
}

/// What a part holds of the mesh, and how nodes are called there.
struct Part {
  int index;
  const std::vector<LocalIndex>&cells, &faces;
};

/// Stencils of a part in local node numbers.
struct LocalStencils {
  LocalIndex counted = 0;
  std::vector<LocalIndex> offsets{0}, nodes;
};

LocalStencils localize(const std::vector<LocalIndex>& stencils, const std::vector<LocalIndex>& offsets,
                       const std::vector<LocalIndex>& nodes, const std::vector<LocalIndex>& local_of,
                       const std::vector<int>& part, int p) {
  LocalStencils result;
  for (LocalIndex s : stencils) {
    const auto begin = std::size_t(offsets[std::size_t(s)]), end = std::size_t(offsets[std::size_t(s) + 1]);
    if (part[std::size_t(nodes[begin])] == p) ++result.counted;
    for (std::size_t i = begin; i < end; ++i) result.nodes.push_back(local_of[std::size_t(nodes[i])]);
    result.offsets.push_back(LocalIndex(result.nodes.size()));
  }
  return result;
}

/// Rows of a compressed matrix, appended.
void append_row(const std::vector<LocalIndex>& offsets, const std::vector<std::int32_t>& indices, std::size_t row,
                std::vector<LocalIndex>& to_offsets, std::vector<std::int32_t>& to_indices) {
  for (auto i = std::size_t(offsets[row]); i < std::size_t(offsets[row + 1]); ++i) to_indices.push_back(indices[i]);
  to_offsets.push_back(LocalIndex(to_indices.size()));
}

/// Global numbers of nodes of the part's cells that other parts own, increasing.
std::vector<LocalIndex> ghosts_of(const WholeMesh& whole, const Numbering& numbering, const Part& of) {
  const auto first = numbering.first_of[std::size_t(of.index)], last = numbering.first_of[std::size_t(of.index) + 1];
  std::vector<LocalIndex> ghosts;
  for (LocalIndex c : of.cells)
    for (auto i = std::size_t(whole.cell_offsets[std::size_t(c)]);
         i < std::size_t(whole.cell_offsets[std::size_t(c) + 1]); ++i) {
      const LocalIndex number = numbering.number_of[std::size_t(whole.cells[i])];
      if (number < first || number >= last) ghosts.push_back(number);
    }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

template <class T> std::vector<T> pick(const std::vector<T>& values, const std::vector<LocalIndex>& indices) {
  std::vector<T> picked;
  picked.reserve(indices.size());
  for (LocalIndex i : indices) picked.push_back(values[std::size_t(i)]);
  return picked;
}

/// \param local_of scratch, one entry per ordinal
Packet pack_part(const WholeMesh& whole, const Numbering& numbering, const Part& of, const std::vector<int>& part,
                 std::vector<LocalIndex>& local_of) {
  const auto first = numbering.first_of[std::size_t(of.index)], last = numbering.first_of[std::size_t(of.index) + 1];
  std::vector<GlobalIndex> numbers, node_ids, ordinals;
  std::vector<double> points;
  std::vector<std::int32_t> node_bodies, node_pieces, group_indices;
  std::vector<LocalIndex> group_offsets{0};
  const auto add_node = [&](GlobalIndex number) {
    const auto ordinal = std::size_t(numbering.ordinal_of[std::size_t(number)]);
    local_of[ordinal] = LocalIndex(numbers.size());
    numbers.push_back(number);
    node_ids.push_back(whole.node_ids[ordinal]);
    ordinals.push_back(GlobalIndex(ordinal));
    node_bodies.push_back(whole.node_bodies[ordinal]);
    node_pieces.push_back(whole.node_pieces[ordinal]);
    points.insert(points.end(), whole.points.begin() + std::ptrdiff_t(3 * ordinal),
                  whole.points.begin() + std::ptrdiff_t(3 * ordinal + 3));
    append_row(whole.group_offsets, whole.group_indices, ordinal, group_offsets, group_indices);
  };
  for (GlobalIndex number = first; number < last; ++number) add_node(number);
  for (LocalIndex number : ghosts_of(whole, numbering, of)) add_node(number);

  const auto cells = localize(of.cells, whole.cell_offsets, whole.cells, local_of, part, of.index);
  const auto faces = localize(of.faces, whole.face_offsets, whole.faces, local_of, part, of.index);
  std::vector<LocalIndex> face_group_offsets{0};
  std::vector<std::int32_t> face_group_indices;
  for (LocalIndex f : of.faces)
    append_row(whole.face_group_offsets, whole.face_group_indices, std::size_t(f), face_group_offsets,
               face_group_indices);

  Packet packet;
  packet.add(
      std::vector<GlobalIndex>{GlobalIndex(whole.node_ids.size()), GlobalIndex(whole.cell_ids.size()), first, last});
  packet.add(numbering.first_of);
  packet.add(points);
  packet.add(numbers);
  packet.add(node_ids);
  packet.add(ordinals);
  packet.add(node_bodies);
  packet.add(node_pieces);
  packet.add(group_offsets);
  packet.add(group_indices);
  packet.add(std::vector<LocalIndex>{cells.counted, faces.counted});
  packet.add(cells.offsets);
  packet.add(cells.nodes);
  packet.add(pick(whole.cell_ids, of.cells));
  packet.add(pick(whole.cell_bodies, of.cells));
  packet.add(pick(whole.cell_groups, of.cells));
  packet.add(pick(whole.cell_volumes, of.cells));
  packet.add(faces.offsets);
  packet.add(faces.nodes);
  packet.add(pick(whole.face_bodies, of.faces));
  packet.add(face_group_offsets);
  packet.add(face_group_indices);
  return packet;
}

base::SfHandle ghost_exchange(const DistributedMesh& mesh, const std::vector<GlobalIndex>& first_of) {
  const auto ghosts = std::size_t(mesh.local_nodes - mesh.owned_nodes);
  std::vector<PetscSFNode> remote(ghosts);
  for (std::size_t g = 0; g < ghosts; ++g) {
    const GlobalIndex number = mesh.global_numbers[std::size_t(mesh.owned_nodes) + g];
    const auto owner = std::upper_bound(first_of.begin(), first_of.end(), number) - first_of.begin() - 1;
    remote[g].rank = PetscInt(owner);
    remote[g].index = base::to_petsc_int(number - first_of[std::size_t(owner)]);
  }
  base::SfHandle sf;
  LIMBER_PETSC(PetscSFCreate(mesh.comm, sf.out()));
  LIMBER_PETSC(PetscSFSetFromOptions(sf));
  LIMBER_PETSC(PetscSFSetGraph(sf, mesh.owned_nodes, PetscInt(ghosts), nullptr, PETSC_COPY_VALUES, remote.data(),
                               PETSC_COPY_VALUES));
  LIMBER_PETSC(PetscSFSetUp(sf));
  return sf;
}

DistributedMesh unpack(MPI_Comm comm, Packet& packet) {
  DistributedMesh mesh;
  mesh.comm = comm;
  const auto sizes = packet.take<GlobalIndex>();
  mesh.global_nodes = sizes[0];
  mesh.global_cells = sizes[1];
  mesh.first_owned = sizes[2];
  mesh.owned_nodes = LocalIndex(sizes[3] - sizes[2]);
  const auto first_of = packet.take<GlobalIndex>();
  mesh.rest_positions = packet.take<double>();
  mesh.global_numbers = packet.take<GlobalIndex>();
  mesh.node_ids = packet.take<GlobalIndex>();
  mesh.ordinals = packet.take<GlobalIndex>();
  mesh.node_bodies = packet.take<std::int32_t>();
  mesh.node_pieces = packet.take<std::int32_t>();
  mesh.group_offsets = packet.take<LocalIndex>();
  mesh.group_indices = packet.take<std::int32_t>();
  const auto counted = packet.take<LocalIndex>();
  mesh.counted_cells = counted[0];
  mesh.counted_faces = counted[1];
  mesh.cell_offsets = packet.take<LocalIndex>();
  mesh.cells = packet.take<LocalIndex>();
  mesh.cell_ids = packet.take<GlobalIndex>();
  mesh.cell_bodies = packet.take<std::int32_t>();
  mesh.cell_groups = packet.take<std::int32_t>();
  mesh.cell_volumes = packet.take<double>();
  mesh.face_offsets = packet.take<LocalIndex>();
  mesh.faces = packet.take<LocalIndex>();
  mesh.face_bodies = packet.take<std::int32_t>();
  mesh.face_group_offsets = packet.take<LocalIndex>();
  mesh.face_group_indices = packet.take<std::int32_t>();
  mesh.local_nodes = LocalIndex(mesh.global_numbers.size());
  mesh.ghost_exchange = ghost_exchange(mesh, first_of);
  return mesh;
}

void broadcast_names(MPI_Comm comm, const WholeMesh& whole, DistributedMesh& mesh) {
  Packet packet;
  std::vector<GlobalIndex> numbers;
  for (const auto& b : whole.bodies)
    numbers.insert(numbers.end(), {b.first_node_id, b.first_cell_id, b.nodes, b.cells, b.file_nodes, b.faces, b.order,
                                   b.first_piece, b.pieces, GlobalIndex(b.kind)});
  std::vector<double> thicknesses;
  for (const auto& b : whole.bodies) thicknesses.push_back(b.thickness);
  packet.add(numbers);
  packet.add(thicknesses);
  for (const auto& b : whole.bodies) packet.add(b.name);
  std::vector<std::int32_t> tags;
  for (const auto& g : whole.groups) tags.insert(tags.end(), {g.body, g.dimension, g.tag});
  packet.add(tags);
  for (const auto& g : whole.groups) packet.add(g.name);
  base::broadcast_bytes(comm, packet.bytes);
  numbers = packet.take<GlobalIndex>();
  thicknesses = packet.take<double>();
  for (std::size_t i = 0; i < numbers.size(); i += 10)
    mesh.bodies.push_back({packet.take_text(), numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3],
                           numbers[i + 4], numbers[i + 5], std::int32_t(numbers[i + 6]), std::int32_t(numbers[i + 7]),
                           std::int32_t(numbers[i + 8]), BodyKind(numbers[i + 9]), thicknesses[i / 10]});
  tags = packet.take<std::int32_t>();
  for (std::size_t g = 0; 3 * g < tags.size(); ++g)
    mesh.groups.push_back({tags[3 * g], packet.take_text(), tags[3 * g + 1], tags[3 * g + 2]});
}

} // namespace

DistributedMesh distribute(MPI_Comm comm, std::vector<BodyMesh>&& meshes, const std::vector<std::string>& names,
                           const PartitionOptions& options) {
  const int parts = base::size(comm);
  const bool root = base::rank(comm) == 0;
  WholeMesh whole;
  std::vector<int> part;
  Numbering numbering;
  std::vector<std::vector<LocalIndex>> cells, faces;
  std::vector<LocalIndex> local_of;
  base::all_or_throw(comm, [&] {
    if (!root) return;
    whole = concatenate(std::move(meshes), names);
    part = partition_nodes(nodal_graph(LocalIndex(whole.node_ids.size()), whole.cell_offsets, whole.cells),
                           whole.points, parts, options);
    numbering = number_nodes(whole, part, parts);
    cells = stencils_by_part(whole.cell_offsets, whole.cells, part, numbering, parts);
    faces = stencils_by_part(whole.face_offsets, whole.faces, part, numbering, parts);
    local_of.resize(whole.node_ids.size());
  });

  Packet own;
  if (root) {
    const auto pack = [&](int p) {
      Packet packet = pack_part(whole, numbering, {p, cells[std::size_t(p)], faces[std::size_t(p)]}, part, local_of);
      cells[std::size_t(p)] = {};
      faces[std::size_t(p)] = {};
      return packet;
    };
    for (int p = 1; p < parts; ++p) send(comm, p, pack(p).bytes);
    own = pack(0);
  } else {
    own.bytes = receive(comm);
  }
  DistributedMesh mesh = unpack(comm, own);
  broadcast_names(comm, whole, mesh);
  return mesh;
}

DistributedMesh read_and_distribute(MPI_Comm comm, const std::vector<BodyMeshOptions>& bodies,
                                    const PartitionOptions& options) {
  std::vector<BodyMesh> meshes;
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) != 0) return;
    for (const auto& body : bodies) {
      meshes.push_back(read_body_mesh(body));
      for (const auto& warning : meshes.back().warnings) spdlog::warn("body {}: {}", body.name, warning);
    }
  });
  std::vector<std::string> names;
  for (const auto& body : bodies) names.push_back(body.name);
  DistributedMesh mesh = distribute(comm, std::move(meshes), names, options);
#ifdef __GLIBC__
  malloc_trim(0); // rank 0's heap is full of holes that the large arrays of a run do not go into
#endif
  return mesh;
}

} // namespace limber::mesh
