"""n + n = 2n: a run that is stopped and restarted is the run that was never stopped."""
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, frame_times, read_statistics, two_bodies_scene

H = 0.01
HALF, WHOLE = "simulation.duration=0.1", "simulation.duration=0.2"  # 10 and 20 steps


def scene():
    """Two bodies, one of which is pulled through the time of the restart and then released."""
    result = two_bodies_scene()
    result["boundary_conditions"].append({
        "name": "pull", "body": "bar", "where": {"group": "xmax"}, "type": "prescribed", "components": ["z"],
        "velocity": [0, 0, 0.3], "from": 0.035, "until": 0.145})
    result["output"]["checkpoint_every"] = 5
    return result


def damped_scene(integrator):
    """Everything that a state may hold: history or accelerations, works, reactions, damping."""
    result = scene()
    result["simulation"]["integrator"] = integrator
    result["simulation"]["gravity"] = [0, 0, "-9.81*cos(20*t)"]
    for body in result["bodies"]:  # forward Euler takes steps of reasonable size where everything is damped
        body["damping"] = {"mass": 1, "stiffness": 1e-3}
    result["boundary_conditions"].append({
        "name": "wind", "body": "pair", "where": "all", "type": "traction", "value": ["50*sin(30*t)", 0, 0]})
    result["output"].update(checkpoint_every=10, every=5)
    return result


def static_scene():
    result = scene()
    del result["bodies"][1], result["bodies"][0]["initial"]
    result["simulation"]["integrator"] = "static"
    result["output"].update(checkpoint_every=10, every=5)
    return result


