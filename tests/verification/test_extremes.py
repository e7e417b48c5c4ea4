"""Starts from extreme states: the body comes to rest, and no frame holds an inverted element.

The frames are judged by scripts/check_frames.py, which knows the written positions only.
"""
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, read_statistics, run_process

SCRAMBLED_START = os.environ.get("LIMBER_SCRAMBLED_START", "scrambled_start")


class ExtremeStart(ProgramTest):
    def check_rest(self, output, kinetic_part, elastic_part):
        """The energies that are left at the end, as parts of the elastic energy at the start."""
        print(f"{output}: {self.assert_frames(output, '--min-jacobian', 0).splitlines()[-1]}")
        rows = read_statistics(self.folder / output)
        start, end = rows[0]["elastic_energy"], rows[-1]
        self.assertLess(end["kinetic_energy"], kinetic_part * start)
        self.assertLess(end["elastic_energy"], elastic_part * start)
        iterations = [int(row["newton_iterations"]) for row in rows[1:]]
        sizes = {row["time_step"] for row in rows[1:]}
        print(f"{output}: {len(iterations)} steps of {min(sizes):g} to {max(sizes):g} s, Newton iterations a step: "
              f"mean {sum(iterations) / len(iterations):.1f}, largest {max(iterations)}; "
              f"kinetic {end['kinetic_energy'] / start:.1e} and elastic {end['elastic_energy'] / start:.1e} "
              "of the first elastic energy", flush=True)

    def check_stretched(self, ranks):
        scene = {
            "simulation": {"name": "scene", "duration": 1.6, "time_step": 0.02},
            "bodies": [{
                "name": "box",
                "mesh": {"box": {"min": [0, 0, 0], "max": [1, 0.4, 0.4], "element_size": 0.1}},
                "material": {"density": 1000, "youngs_modulus": 1e5, "poissons_ratio": 0.4},
                "initial": {"stretch": [10, 1, 1]},
            }],
            "output": {"checkpoint_every": 0},
        }
        output = f"stretched_{ranks}"
        self.run_scene(scene, output, "--quiet", ranks=ranks, timeout=250)
        rows = read_statistics(self.folder / output)
        self.assertAlmostEqual(rows[0]["min_jacobian"], 10.0, places=9)
        # Collapsing, the box buckles and begins to turn, which backward Euler damps slowly: that is the kinetic energy.
        self.check_rest(output, 2e-3, 1e-4)

    def test_stretched_ten_times(self):
        self.check_stretched(1)

    def test_stretched_ten_times_on_three_ranks(self):
        self.check_stretched(3)

    def check_scrambled(self, ranks):
        output = f"scrambled_{ranks}"
        (self.folder / output).mkdir()
        result = run_process([self.folder / output], ranks, program=SCRAMBLED_START, timeout=250)
        self.assertEqual(result.code, 0, str(result))
        print(result.out, end="")
        rows = read_statistics(self.folder / output)
        self.assertGreater(rows[0]["min_jacobian"], 0.0)
        self.assertLess(rows[0]["min_jacobian"], 0.1)
        self.check_rest(output, 1e-4, 1e-5)

    def test_scrambled_nodes(self):
        self.check_scrambled(1)

    def test_scrambled_nodes_on_three_ranks(self):
        self.check_scrambled(3)


    def test_quadratic_bar_sags_far(self):
        # A bar that its own weight bends right down. Integrated at points inside the elements only, the energy lets the
        # quadratic elements at the clamp fold at their vertices, and the run stops at 1.6 s.
        scene = {
            "simulation": {"name": "scene", "duration": 2.0, "time_step": 0.02, "gravity": [0, 0, -9.81]},
            "bodies": [{
                "name": "bar",
                "mesh": {"box": {"min": [0, 0, 0], "max": [4, 1, 1], "element_size": 0.7}, "order": 2},
                "material": {"density": 1000, "youngs_modulus": 1e5, "poissons_ratio": 0.45},
            }],
            "boundary_conditions": [{"name": "clamp", "body": "bar", "where": {"group": "xmin"}, "type": "fixed"}],
            "output": {"checkpoint_every": 0},
        }
        self.run_scene(scene, "sag", "--quiet", ranks=2, timeout=250)
        rows = read_statistics(self.folder / "sag")
        self.assert_frames("sag", "--min-jacobian", 0.1)
        self.assertEqual(len(rows), 101, "no step was halved")
        self.assertGreater(min(row["min_jacobian"] for row in rows), 0.1)


if __name__ == "__main__":
    unittest.main()
