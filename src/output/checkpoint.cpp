#include "output/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "base/collective.hpp"
#include "base/error.hpp"
#include "output/atomic_file.hpp"
#include "output/directory.hpp"
#include "output/hdf5_file.hpp"

namespace limber::output {
namespace {

constexpr const char* format_name = "limber checkpoint";
constexpr std::uint64_t format_version = 3;
constexpr const char* other_checkpoint =
    "Restart from another checkpoint with --restart CHECKPOINT, or start afresh with --overwrite.";
constexpr const char* missing_advice =
    "It was written with another configuration (integrator, contact, output) or another version of limber: restart "
    "with that one, or start afresh with --overwrite.";

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014): every input bit changes half of the output bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Sum over ranks of a sum over numbers, of hashes of their place and bits: independent of the distribution.
std::uint64_t block_checksum(const std::vector<double>& block, GlobalIndex first_node, int components) {
  std::uint64_t sum = 0;
  auto place = static_cast<std::uint64_t>(first_node) * static_cast<std::uint64_t>(components);
  for (const double x : block) sum += mix(mix(place++) ^ std::bit_cast<std::uint64_t>(x));
  return sum;
}

std::uint64_t sum_over_ranks(MPI_Comm comm, std::uint64_t x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_UINT64_T, MPI_SUM, comm);
  return x;
}

std::string_view as_bytes(const double& x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }
std::string_view as_bytes(const std::int64_t& x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }
std::string_view as_bytes(const std::string& x) { return x; }
template <class T> std::string_view as_bytes(const std::vector<T>& x) {
  return {reinterpret_cast<const char*>(x.data()), x.size() * sizeof(T)};
}

ValueKind kind_of(const double&) { return ValueKind::real; }
ValueKind kind_of(const std::int64_t&) { return ValueKind::integer; }
ValueKind kind_of(const std::string&) { return ValueKind::text; }
ValueKind kind_of(const std::vector<double>&) { return ValueKind::real; }
ValueKind kind_of(const std::vector<std::int64_t>&) { return ValueKind::integer; }

template <class T> bool is_scalar(const T&) { return true; }
template <class T> bool is_scalar(const std::vector<T>&) { return false; }

/// Makes sure that there is room before HDF5 writes: after a write that failed it crashes when the process ends (seen
/// with HDF5 1.10.8). Where the file system cannot reserve, the part that HDF5 itself writes is tried out.
/// \param small bytes of metadata and values
/// \param total those and the arrays
void check_room(const std::string& path, std::int64_t small, std::int64_t total) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw base::IoError(write_failure(path, errno));
  int error = ::fallocate(descriptor, 0, 0, total) == 0 ? 0 : errno;
  if (error == EOPNOTSUPP || error == ENOSYS) {
    error = ::ftruncate(descriptor, total) == 0 ? 0 : errno;
    if (error == 0) error = write_all(descriptor, std::string(static_cast<std::size_t>(small), '\0'));
    if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  }
  ::close(descriptor);
  if (error != 0) throw base::IoError(write_failure(path, error));
}

void sync_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw base::IoError(write_failure(path, errno));
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0) throw base::IoError(write_failure(path, error));
}

/// Reads exactly `size` bytes. Returns 0 or an errno.
int read_at(const std::string& path, char* bytes, std::size_t size, std::int64_t offset) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = 0;
  while (size > 0 && error == 0) {
    const ssize_t n = ::pread(descriptor, bytes, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error = n < 0 ? errno : EIO; // the file ends too early
      break;
    }
    bytes += n;
    offset += n;
    size -= static_cast<std::size_t>(n);
  }
  ::close(descriptor);
  return error;
}

/// Step and path of the finished checkpoints of a folder.
std::map<std::int64_t, std::string> find_checkpoints(const std::string& directory) {
  std::map<std::int64_t, std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/checkpoints", error)) {
    const auto name = parse_checkpoint_name(entry.path().filename().string());
    if (name && !name->temporary) found[name->step] = entry.path().string();
  }
  return found;
}

} // namespace

