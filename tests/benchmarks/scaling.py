#!/usr/bin/env python3
"""Time, iterations and memory of whole steps against the size of the mesh and the number of ranks.

    tests/benchmarks/scaling.py [--limber build/bin/limber] [--tetrahedra 30000 150000 1000000] [--ranks 1 2] [--steps 3]
                                [-- PETSc options]

The scene is that of a cantilever from rest: 4×1×1 m, clamped at one end, E 1e5 Pa, ν 0.4, 1000 kg/m³, gravity, backward Euler
with h = 0.01 s, default solver settings. One row a run, in Markdown:

  step        median wall time of a time step [s]
  Newton      Newton iterations a step (mean)
  CG/Newton   Krylov iterations a Newton iteration (mean)
  Hessian, linear, search   share of a step in the phases (PETSc's log stages) [s a step]
  assembly    million tetrahedra a second and rank: gradient-free Hessian assembly into the matrix
  peak        sum over ranks of the peak resident memory [GB]; it includes Gmsh on rank 0
  B/unknown   the same, less that of a run with a tiny mesh, per unknown

Times of a busy machine mean nothing: compare rows of one call.
"""
import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile

CONFIG = """
simulation: {{name: bar, duration: {duration}, time_step: 0.01, gravity: [0, 0, -9.81]}}
bodies:
  - name: bar
    mesh: {{box: {{min: [0, 0, 0], max: [4, 1, 1], element_size: {size}}}}}
    material: {{density: 1000, youngs_modulus: 1e5, poissons_ratio: 0.4}}
boundary_conditions:
  - {{name: clamp, body: bar, where: {{group: xmin}}, type: fixed}}
output: {{every: 1000000, checkpoint_every: 0}}
"""


def stage_seconds(log, name):
    match = re.search(r"^\s*\d+:\s+" + re.escape(name) + r":\s+([0-9.e+-]+)", log, re.MULTILINE)
    return float(match.group(1)) if match else 0.0


def run(limber, size, ranks, steps, petsc_options):
    with tempfile.TemporaryDirectory() as folder:
        config, log_file = os.path.join(folder, "bar.yaml"), os.path.join(folder, "log.txt")
        with open(config, "w") as file:
            file.write(CONFIG.format(duration=0.01 * steps, size=size))
        command = ["mpirun", "-n", str(ranks), "/usr/bin/time", "-f", "peak %M", limber, "run", config, "--quiet",
                   "--output", os.path.join(folder, "out"), "--", "-log_view", ":" + log_file, *petsc_options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        with open(os.path.join(folder, "out", "statistics.csv")) as file:
            rows = [row for row in csv.DictReader(file) if row["step"] != "0"]
        with open(os.path.join(folder, "out", "log.txt")) as file:
            counts = re.search(r"(\d+) nodes, (\d+) tetrahedra, (\d+) unknowns", file.read())
        with open(log_file) as file:
            log = file.read()
    newton = sum(int(row["newton_iterations"]) for row in rows)
    return {
        "tetrahedra": int(counts.group(2)),
        "unknowns": int(counts.group(3)),
        "step": statistics.median(float(row["step_seconds"]) for row in rows),
        "newton": newton / steps,
        "cg": sum(int(row["linear_iterations"]) for row in rows) / newton,
        "hessian": stage_seconds(log, "Hessian") / steps,
        "linear": stage_seconds(log, "Linear solve") / steps,
        "search": stage_seconds(log, "Line search") / steps,
        "mesh": stage_seconds(log, "Mesh"),
        "rate": newton * int(counts.group(2)) / max(1e-9, stage_seconds(log, "Hessian")) / ranks / 1e6,
        "peak": sum(int(kb) for kb in re.findall(r"^peak (\d+)$", done.stderr, re.MULTILINE)) * 1024,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--tetrahedra", type=int, nargs="+", default=[30000, 150000, 1000000])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("petsc_options", nargs="*")
    options = parser.parse_args()

    print("| tetrahedra | unknowns | ranks | step [s] | Newton | CG/Newton | Hessian [s] | linear [s] | search [s] "
          "| assembly [M/s/rank] | mesh [s] | peak [GB] | B/unknown |")
    print("|---" * 13 + "|")
    for tetrahedra in options.tetrahedra:
        size = 0.0263 * (1006026 / tetrahedra) ** (1 / 3)  # measured at a million
        for ranks in options.ranks:
            base = run(options.limber, 0.5, ranks, 1, [])["peak"]
            r = run(options.limber, size, ranks, options.steps, options.petsc_options)
            print(f"| {r['tetrahedra']} | {r['unknowns']} | {ranks} | {r['step']:.2f} | {r['newton']:.1f} | {r['cg']:.1f} "
                  f"| {r['hessian']:.3f} | {r['linear']:.2f} | {r['search']:.3f} | {r['rate']:.2f} | {r['mesh']:.1f} "
                  f"| {r['peak'] / 1e9:.2f} | {(r['peak'] - base) / r['unknowns']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
