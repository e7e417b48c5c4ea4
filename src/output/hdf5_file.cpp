#include "output/hdf5_file.hpp"

#include <bit>
#include <hdf5.h>
#include <utility>

namespace limber::output {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

/// Keeps HDF5 from printing its error stack; restores what was set before.
class Silence {
public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Owns an HDF5 identifier; throws if it is not one.
class Id {
public:
  Id(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id_ < 0) throw Hdf5Error(what);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t result, const std::string& what) {
  if (result < 0) throw Hdf5Error(what);
}

/// FNV-1a.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

Id scalar_space() { return Id(H5Screate(H5S_SCALAR), H5Sclose, "no data space"); }

/// Texts have one terminating zero: HDF5 knows no empty strings of fixed length.
Id text_type(std::size_t characters) {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose, "no text type");
  check(H5Tset_size(type, characters + 1), "no text type");
  return type;
}

void write_number(hid_t object, const std::string& name, std::uint64_t value) {
  const Id space = scalar_space();
  const Id attribute(H5Acreate2(object, name.c_str(), H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                     "cannot write " + name);
  check(H5Awrite(attribute, H5T_NATIVE_UINT64, &value), "cannot write " + name);
}

std::uint64_t read_number(hid_t object, const std::string& name) {
  const Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "has no attribute " + name);
  const Id space(H5Aget_space(attribute), H5Sclose, "cannot read " + name);
  const Id type(H5Aget_type(attribute), H5Tclose, "cannot read " + name);
  if (H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != H5T_INTEGER)
    throw Hdf5Error("attribute " + name + " has another type");
  std::uint64_t value = 0;
  check(H5Aread(attribute, H5T_NATIVE_UINT64, &value), "cannot read " + name);
  return value;
}

Id open_dataset(hid_t file, const std::string& name) {
  return Id(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "cannot read '" + name + "'");
}

/// No times of creation: the same state gives the same bytes.
Id timeless(hid_t property_class) {
  Id properties(H5Pcreate(property_class), H5Pclose, "no property list");
  check(H5Pset_obj_track_times(properties, false), "no property list");
  return properties;
}

/// Creates the folders in front of the last part of a name.
void create_groups(hid_t file, const std::string& name) {
  const Id properties = timeless(H5P_GROUP_CREATE);
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string group = name.substr(0, end);
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) continue;
    const Id created(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose,
                     "cannot write '" + group + "'");
  }
}

Id create_dataset(hid_t file, const std::string& name, hid_t type, hid_t space, H5D_alloc_time_t allocation) {
  create_groups(file, name);
  const Id properties = timeless(H5P_DATASET_CREATE);
  check(H5Pset_layout(properties, H5D_CONTIGUOUS), "no property list");
  check(H5Pset_alloc_time(properties, allocation), "no property list");
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "no property list");
  return Id(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
            "cannot write '" + name + "'");
}

/// File format 1.10: its metadata carry checksums, so that a damaged file is noticed.
Id access_properties() {
  Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no property list");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "no property list");
  // Without it a file that an object of is still open stays open behind our back.
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "no property list");
  return access;
}

} // namespace

Hdf5File Hdf5File::create(const std::string& path) {
  const Silence silence;
  const Id access = access_properties();
  const Id creation = timeless(H5P_FILE_CREATE);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
  if (id < 0) throw Hdf5Error("cannot be created");
  return Hdf5File(id);
}

