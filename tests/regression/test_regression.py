"""Results that were kept: statistics.csv of bar.yaml against bar.csv, with a tolerance for each column.

After a change that is meant to change results:  test_regression.py --update
"""
import csv
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from limber_process import PROGRAM, ProgramTest, read_statistics

# Newton stops at 1e-8 m/s where speeds are of meters per second, and the step after that is quadratically better.
# Numbers are relative to the largest value of the column, so that those that pass through zero are judged as well.
RELATIVE = {name: 1e-7 for name in (
    "kinetic_energy", "elastic_energy", "gravity_energy", "total_energy", "momentum_x", "momentum_y", "momentum_z",
    "angular_momentum_x", "angular_momentum_y", "angular_momentum_z", "min_jacobian", "load_work", "boundary_work",
    "dissipated_energy", "energy_balance")}
RELATIVE.update(time=1e-14, time_step=1e-14)
# One iteration more or less where the residual is close to the tolerance.
ABSOLUTE = {"step": 0, "newton_iterations": 1, "linear_iterations": 1, "line_search_evaluations": 2}
EMPTY = {"contact_energy", "friction_energy", "contact_pairs", "min_distance", "load_energy"}
NOT_COMPARED = {"residual", "step_seconds"}


class Regression(ProgramTest):
    def test_bar(self):
        result = self.limber("run", HERE / "bar.yaml", "--quiet", "--output", self.folder / "bar")
        self.assertEqual(result.code, 0, str(result))
        with open(HERE / "bar.csv", newline="", encoding="utf-8") as file:
            kept = [{key: float(value) if value else None for key, value in row.items()}
                    for row in csv.DictReader(file)]
        rows = read_statistics(self.folder / "bar")
        self.assertEqual(len(rows), len(kept))
        self.assertEqual(set(rows[0]), set(RELATIVE) | set(ABSOLUTE) | EMPTY | NOT_COMPARED)
        for name in [*RELATIVE, *ABSOLUTE, *EMPTY]:
            largest = max((abs(row[name]) for row in kept if row[name] is not None), default=0.0)
            allowed = RELATIVE[name] * largest if name in RELATIVE else ABSOLUTE.get(name, 0)
            for row, expected in zip(rows, kept):
                with self.subTest(column=name, step=expected["step"]):
                    if expected[name] is None or row[name] is None:
                        self.assertEqual(row[name], expected[name])
                    else:
                        self.assertLessEqual(abs(row[name] - expected[name]), allowed)


def update():
    folder = HERE / "out"
    subprocess.run([PROGRAM, "run", HERE / "bar.yaml", "--quiet", "--output", folder], check=True)
    os.replace(folder / "statistics.csv", HERE / "bar.csv")
    print(f"bar.csv is new; remove {folder}")


if __name__ == "__main__":
    update() if sys.argv[1:] == ["--update"] else unittest.main()
