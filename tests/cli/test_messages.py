"""The command line as a contract: exit codes, messages, who speaks."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, bar_scene


def short_scene():
    scene = bar_scene()
    scene["simulation"]["duration"] = 0.03
    return scene


class CommandLine(ProgramTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config(short_scene())

    def expect(self, code, *arguments, out=(), err=(), ranks=1, **options):
        result = self.limber(*arguments, ranks=ranks, **options)
        self.assertEqual(result.code, code, str(result))
        for text in out:
            self.assertIn(text, result.out, str(result))
        for text in err:
            self.assertIn(text, result.err, str(result))
        for trace in ("PETSC ERROR", "terminate called", "MPI_ABORT", "Segmentation"):
            self.assertNotIn(trace, result.out + result.err, str(result))
        return result

    # --- what the program says about itself

    def test_version(self):
        result = self.expect(0, "--version", out=["limber ", "PETSc 3.", "MPI ", "Gmsh 4.", "VTK 9."])
        self.assertEqual(result.err, "")

    def test_help(self):
        self.expect(0, "--help", out=["run", "check", "schema"])
        self.expect(0, "run", "--help", out=["--restart", "--overwrite", "--set"])

    def test_schema(self):
        self.expect(0, "schema", out=["time_step:", "youngs_modulus:"])
        result = self.expect(0, "schema", "--format", "json-schema")
        self.assertIn("bodies", json.loads(result.out)["properties"])
        self.expect(1, "schema", "--format", "xml", err=["xml"])

    def test_check(self):
        result = self.expect(0, "check", self.config, out=["tetrahedra", "no errors found"])
        self.assertEqual(result.err, "")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["scene.yaml"])

    # --- what the user got wrong

    def test_wrong_command_lines(self):
        self.expect(1, err=["subcommand"])
        self.expect(1, "simulate", err=["unknown command 'simulate'", "expected run, check, info or schema"])
        self.expect(1, "run", err=["config"])
        self.expect(1, "run", self.config, "--frobnicate", err=["--frobnicate"])
        self.expect(1, "run", self.config, "--restart", "--overwrite", err=["--overwrite"])

    def test_missing_config(self):
        self.expect(1, "run", "nowhere.yaml", err=["nowhere.yaml"])
        self.expect(1, "check", "nowhere.yaml", err=["nowhere.yaml"])

    def test_unknown_key(self):
        path = self.folder / "typo.yaml"
        path.write_text("simulation:\n  duration: 1\n  time_stepp: 0.1\nbodies: []\n", encoding="utf-8")
        self.expect(1, "run", path, err=["typo.yaml:3", "time_stepp", "time_step"])

    def test_missing_mesh(self):
        scene = short_scene()
        scene["bodies"][0]["mesh"] = {"file": "nowhere.msh"}
        self.expect(1, "run", self.write_config(scene), err=["nowhere.msh", "bodies[0].mesh"])

    def test_unknown_group(self):
        scene = short_scene()
        scene["boundary_conditions"][0]["where"] = {"group": "leftt"}
        self.expect(1, "check", self.write_config(scene), err=["leftt", "xmin"])

    def test_folder_in_use(self):
        self.expect(0, "run", self.config, "--output", "out")
        first = (self.folder / "out" / "scene.pvd").read_bytes()
        result = self.expect(1, "run", self.config, "--output", "out", err=["out", "--overwrite", "--restart"])
        self.assertEqual(result.out, "")
        self.assertEqual((self.folder / "out" / "scene.pvd").read_bytes(), first)
        self.expect(0, "run", self.config, "--output", "out", "--overwrite", "--set", "simulation.duration=0.02")
        self.assert_frames("out")
        self.assertEqual(len(list((self.folder / "out" / "frames").glob("*.pvtu"))), 3)

    def test_restart_without_checkpoint(self):
        self.expect(1, "run", self.config, "--output", "out", "--restart", err=["checkpoint", "out"])
        self.assertFalse((self.folder / "out").exists())
        self.expect(1, "run", self.config, "--output", "out", "--restart", "nowhere.h5", err=["nowhere.h5"])

    # --- --set

    def test_precedence(self):
        """--output over --set over the file; the last --set wins."""
        self.expect(0, "run", self.config, "--output", "there", "--set", "output.directory=elsewhere",
                    "--set", "simulation.duration=0.05", "--set", "simulation.duration=0.01")
        self.assertFalse((self.folder / "elsewhere").exists())
        self.assertEqual((self.folder / "there" / "statistics.csv").read_text(encoding="utf-8").count("\n"), 3)
        resolved = (self.folder / "there" / "resolved.yaml").read_text(encoding="utf-8")
        self.assertIn("duration: 0.01", resolved)
        self.expect(0, "run", "there/resolved.yaml", "--output", "again")
        self.assert_same_bits("there", "again")

    def test_wrong_overrides(self):
        self.expect(1, "run", self.config, "--set", "simulation.durationn=1", err=["durationn", "--set", "duration"])
        self.expect(1, "run", self.config, "--set", "simulation.time_step=-1", err=["time_step", "above 0"])
        self.expect(1, "run", self.config, "--set", "simulation.time_step", err=["--set"])

    # --- PETSc options

    def test_bad_petsc_values(self):
        for ranks in (1, 2):
            for options, words in ((["-ksp_type", "nonsense"], ["-ksp_", "nonsense"]),
                                   (["-pc_type", "nonsense"], ["-pc_", "nonsense"]),
                                   (["-vec_type", "nonsense"], ["-vec_type", "nonsense"]),
                                   (["-mat_type", "nonsense"], ["-mat_type", "nonsense"]),
                                   (["-mat_type", "dense"], ["-mat_type", "dense"]),
                                   (["-snes_type", "nonsense"], ["-snes_", "nonsense"])):
                with self.subTest(ranks=ranks, options=options):
                    self.expect(1, "run", self.config, "--overwrite", "--", *options, err=words, ranks=ranks)
        self.expect(1, "run", self.config, "--overwrite", "--set", "solver.linear=cg_amg", "--", "-ksp_rtol", "much",
                    err=["much"])
        self.expect(1, "run", self.config, "--overwrite", "--set", "solver.petsc_options=-ksp_type nonsense",
                    err=["nonsense"])

    def test_misspelled_petsc_option(self):
        result = self.expect(0, "run", self.config, "--", "-ksp_rtoll", "1e-3", err=["-ksp_rtoll", "not used"])
        self.assertEqual(result.err.count("not used"), 1)

    def test_types_reach_the_objects(self):
        options = ["--", "-mat_type", "aij", "-mat_view", "::ascii_info"]
        result = self.expect(0, "run", self.config, *options)
        self.assertIn("type: seqaij", result.out)
        result = self.expect(0, "run", self.config, "--overwrite", *options, ranks=2)
        self.assertIn("type: mpiaij", result.out)

    def test_gpu_types(self):
        """Where PETSc has no CUDA, asking for it is an error of the user, in words."""
        if "GPU back end: none" not in self.limber("--version").out:
            self.skipTest("this PETSc has a GPU back end")
        self.expect(1, "run", self.config, "--", "-vec_type", "cuda", err=["-vec_type", "cuda"])
        self.expect(1, "run", self.config, "--", "-mat_type", "aijcusparse", err=["-mat_type", "aijcusparse"], ranks=2)

    def test_options_win_over_the_configuration(self):
        result = self.expect(0, "run", self.config, "--set", "solver.linear=cg_amg", "--set",
                             "solver.petsc_options=-ksp_type gmres -ksp_rtol 1e-3",
                             "--", "-ksp_type", "cg", "-ksp_view")
        self.assertIn("type: cg", result.out)
        self.assertNotIn("type: gmres", result.out)
        self.assertIn("relative=0.001", result.out)

    # --- what is printed

    def test_rank_0_alone_speaks(self):
        alone = self.expect(0, "run", self.config, "--output", "one")
        both = self.expect(0, "run", self.config, "--output", "two", ranks=2)
        self.assertEqual(alone.out.count("\n"), both.out.count("\n"), str(both))
        self.assertEqual(len(set(both.out.splitlines())), len(both.out.splitlines()))
        for text in ("step     1", "done: ", "2 ranks"):
            self.assertEqual(both.out.count(text), 1)
        wrong = self.expect(1, "run", "nowhere.yaml", ranks=2)
        self.assertEqual(wrong.err.count("limber: "), 1, str(wrong))

    def test_plain_lines_on_a_pipe(self):
        result = self.expect(0, "run", self.config)
        self.assertNotIn("\r", result.out)
        self.assertNotIn("\033", result.out)
        self.assertEqual(result.out.count("\nstep "), 3)
        self.assertEqual(result.err, "")

    def test_quiet(self):
        result = self.expect(0, "run", self.config, "--quiet", ranks=2)
        self.assertEqual((result.out, result.err), ("", ""))
        log = (self.folder / "out" / "scene" / "log.txt").read_text(encoding="utf-8")
        self.assertEqual(log.count("info: step "), 3, log)

    # --- files that cannot be written

    def test_unwritable_folder(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        self.expect(1, "run", self.config, "--output", "file", err=["file"])
        self.expect(1, "run", self.config, "--output", "file/under", err=["file/under"])


if __name__ == "__main__":
    unittest.main()
