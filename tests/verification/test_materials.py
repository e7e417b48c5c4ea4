"""Every material through the whole program."""
import csv
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.limber_process import ProgramTest, read_statistics, two_bodies_scene  # noqa: E402

YOUNG, POISSON = 1e6, 0.3
MU = YOUNG / (2 * (1 + POISSON))
LAMBDA = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
MODULI = {"youngs_modulus": YOUNG, "poissons_ratio": POISSON}


class Materials(ProgramTest):
    def sag(self, material, ranks=1):
        """Deflection of a cantilever under a weight of which it barely bends."""
        scene = {
            "simulation": {"duration": 1.0, "time_step": 1.0, "integrator": "static", "gravity": [0, 0, -1e-3]},
            "bodies": [{
                "name": "bar",
                "mesh": {"box": {"min": [0, 0, 0], "max": [1, 0.25, 0.25], "element_size": 0.25}, "order": 2},
                "material": {"density": 1000, **material},
            }],
            "boundary_conditions": [{"name": "clamp", "body": "bar", "where": {"group": "xmin"}, "type": "fixed"}],
            "output": {"every": 1000, "checkpoint_every": 0,
                       "probes": [{"name": "tip", "body": "bar", "point": [1, 0, 0]}]},
        }
        name = material["model"] + "_".join(map(str, material.values()))
        self.run_scene(scene, name, "--quiet", ranks=ranks)
        with open(self.folder / name / "probes.csv", newline="", encoding="utf-8") as file:
            return float(list(csv.DictReader(file))[-1]["tip_uz"])

    def test_small_strains_are_linear_elasticity(self):
        """Strains are 1e-5; models differ by terms of second order, and Newton's tolerance."""
        expected = self.sag({"model": "linear", **MODULI})
        self.assertLess(expected, -1e-6)
        materials = [{"model": model, **MODULI} for model in (
            "neo_hookean", "stable_neo_hookean", "corotated_linear", "fixed_corotated", "st_venant_kirchhoff",
            "quartic_volume")]
        materials.append({"model": "mooney_rivlin", "c10": 0.3 * MU, "c01": 0.2 * MU,
                          "bulk_modulus": LAMBDA + 2 / 3 * MU})
        for ranks, material in enumerate(materials):
            with self.subTest(material["model"]):
                self.assertAlmostEqual(self.sag(material, 1 + ranks % 2) / expected, 1.0, delta=1e-3)

    def test_models_without_lambda_are_linear_elasticity_with_poissons_ratio_zero(self):
        expected = self.sag({"model": "linear", "youngs_modulus": 2 * MU, "poissons_ratio": 0.0})
        for material in (
                {"model": "arap", **MODULI}, {"model": "arap", "kappa": 2 * MU}, {"model": "quartic", "lame_mu": MU},
                {"model": "symmetric_dirichlet", **MODULI}, {"model": "symmetric_dirichlet", "kappa": 0.5 * MU},
                {"model": "symmetric_gradient", **MODULI}, {"model": "symmetric_gradient", "kappa": MU}):
            with self.subTest(material["model"]):
                self.assertAlmostEqual(self.sag(material) / expected, 1.0, delta=1e-3)

    def test_a_lagged_rotation_follows(self):
        """Two tetrahedra spin by 1.9 rad, 0.04 rad a step. Against the rotation of the start they would be squeezed by
        a third; the lag leaves strains of 1e-3, and the spin itself stretches by as little."""
        scene = two_bodies_scene()
        del scene["bodies"][0], scene["boundary_conditions"]
        scene["simulation"].update(duration=0.5, gravity=[0, 0, 0])
        scene["bodies"][0]["material"]["model"] = "corotated_linear"
        self.run_scene(scene, "spin", "--quiet")
        for row in read_statistics(self.folder / "spin"):
            self.assertAlmostEqual(row["min_jacobian"], 1.0, delta=0.01)


if __name__ == "__main__":
    unittest.main()
