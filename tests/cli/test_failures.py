"""Steps that cannot be solved: exit code 2 with a reason and a checkpoint, never a hang."""
import re
import resource
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, bar_scene, command, frame_times, read_statistics


class UnsolvableSteps(ProgramTest):
    def give_up(self, scene, halvings, ranks=1):
        scene["solver"]["max_step_halvings"] = halvings
        result = self.run_scene(scene, "run", "--overwrite", ranks=ranks, code=2)
        self.assertEqual(len(re.findall(r"step 1 of \S+ s failed: ", result.err)), halvings + 1, str(result))
        self.assertEqual(result.err.count("gave up at t = 0 s"), 1, str(result))
        self.assertEqual(len(list((self.folder / "run" / "checkpoints").iterdir())), 1)
        self.assertEqual(frame_times(self.folder / "run"), [0.0])
        self.assertNotIn("PETSC ERROR", result.err)
        return result

    def test_too_few_iterations(self):
        scene = bar_scene()
        scene["simulation"]["duration"] = 0.02
        scene["solver"] = {"max_iterations": 1, "tolerance": 1e-12}
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                result = self.give_up(scene, 3, ranks)
                self.assertIn("no convergence in 1 Newton iterations", result.err)
                # The advice is worth something: with more iterations the restart goes through.
                self.assertIn("--restart", result.err)
                del scene["solver"]["max_iterations"], scene["solver"]["tolerance"]
                self.run_scene(scene, "run", "--restart", ranks=ranks)
                self.assert_frames("run")
                scene["solver"].update(max_iterations=1, tolerance=1e-12)

    def test_halved_steps_lead_on(self):
        """A step that needs more iterations than allowed succeeds in smaller ones, and the run ends on time."""
        scene = bar_scene()
        scene["simulation"].update(duration=0.4, time_step=0.2)
        scene["bodies"][0]["initial"]["velocity"] = [0, 8, 0]
        scene["solver"]["max_iterations"] = 5
        result = self.run_scene(scene, "run")
        self.assertIn("failed: no convergence in 5 Newton iterations", result.err)
        self.assertAlmostEqual(frame_times(self.folder / "run")[-1], 0.4)
        self.assert_frames("run", "--min-jacobian", 0)

    def check_named(self, key, value, place, ranks):
        scene = bar_scene()
        section = scene["simulation"] if key == "gravity" else scene["bodies"][0]["initial"]
        section[key] = value
        self.assertRegex(self.give_up(scene, 2, ranks).err, place)

    def test_numbers_beyond_range_are_traced(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                self.check_named("velocity", [1e200, 0, 0], r"velocity of node \d+ of body bar", ranks)
                self.check_named("gravity", [0, 0, 1e200], r"force on node \d+ of body bar", ranks)
                self.check_named("stretch", [1e200, 1, 1], r"energy of element \d+ of body bar", ranks)

    def test_blocked_boundary_motion(self):
        """The ends are driven through each other."""
        scene = bar_scene()
        scene["boundary_conditions"].append({"name": "ram", "body": "bar", "where": {"group": "xmax"},
                                             "type": "prescribed", "velocity": [-200, 0, 0]})
        scene["solver"]["max_step_halvings"] = 2
        result = self.run_scene(scene, "run", ranks=2, code=2)
        self.assertIn("the prescribed motion would invert elements", result.err)
        self.assert_frames("run", "--min-jacobian", 0)


class FullDisk(ProgramTest):
    """A limit on the size of files, set while the program runs, stands for a disk that fills up."""

    def check(self, file, limit=None):
        """Without a limit on bytes: a little less than what a frame takes."""
        scene = bar_scene()
        scene["simulation"]["duration"] = 1e4
        config = self.write_config(scene)
        # Python ignores SIGXFSZ, and so does what it starts: writes fail instead.
        process = subprocess.Popen(command(["run", config, "--quiet", "--output", self.folder / "run"]), text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   restore_signals=False, cwd=self.folder)
        try:
            statistics = self.folder / "run" / "statistics.csv"
            while process.poll() is None and (not statistics.is_file() or statistics.stat().st_size < 800):
                time.sleep(0.005)
            if limit is None: # statistics.csv is far below it at this time, whatever a frame takes
                limit = min(piece.stat().st_size for piece in (self.folder / "run" / "frames").glob("*.vtu")) - 1
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(process.returncode, 3, err)
        self.assertRegex(err, f"cannot write .*{file}.*: File too large")
        self.assert_frames("run")
        self.assertGreaterEqual(len(frame_times(self.folder / "run")), len(read_statistics(self.folder / "run")))
        self.assertEqual(list((self.folder / "run").rglob("*.tmp")), [])

    def test_no_room_for_a_frame(self):
        self.check(r"frames/scene_\d+_p0000.vtu")

    def test_no_room_for_statistics(self):
        """Frames of 200 tetrahedra take less than 15 kB each; statistics.csv grows by 250 bytes a step."""
        self.check("statistics.csv", 30000)


if __name__ == "__main__":
    unittest.main()
