"""Input that once made the program crash, hang, or end without a word."""
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, bar_scene, command


class HostileInput(ProgramTest):
    def refuse(self, *arguments, err, ranks=1):
        result = self.limber(*arguments, ranks=ranks)
        self.assertEqual(result.code, 1, str(result))
        for text in err:
            self.assertIn(text, result.err, str(result))
        self.assertNotIn("PETSC ERROR", result.err, str(result))

    def test_script_that_exits(self):
        (self.folder / "exit.geo").write_text('SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 1, 1, 1};\nExit;\n')
        scene = bar_scene()
        scene["bodies"][0]["mesh"] = {"file": "exit.geo"}
        for ranks in (1, 2):
            self.refuse("run", self.write_config(scene), err=["command Exit"], ranks=ranks)

    def test_petsc_options(self):
        config = self.write_config(bar_scene())
        for options, text in ((["ksp_type", "gmres"], "'ksp_type' is no PETSc option"),
                              (["-snes_mf"], "-snes_mf cannot be used"),
                              (["-snes_type", "newtontr"], "newtontr cannot be used"),
                              (["-ksp_monitor", "ascii:/nowhere/file"], "/nowhere/file")):
            for ranks in (1, 2): # the last one fails on rank 0 alone
                self.refuse("run", config, "--output", self.folder / "out", "--", *options, err=[text], ranks=ranks)
                self.assertFalse((self.folder / "out").exists())

    def test_configurations(self):
        bomb = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n" + "".join(
            f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi"))
        (self.folder / "bomb.yaml").write_text(bomb)
        self.refuse("check", self.folder / "bomb.yaml", err=["aliases"])
        config = self.write_config(bar_scene())
        self.refuse("check", config, "--set", "simulation.time_step=1e-300", err=["billionth of duration"])
        self.refuse("check", config, "--set", "simulation.name=" + "n" * 101, err=["up to 100 letters"])

    def test_two_runs_in_one_folder(self):
        scene = bar_scene()
        scene["simulation"]["duration"] = 1000 # longer than the test
        config, output = self.write_config(scene), self.folder / "out"
        with subprocess.Popen(command(["run", config, "--quiet", "--output", output]), stdin=subprocess.DEVNULL) as first:
            try:
                deadline = time.monotonic() + 60
                while not list(output.glob("*.pvd")) and time.monotonic() < deadline:
                    time.sleep(0.1)
                self.refuse("run", config, "--output", output, "--overwrite", err=["another run is writing"])
                self.assertIsNone(first.poll())
            finally:
                first.kill()
        # The lock has gone with its process.
        scene["simulation"]["duration"] = 0.02
        result = self.limber("run", self.write_config(scene), "--output", output, "--overwrite")
        self.assertEqual(result.code, 0, str(result))


if __name__ == "__main__":
    unittest.main()
