"""Loads and reactions in equilibrium, through the whole program: quadratic elements, static solver."""
import csv
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.limber_process import ProgramTest, read_statistics  # noqa: E402

LENGTH, SIDE = 1.0, 0.25  # of the bar [m]
YOUNG = 1e6  # [Pa]


def read_table(path):
    """Rows as dictionaries of numbers."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def held(name, group, components):
    return {"name": name, "body": "bar", "where": {"group": group}, "type": "fixed", "components": components}


def static_scene(size, poissons_ratio, element_size, steps=1):
    return {
        "simulation": {"name": "scene", "duration": 1.0, "time_step": 1.0 / steps, "integrator": "static"},
        "bodies": [{
            "name": "bar",
            "mesh": {"box": {"min": [0, 0, 0], "max": size, "element_size": element_size}, "order": 2},
            "material": {"density": 1000, "youngs_modulus": YOUNG, "poissons_ratio": poissons_ratio},
        }],
        "boundary_conditions": [],
        "solver": {},
        "output": {"every": 1000, "checkpoint_every": 0, "probes": [
            {"name": "corner", "body": "bar", "point": size},
            {"name": "origin", "body": "bar", "point": [0, 0, 0]}]},
    }


class Loads(ProgramTest):
    def run_tables(self, scene, output, *arguments, ranks=1):
        """conditions.csv (empty without conditions) and probes.csv."""
        self.run_scene(scene, output, *arguments, ranks=ranks)
        tables = [self.folder / output / name for name in ("conditions.csv", "probes.csv")]
        return [read_table(path) if path.is_file() else [] for path in tables]

    def pulled_bar(self, steps=1, traction=100.0):
        scene = static_scene([LENGTH, SIDE, SIDE], 0.0, 0.2, steps)
        scene["boundary_conditions"] = [
            held("clamp", "xmin", ["x", "y", "z"]),
            {"name": "pull", "body": "bar", "where": {"group": "xmax"}, "type": "traction", "value": [traction, 0, 0]}]
        return scene

    def bent_bar(self, steps=4):
        """Large deformation: pressure, that follows the surface, beside a traction; load steps."""
        scene = static_scene([LENGTH, SIDE, SIDE], 0.35, 0.2, steps)
        scene["simulation"]["gravity"] = [0, 0, -9.81]
        scene["boundary_conditions"] = [
            held("clamp", "xmin", ["x", "y", "z"]),
            {"name": "pull", "body": "bar", "where": {"group": "xmax"}, "type": "traction",
             "value": [0, "2e3*(1 + y)", 0]},
            {"name": "press", "body": "bar", "where": {"group": "zmax"}, "type": "pressure", "value": 1e3}]
        return scene

    def test_bar_pulled_by_a_traction(self):
        traction = 100.0  # a strain of 1e-4: the second order is 1e-4 of the elongation
        conditions, probes = self.run_tables(self.pulled_bar(traction=traction), "pulled")
        row, force = conditions[-1], traction * SIDE * SIDE
        self.assertAlmostEqual(row["pull_force_x"], force, delta=1e-12 * force)
        # The static solver stops at a residual of 1e-8 of the forces.
        self.assertAlmostEqual(row["clamp_force_x"], -force, delta=1e-8 * force)
        for axis in "yz":
            self.assertAlmostEqual(row[f"clamp_force_{axis}"], 0.0, delta=1e-8 * force)
        # Moments about the origin at the deformed positions; nothing bends, as ν = 0.
        self.assertAlmostEqual(row["pull_moment_y"], force * SIDE / 2, delta=1e-8 * force)
        self.assertAlmostEqual(row["clamp_moment_y"], -force * SIDE / 2, delta=1e-8 * force)
        elongation = traction * LENGTH / YOUNG
        self.assertAlmostEqual(probes[-1]["corner_ux"], elongation, delta=1e-3 * elongation)
        self.assertAlmostEqual(probes[-1]["corner_sxx"], traction, delta=1e-3 * traction)
        self.assertAlmostEqual(probes[-1]["origin_von_mises"], traction, delta=1e-3 * traction)
        self.assertEqual(set(conditions[0].values()), {0.0})

    def test_bar_of_two_materials(self):
        """Two cubes in series, made by Gmsh: elongations as the compliances; nothing bends, as ν = 0."""
        (self.folder / "bar.geo").write_text(
            'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 1};\nCoherence;\n'
            'Physical Volume("soft") = {1};\nPhysical Volume("hard") = {2};\n')
        scene = static_scene([2.0, 1.0, 1.0], 0.0, 0.5)
        bar = scene["bodies"][0]
        bar["mesh"] = {"file": str(self.folder / "bar.geo"), "element_size": 0.5}
        bar["material"]["model"] = "linear"
        bar["materials"] = [{"group": "hard", "material": {
            "model": "linear", "density": 2000, "youngs_modulus": 4 * YOUNG, "poissons_ratio": 0.0}}]
        planes = [{"plane": {"point": [x, 0, 0], "normal": [1, 0, 0]}} for x in (0, 2)]
        scene["boundary_conditions"] = [
            {"name": "clamp", "body": "bar", "where": planes[0], "type": "fixed"},
            {"name": "pull", "body": "bar", "where": planes[1], "type": "traction", "value": [1e5, 0, 0]}]
        scene["output"]["probes"].append({"name": "middle", "body": "bar", "point": [1, 0, 0]})
        _, probes = self.run_tables(scene, "series")
        # The static solver stops at a residual of 1e-8 of the forces.
        self.assertAlmostEqual(probes[-1]["middle_ux"], 0.1, delta=1e-7)
        self.assertAlmostEqual(probes[-1]["corner_ux"], 0.125, delta=1e-7)
        bar["materials"][0]["group"] = "hart"
        result = self.limber("check", self.write_config(scene))
        self.assertEqual(result.code, 1, result)
        self.assertIn("has no physical volume 'hart'", result.err)
        self.assertIn("nearest: hard", result.err)

    def test_hydrostatic_pressure(self):
        pressure, nu = 50.0, 0.3
        bulk = YOUNG / (3 * (1 - 2 * nu))
        for model in ("neo_hookean", "stable_neo_hookean"):
            with self.subTest(model):
                scene = static_scene([1.0, 1.0, 1.0], nu, 0.5)
                scene["bodies"][0]["material"]["model"] = model
                # Three symmetry planes: the rigid motions, and no more.
                scene["boundary_conditions"] = [held(f"plane_{axis}", f"{axis}min", [axis]) for axis in "xyz"]
                scene["boundary_conditions"].append(
                    {"name": "sea", "body": "bar", "where": "all", "type": "pressure", "value": pressure})
                conditions, probes = self.run_tables(scene, model)
                row = probes[-1]
                # Areas at the start of the step and p/K = 6e-5: first order, to that part.
                for name in ("corner", "origin"):
                    for column in ("sxx", "syy", "szz"):
                        self.assertAlmostEqual(row[f"{name}_{column}"], -pressure, delta=1e-3 * pressure)
                    for column in ("sxy", "syz", "sxz", "von_mises"):
                        self.assertAlmostEqual(row[f"{name}_{column}"], 0.0, delta=1e-5 * pressure)
                change = sum(row[f"corner_u{axis}"] for axis in "xyz")
                self.assertAlmostEqual(change, -pressure / bulk, delta=1e-3 * pressure / bulk)
                jacobian = read_statistics(self.folder / model)[-1]["min_jacobian"]
                self.assertAlmostEqual(jacobian - 1, -pressure / bulk, delta=1e-3 * pressure / bulk)
                for axis in "xyz":  # a closed surface: the load pushes nowhere, nor do the planes
                    self.assertAlmostEqual(conditions[-1][f"sea_force_{axis}"], 0.0, delta=1e-10 * pressure)
                    self.assertAlmostEqual(conditions[-1][f"plane_{axis}_force_{axis}"], 0.0, delta=1e-6 * pressure)

    def test_gravity_is_a_body_force(self):
        scene = static_scene([LENGTH, SIDE, SIDE], 0.35, 0.2, 2)
        scene["boundary_conditions"] = [held("clamp", "xmin", ["x", "y", "z"])]
        scene["simulation"]["gravity"] = [0, 1, -9.81]
        conditions, expected = self.run_tables(scene, "gravity")
        weight = 1000 * LENGTH * SIDE * SIDE * 9.81
        self.assertAlmostEqual(conditions[-1]["clamp_force_z"], weight, delta=1e-7 * weight)
        scene["simulation"]["gravity"] = [0, 0, 0]
        scene["boundary_conditions"].append(
            {"name": "weight", "body": "bar", "where": "all", "type": "body_force", "value": [0, 1e3, -9.81e3]})
        conditions, found = self.run_tables(scene, "body_force")
        self.assertAlmostEqual(conditions[-1]["weight_force_z"], -weight, delta=1e-12 * weight)
        self.assertLess(expected[-1]["corner_uz"], -0.1)  # a load that matters
        # The same nodal forces up to round-off, which Newton's steps may magnify by the matrix's condition, 1e4.
        for step in (1, 2):
            for key, value in expected[step].items():
                scale = 1e5 if "_s" in key or "mises" in key else 0.1
                self.assertAlmostEqual(found[step][key], value, delta=1e-10 * scale, msg=key)

    def test_restart_in_the_middle(self):
        scene = self.bent_bar()
        scene["output"]["checkpoint_every"] = 2
        self.run_scene(scene, "whole")
        # Not by a shorter duration: loads are ramped over it.
        self.run_scene(scene, "restarted", "--restart", self.checkpoint("whole", 2))
        for name in ("probes.csv", "conditions.csv"):
            whole = (self.folder / "whole" / name).read_text(encoding="utf-8").splitlines()
            restarted = (self.folder / "restarted" / name).read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(whole), 6)
            self.assertEqual(restarted, [whole[0], *whole[4:]], name)  # the new folder has no earlier rows
        # In its own folder the table is continued.
        before = (self.folder / "whole" / "probes.csv").read_bytes()
        self.run_scene(scene, "whole", "--restart", self.checkpoint("whole", 2))
        self.assertEqual((self.folder / "whole" / "probes.csv").read_bytes(), before)

    def checkpoint(self, output, step):
        found = sorted((self.folder / output / "checkpoints").glob(f"*{step:06d}*"))
        self.assertEqual(len(found), 1, list((self.folder / output / "checkpoints").iterdir()))
        return found[0]

    def test_ranks_agree(self):
        scene = self.bent_bar(2)
        first = self.run_tables(scene, "ranks1")
        self.assertAlmostEqual(first[1][-1]["corner_uy"], 0.1, delta=0.07)  # a load that matters
        for ranks in (2, 3, 4):
            found = self.run_tables(scene, f"ranks{ranks}", ranks=ranks)
            for expected_rows, rows in zip(first, found):
                self.assertEqual(len(rows), 3)
                for expected, row in zip(expected_rows, rows):
                    for kind in ("force", "moment", "_u", "_s", "_mises"):
                        columns = [key for key in row if kind in key]
                        size = max((abs(expected[key]) for key in columns), default=0.0)
                        for key in columns:
                            # Relative to the largest of its kind. Residuals are below 1e-8 of the forces, and Newton's
                            # last step goes far below.
                            self.assertAlmostEqual(row[key], expected[key], delta=1e-9 * size, msg=f"{ranks} {key}")


if __name__ == "__main__":
    unittest.main()