Hdf5File Hdf5File::open(const std::string& path) {
  const Silence silence;
  const Id access = access_properties();
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (id < 0) throw Hdf5Error("cannot be read, is incomplete, or is not an HDF5 file");
  return Hdf5File(id);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept : id_(std::exchange(other.id_, -1)) {}

Hdf5File::~Hdf5File() {
  const Silence silence;
  if (id_ >= 0) H5Fclose(id_);
}

void Hdf5File::close() {
  const Silence silence;
  if (H5Fflush(id_, H5F_SCOPE_LOCAL) < 0) throw Hdf5Error("cannot be flushed");
  check(H5Fclose(std::exchange(id_, -1)), "cannot be closed");
}

void Hdf5File::write_attribute(const std::string& name, std::uint64_t value) {
  const Silence silence;
  write_number(id_, name, value);
}

void Hdf5File::write_attribute(const std::string& name, const std::string& value) {
  const Silence silence;
  const Id type = text_type(value.size());
  const Id space = scalar_space();
  const Id attribute(H5Acreate2(id_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                     "cannot write " + name);
  check(H5Awrite(attribute, type, value.c_str()), "cannot write " + name);
}

std::uint64_t Hdf5File::read_integer_attribute(const std::string& name) const {
  const Silence silence;
  return read_number(id_, name);
}

std::string Hdf5File::read_text_attribute(const std::string& name) const {
  const Silence silence;
  const Id attribute(H5Aopen(id_, name.c_str(), H5P_DEFAULT), H5Aclose, "has no attribute " + name);
  const Id type(H5Aget_type(attribute), H5Tclose, "cannot read " + name);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size == 0)
    throw Hdf5Error("attribute " + name + " has another type");
  std::string text(size, '\0');
  check(H5Aread(attribute, type, text.data()), "cannot read " + name);
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return text;
}

bool Hdf5File::contains(const std::string& name) const {
  const Silence silence;
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
    if (H5Lexists(id_, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(id_, name.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5File::write_value(const std::string& name, ValueKind kind, bool scalar, std::string_view bytes) {
  const Silence silence;
  const hsize_t numbers = bytes.size() / 8;
  const Id text = text_type(bytes.size());
  const hid_t type = kind == ValueKind::text ? hid_t(text) : kind == ValueKind::real ? H5T_IEEE_F64LE : H5T_STD_I64LE;
  const Id space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &numbers, nullptr), H5Sclose, "no data space");
  const Id dataset = create_dataset(id_, name, type, space, H5D_ALLOC_TIME_LATE);
  const std::string terminated(bytes);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, terminated.c_str()), "cannot write '" + name + "'");
  write_number(dataset, "checksum", checksum_of(bytes));
}

std::string Hdf5File::read_value(const std::string& name, ValueKind kind, bool scalar) const {
  const Silence silence;
  const Id dataset = open_dataset(id_, name);
  const Id type(H5Dget_type(dataset), H5Tclose, "cannot read '" + name + "'");
  const Id space(H5Dget_space(dataset), H5Sclose, "cannot read '" + name + "'");
  const std::size_t size = H5Tget_size(type);
  const bool fits = kind == ValueKind::text ? H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && size > 0
                    : kind == ValueKind::real ? H5Tequal(type, H5T_IEEE_F64LE) > 0
                                              : H5Tequal(type, H5T_STD_I64LE) > 0;
  if (!fits || (H5Sget_simple_extent_type(space) == H5S_SCALAR) != scalar)
    throw Hdf5Error("'" + name + "' has another type");
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  // What a damaged file claims to hold must not be allocated blindly.
  if (count < 0 || static_cast<hsize_t>(count) * size > H5Dget_storage_size(dataset))
    throw Hdf5Error("'" + name + "' is damaged");
  std::string bytes(static_cast<std::size_t>(count) * size, '\0');
  if (count > 0)
    check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "cannot read '" + name + "'");
  if (kind == ValueKind::text) bytes.pop_back();
  if (checksum_of(bytes) != read_number(dataset, "checksum")) throw Hdf5Error("'" + name + "' is damaged");
  return bytes;
}

ArrayLocation Hdf5File::reserve_array(const std::string& name, std::int64_t rows, int components,
                                      std::uint64_t checksum) {
  const Silence silence;
  const hsize_t shape[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(components)};
  const Id space(H5Screate_simple(2, shape, nullptr), H5Sclose, "no data space");
  const Id dataset = create_dataset(id_, name, H5T_IEEE_F64LE, space, H5D_ALLOC_TIME_EARLY);
  write_number(dataset, "checksum", checksum);
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF && rows > 0) throw Hdf5Error("cannot make room for '" + name + "'");
  return {rows > 0 ? static_cast<std::int64_t>(offset) : 0, rows, components, checksum};
}

ArrayLocation Hdf5File::find_array(const std::string& name) const {
  const Silence silence;
  const Id dataset = open_dataset(id_, name);
  const Id type(H5Dget_type(dataset), H5Tclose, "cannot read '" + name + "'");
  const Id space(H5Dget_space(dataset), H5Sclose, "cannot read '" + name + "'");
  hsize_t shape[2] = {0, 0};
  if (H5Tequal(type, H5T_IEEE_F64LE) <= 0 || H5Sget_simple_extent_ndims(space) != 2 ||
      H5Sget_simple_extent_dims(space, shape, nullptr) != 2)
    throw Hdf5Error("'" + name + "' has another type");
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF && shape[0] > 0)
    throw Hdf5Error("'" + name + "' is not stored contiguously (was the file repacked?)");
  return {shape[0] > 0 ? static_cast<std::int64_t>(offset) : 0, static_cast<std::int64_t>(shape[0]),
          static_cast<std::int64_t>(shape[1]), read_number(dataset, "checksum")};
}

} // namespace limber::output
