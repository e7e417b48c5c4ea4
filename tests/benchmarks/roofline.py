#!/usr/bin/env python3
"""How far assembly is from what memory and arithmetic allow: bytes and operations a tetrahedron, rates, bandwidth reached.

    tests/benchmarks/roofline.py [--limber build/bin/limber] [--kernels build/tests/benchmarks/bench_kernels]
                                 [--tetrahedra 600000] [--ranks 1 2] [--steps 4]

In one call: the triad of bench_kernels (build with -DLIMBER_BENCHMARKS=ON) on as many threads as ranks, its kernels on cached data, and
steps of the cantilever of scaling.py on a structured mesh of linear tetrahedra. Rows are the gradient of the incremental potential
(PETSc's event Gradient) and its exact Hessian into the matrix (HessianAssembly), both with inertia and everything
else that belongs to them:

  flop, B        a tetrahedron: operations of the kernel, counted as it is written (counted.hpp); bytes of the model below
  M/s            million tetrahedra a second and rank
  Gflop/s, GB/s  the product of these, a rank
  of triad       GB/s over those of the triad, a rank: 1 is bound by memory
  of kernel      M/s over those of bench_kernels, scalar positions in the cache to gradient or Hessian in the cache, nothing assembled

The model counts every array once where it is read and once where it is written, as STREAM does: no lines fetched for stores,
no second fetch of nodes or matrix rows that have left the cache. Thus GB/s is a lower bound of the traffic.

A full run takes about 3 minutes on two quiet cores, most of them for the mesh; times of a busy machine mean nothing.
"""
import argparse
import datetime
import json
import subprocess
import sys
import tempfile

import runs

SCENE = """
simulation: {{name: bar, duration: {duration}, time_step: 0.01, gravity: [0, 0, -9.81]}}
bodies:
  - name: bar
    mesh: {{file: {mesh}}}
    material: {{density: 1000, youngs_modulus: 1e5, poissons_ratio: 0.4}}
boundary_conditions:
  - {{name: clamp, body: bar, where: {{plane: {{point: [0, 0, 0], normal: [1, 0, 0]}}}}, type: fixed}}
output: {{every: 1000000, checkpoint_every: 0}}
"""
REAL, INDEX, VECTOR = 8, 4, 24  # bytes: double, LocalIndex, three doubles of a node

# Each reads a batch of ElasticCellsOf: D_m⁻¹ and the volume, μ and λ, four vertices; the Hessian 16 slots, too.
GRADIENT_CELL = 10 * REAL + 2 * REAL + 4 * INDEX
HESSIAN_CELL = GRADIENT_CELL + 16 * INDEX

# The gradient, a node, in units of VECTOR: the iterate from and the residual to PETSc (4); x, the target and their
# difference (3); the mass product of it (2: read, written); the elastic part zeroed (1), x (1), added to (2);
# all of it summed (2 read, 1 written); held components cleared (1).
GRADIENT_NODE = 17 * VECTOR + REAL + 3  # row sums of the mass, held marks
GRADIENT_ENTRY = REAL + INDEX  # of the nodal mass matrix: value, column

# The Hessian, an entry of the nodal sparsity, which is a 3×3 block: zeroed, mass added, cells added (5 × 9 doubles);
# mass, column and slot.
HESSIAN_ENTRY = 45 * REAL + REAL + 2 * INDEX
HESSIAN_NODE = 5 * VECTOR + 3  # the iterate from PETSc, x, lifting and diagonal; held marks


def kernel_rates(program, ranks):
    threads = "|".join(str(r) for r in ranks)
    chosen = (f"^triad/real_time/threads:({threads})$|^count_|^energy_gradient<NativePack>$"
              "|^energy_gradient_hessian<NativePack, Deformation::mixed, false>$")
    done = subprocess.run([program, f"--benchmark_filter={chosen}", "--benchmark_format=json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return {entry["name"]: entry for entry in json.loads(done.stdout)["benchmarks"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--kernels", default="build/tests/benchmarks/bench_kernels")
    parser.add_argument("--tetrahedra", type=int, nargs="+", default=[600000])
    parser.add_argument("--ranks", type=int, nargs="+", choices=[1, 2, 4], default=[1, 2])
    parser.add_argument("--steps", type=int, default=4)
    options = parser.parse_args()

    def progress(text):
        print(f"{datetime.datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)

    progress("kernels and triad")
    rates = kernel_rates(options.kernels, options.ranks)
    operations = {"gradient": rates["count_gradient/iterations:1"]["operations"],
                  "Hessian": rates["count_hessian<false>/iterations:1"]["operations"]}
    cached = {"gradient": rates["energy_gradient<NativePack>"]["items_per_second"],
              "Hessian": rates["energy_gradient_hessian<NativePack, Deformation::mixed, false>"]["items_per_second"]}
    triad = {r: rates[f"triad/real_time/threads:{r}"]["bytes_per_second"] for r in options.ranks}

    print(f"{datetime.date.today()}, {runs.cpu()}. Triad: "
          + ", ".join(f"{triad[r] / 1e9:.1f} GB/s on {r}" for r in options.ranks)
          + f". The projected Hessian takes {rates['count_hessian<true>/iterations:1']['operations']:.0f} operations where it "
            "differs from the exact one.\n")
    print("| tetrahedra | ranks | assembly | flop | B | flop/B | M/s | Gflop/s | GB/s | of triad | of kernel |")
    print("|---" * 11 + "|")
    for wanted in options.tetrahedra:
        n = max(2, round((wanted / 24) ** (1 / 3)))
        with tempfile.TemporaryDirectory() as folder:
            mesh = f"{folder}/bar.msh"
            nodes, tetrahedra = runs.write_box(mesh, (4 * n, n, n), (4, 1, 1))
            # Euler's formula for a ball, nodes − edges + faces − tetrahedra = 1, with faces = (4 tetrahedra + boundary)/2
            boundary = 4 * (2 * 4 * n * n + n * n)
            edges = nodes + tetrahedra + boundary // 2 - 1
            entries = nodes + 2 * edges
            size = {"gradient": GRADIENT_CELL + (nodes * GRADIENT_NODE + entries * GRADIENT_ENTRY) / tetrahedra,
                    "Hessian": HESSIAN_CELL + (nodes * HESSIAN_NODE + entries * HESSIAN_ENTRY) / tetrahedra}
            for ranks in options.ranks:
                progress(f"{tetrahedra} tetrahedra, {ranks} ranks")
                run = runs.run_limber(options.limber, SCENE.format(duration=options.steps * 0.01, mesh=mesh), ranks)
                if run.code != 0:
                    sys.exit(run.output)
                for name, event in (("gradient", "Gradient"), ("Hessian", "HessianAssembly")):
                    calls, seconds = run.events[event]
                    rate = calls * tetrahedra / seconds / ranks
                    print(f"| {tetrahedra} | {ranks} | {name} | {operations[name]:.0f} | {size[name]:.0f} "
                          f"| {operations[name] / size[name]:.2f} | {rate / 1e6:.2f} | {rate * operations[name] / 1e9:.2f} "
                          f"| {rate * size[name] / 1e9:.2f} | {rate * size[name] / (triad[ranks] / ranks):.2f} "
                          f"| {rate / cached[name]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
