#!/usr/bin/python3
"""Runs the static benchmarks of configs/validation and writes docs/validation.md: measured beside published values.

  validation.py [--program build/bin/limber] [--ranks 2] [--case NAME ...] [--keep DIR] [--out docs/validation.md]

With --case the chapter of these cases is printed, and nothing is written. Only the standard library is needed.
"""
import argparse
import csv
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[1]
MODELS = {"neo_hookean": "neo-Hookean", "stable_neo_hookean": "stable neo-Hookean"}


# --- What a run is, and what it gives ---------------------------------------------------------------------------------

@dataclass(frozen=True)
class Mesh:
    """A level of refinement: variables of the .geo file, or values of keys of the configuration."""
    name: str
    variables: dict = field(default_factory=dict)
    keys: dict = field(default_factory=dict)


@dataclass
class Run:
    """The tables of a finished run."""
    probes: list
    statistics: list
    unknowns: int
    seconds: float

    def at(self, column, instant=None):
        """A column of probes.csv at a time, or at the end."""
        row = self.probes[-1] if instant is None else min(self.probes, key=lambda r: abs(r["time"] - instant))
        return row[column]

    def iterations(self):
        return [int(row["newton_iterations"]) for row in self.statistics[1:]]


@dataclass(frozen=True)
class Quantity:
    """A number with its published value; `tolerance` is what tests hold it to, relative to the published value."""
    name: str
    value: Callable[[Run], float]
    published: float
    tolerance: float = None
    style: str = ".4g"
    absolute: bool = False  # the published value is zero: no relative difference

    def difference(self, run):
        return self.value(run) - self.published if self.absolute else self.value(run) / self.published - 1.0


@dataclass(frozen=True)
class Case:
    name: str  # of the configuration
    title: str
    text: str
    meshes: dict  # order to levels
    quantities: list
    seen: str
    geometry: str = ""  # the .geo file, if there is one
    tested: list = field(default_factory=list)  # (order, name of the mesh), for both materials


class RunFailed(Exception):
    """limber did not finish."""


class Limber:
    """The program, and how it is started."""

    def __init__(self, program, mpirun="mpirun", timeout=600):
        self.program, self.mpirun, self.timeout = str(program), mpirun, timeout
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1")
        if os.geteuid() == 0:
            self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def call(self, arguments, ranks=1):
        launcher = [self.mpirun, "-n", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*launcher, self.program, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=self.environment, timeout=self.timeout, check=False)
        if done.returncode != 0:
            raise RunFailed(f"exit code {done.returncode}\n{done.stderr.strip()}")
        return done.stdout

    def run(self, case, model, order, mesh, folder, ranks=1):
        """Runs a variant of a case into a subfolder of `folder`."""
        output = Path(folder) / f"{case.name}-{model}-p{order}-{re.sub('[^0-9A-Za-z.]+', '_', mesh.name)}-{ranks}"
        keys = {"bodies[0].material.model": model, "bodies[0].mesh.order": order, **mesh.keys}
        if mesh.variables:
            # Variables that are set before a .geo file is included replace its defaults.
            wrapper = Path(f"{output}.geo")
            lines = [f"{name} = {value};" for name, value in mesh.variables.items()]
            lines.append(f'Include "{ROOT / "meshes" / "validation" / case.geometry}";')
            wrapper.write_text("\n".join(lines) + "\n", encoding="utf-8")
            keys["bodies[0].mesh.file"] = wrapper
        settings = [part for key, value in keys.items() for part in ("--set", f"{key}={value}")]
        start = time.perf_counter()
        self.call(["run", ROOT / "configs" / "validation" / f"{case.name}.yaml", "--output", output, "--overwrite",
                   "--quiet", *settings], ranks)
        seconds = time.perf_counter() - start
        unknowns = re.search(r"(\d+) unknowns", (output / "log.txt").read_text(encoding="utf-8"))
        return Run(read_table(output / "probes.csv"), read_table(output / "statistics.csv"), int(unknowns[1]), seconds)


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: float(value) if value else None for key, value in row.items()} for row in csv.DictReader(file)]


# --- Quantities -------------------------------------------------------------------------------------------------------

def probe(name, column, published, factor=1.0, instant=None, **options):
    return Quantity(name, lambda run: factor * run.at(column, instant), published, **options)


