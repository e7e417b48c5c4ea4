#!/usr/bin/env python3
"""limber and dolfinx side by side: assembly and whole steps of the same problem on the same mesh.

    tests/benchmarks/compare_dolfinx.py [--tetrahedra 30000 150000 600000] [--ranks 1 2] [--repetitions 5] [--steps 4]

The scene: a cantilever of 4×1×1 m, clamped at x = 0, neo-Hookean, E 1e5 Pa, ν 0.4, 1000 kg/m³, backward Euler from rest under gravity
with h = 0.01 s. Both read one structured mesh of linear tetrahedra, use the consistent mass and stop Newton's method at ‖p‖∞/h ≤
1e-3 m/s. dolfinx_bar.py says how dolfinx is set up and what its variants are. The programs run in turn, and which goes first
alternates; numbers are medians over the repetitions. Quantities:

  residual        gradient of the incremental potential with inertia, once [s]; limber's is PETSc's event Gradient
  Jacobian        its exact Hessian into the matrix, once [s]; HessianAssembly
  first step      wall time from rest [s]; here limber builds multigrid, which it keeps
  step            median wall time of the later steps [s]; limber's writes a row of each table, too
  Newton, CG      iterations a step, means over all steps

The assemblies of limber are means over a run, those of dolfinx medians of some in a row at the end of its run. Before the table the
displacements of the tip are compared. Needs Debian's python3-dolfinx (real). A full run takes about an hour (estimated) on
two quiet cores, of which 600000 tetrahedra are nearly all; progress goes to standard error. Times of a busy machine mean nothing.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

import runs

CONFIG = """
simulation: {{name: bar, duration: {duration}, time_step: {h}, gravity: [0, 0, -9.81]}}
bodies:
  - name: bar
    mesh: {{file: {mesh}}}
    material: {{density: 1000, youngs_modulus: 1e5, poissons_ratio: 0.4}}
boundary_conditions:
  - {{name: clamp, body: bar, where: {{plane: {{point: [0, 0, 0], normal: [1, 0, 0]}}}}, type: fixed}}
