#pragma once
/// What bodies are made of.

#include <cstddef>
#include <string>

namespace limber::mesh {

/// solid: tetrahedra; shell: triangles with a thickness; springs: edges.
enum class BodyKind { solid, shell, springs };

enum class CellKind { tetrahedron, triangle, line };

/// \param order of tetrahedra, 1 or 2
constexpr std::size_t nodes_per_cell(CellKind kind, int order) {
  if (kind == CellKind::triangle) return 3;
  if (kind == CellKind::line) return 2;
  return order == 1 ? 4 : 10;
}

/// Vertices of a cell, which come first among its nodes.
constexpr std::size_t corners_per_cell(CellKind kind) { return nodes_per_cell(kind, 1); }

/// For messages, in the plural.
inline std::string name_of(CellKind kind) {
  return kind == CellKind::tetrahedron ? "tetrahedra" : kind == CellKind::triangle ? "triangles" : "springs";
}

/// The cells that a body is made of.
constexpr CellKind cell_kind(BodyKind kind) {
  return kind == BodyKind::solid   ? CellKind::tetrahedron
         : kind == BodyKind::shell ? CellKind::triangle
                                   : CellKind::line;
}

} // namespace limber::mesh