std::uint64_t mesh_fingerprint(MPI_Comm comm, const mesh::DistributedMesh& mesh) {
  std::uint64_t sum = 0;
  for (std::size_t node = 0; node < static_cast<std::size_t>(mesh.owned_nodes); ++node) {
    std::uint64_t hash = mix(static_cast<std::uint64_t>(mesh.node_ids[node]));
    for (std::size_t i = 0; i < 3; ++i)
      hash = mix(hash ^ std::bit_cast<std::uint64_t>(mesh.rest_positions[3 * node + i]));
    sum += hash;
  }
  return sum_over_ranks(comm, sum);
}

CheckpointWriter::CheckpointWriter(MPI_Comm comm, std::string path, const mesh::DistributedMesh& mesh)
    : comm_(comm), path_(std::move(path)), blocks_(comm, mesh), fingerprint_(mesh_fingerprint(comm, mesh)) {}

void CheckpointWriter::check_new(const std::string& name) const {
  const auto same = [&](const auto& entry) { return entry.name == name; };
  if (std::any_of(values_.begin(), values_.end(), same) || std::any_of(fields_.begin(), fields_.end(), same))
    throw base::InternalError("two things are called " + name + " in a checkpoint");
}

void CheckpointWriter::value(const std::string& name, double& x) {
  check_new(name);
  values_.push_back({name, x});
}
void CheckpointWriter::value(const std::string& name, std::int64_t& x) {
  check_new(name);
  values_.push_back({name, x});
}
void CheckpointWriter::value(const std::string& name, std::string& x) {
  check_new(name);
  values_.push_back({name, x});
}
void CheckpointWriter::value(const std::string& name, std::vector<double>& x) {
  check_new(name);
  values_.push_back({name, x});
}
void CheckpointWriter::value(const std::string& name, std::vector<std::int64_t>& x) {
  check_new(name);
  values_.push_back({name, x});
}

void CheckpointWriter::node_field(const std::string& name, std::vector<double>& x, int components) {
  check_new(name);
  base::all_or_throw(comm_, [&] {
    if (x.size() < static_cast<std::size_t>(blocks_.owned_nodes()) * static_cast<std::size_t>(components))
      throw base::InternalError("too few values of " + name + " for a checkpoint");
  });
  fields_.push_back({name, components, blocks_.to_blocks(x, components)});
}

std::vector<std::int64_t> CheckpointWriter::lay_out(const std::string& path,
                                                    const std::vector<std::uint64_t>& checksums) const {
  std::int64_t small = 65536 + 4096 * static_cast<std::int64_t>(values_.size() + fields_.size()); // generous
  for (const Value& value : values_)
    small += std::visit([](const auto& x) { return static_cast<std::int64_t>(as_bytes(x).size()); }, value.x);
  std::int64_t total = small;
  for (const Field& field : fields_) total += 8 * blocks_.global_nodes() * field.components;
  check_room(path, small, total);

  std::vector<std::int64_t> offsets;
  try {
    Hdf5File file = Hdf5File::create(path);
    file.write_attribute("format", format_name);
    file.write_attribute("format_version", format_version);
    file.write_attribute("limber_version", LIMBER_VERSION);
    file.write_attribute("nodes", static_cast<std::uint64_t>(blocks_.global_nodes()));
    file.write_attribute("mesh_fingerprint", fingerprint_);
    for (const Value& value : values_)
      std::visit([&](const auto& x) { file.write_value(value.name, kind_of(x), is_scalar(x), as_bytes(x)); }, value.x);
    for (std::size_t i = 0; i < fields_.size(); ++i)
      offsets.push_back(
          file.reserve_array(fields_[i].name, blocks_.global_nodes(), fields_[i].components, checksums[i]).offset);
    file.close();
  } catch (const Hdf5Error& error) {
    throw base::IoError("cannot write " + path + ": " + error.what());
  }
  return offsets;
}

void CheckpointWriter::write_blocks(const std::string& path, const std::vector<std::int64_t>& offsets) const {
  if (blocks_.count() == 0 || fields_.empty()) return;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw base::IoError(write_failure(path, errno));
  int error = 0;
  for (std::size_t i = 0; i < fields_.size() && error == 0; ++i)
    error = write_all(descriptor, as_bytes(fields_[i].block),
                      offsets[i] + 8 * blocks_.first() * std::int64_t(fields_[i].components));
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) throw base::IoError(write_failure(path, error));
}