output:
  every: 1000000
  checkpoint_every: 0
  probes:
{probes}
"""
H = 0.01
TOLERANCE = 1e-3  # solver.tolerance


def progress(text):
    print(f"{datetime.datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def run_limber(options, mesh, points, ranks):
    probes = "\n".join(f"    - {{name: p{i}, body: bar, point: {list(p)}}}" for i, p in enumerate(points))
    run = runs.run_limber(options.limber, CONFIG.format(duration=options.steps * H, h=H, mesh=mesh, probes=probes), ranks)
    if run.code != 0:
        sys.exit(run.output)
    last = run.probes[-1]
    return {
        "unknowns": run.unknowns,
        "residual": run.events["Gradient"][1] / run.events["Gradient"][0],
        "jacobian": run.events["HessianAssembly"][1] / run.events["HessianAssembly"][0],
        "first": run.step_seconds()[0],
        "step": statistics.median(run.step_seconds()[1:]),
        "newton": run.total("newton_iterations") / options.steps,
        "krylov": run.total("linear_iterations") / options.steps,
        "displacement": [[float(last[f"p{i}_u{axis}"]) for axis in "xyz"] for i in range(len(points))],
    }


def run_dolfinx(options, mesh, points, ranks):
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dolfinx_bar.py")
        command = ["mpirun", "-n", str(ranks), options.python, program, mesh, result, "--steps", str(options.steps),
                   "--time-step", str(H), "--tolerance", str(TOLERANCE), "--variants", *options.variants]
        for point in points:
            command += ["--point", *map(str, point)]
        done = subprocess.run(command, env=runs.environment(), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        with open(result) as file:
            read = json.load(file)
    out = {"versions": f"dolfinx {read['dolfinx']}, PETSc {read['petsc']}", "unknowns": read["unknowns"],
           "residual": statistics.median(read["residual"]), "jacobian": statistics.median(read["jacobian"])}
    for name, variant in read["variants"].items():
        out[name] = {"first": variant["step"][0], "step": statistics.median(variant["step"][1:]),
                     "newton": statistics.mean(variant["newton"]), "krylov": statistics.mean(variant["krylov"]),
                     "displacement": variant["displacement"]}
    return out


def median(results, *keys):
    def value(result):
        for key in keys:
            result = result[key]
        return result
    return statistics.median(value(result) for result in results)


def displacement_lines(options, ours, theirs, steps):
    """Differences at the probed nodes, against what the tolerance lets two solutions differ by: 1e-3 m/s in every step,
    which its velocity carries on to later ones: h Σ_{i ≤ n} i."""
    allowed = TOLERANCE * H * steps * (steps + 1) / 2
    lines = []
    for name in options.variants:
        difference = max(abs(a - b) for p, q in zip(ours["displacement"], theirs[name]["displacement"])
                         for a, b in zip(p, q))
        tip = theirs[name]["displacement"][-1][2]
        lines.append(f"  tip u_z after {steps} steps: limber {ours['displacement'][-1][2]:.9f} m, dolfinx ({name}) {tip:.9f} m; "
                     f"largest difference at three nodes {difference:.1e} m "
                     f"({'within' if difference <= allowed else 'BEYOND'} the tolerance, {allowed:.1e} m)")
    return lines, all("BEYOND" not in line for line in lines)


def compare(options, tetrahedra, ranks, mesh, points):
    ours, theirs = [], []
    for repetition in range(options.repetitions):
        order = [(run_limber, ours, "limber"), (run_dolfinx, theirs, "dolfinx")]
        for program, results, name in order if repetition % 2 == 0 else reversed(order):
            progress(f"{tetrahedra} tetrahedra, {ranks} ranks, repetition {repetition + 1}/{options.repetitions}: {name}")
            results.append(program(options, mesh, points, ranks))
    lines, same = displacement_lines(options, ours[-1], theirs[-1], options.steps)
    head = f"| {tetrahedra} | {ours[0]['unknowns']} | {ranks} "
    rows = []
    for key, label in (("residual", "residual"), ("jacobian", "Jacobian")):
        a, b = median(ours, key), median(theirs, key)
        rows.append(f"{head}| {label} | {a:.4f} | {b:.4f} | {b / a:.1f} | | |")
    for key, label in (("first", "first step"), ("step", "step")):
        for name in options.variants:
            a, b = median(ours, key), median(theirs, name, key)
            counts = (f"{median(ours, 'newton'):.1f}, {median(ours, 'krylov'):.1f} "
                      f"| {median(theirs, name, 'newton'):.1f}, {median(theirs, name, 'krylov'):.1f}")
            rows.append(f"{head}| {label}, dolfinx {name} | {a:.3f} | {b:.3f} | {b / a:.1f} | {counts} |")
    return lines, rows, same, theirs[0]["versions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--python", default="/usr/bin/python3", help="the one that has dolfinx")
    parser.add_argument("--tetrahedra", type=int, nargs="+", default=[30000, 150000, 600000])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4, help="at least 2")
    parser.add_argument("--variants", nargs="+", default=["1e-8", "1e-5", "forcing", "kept"])
    options = parser.parse_args()

    lines, rows, same, versions = [], [], True, ""
    with tempfile.TemporaryDirectory() as folder:
        for tetrahedra in options.tetrahedra:
            n = max(2, round((tetrahedra / 24) ** (1 / 3)))
            mesh = os.path.join(folder, f"bar{n}.msh")
            _, made = runs.write_box(mesh, (4 * n, n, n), (4, 1, 1))
            # Next to the clamp, where the bar is strained first, in the middle and at the tip; the last is the tip.
            points = [(i / n, 1.0, 1.0) for i in (1, 2 * n, 4 * n)]
            for ranks in options.ranks:
                if ranks == options.ranks[0]:
                    progress(f"{made} tetrahedra: compiling the forms of dolfinx, unless they are cached")
                    run_dolfinx(argparse.Namespace(**{**vars(options), "steps": 2, "variants": options.variants[:1]}),
                                mesh, points, ranks)
                more_lines, more_rows, good, versions = compare(options, made, ranks, mesh, points)
                lines += [f"{made} tetrahedra, {ranks} ranks:", *more_lines]
                rows += more_rows
                same = same and good
    version = subprocess.run([options.limber, "--version"], capture_output=True, text=True,
                             env=runs.environment()).stdout.strip().splitlines()
    print("\n".join(lines))
    print(f"\n{datetime.date.today()}, {runs.cpu()}. {'; '.join(version[:4])}. {versions}. "
          f"Medians of {options.repetitions} runs of {options.steps} steps each.\n")
    print("| tetrahedra | unknowns | ranks | quantity | limber [s] | dolfinx [s] | ratio | Newton, CG a step: limber | dolfinx |")
    print("|---" * 9 + "|")
    print("\n".join(rows))
    if not same:
        sys.exit("the displacements differ by more than the tolerance lets them")


if __name__ == "__main__":
    main()
