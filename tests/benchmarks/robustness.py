#!/usr/bin/env python3
"""Hard cases through limber: does it finish, how many iterations does it take, and what does it fall back to?

    tests/benchmarks/robustness.py [--limber build/bin/limber] [--ranks 2] [--scale 1] [--linear cg_amg] [--cases NAME...]
                                   [--timeout 600] [--list]

Unless a case says otherwise: a cantilever of 4×1×1 m under gravity, clamped at one end, a structured mesh of 3072 linear tetrahedra,
neo-Hookean with E 1e6 Pa, ν 0.4, 1000 kg/m³, h 0.01 s, ten steps; in statics gravity is applied in five. One row a case, in Markdown:

  exit       exit code of limber: 0 done, 3 gave up; "timeout" where it ran out of time
  steps      steps taken of those wanted; a step that failed is retried in halves and counts more than once
  Newton     iterations a step (mean, largest), Krylov iterations a Newton iteration (mean, 1 with Cholesky)
  min J      smallest det F of an element at any step's end
  log        what the log mentions beside steps: retries with halved steps, fallbacks of the linear solver, warnings

The linear solver is CG with multigrid (cg_amg) so that fallbacks can be seen; cases named cholesky take that. --linear auto is
limber's default. --scale 2 halves the element size. A full run takes about 6 minutes on two cores. The exit code is 1 where a case did not finish.
"""
import argparse
import datetime
import os
import sys
import tempfile

import runs

BODY = """  - name: {name}
    mesh: {{file: {mesh}, order: {order}}}
    transform: {{translate: [0, {shift}, 0]}}
    material: {{model: {material}, density: {density}, youngs_modulus: {young}, poissons_ratio: {poisson}}}
"""
CLAMP = """  - {{name: clamp_{name}, body: {name}, where: {{plane: {{point: [0, 0, 0], normal: [1, 0, 0]}}}}, type: fixed}}
"""
SCENE = """
simulation: {{name: hard, duration: {duration}, time_step: {h}, integrator: {integrator}, gravity: [0, 0, {gravity}]}}
bodies:
{bodies}boundary_conditions:
{conditions}{extra}solver: {{linear: {linear}}}
output: {{every: 1000000, checkpoint_every: 0}}
"""
DEFAULT = {"young": 1e6, "poisson": 0.4, "density": 1000.0, "h": 0.01, "integrator": "backward_euler", "linear": "cg_amg",
           "order": 1, "material": "neo_hookean", "mesh": "bar", "gravity": -9.81, "bodies": [{}], "extra": "", "steps": 10}
STATIC = {"integrator": "static", "h": 1.0, "steps": 5}
PULL = ("  - {name: pull, body: b0, where: {plane: {point: [4, 0, 0], normal: [1, 0, 0]}}, type: prescribed, "
        "displacement: [\"%s*t/%s\", 0, 0]}\n")


def cases():
    """Name: what differs from DEFAULT."""
    out = {}
    for h in (1e-5, 1e-3, 0.1, 1.0):
        out[f"h {h:g} s"] = {"h": h}
    for density in (1.0, 1e5):
        out[f"density {density:g} kg/m³"] = {"density": density}
    for poisson in (0.49, 0.499):
        out[f"ν {poisson}"] = {"poisson": poisson}
        out[f"ν {poisson}, quadratic"] = {"poisson": poisson, "order": 2}
        out[f"ν {poisson}, static"] = {"poisson": poisson, **STATIC}
        out[f"ν {poisson}, static, quadratic"] = {"poisson": poisson, "order": 2, **STATIC}
    contrast = [{"young": 1e5}, {"young": 1e9}]
    out["two bodies, E 1e5 and 1e9 Pa"] = {"bodies": contrast}
    out["two bodies, E 1e5 and 1e9 Pa, h 0.1 s"] = {"bodies": contrast, "h": 0.1}
    out["two bodies, E 1e5 and 1e9 Pa, static"] = {"bodies": contrast, **STATIC}
    out["two bodies, 10 and 1e5 kg/m³"] = {"bodies": [{"density": 10.0}, {"density": 1e5}]}
    for name, thickness in (("slivers 1e-2", 1e-2), ("slivers 1e-4", 1e-4), ("slivers 1e-6", 1e-6)):
        out[name] = {"mesh": thickness}
        out[f"{name}, static"] = {"mesh": thickness, **STATIC}
    out["slivers 1e-4, stable_neo_hookean"] = {"mesh": 1e-4, "material": "stable_neo_hookean"}
    out["slender beam 100:1, E 1e9 Pa"] = {"mesh": "beam", "young": 1e9}
    out["slender beam 100:1, E 1e9 Pa, h 1 s"] = {"mesh": "beam", "young": 1e9, "h": 1.0}
    out["slender beam 100:1, E 1e9 Pa, static"] = {"mesh": "beam", "young": 1e9, **STATIC}
    out["slender beam 100:1, E 1e9 Pa, static, cholesky"] = {"mesh": "beam", "young": 1e9, "linear": "cholesky", **STATIC}
    out["soft, E 3e4 Pa, static"] = {"young": 3e4, **STATIC}
    out["soft, E 3e4 Pa, static, cholesky"] = {"young": 3e4, "linear": "cholesky", **STATIC}
    out["soft, E 1e3 Pa, h 0.1 s"] = {"young": 1e3, "h": 0.1}
    out["stiff, E 1e11 Pa, h 0.1 s"] = {"young": 1e11, "h": 0.1}
    out["stiff, E 1e11 Pa, static"] = {"young": 1e11, **STATIC}
    out["pressed to half its length, static"] = {"gravity": 0.0, "extra": PULL % ("-2.0", "5.0"), **STATIC}
    out["drawn to three times its length, static"] = {"gravity": 0.0, "extra": PULL % ("8.0", "5.0"), **STATIC}
    out["pressed to half its length in 0.1 s"] = {"gravity": 0.0, "extra": PULL % ("-2.0", "0.1")}
    return out