def vector_error(columns, published):
    """Length of the difference of two vectors, over that of the published one."""
    def error(run):
        return math.dist([run.at(column) for column in columns], published) / math.hypot(*published)
    return error


ROTATION_E, ROTATION_VOLUME = 1e6, 1.2 * 0.8 * 0.8  # [Pa], [m³], as in rigid_rotation.yaml


def rotation_stress(run):
    return max(abs(row[column]) for row in run.probes for column in row if column.endswith("_von_mises")) / ROTATION_E


def rotation_volume(run):
    return max(1.0 - row["min_jacobian"] for row in run.statistics)


def rotation_energy(run):
    return max(abs(row["elastic_energy"]) for row in run.statistics) / (ROTATION_E * ROTATION_VOLUME)


def vector_text(vector):
    return f"({', '.join(f'{value:.2f}' for value in vector)})".replace("-", "−")


def levels(numbers, name="n = {}", variable="n"):
    return [Mesh(name.format(number), {variable: number}) for number in numbers]


# --- The cases --------------------------------------------------------------------------------------------------------

COOK = "cook_membrane.geo"
COOK_MESHES = {1: levels([8, 16, 32], "{0} × {0}"), 2: levels([8, 16, 24], "{0} × {0}")}
TIP = ("tip_ux", "tip_uy", "tip_uz")
BEND_TIP = (-13.4, -23.5, 53.4)  # published
ROD_TIP = (-13.732, -23.819, 53.608)  # see the text of the case

