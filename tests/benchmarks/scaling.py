#!/usr/bin/env python3
"""Time, iterations and memory of whole steps against the size of the mesh, the ranks, and what makes a problem hard.

    tests/benchmarks/scaling.py [--limber build/bin/limber] [--tetrahedra 30000 150000 1000000] [--ranks 1 2] [--steps 3]
                                [--order 1 2] [--integrator backward_euler static] [--youngs-modulus soft stiff 1e9]
                                [--time-step 1e-3 0.01 0.1] [--material neo_hookean stable_neo_hookean]
                                [-- PETSc options]
    tests/benchmarks/scaling.py --sweep

The scene is that of a cantilever from rest: 4×1×1 m, clamped at one end, E 1e5 Pa, ν 0.4, 1000 kg/m³, gravity, backward Euler
with h = 0.01 s, default solver settings. In statics gravity is applied in as many steps as are given. All values of
the options are combined, in statics without the time steps. --sweep stands for P1 and P2, statics and dynamics with
h = 1e-3 and 0.05 s, E 1e6 and 1e9 Pa, 30000 and 150000 tetrahedra on 2 ranks, 24 runs in about half an hour (estimated). One row a run, in Markdown:

  step        median wall time of a time step [s]
  Newton      Newton iterations a step (mean)
  CG/Newton   Krylov iterations a Newton iteration (mean); 1 with Cholesky
  Hessian, linear, search   share of a step in the phases (PETSc's log stages) [s a step]
  assembly    million tetrahedra a second and rank: gradient-free Hessian assembly into the matrix
  peak        sum over ranks of the peak resident memory at any time [GB]; it includes Gmsh on rank 0
  B/unknown   the same, less that of a run with a tiny mesh, per unknown
  note        how a run that failed ended, and what the log reports beside steps, in the words of robustness.py

Times of a busy machine mean nothing: compare rows of one call.
"""
import argparse
import datetime
import itertools
import statistics
import sys

import runs

CONFIG = """
simulation: {{name: bar, duration: {duration}, time_step: {h}, integrator: {integrator}, gravity: [0, 0, -9.81]}}
bodies:
  - name: bar
    mesh: {{box: {{min: [0, 0, 0], max: [4, 1, 1], element_size: {size}}}, order: {order}}}
    material: {{model: {material}, density: 1000, youngs_modulus: {young}, poissons_ratio: 0.4}}
boundary_conditions:
  - {{name: clamp, body: bar, where: {{group: xmin}}, type: fixed}}
output: {{every: 1000000, checkpoint_every: 0}}
"""
YOUNG = {"soft": 1e5, "stiff": 1e9}
SWEEP = {"order": [1, 2], "integrator": ["backward_euler", "static"], "youngs_modulus": [1e6, 1e9],
         "time_step": [1e-3, 0.05], "tetrahedra": [30000, 150000], "ranks": [2]}


def scene(size, steps, integrator="backward_euler", h=0.01, order=1, young=1e5, material="neo_hookean"):
    return CONFIG.format(size=size, duration=steps * h, h=h, integrator=integrator, order=order, young=young, material=material)


def youngs_modulus(text):
    return YOUNG[text] if text in YOUNG else float(text)


def row(run, ranks, steps, base):
    done = max(1, len(run.rows))
    newton = run.total("newton_iterations")
    hessians, seconds = run.events.get("HessianAssembly", (0, 0.0))
    rate = hessians * run.tetrahedra / seconds / ranks / 1e6 if seconds > 0 else 0.0
    mean = {name: run.stages.get(name, 0.0) / done for name in ("Hessian", "Linear solve", "Line search")}
    step = statistics.median(run.step_seconds() or [0.0])
    peak = sum(run.peaks)
    note = runs.remarks(run)
    if run.code != 0:
        note.insert(0, ("timeout" if run.code is None else f"exit code {run.code}") + f" after {len(run.rows)}/{steps} steps")
    return (f"| {step:.2f} | {newton / done:.1f} | {run.total('linear_iterations') / max(1, newton):.1f} "
            f"| {mean['Hessian']:.3f} | {mean['Linear solve']:.2f} | {mean['Line search']:.3f} | {rate:.2f} "
            f"| {run.stages.get('Mesh', 0.0):.1f} | {peak / 1e9:.2f} | {(peak - base) / run.unknowns if run.unknowns else 0:.0f} | {', '.join(note)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--tetrahedra", type=int, nargs="+", default=[30000, 150000, 1000000])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--order", type=int, nargs="+", choices=[1, 2], default=[1])
    parser.add_argument("--integrator", nargs="+", default=["backward_euler"])
    parser.add_argument("--youngs-modulus", type=youngs_modulus, nargs="+", default=[1e5],
                        help="[Pa], or soft (1e5) or stiff (1e9)")
    parser.add_argument("--time-step", type=float, nargs="+", default=[0.01])
    parser.add_argument("--material", nargs="+", default=["neo_hookean"])
    parser.add_argument("--timeout", type=float, help="seconds a run")
    parser.add_argument("--sweep", action="store_true", help="order, integrator, E, h, sizes and ranks as said above, unless "
                                                             "they are given")
    parser.add_argument("petsc_options", nargs="*")
    options = parser.parse_args()
    if options.sweep:
        given = {argument.split("=")[0][2:].replace("-", "_") for argument in sys.argv[1:] if argument.startswith("--")}
        for name, values in SWEEP.items():
            if name not in given:
                setattr(options, name, values)

    print(f"{datetime.date.today()}, {runs.cpu()}\n")
    print("| tetrahedra | unknowns | ranks | order | integrator | E [Pa] | h [s] | material | step [s] | Newton | CG/Newton | Hessian [s] "
          "| linear [s] | search [s] | assembly [M/s/rank] | mesh [s] | peak [GB] | B/unknown | note |")
    print("|---" * 19 + "|")
    base, failed = {}, 0
    cases = [(tetrahedra, order, integrator, young, h, material)
             for tetrahedra, order, integrator, young, h, material in itertools.product(
                 options.tetrahedra, options.order, options.integrator, options.youngs_modulus, options.time_step,
                 options.material)
             if integrator != "static" or h == options.time_step[0]]
    total = len(cases) * len(options.ranks)
    for number, ((tetrahedra, order, integrator, young, h, material), ranks) in enumerate(
            itertools.product(cases, options.ranks), 1):
        print(f"{datetime.datetime.now():%H:%M:%S} run {number}/{total}", file=sys.stderr, flush=True)
        if ranks not in base:
            base[ranks] = sum(runs.run_limber(options.limber, scene(0.5, 1), ranks).peaks)
        size = 0.0263 * (1006026 / tetrahedra) ** (1 / 3)  # measured at a million
        run = runs.run_limber(options.limber, scene(size, options.steps, integrator, h, order, young, material), ranks,
                              options.petsc_options, options.timeout)
        if run.code != 0:
            failed += 1
            print(run.output, file=sys.stderr)
        print(f"| {run.tetrahedra} | {run.unknowns} | {ranks} | {order} | {integrator} | {young:g} "
              f"| {'' if integrator == 'static' else format(h, 'g')} | {material} {row(run, ranks, options.steps, base[ranks])}",
              flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