void CheckpointWriter::commit() {
  const bool first = base::rank(comm_) == 0;
  const std::string temporary = temporary_name(path_);
  std::vector<std::uint64_t> checksums;
  for (const Field& field : fields_)
    checksums.push_back(sum_over_ranks(comm_, block_checksum(field.block, blocks_.first(), field.components)));
  std::vector<std::int64_t> offsets(fields_.size());
  try {
    base::all_or_throw(comm_, [&] {
      if (first) offsets = lay_out(temporary, checksums);
    });
    MPI_Bcast(offsets.data(), static_cast<int>(offsets.size()), MPI_INT64_T, 0, comm_);
    base::all_or_throw(comm_, [&] { write_blocks(temporary, offsets); });
    base::all_or_throw(comm_, [&] {
      if (!first) return;
      sync_file(temporary);
      rename_file(temporary, path_);
      sync_directory(std::filesystem::path(path_).parent_path().string());
    });
  } catch (...) {
    if (first) remove_file(temporary);
    throw;
  }
}

CheckpointReader::CheckpointReader(MPI_Comm comm, std::string path, const mesh::DistributedMesh& mesh)
    : comm_(comm), path_(std::move(path)), blocks_(comm, mesh) {
  const std::uint64_t fingerprint = mesh_fingerprint(comm, mesh);
  base::all_or_throw(comm_, [&] {
    if (base::rank(comm_) != 0) return;
    if (std::error_code error; !std::filesystem::exists(path_, error)) fail("there is no such file", other_checkpoint);
    try {
      file_ = std::make_unique<Hdf5File>(Hdf5File::open(path_));
    } catch (const Hdf5Error& error) {
      fail(error.what(), other_checkpoint);
    }
  });
  on_rank_0([&](const Hdf5File& file) {
    if (file.read_text_attribute("format") != format_name) fail("is not a checkpoint of limber", other_checkpoint);
    const std::uint64_t version = file.read_integer_attribute("format_version");
    if (version != format_version)
      fail("has checkpoint format " + std::to_string(version) + "; this limber reads format " +
               std::to_string(format_version),
           "Restart with limber " + file.read_text_attribute("limber_version") + ", which wrote it.");
    const auto nodes = file.read_integer_attribute("nodes");
    const std::string advice = "Restart with the bodies, mesh files and transforms of the first run, or start afresh "
                               "with --overwrite.";
    if (nodes != static_cast<std::uint64_t>(mesh.global_nodes))
      fail("the checkpoint was written for a mesh of " + std::to_string(nodes) + " nodes, this one has " +
               std::to_string(mesh.global_nodes),
           advice);
    if (file.read_integer_attribute("mesh_fingerprint") != fingerprint)
      fail("the checkpoint was written for a mesh of as many nodes (" + std::to_string(nodes) +
               ") but with other numbers or rest positions",
           advice);
  });
}

CheckpointReader::~CheckpointReader() = default;

void CheckpointReader::fail(const std::string& message, const std::string& advice) const {
  throw base::UserError(message, {.file = path_, .line = 0, .key = {}, .advice = advice});
}

void CheckpointReader::on_rank_0(const std::function<void(const Hdf5File&)>& work) const {
  base::all_or_throw(comm_, [&] {
    if (!file_) return;
    try {
      work(*file_);
    } catch (const Hdf5Error& error) {
      fail(error.what(), other_checkpoint);
    }
  });
}

std::string CheckpointReader::read_bytes(const std::string& name, int kind, bool scalar) const {
  std::vector<char> bytes;
  on_rank_0([&](const Hdf5File& file) {
    if (!file.contains(name)) fail("the checkpoint has no '" + name + "'", missing_advice);
    const std::string read = file.read_value(name, static_cast<ValueKind>(kind), scalar);
    bytes.assign(read.begin(), read.end());
  });
  base::broadcast_bytes(comm_, bytes);
  return {bytes.begin(), bytes.end()};
}

void CheckpointReader::value(const std::string& name, double& x) {
  const std::string bytes = read_bytes(name, static_cast<int>(ValueKind::real), true);
  std::memcpy(&x, bytes.data(), sizeof x);
}

void CheckpointReader::value(const std::string& name, std::int64_t& x) {
  const std::string bytes = read_bytes(name, static_cast<int>(ValueKind::integer), true);
  std::memcpy(&x, bytes.data(), sizeof x);
}