CASES = [
    Case("cook_plane_stress", "Cook's membrane, small strain, plane stress", geometry=COOK, meshes=COOK_MESHES,
         text="A tapered panel with the corners (0, 0), (48, 44), (48, 60), (0, 44), clamped at the left and sheared by a "
              "force of 1 at the right; E = 1, ν = 1/3, thickness 1 (R. D. Cook, *J. Struct. Div. ASCE* 100, 1974; the "
              "value is the usual converged one). One layer of elements of thickness 1 above a plane of symmetry, free "
              "to contract: the clamp holds u_x and u_y only. The materials are nonlinear, so the load is 0.001 and u_y "
              "is multiplied by 1000; with a tenth of that load u_y grows by 0.03 %.",
         quantities=[probe("u_y at (48, 52)", "middle_uy", 23.97, 1e3, tolerance=0.005)],
         tested=[(2, "16 × 16")],
         seen="P2 is within 0.2 % on the coarsest mesh; P1 comes from below, too stiff. At small strain both materials are "
              "the same."),
    Case("cook_plane_strain", "Cook's membrane, small strain, plane strain", geometry=COOK, meshes=COOK_MESHES,
         text="The same panel in millimeters, E = 70 MPa, ν = 1/3, a shear traction of 6.25 MPa, u_z = 0 everywhere. "
              "Published converged values lie between 32.2 and 32.3 mm; differences are from 32.25. The load is 1e-4 of "
              "the published one.",
         quantities=[probe("u_y at (48, 60) [mm]", "corner_uy", 32.25, 1e7, tolerance=0.005)],
         tested=[(2, "16 × 16")],
         seen="The stress is singular at the clamp's upper corner; the last half percent therefore needs a finer mesh "
              "there, for P2 too."),
    Case("cook_neo_hookean", "Cook's membrane, large strain", geometry=COOK, meshes=COOK_MESHES,
         text="The same panel in millimeters, 1 mm thick, u_z = 0 everywhere, μ = 422.5 kPa, ν = 0.3, an end load of 1 N. "
              "14.51 mm was computed with an independent finite-element code for these two energies. The value 14.74 "
              "that is often printed belongs to another energy, μ/2 (J^(−2/3) tr FᵀF − 3) + κ/4 (J² − 1 − 2 ln J).",
         quantities=[probe("u_y at (48, 52) [mm]", "middle_uy", 14.51, 1e3, tolerance=0.002, style=".5g")],
         tested=[(2, "8 × 8")],
         seen="Both energies agree to about a tenth of a percent at this load, with each other and with the reference."),
    Case("thick_plate", "Thick elliptic plate (NAFEMS LE10)", geometry="thick_plate.geo",
         meshes={order: [Mesh(f"{4 * n} × {6 * n} × {2 * n}", {"n": n}) for n in (1, 2, 3)] for order in (1, 2)},
         text="A quarter of a plate between the ellipses 3.25 × 2.75 and 2 × 1 m, 0.6 m thick, E = 210 GPa, ν = 0.3, with "
              "1 MPa on its upper face (NAFEMS, *The Standard NAFEMS Benchmarks*, 1990, LE10). Symmetry on x = 0 and "
              "y = 0; the outer face holds u_x and u_y, and its middle line u_z. D = (2, 0, 0.3) is the hole's upper "
              "edge; the stress is the average at that node of the elements around it. Elements are counted along the "
              "radius, around, and through the thickness.",
         quantities=[probe("σ_yy at D [MPa]", "D_syy", -5.38, 1e-6, tolerance=0.03)],
         tested=[(2, "8 × 12 × 4")],
         seen="P1 locks: on these meshes it shows a part of the stress only. P2 comes from the other side and is within "
              "3 % from the middle mesh on. The linear program of the benchmark and the nonlinear one here agree because "
              "strains are 1e-5."),
    Case("elastica", "Cantilever with a dead tip load (elastica)", geometry="beam.geo",
         meshes={1: levels([2, 4], "{0} × {0} × 20·{0}"), 2: levels([1, 2], "{0} × {0} × 20·{0}")},
         text="An inextensible line that bends only: K. E. Bisshopp, D. C. Drucker, *Q. Appl. Math.* 3, 1945; the digits "
              "are those of K. Mattiasson, *Int. J. Numer. Meth. Eng.* 17, 1981. k = P L²/(E I); w and u are the "
              "deflection and the shortening of the tip. Here a solid beam with ν = 0, L/h = 40; k grows in steps of 0.5. "
              "What the line leaves out: shear adds 0.2 k (h/L)² = 1.25e-4 k to w/L (0.04 % at k = 1), stretch at "
              "most 5.2e-5 k, and with strains up to k h/2L = 5 % at k = 4 the materials' curves deviate from a "
              "straight line by about the square of that, 0.3 %.",
         quantities=[probe(f"{name}, k = {k}", column, value, sign, instant=k, tolerance=0.01, style=".5f")
                     for k, w, u in ((1, 0.30172, 0.05643), (2, 0.49346, 0.16064), (4, 0.66996, 0.32894))
                     for name, column, value, sign in (("w/L", "tip_uz", w, 1.0), ("u/L", "tip_ux", u, -1.0))],
         tested=[(2, "2 × 2 × 20·2")],
         seen="Two quadratic elements through the height are enough. Linear ones are several times too stiff in bending: "
              "a slender part must not be meshed with P1."),
    Case("bend", "The 45° bend of Bathe and Bolourchi", geometry="bend.geo",
         meshes={1: levels([2, 4], "{0} × {0} × 16·{0}"),
                 2: [Mesh("1 × 1 × 16", {"n": 1}), Mesh("2 × 2 × 32", {"n": 2}),
                     Mesh("2 × 2 × 64", {"n": 2, "elements": 64})]},
         text="An arc of 45° of radius 100, section 1 × 1, clamped at the origin where it runs along y, its tip at "
              "(29.29, 70.71, 0); E = 1e7, ν = 0, a force of 600 along z at the tip, in 8 steps (K.-J. Bathe, "
              "S. Bolourchi, *Int. J. Numer. Meth. Eng.* 14, 1979). The published (−13.4, −23.5, 53.4) is the tip's "
              "displacement, that is the position (15.9, 47.2, 53.4), from eight straight beam elements. A "
              "Simo–Reissner rod with the torsion constant 0.1406 of a square, integrated until nothing changes, gives "
              f"{vector_text(ROD_TIP)}. \"Off\" is the length of the difference to the published vector, or to the rod's, "
              "relative to the length of that vector.",
         quantities=[*(probe(name, column, value, style=".2f") for name, column, value in
                       zip(("u_x", "u_y", "u_z"), TIP, BEND_TIP)),
                     Quantity("off the published vector", vector_error(TIP, BEND_TIP), 0.0, 0.02, ".1%", True),
                     Quantity("off the rod's vector", vector_error(TIP, ROD_TIP), 0.0, 0.005, ".2%", True)],
         tested=[(2, "2 × 2 × 32")],
         seen="P2 goes to the rod's solution. The published u_x is 2.4 % off that solution, because eight straight pieces "
              "are not an arc; the other components are within 1.4 %."),
    Case("rigid_rotation", "Rigid rotation",
         meshes={order: [Mesh(f"edges of {size} m", keys={"bodies[0].mesh.box.element_size": size}) for size in (0.4, 0.2)]
                 for order in (1, 2)},
         text="A block of 1.2 × 0.8 × 0.8 m, E = 1 MPa, ν = 0.3, whose surface is turned by 360° in steps of 15°; the "
              "inside must follow without stress. The numbers are the largest of all steps: the von Mises stress at four nodes "
              "(inside, a corner, an edge, a face), what is lost of the volume of any element, and the elastic energy W.",
         quantities=[Quantity("stress/E", rotation_stress, 0.0, 1e-13, ".1e", True),
                     Quantity("1 − min det F", rotation_volume, 0.0, 1e-13, ".1e", True),
                     Quantity("W/(E V)", rotation_energy, 0.0, 1e-14, ".1e", True)],
         tested=[(1, "edges of 0.4 m"), (2, "edges of 0.4 m")],
         seen="Nothing but round-off is left after a whole turn, for both elements and both materials."),
    Case("reese_block", "Nearly incompressible block (Reese)", geometry="reese_block.geo",
         meshes={1: levels([4, 8, 12], "{0} × {0} × {0}"), 2: levels([2, 4, 6], "{0} × {0} × {0}")},
         text="A quarter of a block, a cube of 1 mm, μ = 80.194 MPa, ν = 0.4999, pressed on the inner quarter of its upper "
              "face by p, where u_x = u_y = 0; p0 = 4 MPa (S. Reese, P. Wriggers, B. D. Reddy, *Comput. Struct.* 75, 2000). "
              "Published values, about −0.70 and −0.79 mm, are read from figures, and the element and the energy were "
              "others. This is no test of accuracy: it shows locking.",
         quantities=[probe("u_z, p/p0 = 80 [mm]", "middle_uz", -0.70, 1e3, instant=80),
                     probe("u_z, p/p0 = 100 [mm]", "middle_uz", -0.79, 1e3, instant=100)],
         seen="P1 locks nearly completely: an element that cannot change its volume has little left to deform with, and "
              "refinement helps slowly. P2 is far better. The logarithmic energy is stiffer than the stable one because it is "
              "integrated at 11 points instead of 4, which is the price of its barrier; near ν = 0.5 the stable one serves better."),
]


