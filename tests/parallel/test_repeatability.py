"""Two runs on the same number of ranks give the same bits, with default tolerances."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, two_bodies_scene


class Repeatability(ProgramTest):
    def check(self, linear):
        scene = two_bodies_scene()
        scene["simulation"]["duration"] = 0.1
        scene["solver"]["linear"] = linear
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                for output in (f"first_{ranks}", f"second_{ranks}"):
                    self.run_scene(scene, output, "--quiet", ranks=ranks)
                self.assert_same_bits(f"first_{ranks}", f"second_{ranks}")

    def test_cholesky(self):
        self.check("cholesky")

    def test_cg_amg(self):
        self.check("cg_amg")


if __name__ == "__main__":
    unittest.main()
