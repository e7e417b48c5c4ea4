#!/usr/bin/python3
"""Checks the frames of a run from what was written alone, and compares two runs.

  check_frames.py PVD|DIR [--min-jacobian X]               every frame: det F > 0 (or > X), sound ids, counts and times
  check_frames.py PVD|DIR --compare OTHER [--tolerance 1e-9] [--all-frames]
                                                           positions by node_id, relative to the scene's diagonal
  check_frames.py PVD|DIR --bitwise OTHER [--ignore rank]  all data of all frames and statistics.csv, bit for bit

Rest positions are points - displacement; nothing that the solver computed about its own quality is trusted. In
quadratic tetrahedra det F is looked at on a lattice of 84 places, vertices and edge nodes among them.
Exit codes: 0 all is well, 1 it is not.
"""
import argparse
import sys

import numpy as np

from frame_comparison import bitwise_differences, largest_difference
from frames import SeriesError, read_piece, read_series


LATTICE_STEPS = 6


def determinants(points, tetrahedra):
    """6 V: det [x1 - x0, x2 - x0, x3 - x0] of each linear tetrahedron [m³], (tetrahedra, 1)."""
    edges = points[tetrahedra[:, 1:]] - points[tetrahedra[:, :1]]
    return np.einsum("ij,ij->i", edges[:, 0], np.cross(edges[:, 1], edges[:, 2]))[:, None]


def shape_derivatives(barycentric):
    """dN_i/dξ_k (10, 3) of the quadratic tetrahedron: N = L (2 L - 1) at a vertex, 4 L_a L_b on an edge."""
    slopes = np.vstack([-np.ones(3), np.eye(3)])  # of the barycentric coordinates L
    vertices = (4 * barycentric[:, None] - 1) * slopes
    edges = [4 * (barycentric[a] * slopes[b] + barycentric[b] * slopes[a])
             for a, b in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))]
    return np.vstack([vertices, edges])


def quadratic_determinants(points, tetrahedra):
    """det dx/dξ of each quadratic tetrahedron on a lattice [m³], (tetrahedra, places)."""
    n = LATTICE_STEPS
    lattice = [np.array([n - i - j - k, i, j, k]) / n
               for i in range(n + 1) for j in range(n + 1 - i) for k in range(n + 1 - i - j)]
    nodes = points[tetrahedra] - points[tetrahedra[:, :1]]
    values = np.empty((len(tetrahedra), len(lattice)))
    for place, barycentric in enumerate(lattice):
        tangents = np.einsum("cik,ij->cjk", nodes, shape_derivatives(barycentric))
        values[:, place] = np.einsum("ij,ij->i", tangents[:, 0], np.cross(tangents[:, 1], tangents[:, 2]))
    return values


class FrameCheck:
    """The checks of one frame, and what must be the same in all of them."""

    def __init__(self, frame):
        self.problems = []
        self.pieces = [read_piece(path) for path in frame.pieces()]
        self.min_jacobian, self.min_element = np.inf, -1
        self.other_cells = 0
        for piece in self.pieces:
            self.check_piece(piece)
        self.node_ids, self.rest = self.merge_nodes()
        self.element_ids = self.merge_elements()

    def check_piece(self, piece):
        if piece.points.dtype != np.float64:
            self.problems.append(f"{piece.path.name}: points are {piece.points.dtype}, not double")
        for name, values in {"points": piece.points, **piece.point_data, **piece.cell_data}.items():
            if not np.isfinite(values).all():
                self.problems.append(f"{piece.path.name}: {name} has values that are not finite")
        rest = piece.points - piece.point_array("displacement")
        self.check_cells(piece, rest, piece.tetrahedra, piece.tetrahedron_cells, determinants)
        self.check_cells(piece, rest, piece.quadratic, piece.quadratic_cells, quadratic_determinants)
        self.other_cells += piece.cell_count - len(piece.tetrahedra) - len(piece.quadratic)

    def check_cells(self, piece, rest, tetrahedra, cells, determinants_of):
        volumes = determinants_of(rest, tetrahedra)
        element_ids = piece.cell_array("element_id")[cells]
        sound = (volumes > 0).all(axis=1)
        for element in element_ids[~sound][:5]:
            self.problems.append(f"{piece.path.name}: element {element} has no positive rest volume")
        jacobians = (determinants_of(piece.points, tetrahedra)[sound] / volumes[sound]).min(axis=1)
        if len(jacobians):
            lowest = np.argmin(jacobians)  # the first NaN, if there is one
            if not jacobians[lowest] >= self.min_jacobian:
                self.min_jacobian, self.min_element = jacobians[lowest], element_ids[sound][lowest]

    def merge_nodes(self):
        """Increasing node ids and their rest positions; a node that is written several times must be the same each time."""
        ids = np.concatenate([piece.point_array("node_id") for piece in self.pieces])
        both = np.concatenate([np.hstack([piece.points, piece.point_array("displacement")]) for piece in self.pieces])
        unique, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
        differs = (both != both[first][inverse]).any(axis=1) & np.isfinite(both).all(axis=1)
        for node in np.unique(ids[differs])[:5]:
            self.problems.append(f"node {node} has different positions in different pieces")
        return unique, (both[:, :3] - both[:, 3:])[first]

    def merge_elements(self):
        ids = np.concatenate([piece.cell_array("element_id") for piece in self.pieces])
        unique, counts = np.unique(ids, return_counts=True)
        if (counts > 1).any():
            self.problems.append(f"{np.count_nonzero(counts > 1)} elements are written more than once, "
                                 f"for example {unique[counts > 1][0]}")
        if not np.array_equal(unique, np.arange(len(unique))):
            missing = np.setdiff1d(np.arange(len(unique)), unique)
            self.problems.append(f"element_id does not run from 0 on without gaps; the first that is missing: {missing[0]}")
        return unique

    def agree_with(self, first):
        """What may not change from frame to frame."""
        if not np.array_equal(self.node_ids, first.node_ids):
            self.problems.append(f"{len(self.node_ids)} nodes, not the {len(first.node_ids)} of the first frame")
        elif len(self.rest):
            # x - (x - X) carries the rounding of x: a few units in the last place of the largest coordinate.
            size = max(np.abs(self.rest).max(), np.abs(first.rest).max(),
                       max(np.abs(piece.points).max(initial=0) for piece in self.pieces))
            change = np.abs(self.rest - first.rest).max()
            if change > 1e-14 * size:
                self.problems.append(f"rest positions differ by {change:.3g} m from those of the first frame")
        if not np.array_equal(self.element_ids, first.element_ids):
            self.problems.append(f"{len(self.element_ids)} elements, not the {len(first.element_ids)} of the first frame")