# --- The chapter ------------------------------------------------------------------------------------------------------

def cell(quantity, run):
    value = format(quantity.value(run), quantity.style).replace("%", " %")
    if not quantity.absolute:
        value += f" ({100 * quantity.difference(run):+.1f} %)"
    return value if "e-" in value else value.replace("-", "−")


def heading(quantity):
    return quantity.name if quantity.absolute else f"{quantity.name}: {quantity.published:g}".replace("-", "−")


def tolerance_text(case):
    """What the test holds, in words."""
    held = [(q.name, f"{100 * q.tolerance:g} %" if q.tolerance > 1e-4 else f"{q.tolerance:g}")
            for q in case.quantities if q.tolerance is not None]
    if not case.tested:
        return ""
    names = ", ".join(f"P{order} on {mesh}" for order, mesh in case.tested)
    if len({tolerance for _, tolerance in held}) == 1:
        return f"The test holds {names} within {held[0][1]}."
    return f"The test holds {names}: {', '.join(f'{name} within {tolerance}' for name, tolerance in held)}."


def paragraph(*parts):
    return textwrap.fill(" ".join(part for part in parts if part), 128, break_long_words=False, break_on_hyphens=False)


def table_of(case, limber, folder, ranks):
    heads = [heading(quantity) for quantity in case.quantities]
    yield f"| element | mesh | unknowns | material | {' | '.join(heads)} | Newton | s |"
    yield "|" + "---|" * (6 + len(heads))
    for order, meshes in case.meshes.items():
        for mesh in meshes:
            for model, label in MODELS.items():
                start = f"| P{order} | {mesh.name} |"
                try:
                    run = limber.run(case, model, order, mesh, folder, ranks)
                except (RunFailed, subprocess.TimeoutExpired) as error:
                    print(f"{case.name}, {model}, P{order}, {mesh.name}: {error}", file=sys.stderr, flush=True)
                    yield f"{start} | {label} |" + " failed |" * len(heads) + " | |"
                    continue
                iterations = run.iterations()
                counts = str(iterations[0]) if len(iterations) == 1 else f"{sum(iterations)} in {len(iterations)} steps"
                cells = " | ".join(cell(q, run) for q in case.quantities)
                yield f"{start} {run.unknowns} | {label} | {cells} | {counts} | {run.seconds:.1f} |"
                print(f"{case.name}, {model}, P{order}, {mesh.name}: {cells}; {counts}, {run.seconds:.1f} s",
                      file=sys.stderr, flush=True)


