#pragma once
/// One process's view of an HDF5 file: names, small values, and where in the file large arrays lie. The only place that
/// knows HDF5. HDF5's own error printing is silenced; every failure is an Hdf5Error.
///
/// Why HDF5's parallel driver is not used: with a full disk it reports successful writes and then hangs or crashes when
/// the file is closed (seen with HDF5 1.10.8 on OpenMPI 4.1), and the run has to survive that. So one rank lays out the
/// file, and every rank writes its part of the arrays at known offsets with calls whose errors it sees itself.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace limber::output {

class Hdf5Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

enum class ValueKind { real, integer, text };

/// A contiguous array of little-endian doubles in the file, row by row.
struct ArrayLocation {
  std::int64_t offset = 0; ///< [bytes] from the start of the file
  std::int64_t rows = 0;
  std::int64_t components = 0;
  std::uint64_t checksum = 0;
};

class Hdf5File {
public:
  static Hdf5File create(const std::string& path);
  static Hdf5File open(const std::string& path); ///< to read

  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&&) = delete;
  ~Hdf5File();

  void write_attribute(const std::string& name, std::uint64_t value);
  void write_attribute(const std::string& name, const std::string& value);
  std::uint64_t read_integer_attribute(const std::string& name) const;
  std::string read_text_attribute(const std::string& name) const;

  bool contains(const std::string& name) const;

  /// \param bytes 8 per number, in the machine's order, or the characters of a text
  /// \param scalar one number, stored as such rather than as an array of one
  void write_value(const std::string& name, ValueKind kind, bool scalar, std::string_view bytes);
  std::string read_value(const std::string& name, ValueKind kind, bool scalar) const;

  /// Makes room for an array without writing it. Its offset is valid once the file is closed.
  ArrayLocation reserve_array(const std::string& name, std::int64_t rows, int components, std::uint64_t checksum);
  ArrayLocation find_array(const std::string& name) const;

  void close();

private:
  explicit Hdf5File(std::int64_t id) : id_(id) {}
  std::int64_t id_ = -1;
};

} // namespace limber::output
