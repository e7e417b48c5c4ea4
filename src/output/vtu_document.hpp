#pragma once
/// The text of VTK files. The only place that knows VTK.

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace limber::output {

/// A named array over points or cells; the values stay with the caller.
struct ArrayView {
  std::string name;
  int components = 1;
  std::variant<std::span<const double>, std::span<const std::int64_t>, std::span<const std::int32_t>> values;
};

/// Tetrahedra of one piece; all arrays may be empty.
struct PieceView {
  std::span<const double> points;             ///< 3 per point [m]
  std::span<const std::int32_t> cell_sizes;   ///< points of each cell: 2 line, 3 triangle, 4 or 10 tetrahedron
  std::span<const std::int64_t> connectivity; ///< points of all cells, one after the other
  std::vector<ArrayView> point_data;
  std::vector<ArrayView> cell_data;
};

/// A .vtu file: zlib-compressed, raw appended data. Same input, same bytes. Throws IoError when VTK fails.
std::string vtu_document(const PieceView& piece);

/// The .pvtu file that names the pieces; only names, types and component counts of `arrays` are used.
std::string pvtu_document(const PieceView& arrays, const std::vector<std::string>& pieces);

/// `text` as the value of an XML attribute.
std::string xml_escape(const std::string& text);

} // namespace limber::output