void CheckpointReader::value(const std::string& name, std::string& x) {
  x = read_bytes(name, static_cast<int>(ValueKind::text), true);
}

void CheckpointReader::value(const std::string& name, std::vector<double>& x) {
  const std::string bytes = read_bytes(name, static_cast<int>(ValueKind::real), false);
  x.resize(bytes.size() / sizeof(double));
  std::memcpy(x.data(), bytes.data(), bytes.size());
}

void CheckpointReader::value(const std::string& name, std::vector<std::int64_t>& x) {
  const std::string bytes = read_bytes(name, static_cast<int>(ValueKind::integer), false);
  x.resize(bytes.size() / sizeof(std::int64_t));
  std::memcpy(x.data(), bytes.data(), bytes.size());
}

void CheckpointReader::node_field(const std::string& name, std::vector<double>& x, int components) {
  ArrayLocation location;
  on_rank_0([&](const Hdf5File& file) {
    if (!file.contains(name)) fail("the checkpoint has no '" + name + "'", missing_advice);
    location = file.find_array(name);
    if (location.rows != blocks_.global_nodes() || location.components != components)
      fail("'" + name + "' has another size than this run needs", other_checkpoint);
  });
  MPI_Bcast(&location, sizeof location, MPI_BYTE, 0, comm_);

  std::vector<double> block(static_cast<std::size_t>(blocks_.count()) * static_cast<std::size_t>(components));
  base::all_or_throw(comm_, [&] {
    if (x.size() < static_cast<std::size_t>(blocks_.owned_nodes()) * static_cast<std::size_t>(components))
      throw base::InternalError("no room for the values of " + name + " of a checkpoint");
    if (block.empty()) return;
    if (const int error = read_at(path_, reinterpret_cast<char*>(block.data()), block.size() * sizeof(double),
                                  location.offset + 8 * blocks_.first() * std::int64_t(components)))
      fail(std::string("cannot be read: ") + std::strerror(error), other_checkpoint);
  });
  const std::uint64_t checksum = sum_over_ranks(comm_, block_checksum(block, blocks_.first(), components));
  if (checksum != location.checksum)
    fail("'" + name + "' is damaged", other_checkpoint); // all ranks compare the same sums
  blocks_.from_blocks(block, components, x);
}

std::string write_checkpoint(MPI_Comm comm, const mesh::DistributedMesh& mesh, const std::string& directory,
                             std::int64_t step, const std::function<void(base::Archive&)>& serialize) {
  const std::string path = checkpoint_path(directory, step);
  CheckpointWriter writer(comm, path, mesh);
  serialize(writer);
  writer.commit();

  discard_checkpoints_after(comm, directory, step);
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) != 0) return;
    const auto found = find_checkpoints(directory);
    auto kept = found.size();
    for (const auto& [old_step, old_path] : found)
      if (kept-- > 2) remove_file(old_path);
  });
  return path;
}

void discard_checkpoints_after(MPI_Comm comm, const std::string& directory, std::int64_t step) {
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) != 0) return;
    std::error_code error;
    std::vector<std::filesystem::path> dropped;
    for (const auto& entry : std::filesystem::directory_iterator(directory + "/checkpoints", error)) {
      const auto name = parse_checkpoint_name(entry.path().filename().string());
      if (name && (name->temporary || name->step > step)) dropped.push_back(entry.path());
    }
    for (const auto& path : dropped) {
      std::filesystem::remove(path, error);
      if (error) throw base::IoError("cannot remove " + path.string() + ": " + error.message());
    }
  });
}

std::optional<std::string> latest_checkpoint(MPI_Comm comm, const std::string& directory) {
  std::string path;
  if (base::rank(comm) == 0) {
    const auto found = find_checkpoints(directory);
    for (auto newest = found.rbegin(); newest != found.rend() && path.empty(); ++newest) {
      try {
        Hdf5File::open(newest->second);
        path = newest->second;
      } catch (const Hdf5Error&) { // incomplete: after a power failure, say
      }
    }
  }
  base::broadcast(comm, path);
  return path.empty() ? std::nullopt : std::optional(path);
}

} // namespace limber::output
