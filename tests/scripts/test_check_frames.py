"""scripts/check_frames.py: sound series pass, and each kind of damage is found."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

from script_runner import run_script
from synthetic_series import quadratic_bar, write_series, write_statistics


class CheckFrames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, change=None, arguments=(), **options):
        return run_script("check_frames.py", write_series(self.folder, change=change, **options), *arguments)

    def expect(self, text, change=None, **options):
        code, output = self.check(change, **options)
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_sound_series(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn("3 frames, 20 nodes, 24 elements", output)
        # Exact: stretched by 1.1 at the end, so that the smallest value is the 1 of frame 0, to round-off.
        smallest = float(output.split("smallest det F = ")[1].split()[0])
        self.assertAlmostEqual(smallest, 1.0, delta=1e-12)

    def test_folder_instead_of_file(self):
        write_series(self.folder)
        self.assertEqual(run_script("check_frames.py", self.folder)[0], 0)

    def test_limit_of_det_f(self):
        def squeeze(frame, rank, positions, rest, cells, ids):
            if frame == 2:
                positions[:, 1] *= 0.5 / 1.1  # det F = 0.5
        self.assertEqual(self.check(squeeze, ("--min-jacobian", "0.49"))[0], 0)
        code, output = self.check(squeeze, ("--min-jacobian", "0.51"))
        self.assertEqual(code, 1)
        self.assertIn("det F = 0.5 ", output)

    def test_inversion(self):
        def invert(frame, rank, positions, rest, cells, ids):
            if frame == 1:
                positions[0] += (1.0, 0.0, 0.0)
        self.expect("frame 1, t = 0.5 s: det F = -", invert)

    def test_rest_volume(self):
        def turn(frame, rank, positions, rest, cells, ids):
            if rank == 1:
                cells[3, :2] = cells[3, 1::-1]
        self.expect("element 15 has no positive rest volume", turn)

    def test_not_finite(self):
        def spoil(frame, rank, positions, rest, cells, ids):
            if frame == 2:
                positions[7] = float("nan")
        self.expect("values that are not finite", spoil)

    def test_times(self):
        self.expect("the time does not increase", times_written=(0.0, 0.5, 0.5))

    def test_missing_piece(self):
        pvd = write_series(self.folder)
        (self.folder / "frames" / "bar_000001_0001.vtu").unlink()
        code, output = run_script("check_frames.py", pvd)
        self.assertEqual(code, 1)
        self.assertIn("bar_000001_0001.vtu is missing", output)

    def test_truncated_piece(self):
        pvd = write_series(self.folder)
        piece = self.folder / "frames" / "bar_000002_0000.vtu"
        piece.write_bytes(piece.read_bytes()[:-200])
        code, output = run_script("check_frames.py", pvd)
        self.assertEqual(code, 1)
        self.assertIn("bar_000002_0000.vtu is broken", output)

    def test_counts_between_frames(self):
        def drop(frame, rank, positions, rest, cells, ids):
            return (cells[:-1], ids[:-1]) if frame == 1 and rank == 1 else None
        self.expect("frame 1, t = 0.5 s: 23 elements, not the 24 of the first frame", drop)

    def test_element_twice(self):
        def repeat(frame, rank, positions, rest, cells, ids):
            ids[0] = 11  # rank 0 holds 11 already; 12 is lost on rank 1
        self.expect("elements are written more than once", repeat)

    def test_element_missing(self):
        def renumber(frame, rank, positions, rest, cells, ids):
            ids[ids == 5] = 100
        self.expect("the first that is missing: 5", renumber)

    def test_border_nodes(self):
        def shift(frame, rank, positions, rest, cells, ids):
            if rank == 1 and frame == 1:
                positions[8, 1] += 1e-15
        self.expect("node 8 has different positions in different pieces", shift)

    def test_rest_positions_stay(self):
        def drift(frame, rank, positions, rest, cells, ids):
            if frame == 2:
                rest += 1e-9
        self.expect("rest positions differ", drift)


class QuadraticTetrahedra(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, change=None, arguments=()):
        return run_script("check_frames.py", write_series(self.folder, change=change, order=2), *arguments)

    def expect(self, text, change):
        code, output = self.check(change)
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_sound_series(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn(f"3 frames, {len(quadratic_bar()[0])} nodes, 24 elements\n", output)
        # The bending is quadratic: det F is 1 everywhere at the start and 1 + 0.1 t later, to round-off.
        smallest = float(output.split("smallest det F = ")[1].split()[0])
        self.assertAlmostEqual(smallest, 1.0, delta=1e-12)

    def test_value_of_det_f(self):
        def squeeze(frame, rank, positions, rest, cells, ids):
            positions[:, 1] += (0.5 if frame == 2 else 0.0) * positions[:, 1] * (positions[:, 1] - 0.25) / 0.25
        # det F = 1.1 (1 + 0.5 (2 y - 0.25)/0.25): 0.55 at y = 0, which only the lattice's border sees. Inside no more
        # than 0.55 + 1.1/6 would be found.
        code, output = self.check(squeeze)
        self.assertEqual(code, 0, output)
        self.assertIn("smallest det F = 0.55 in element", output)
        self.assertIn("at t = 1 s", output)
        self.assertEqual(self.check(squeeze, ("--min-jacobian", "0.56"))[0], 1)

    def test_inversion_between_sound_vertices(self):
        def move_an_edge_node(frame, rank, positions, rest, cells, ids):
            if frame == 1:  # beyond the quarter of its edge: det F < 0 at the vertex there
                edge = cells[0, 4]
                positions[edge] += 0.3 * (positions[cells[0, 0]] - positions[cells[0, 1]])
        self.expect("frame 1, t = 0.5 s: det F = -", move_an_edge_node)

    def test_order_of_the_edge_nodes(self):
        def as_gmsh_has_them(frame, rank, positions, rest, cells, ids):
            cells[:, 8:] = cells[:, :7:-1]
        self.expect("has no positive rest volume", as_gmsh_has_them)

    def test_border_nodes(self):
        def shift(frame, rank, positions, rest, cells, ids):
            if rank == 1 and frame == 1:
                positions[self.shared_edge_node(), 1] += 1e-15
        self.expect(f"node {self.shared_edge_node()} has different positions in different pieces", shift)

    def shared_edge_node(self):
        cells = quadratic_bar()[1]
        return np.intersect1d(cells[:12, 4:], cells[12:, 4:])[0]


class CompareRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.a, self.b = Path(folder.name, "a"), Path(folder.name, "b")
        write_series(self.a)
        write_statistics(self.a)

    def compare(self, *arguments):
        return run_script("check_frames.py", self.a, *arguments)

    def test_other_rank_count(self):
        write_series(self.b, ranks=3)
        self.assertEqual(self.compare("--compare", self.b, "--tolerance", "0")[0], 0)

    def test_tolerance(self):
        def move(frame, rank, positions, rest, cells, ids):
            if frame == 2:
                positions[4, 0] += 1e-6
        write_series(self.b, ranks=1, change=move)
        # The bar's diagonal is sqrt(1 + 2/16) m: the difference is 9.428e-7 of it.
        self.assertEqual(self.compare("--compare", self.b, "--tolerance", "9.5e-7")[0], 0)
        code, output = self.compare("--compare", self.b, "--tolerance", "9.4e-7")
        self.assertEqual(code, 1)
        self.assertIn("9.43e-07", output)

    def test_all_frames(self):
        def move(frame, rank, positions, rest, cells, ids):
            if frame == 1:
                positions[4, 0] += 1e-6
        write_series(self.b, change=move)
        self.assertEqual(self.compare("--compare", self.b)[0], 0)
        self.assertEqual(self.compare("--compare", self.b, "--all-frames")[0], 1)

    def test_quadratic_tetrahedra(self):
        def move(frame, rank, positions, rest, cells, ids):
            if frame == 2:
                positions[-1, 0] += 1e-6  # an edge node
        a, b = self.a / "quadratic", self.b
        write_series(a, order=2)
        write_series(b, ranks=3, order=2)
        self.assertEqual(run_script("check_frames.py", a, "--compare", b, "--tolerance", "0")[0], 0)
        write_series(b, ranks=3, order=2, change=move)
        self.assertEqual(run_script("check_frames.py", a, "--compare", b, "--tolerance", "9e-7")[0], 1)

    def test_different_times(self):
        write_series(self.b, times=(0.0, 0.5, 0.9))
        code, output = self.compare("--compare", self.b)
        self.assertEqual(code, 1)
        self.assertIn("different times", output)

    def test_bitwise_equal(self):
        write_series(self.b)
        write_statistics(self.b, step_seconds=0.2)
        code, output = self.compare("--bitwise", self.b)
        self.assertEqual((code, output.strip()), (0, "bitwise equal"))

    def test_bitwise_other_partition(self):
        write_series(self.b, ranks=3)
        write_statistics(self.b)
        code, output = self.compare("--bitwise", self.b)
        self.assertEqual(code, 1)
        self.assertIn("frame 0: rank differs", output)
        self.assertEqual(self.compare("--bitwise", self.b, "--ignore", "rank")[0], 0)

    def test_bitwise_last_bit(self):
        def move(frame, rank, positions, rest, cells, ids):
            if frame == 2:
                positions[19, 0] += 2.3e-16
        write_series(self.b, change=move)
        write_statistics(self.b)
        code, output = self.compare("--bitwise", self.b)
        self.assertEqual(code, 1)
        self.assertIn("frame 2: points differs", output)

    def test_bitwise_statistics(self):
        write_series(self.b)
        write_statistics(self.b, elastic=1.0 + 1e-15)
        code, output = self.compare("--bitwise", self.b)
        self.assertEqual(code, 1)
        self.assertIn("elastic_energy differ", output)

    def test_bitwise_needs_statistics(self):
        write_series(self.b)
        code, output = self.compare("--bitwise", self.b)
        self.assertEqual(code, 1)
        self.assertIn("statistics.csv is missing", output)


if __name__ == "__main__":
    unittest.main()