def write_mesh(folder, kind, scale):
    """bar, beam (100:1), or the bar with nodes moved so that tetrahedra are that fraction of a cell thick."""
    path = os.path.join(folder, f"{kind}.msh")
    if os.path.exists(path):
        return path
    if kind == "beam":
        runs.write_box(path, (200 * scale, 2 * scale, 2 * scale), (10.0, 0.1, 0.1))
        return path
    n = [32 * scale, 4 * scale, 4 * scale]
    if kind == "bar":
        runs.write_box(path, n, (4, 1, 1))
        return path

    def move(i, j, k, x):
        # Every third node, inside, goes down almost onto the one below it.
        inside = 0 < i < n[0] and 0 < j < n[1] and 0 < k < n[2]
        return [x[0], x[1], x[2] - (1 - kind) / n[2]] if inside and (i + j + k) % 3 == 0 else x

    runs.write_box(path, n, (4, 1, 1), move)
    return path


def config(case, folder, scale, linear):
    values = DEFAULT | {"linear": linear} | case
    bodies = conditions = ""
    for number, body in enumerate(values["bodies"]):
        own = values | body
        name = f"b{number}"
        mesh = write_mesh(folder, own["mesh"], scale)
        bodies += BODY.format(**(own | {"name": name, "mesh": mesh, "shift": 2.0 * number}))
        conditions += CLAMP.format(name=name)
    return SCENE.format(**(values | {"bodies": bodies, "conditions": conditions, "duration": values["steps"] * values["h"]}))


def row(name, run, wanted):
    newton = [int(line["newton_iterations"]) for line in run.rows] or [0]
    krylov = run.total("linear_iterations") / max(1, sum(newton))
    jacobian = min((float(line["min_jacobian"]) for line in run.rows), default=float("nan"))
    code = "timeout" if run.code is None else run.code
    return (f"| {name} | {run.unknowns} | {code} | {len(run.rows)}/{wanted} | {sum(newton) / max(1, len(run.rows)):.1f} | {max(newton)} "
            f"| {krylov:.1f} | {jacobian:.3g} | {run.wall:.1f} | {', '.join(runs.remarks(run))} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--linear", choices=["auto", "cg_amg", "cholesky"], default=DEFAULT["linear"])
    parser.add_argument("--timeout", type=float, default=600, help="seconds a case")
    parser.add_argument("--cases", nargs="+", help="those whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    options = parser.parse_args()
    chosen = {name: case for name, case in cases().items()
              if not options.cases or any(part in name for part in options.cases)}
    if options.list:
        print("\n".join(chosen))
        return

    print(f"{datetime.date.today()}, {runs.cpu()}, {options.ranks} ranks\n")
    print("| case | unknowns | exit | steps | Newton a step | largest | CG/Newton | min J | total [s] | log |")
    print("|---" * 10 + "|")
    unfinished = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, case) in enumerate(chosen.items(), 1):
            print(f"{datetime.datetime.now():%H:%M:%S} case {number}/{len(chosen)}: {name}", file=sys.stderr, flush=True)
            scene = config(case, folder, options.scale, options.linear)
            run = runs.run_limber(options.limber, scene, options.ranks, timeout=options.timeout)
            print(row(name, run, (DEFAULT | case)["steps"]), flush=True)
            if run.code != 0:
                unfinished.append(name)
                print("\n".join(f"  {line}" for line in (run.log or run.output).splitlines()[-6:]), file=sys.stderr)
    print(f"\n{len(chosen) - len(unfinished)} of {len(chosen)} cases finished.")
    if unfinished:
        sys.exit("not finished: " + "; ".join(unfinished))


if __name__ == "__main__":
    main()
