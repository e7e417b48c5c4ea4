"""The number of ranks and the partition do not change the result beyond the solver's tolerance."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, bar_scene, read_statistics, two_bodies_scene

# Steps stop at 1e-9 m/s, that is 1e-11 m in a step of 0.01 s, and the last Newton step leaves far less. Twenty such
# errors are below 1e-9 of the scene's diagonal of one meter.
TIGHT = {"tolerance": 1e-9, "petsc_options": "-ksp_rtol 1e-10"}
TOLERANCE = 1e-9


class RankInvariance(ProgramTest):
    def check(self, scene):
        """Cholesky on one rank against all else: both linear solvers must agree with it, too."""
        scene["solver"] = {**TIGHT, "linear": "cholesky"}
        self.run_scene(scene, "reference")
        cases = [(linear, ranks, "metis") for linear in ("cholesky", "cg_amg") for ranks in (1, 2, 3, 4, 7)]
        cases += [("cholesky", 3, "random"), ("cg_amg", 2, "random"), ("cg_amg", 7, "random"), ("cg_amg", 4, "curve")]
        for linear, ranks, partition in cases[1:]:
            with self.subTest(linear=linear, ranks=ranks, partition=partition):
                scene["solver"]["linear"] = linear
                scene["parallel"] = {"partition": partition}
                output = f"{linear}_{ranks}_{partition}"
                self.run_scene(scene, output, "--quiet", ranks=ranks)
                self.assert_frames(output, "--compare", self.folder / "reference", "--tolerance", TOLERANCE,
                                   "--all-frames")
                self.assert_frames(output)

    def test_swinging_bar(self):
        self.check(bar_scene())

    def test_body_smaller_than_the_number_of_ranks(self):
        self.check(two_bodies_scene())

    def test_every_integrator(self):
        """Damped, with a prescribed end, gravity and a load that change."""
        scene = two_bodies_scene()
        scene["simulation"].update(duration=0.1, gravity=[0, 0, "-9.81*cos(20*t)"])
        scene["bodies"][0].update(damping={"mass": 1, "stiffness": 1e-3}, mass="lumped")
        scene["bodies"][1].update(damping={"mass": 1, "stiffness": 2e-3})  # or forward Euler takes thousands of sub-steps
        scene["boundary_conditions"] += [
            {"name": "shake", "body": "bar", "where": {"group": "xmax"}, "type": "prescribed", "components": ["z"],
             "displacement": [0, 0, "0.02*sin(40*t)"]},
            {"name": "wind", "body": "pair", "where": "all", "type": "traction", "value": ["50*sin(30*t)", 0, 0]}]
        for integrator in ("forward_euler", "symplectic_euler", "bdf2", "newmark", "midpoint"):
            scene["simulation"]["integrator"] = integrator
            for linear, ranks in (("cholesky", 1), ("cholesky", 2), ("cg_amg", 4)):
                with self.subTest(integrator=integrator, ranks=ranks):
                    scene["solver"] = {**TIGHT, "linear": linear}
                    output = f"{integrator}_{ranks}"
                    self.run_scene(scene, output, "--quiet", ranks=ranks)
                    if ranks == 1:
                        continue
                    self.assert_frames(output, "--compare", self.folder / f"{integrator}_1", "--tolerance", TOLERANCE,
                                       "--all-frames")
                    for a, b in zip(read_statistics(self.folder / output),
                                    read_statistics(self.folder / f"{integrator}_1")):
                        for column in ("load_work", "boundary_work", "dissipated_energy", "energy_balance"):
                            # Velocities differ by 1e-9 m / 0.01 s where positions do by 1e-9 m; energies are of 10 J.
                            self.assertAlmostEqual(a[column], b[column], delta=1e-5, msg=f"{column} {a['step']}")

    def test_single_small_body(self):
        """Six nodes on seven ranks: some rank owns nothing."""
        scene = two_bodies_scene()
        del scene["bodies"][0], scene["boundary_conditions"]
        scene["solver"] = {**TIGHT, "linear": "cg_amg"}
        self.run_scene(scene, "one")
        self.run_scene(scene, "seven", ranks=7)
        self.assert_frames("seven", "--compare", self.folder / "one", "--tolerance", TOLERANCE, "--all-frames")


if __name__ == "__main__":
    unittest.main()
