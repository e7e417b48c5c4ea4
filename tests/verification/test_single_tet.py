"""The trajectories of one stable neo-Hookean tetrahedron (an independent reference: backward Euler steps minimized to
1e-13 m/s), in free fall, contracting from a stretch, spinning, and swinging from a node."""
import csv
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.limber_process import DATA, ProgramTest, read_statistics  # noqa: E402

REFERENCE = json.loads((DATA / "single_tet.json").read_text(encoding="utf-8"))
NODES = range(4)
# The reference states 1e-8 m for steps solved to 1e-9 m/s; its numbers have 12 digits.
TOLERANCE = 1e-8
MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 0 1 1 2 3 4
$EndElements
"""


class SingleTet(ProgramTest):
    def scene(self, run):
        setup = REFERENCE["setup"]
        stretch = [run["x0"][1][0], run["x0"][2][1], run["x0"][3][2]]
        spin = run["v0"][1][1] / stretch[0]  # about z: v = ω × x
        self.assertEqual(run["v0"][2], [-spin * stretch[1] if spin else 0.0, 0.0, 0.0])
        scene = {
            "simulation": {"name": "scene", "duration": setup["h"] * setup["steps"], "time_step": setup["h"],
                           "gravity": run["gravity"]},
            "bodies": [{
                "name": "tet", "mesh": {"file": "tet.msh"},
                "material": {"model": "stable_neo_hookean", "density": setup["rho"], "lame_mu": setup["E"] / 2.8,
                             "lame_lambda": setup["E"] * 0.4 / (1.4 * 0.2)},
                "initial": {"stretch": stretch, "angular_velocity": [0, 0, spin]},
            }],
            "solver": {"tolerance": 1e-9},
            "output": {"every": 1000, "checkpoint_every": 0, "probes": [
                {"name": f"node{i}", "body": "tet", "point": setup["rest_X"][i]} for i in NODES]},
        }
        if run["fixed_nodes"]:
            scene["boundary_conditions"] = [
                {"name": "hook", "body": "tet", "where": {"nodes": run["fixed_nodes"]}, "type": "fixed"}]
        return scene

    def check(self, name, ranks):
        run = REFERENCE["runs"][name]
        (self.folder / "tet.msh").write_text(MESH, encoding="utf-8")
        output = f"{name}{ranks}"
        self.run_scene(self.scene(run), output, ranks=ranks)
        with open(self.folder / output / "probes.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        statistics = read_statistics(self.folder / output)
        self.assertEqual(len(rows), REFERENCE["setup"]["steps"] + 1)
        for step, positions in zip(run["step_ids"], run["x"]):
            for i in NODES:
                for k, axis in enumerate("xyz"):
                    found = REFERENCE["setup"]["rest_X"][i][k] + float(rows[step][f"node{i}_u{axis}"])
                    self.assertAlmostEqual(found, positions[i][k], delta=TOLERANCE, msg=f"{name} {step} {i} {axis}")
        scale = max(map(abs, run["elastic"] + run["kinetic"] + run["gravity_energy"])) or 1.0
        for step, row in enumerate(statistics):
            self.assertAlmostEqual(row["min_jacobian"], run["J"][step], delta=1e-7)
            for column, key in (("kinetic_energy", "kinetic"), ("elastic_energy", "elastic"),
                                ("gravity_energy", "gravity_energy")):
                # Velocities are exact to 1e-8 m / 0.01 s.
                self.assertAlmostEqual(row[column], run[key][step], delta=1e-6 * scale, msg=f"{name} {step} {column}")

    def test_one_rank(self):
        for name in REFERENCE["runs"]:
            with self.subTest(name):
                self.check(name, 1)

    def test_ranks(self):
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                self.check("deflate_aniso", ranks)
                self.check("swinging", ranks)


if __name__ == "__main__":
    unittest.main()
