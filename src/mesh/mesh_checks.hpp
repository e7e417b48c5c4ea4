#pragma once
/// What is looked for in a mesh before it is used. Everything throws UserError that names the first offenders by their
/// tags.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/body_mesh.hpp"
#include "mesh/extracted_mesh.hpp"

namespace limber::mesh {

/// "3, 17, 20 and 4 more".
class Offenders {
public:
  void add(std::size_t tag) {
    if (count_++ < listed) text_ += (text_.empty() ? "" : ", ") + std::to_string(tag);
  }
  std::size_t count() const { return count_; }
  std::string text() const {
    return count_ > listed ? text_ + " and " + std::to_string(count_ - listed) + " more" : text_;
  }

private:
  static constexpr std::size_t listed = 5;
  std::size_t count_ = 0;
  std::string text_;
};

/// Coordinates are finite.
void check_coordinates(const ExtractedMesh& mesh, const base::ErrorContext& context);

/// No cell names a node twice.
void check_repeated_vertices(const ExtractedMesh& mesh, const base::ErrorContext& context);

/// Whether each cell is the first with its vertices. Version 2 files hold an element once for each physical group it
/// belongs to.
std::vector<char> first_copies(const ExtractedMesh& mesh);

/// Turns inverted tetrahedra, with a warning; refuses those without volume. \param cell_tags by cell id
void orient_cells(BodyMesh& body, const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context);

/// Triangles of a shell have an area, springs a length.
void check_sizes(const BodyMesh& body, const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context);

/// Quadratic cells map the reference element with a positive determinant everywhere.
/// \param straighten move the edge nodes of those that do not to the middle of their edges, with a warning
void check_curved_cells(BodyMesh& body, const std::vector<std::size_t>& cell_tags, bool straighten,
                        const base::ErrorContext& context);

/// No face belongs to three cells.
void check_overlaps(const std::vector<CellFace>& overfull, const BodyMesh& body,
                    const std::vector<std::size_t>& cell_tags, const base::ErrorContext& context);

/// Warns of what is probably not meant: nodes at the same place, sizes that look like millimeters.
void warn_of_doubts(BodyMesh& body);

} // namespace limber::mesh
