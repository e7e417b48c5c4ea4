"""Runs the built limber as a user would, for the tests of the whole program.

LIMBER_PROGRAM and LIMBER_MPIRUN, set by ctest, name what is run.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
DATA = TESTS / "data"
SCRIPTS = TESTS.parent / "scripts"
PROGRAM = os.environ.get("LIMBER_PROGRAM", "limber")
MPIRUN = os.environ.get("LIMBER_MPIRUN", "mpirun")


class Result:
    """How a process ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def command(arguments, ranks=1, program=PROGRAM):
    launcher = [MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, program, *map(str, arguments)]


def run_process(arguments, ranks=1, program=PROGRAM, timeout=120, **options):
    """A process that hangs fails the test by its timeout."""
    done = subprocess.run(command(arguments, ranks, program), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, check=False, **options)
    return Result(done.returncode, done.stdout, done.stderr)


def check_frames(*arguments):
    """Exit code and output of scripts/check_frames.py."""
    done = subprocess.run([sys.executable, "-B", str(SCRIPTS / "check_frames.py"), *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    return done.returncode, done.stdout


def read_statistics(directory):
    """Rows of statistics.csv as dictionaries of numbers; empty cells are None."""
    with open(Path(directory) / "statistics.csv", newline="", encoding="utf-8") as file:
        return [{key: float(value) if value else None for key, value in row.items()} for row in csv.DictReader(file)]


def frame_times(directory, name="scene"):
    """The times that the .pvd file lists."""
    text = (Path(directory) / f"{name}.pvd").read_text(encoding="utf-8")
    return [float(part.split('"')[1]) for part in text.split("<DataSet ")[1:]]


def bar_scene():
    """A bar of about 170 tetrahedra, clamped at one end, that starts with a sideways velocity and swings."""
    return {
        "simulation": {"name": "scene", "duration": 0.2, "time_step": 0.01, "gravity": [0, 0, -9.81]},
        "bodies": [{
            "name": "bar",
            "mesh": {"box": {"min": [0, 0, 0], "max": [1, 0.25, 0.2], "element_size": 0.15}},
            "material": {"density": 1000, "youngs_modulus": 2e5, "poissons_ratio": 0.35},
            "initial": {"velocity": [0, 0.5, 0]},
        }],
        "boundary_conditions": [{"name": "clamp", "body": "bar", "where": {"group": "xmin"}, "type": "fixed"}],
        "solver": {},
        "output": {"checkpoint_every": 0},
    }


def two_bodies_scene():
    """The bar and a spinning pair of tetrahedra (six nodes, fewer than some numbers of ranks per body)."""
    scene = bar_scene()
    scene["bodies"].append({
        "name": "pair",
        "mesh": {"file": str(DATA / "meshes" / "two_tetrahedra.msh")},
        "transform": {"scale": 0.2, "translate": [0, 0, 2]},
        "material": {"density": 500, "youngs_modulus": 1e5, "poissons_ratio": 0.3},
        "initial": {"angular_velocity": [1, 2, 3], "about": [0, 0, 2]},
    })
    return scene


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, which is the working directory of what it runs."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="limber_")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write_config(self, scene, name="scene.yaml"):
        path = self.folder / name
        path.write_text(json.dumps(scene), encoding="utf-8")  # JSON is YAML
        return path

    def limber(self, *arguments, ranks=1, **options):
        return run_process(arguments, ranks, cwd=options.pop("cwd", self.folder), **options)

    def run_scene(self, scene, output, *arguments, ranks=1, code=0, **options):
        """Runs a scene into a folder and checks the exit code."""
        config = self.write_config(scene, f"{output}.yaml")
        result = self.limber("run", config, "--output", self.folder / output, *arguments, ranks=ranks, **options)
        self.assertEqual(result.code, code, str(result))
        return result

    def assert_frames(self, output, *arguments):
        code, text = check_frames(self.folder / output, *arguments)
        self.assertEqual(code, 0, f"{output} {' '.join(map(str, arguments))}\n{text}")
        return text

    def assert_same_bits(self, a, b):
        self.assert_frames(a, "--bitwise", self.folder / b)
