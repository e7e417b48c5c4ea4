#pragma once
/// Edges and faces of the tetrahedron: the numbering of nodes that everything here shares (VTK's).

namespace limber::mesh {

/// Edge e has the node 4 + e of a quadratic tetrahedron.
inline constexpr int tetrahedron_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

/// Face k is opposite vertex k; seen from outside its corners run counterclockwise (for a positive determinant of the
/// edges x1−x0, x2−x0, x3−x0). Corners, then the nodes of the edges between the first and second, second and third,
/// third and first corner.
inline constexpr int tetrahedron_faces[4][6] = {
    {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}, {0, 1, 3, 4, 8, 7}, {0, 2, 1, 6, 5, 4}};

/// What turns an inverted tetrahedron: vertices 2 and 3 change places, and with them the nodes of their edges.
inline constexpr int tetrahedron_turn[][2] = {{2, 3}, {5, 8}, {6, 7}};

} // namespace limber::mesh