def verify(series, min_jacobian):
    """Checks every frame; prints the problems and a summary, returns whether there are none."""
    sound = True
    first, previous_time = None, -np.inf
    lowest = (np.inf, 0.0, -1)
    for number, frame in enumerate(series):
        label = f"frame {number}, t = {frame.time:g} s"
        try:
            check = FrameCheck(frame)
        except SeriesError as error:
            print(f"{label}: {error}")
            sound = False
            continue
        if not frame.time > previous_time:
            check.problems.append(f"the time does not increase (before: {previous_time:g} s)")
        previous_time = frame.time
        first = first or check
        check.agree_with(first)
        limit = 0.0 if min_jacobian is None else min_jacobian
        too_low = check.min_jacobian < limit if min_jacobian is not None else check.min_jacobian <= 0
        if too_low or np.isnan(check.min_jacobian):
            check.problems.append(f"det F = {check.min_jacobian:.6g} in element {check.min_element}; the limit is {limit:g}")
        if not check.min_jacobian >= lowest[0]:
            lowest = (check.min_jacobian, frame.time, check.min_element)
        for problem in check.problems:
            print(f"{label}: {problem}")
        sound = sound and not check.problems
    if first:
        print(f"{len(series)} frames, {len(first.node_ids)} nodes, {len(first.element_ids)} elements"
              + (f" ({first.other_cells} are not tetrahedra; their det F is not checked)" if first.other_cells else ""))
        if lowest[2] >= 0:
            print(f"smallest det F = {lowest[0]:.6g} in element {lowest[2]} at t = {lowest[1]:g} s")
    return sound


def main():
    parser = argparse.ArgumentParser(description="Checks the frames of a run, and compares two runs.")
    parser.add_argument("series", help=".pvd file, or the folder that holds it")
    parser.add_argument("--min-jacobian", type=float, help="fail where det F is less (default: 0 and below fail)")
    parser.add_argument("--compare", metavar="OTHER", help="compare positions with those of another run")
    parser.add_argument("--tolerance", type=float, default=1e-9, help="for --compare, relative to the scene's diagonal")
    parser.add_argument("--all-frames", action="store_true", help="--compare looks at all frames, not only the last")
    parser.add_argument("--bitwise", metavar="OTHER", help="compare all data and statistics.csv bit for bit")
    parser.add_argument("--ignore", metavar="NAME", action="append", default=[], help="an array that --bitwise leaves out")
    arguments = parser.parse_args()
    try:
        sound = True
        if not (arguments.compare or arguments.bitwise):
            sound = verify(read_series(arguments.series), arguments.min_jacobian)
        if arguments.compare:
            difference = largest_difference(arguments.series, arguments.compare, arguments.all_frames)
            print(f"largest difference of positions / diagonal = {difference:.3g} (tolerance {arguments.tolerance:g})")
            sound = difference <= arguments.tolerance
        if arguments.bitwise:
            differences = bitwise_differences(arguments.series, arguments.bitwise, set(arguments.ignore))
            print("\n".join(differences) or "bitwise equal")
            sound = sound and not differences
    except SeriesError as error:
        print(error)
        sound = False
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