class Restart(ProgramTest):
    def test_same_bits_on_the_same_ranks(self):
        for linear, ranks in (("cholesky", 1), ("cholesky", 3), ("cg_amg", 1), ("cg_amg", 2), ("cg_amg", 3)):
            with self.subTest(linear=linear, ranks=ranks):
                options = ["--quiet", "--set", f"solver.linear={linear}"]
                whole, halves = f"whole_{linear}_{ranks}", f"halves_{linear}_{ranks}"
                self.run_scene(scene(), whole, *options, "--set", WHOLE, ranks=ranks)
                self.run_scene(scene(), halves, *options, "--set", HALF, ranks=ranks)
                self.run_scene(scene(), halves, *options, "--set", WHOLE, "--restart", ranks=ranks)
                self.assert_same_bits(whole, halves)

    def test_same_bits_with_a_lagged_rotation(self):
        """What the material keeps from the last state is made anew from that state."""
        lagged = scene()
        for body in lagged["bodies"]:
            body["material"]["model"] = "corotated_linear"
        # Released, the bar turns by a radian every ten steps, and multigrid is built again on the way.
        del lagged["boundary_conditions"][0]
        lagged["bodies"][0]["initial"] = {"angular_velocity": [0, 10, 0]}
        for linear, ranks in (("cholesky", 1), ("cg_amg", 3)):
            with self.subTest(linear=linear, ranks=ranks):
                options = ["--quiet", "--set", f"solver.linear={linear}"]
                whole, halves = f"whole_{ranks}", f"halves_{ranks}"
                self.run_scene(lagged, whole, *options, "--set", "simulation.duration=0.8", ranks=ranks)
                self.run_scene(lagged, halves, *options, "--set", "simulation.duration=0.4", ranks=ranks)
                self.run_scene(lagged, halves, *options, "--set", "simulation.duration=0.8", "--restart", ranks=ranks)
                self.assert_same_bits(whole, halves)
    def test_same_bits_with_every_integrator(self):
        """The second half again, from the checkpoint in the middle (forward Euler's sub-steps depend on the end)."""
        scenes = {name: damped_scene(name) for name in (
            "forward_euler", "symplectic_euler", "backward_euler", "bdf2", "newmark", "midpoint")}
        scenes["static"] = static_scene()
        for name, config in scenes.items():
            for linear, ranks in (("cholesky", 1), ("cg_amg", 3)):
                with self.subTest(integrator=name, linear=linear, ranks=ranks):
                    options = ["--quiet", "--set", f"solver.linear={linear}", "--set", WHOLE]
                    whole, again = f"{name}_{linear}_whole", f"{name}_{linear}_again"
                    self.run_scene(config, whole, *options, ranks=ranks)
                    shutil.copytree(self.folder / whole, self.folder / again)
                    checkpoint = self.folder / again / "checkpoints" / "checkpoint_000010.h5"
                    self.run_scene(config, again, *options, "--restart", checkpoint, ranks=ranks)
                    self.assertEqual(len(read_statistics(self.folder / again)), 21)
                    self.assert_same_bits(whole, again)

    def test_another_integrator(self):
        """What the first one kept is not there for the second, or is out of date for the third."""
        config = damped_scene("newmark")
        self.run_scene(config, "run", "--quiet", "--set", HALF)
        for integrator, end in (("bdf2", 0.15), ("newmark", 0.2), ("symplectic_euler", 0.22), ("midpoint", 0.25)):
            self.run_scene(config, "run", "--quiet", "--set", f"simulation.duration={end}", "--set",
                           f"simulation.integrator={integrator}", "--restart")
        self.assert_frames("run")
        balance = [row["energy_balance"] for row in read_statistics(self.folder / "run")]
        kinetic = max(row["kinetic_energy"] for row in read_statistics(self.folder / "run"))
        # Changes of 1e-2 come with the step of 0.01 s; a stale acceleration would be worth more than the whole.
        self.assertLess(max(balance) - min(balance), 0.2 * kinetic)

    def test_other_ranks(self):
        """Steps stop at 1e-10 m/s, 1e-12 m: positions may differ by some of that after ten more steps."""
        tight = scene()
        tight["solver"] = {"tolerance": 1e-10, "linear": "cg_amg", "petsc_options": "-ksp_rtol 1e-12"}
        self.run_scene(tight, "whole", "--quiet", "--set", WHOLE)
        self.run_scene(tight, "first", "--quiet", "--set", HALF, ranks=2)
        for ranks in (1, 3, 4):
            with self.subTest(ranks=ranks):
                output = f"to_{ranks}"
                shutil.copytree(self.folder / "first", self.folder / output)
                self.run_scene(tight, output, "--quiet", "--set", WHOLE, "--restart", ranks=ranks)
                self.assert_frames(output, "--compare", self.folder / "whole", "--tolerance", 1e-10, "--all-frames")

    def test_from_an_earlier_checkpoint(self):
        """What was written after the checkpoint is written again, once; frames come every third step."""
        options = ["--quiet", "--set", "output.every=3", "--set", WHOLE, "--set", "output.checkpoint_every=10"]
        self.run_scene(scene(), "whole", *options)
        shutil.copytree(self.folder / "whole", self.folder / "again")
        checkpoint = self.folder / "again" / "checkpoints" / "checkpoint_000010.h5"
        self.assertTrue(checkpoint.is_file())
        self.run_scene(scene(), "again", *options, "--restart", checkpoint)
        self.assert_same_bits("whole", "again")
        self.assert_listed_once("again", [3 * H * i for i in range(7)] + [0.2], 20)

    def assert_listed_once(self, output, times, steps):
        listed = frame_times(self.folder / output)
        self.assertEqual(len(listed), len(times))
        for a, b in zip(listed, times):
            self.assertAlmostEqual(a, b, places=12)
        self.assertEqual([row["step"] for row in read_statistics(self.folder / output)], list(range(steps + 1)))
        frames = sorted((self.folder / output / "frames").glob("*.pvtu"))
        self.assertEqual(len(frames), len(times))
        self.assertEqual(list((self.folder / output).rglob("*.tmp")), [])

    def test_into_another_folder(self):
        self.run_scene(scene(), "first", "--quiet", "--set", HALF)
        checkpoint = self.folder / "first" / "checkpoints" / "checkpoint_000010.h5"
        self.run_scene(scene(), "second", "--quiet", "--set", WHOLE, "--restart", checkpoint)
        self.assert_frames("second")
        self.assertEqual(len(frame_times(self.folder / "second")), 10)
        self.assertEqual([row["step"] for row in read_statistics(self.folder / "second")], list(range(11, 21)))
        self.assertEqual(len(frame_times(self.folder / "first")), 11)

    def test_with_another_time_step_and_end(self):
        self.run_scene(scene(), "run", "--quiet", "--set", HALF)
        self.run_scene(scene(), "run", "--quiet", "--set", "simulation.time_step=0.02",
                       "--set", "simulation.duration=0.18", "--restart")
        self.assert_frames("run")
        self.assert_listed_once("run", [H * i for i in range(11)] + [0.12, 0.14, 0.16, 0.18], 14)
        rows = read_statistics(self.folder / "run")
        self.assertTrue(all(abs(row["time_step"] - 0.02) < 1e-12 for row in rows[11:]))
        # A finished run has nothing left to do.
        result = self.run_scene(scene(), "run", "--set", HALF, "--restart")
        self.assertIn("restarted from", result.out)
        self.assert_listed_once("run", [H * i for i in range(11)] + [0.12, 0.14, 0.16, 0.18], 14)

    def test_another_mesh_is_refused(self):
        self.run_scene(scene(), "run", "--quiet", "--set", "simulation.duration=0.05")
        before = sorted(path.name for path in (self.folder / "run").rglob("*"))
        result = self.run_scene(scene(), "run", "--restart", "--set", "bodies.0.mesh.box.element_size=0.2", code=1)
        self.assertIn("mesh", result.err)
        self.assertEqual(before, sorted(path.name for path in (self.folder / "run").rglob("*")))
        self.assert_frames("run")


if __name__ == "__main__":
    unittest.main()
