"""Compares the frames and statistics of two runs, node by node and element by element."""
import csv

import numpy as np

from frames import SeriesError, find_pvd, merge_sorted, read_piece, read_series


def read_pieces(frame):
    return [read_piece(path) for path in frame.pieces()]


def nodes(frame):
    """Increasing node ids, their positions and displacements."""
    pieces = read_pieces(frame)
    ids, data, first = merge_sorted(pieces, "point", ["displacement"], "node_id")
    return ids, np.concatenate([piece.points for piece in pieces])[first], data["displacement"]


def largest_difference(path_a, path_b, all_frames):
    """Largest difference of positions over the diagonal of the rest shape; of the last frames, or of all."""
    a, b = read_series(path_a), read_series(path_b)
    if all_frames and len(a) != len(b):
        raise SeriesError(f"{len(a)} frames against {len(b)}")
    pairs = list(zip(a, b)) if all_frames else [(a[-1], b[-1])]
    worst = 0.0
    for frame_a, frame_b in pairs:
        if abs(frame_a.time - frame_b.time) > 1e-9 * max(abs(frame_a.time), abs(frame_b.time)):
            raise SeriesError(f"the frames are at different times: {frame_a.time:g} s and {frame_b.time:g} s")
        ids_a, points_a, displacement = nodes(frame_a)
        ids_b, points_b, _ = nodes(frame_b)
        if not np.array_equal(ids_a, ids_b):
            raise SeriesError(f"the runs have different nodes ({len(ids_a)} and {len(ids_b)})")
        diagonal = np.linalg.norm(np.ptp(points_a - displacement, axis=0))
        difference = np.linalg.norm(points_a - points_b, axis=1).max() / diagonal
        if not difference <= worst:  # also where it is not a number
            worst = difference
    return worst


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def compare_data(label, kind, ids, pieces_a, pieces_b, ignored):
    """Point or cell data in the order of their ids."""
    names_a, names_b = (set(getattr(pieces[0], kind + "_data")) - ignored for pieces in (pieces_a, pieces_b))
    if names_a != names_b:
        yield f"{label}: the {kind} data differ: {' '.join(sorted(names_a ^ names_b))} only in one of the runs"
    names = sorted(names_a & names_b)
    ids_a, data_a, first_a = merge_sorted(pieces_a, kind, names, ids)
    ids_b, data_b, first_b = merge_sorted(pieces_b, kind, names, ids)
    if not np.array_equal(ids_a, ids_b):
        yield f"{label}: {ids} differs"
        return
    if kind == "point":
        data_a["points"] = np.concatenate([piece.points for piece in pieces_a])[first_a]
        data_b["points"] = np.concatenate([piece.points for piece in pieces_b])[first_b]
    for name in data_a:
        if not same_bits(data_a[name], data_b[name]):
            yield f"{label}: {name} differs{largest(data_a[name], data_b[name])}"


def largest(a, b):
    if a.shape != b.shape:
        return ""
    return f" by up to {np.abs(a.astype(float) - b.astype(float)).max():.3g}"


def elements(pieces, cells, nodes):
    """Node ids of the linear or the quadratic tetrahedra, in the order of their element ids."""
    ids = np.concatenate([piece.cell_array("element_id")[getattr(piece, cells)] for piece in pieces])
    corners = np.concatenate([piece.point_array("node_id")[getattr(piece, nodes)] for piece in pieces])
    return corners[np.argsort(ids, kind="stable")]


def read_statistics(path):
    """Header and rows as text, without the columns that measure the machine."""
    if not path.is_file():
        raise SeriesError(f"{path} is missing")
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    kept = [i for i, name in enumerate(rows[0]) if not name.endswith("_seconds")] if rows else []
    return [[row[i] for i in kept if i < len(row)] for row in rows]


def compare_statistics(path_a, path_b):
    a, b = read_statistics(path_a), read_statistics(path_b)
    if len(a) != len(b):
        yield f"statistics.csv: {len(a)} lines against {len(b)}"
    for line, (row_a, row_b) in enumerate(zip(a, b), 1):
        if row_a != row_b:
            names = [name for name, x, y in zip(a[0], row_a, row_b) if x != y]
            yield f"statistics.csv, line {line}: {' '.join(names) or 'the columns'} differ"
            return


def bitwise_differences(path_a, path_b, ignored):
    """All that differs between two runs, as lines of text: times, ids, elements, data, statistics."""
    a, b = read_series(path_a), read_series(path_b)
    found = []
    if [frame.time for frame in a] != [frame.time for frame in b]:
        found.append(f"the times of the frames differ ({len(a)} and {len(b)} frames)")
    for number, (frame_a, frame_b) in enumerate(zip(a, b)):
        label = f"frame {number}"
        pieces_a, pieces_b = read_pieces(frame_a), read_pieces(frame_b)
        found += compare_data(label, "point", "node_id", pieces_a, pieces_b, ignored)
        found += compare_data(label, "cell", "element_id", pieces_a, pieces_b, ignored)
        for kind in (("tetrahedron_cells", "tetrahedra"), ("quadratic_cells", "quadratic")):
            if not same_bits(elements(pieces_a, *kind), elements(pieces_b, *kind)):
                found.append(f"{label}: elements have different nodes")
    found += compare_statistics(find_pvd(path_a).parent / "statistics.csv", find_pvd(path_b).parent / "statistics.csv")
    return found