def section_of(case, limber, folder, ranks):
    source = f"Configuration: `configs/validation/{case.name}.yaml`."
    return "\n".join([f"## {case.title}", "", paragraph(case.text, tolerance_text(case), source), "",
                      *table_of(case, limber, folder, ranks), "", paragraph(case.seen), ""])


def ranks_section(limber, folder):
    """One case on several numbers of ranks."""
    case = next(case for case in CASES if case.name == "cook_neo_hookean")
    mesh = case.meshes[2][1]
    runs = {ranks: limber.run(case, "neo_hookean", 2, mesh, folder, ranks) for ranks in (1, 2, 4)}
    columns = [name for name in runs[1].probes[0] if name not in ("step", "time")]
    lines = [f"| ranks | {case.quantities[0].name} | largest difference to one rank |", "|---|---|---|"]
    for ranks, run in runs.items():
        difference = 0.0
        for column in columns:
            size = max(abs(row[column]) for row in runs[1].probes)
            if size > 0.0:
                difference = max(difference, *(abs(row[column] - one[column]) / size
                                               for row, one in zip(run.probes, runs[1].probes)))
        lines.append(f"| {ranks} | {case.quantities[0].value(run):.12g} | {difference:.0e} |" if ranks > 1 else
                     f"| 1 | {case.quantities[0].value(run):.12g} | |")
    text = (f"{case.title}, neo-Hookean, P2 on {mesh.name}. The difference is that of any number of `probes.csv` "
            "(displacements, velocities, stresses at the probe) in any step, relative to the largest value of its column.")
    return "\n".join(["## The number of ranks", "", paragraph(text), "", *lines, ""])


def chapter(sections, limber, ranks):
    version = "; ".join(line.strip() for line in limber.call(["--version"]).splitlines() if line.strip())
    intro = [
        "# Validation: published static benchmarks", "",
        paragraph(
            "What limber computes, beside what is published. This chapter is written by `scripts/validation.py`, which runs "
            f"every case; the last run was on {date.today().isoformat()} with {ranks} rank{'s' if ranks > 1 else ''}: "
            f"{version}. Some of it is checked at every change by the test `verification.published_values`."), "",
        paragraph(
            "The integrator is `static`; loads grow in pseudo-time. P1 and P2 are the linear and the quadratic tetrahedron. "
            "Except for the rotation, meshes are structured: bricks cut into six tetrahedra each; the numbers count the "
            "bricks. Differences in parentheses are relative to the published value. \"Newton\" counts the iterations of all "
            "steps; \"s\" is the time of the whole run, meshing and output included. In the tables neo-Hookean is "
            "`neo_hookean` (logarithmic), the other `stable_neo_hookean`; E and ν are converted for each so that both agree "
            "with linear elasticity at small strain."), ""]
    return "\n".join([*intro, *sections])


def main():
    parser = argparse.ArgumentParser(description="Runs the published static benchmarks.")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "bin" / "limber")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], default=[])
    parser.add_argument("--keep", type=Path, help="folder for the results of all runs (default: thrown away)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "validation.md")
    arguments = parser.parse_args()
    if not shutil.which(str(arguments.program)):
        sys.exit(f"{arguments.program} is not a program; build limber first, or give --program.")

    limber = Limber(arguments.program.resolve(), arguments.mpirun)
    cases = [case for case in CASES if case.name in arguments.case or not arguments.case]
    with tempfile.TemporaryDirectory(prefix="limber_") as scratch:
        folder = arguments.keep or Path(scratch)
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sections = [section_of(case, limber, folder, arguments.ranks) for case in cases]
        if arguments.case:
            print("\n".join(sections))
            return
        sections.append(ranks_section(limber, folder))
        arguments.out.write_text(chapter(sections, limber, arguments.ranks), encoding="utf-8")
        print(f"{arguments.out} written")


if __name__ == "__main__":
    main()
