#!/usr/bin/env python3
"""The cantilever of compare_dolfinx.py in dolfinx 0.5: steps of backward Euler from rest, and assembly alone.

    mpirun -n 2 /usr/bin/python3 tests/benchmarks/dolfinx_bar.py MESH.msh RESULT.json --steps 4 [...]

P1 tetrahedra, Ψ = μ/2 (tr FᵀF − 3) − μ ln J + λ/2 ln²J, consistent mass, forms compiled with -O3 -march=native and one
quadrature point for the strain energy, which is constant in a cell. Newton's method with full steps stops when
‖p‖∞/h is within the tolerance, and starts from u + h v, both as in limber. CG with GAMG, rigid-body modes as near null
space, the true residual as measure, GAMG set as in limber. A variant is how exactly the linear systems are solved:

  1e-8, 1e-5   to that relative residual
  forcing      as exactly as limber does it, with Eisenstat and Walker's forcing terms
  kept         the same, with the multigrid of the first system for all

It needs Debian's python3-dolfinx (real PETSc build).
"""
import argparse
import json
import resource
import time

import basix
import dolfinx
import numpy as np
import ufl
from dolfinx import fem
from dolfinx.fem import petsc as fem_petsc
from mpi4py import MPI
from petsc4py import PETSc

COMM = MPI.COMM_WORLD
DENSITY, YOUNG, POISSON, GRAVITY = 1000.0, 1e5, 0.4, (0.0, 0.0, -9.81)
VARIANTS = {"1e-8": (1e-8, False), "1e-5": (1e-5, False), "forcing": (None, False), "kept": (None, True)}


def read_mesh(path):
    """Nodes and tetrahedra of a mesh that runs.py has written; read on rank 0, distributed by dolfinx."""
    if COMM.rank == 0:
        with open(path) as file:
            sections = file.read().split("$")
        nodes = next(s for s in sections if s.startswith("Nodes")).split("\n", 2)[2]
        cells = next(s for s in sections if s.startswith("Elements")).split("\n", 2)[2]
        x = np.fromstring(nodes, sep=" ").reshape(-1, 4)[:, 1:]
        cells = np.fromstring(cells, sep=" ", dtype=np.int64).reshape(-1, 9)[:, 5:] - 1
    else:
        x, cells = np.empty((0, 3)), np.empty((0, 4), dtype=np.int64)
    domain = ufl.Mesh(ufl.VectorElement("Lagrange", "tetrahedron", 1))
    return dolfinx.mesh.create_mesh(COMM, np.ascontiguousarray(cells), np.ascontiguousarray(x), domain,
                                    dolfinx.mesh.GhostMode.none)


def timed(work):
    COMM.Barrier()
    start = time.perf_counter()
    work()
    return COMM.allreduce(time.perf_counter() - start, op=MPI.MAX)


class Bar:
    def __init__(self, mesh, h):
        self.h = h
        self.V = fem.VectorFunctionSpace(mesh, ("Lagrange", 1))
        self.u, self.u_t0, self.v, self.target = (fem.Function(self.V) for _ in range(4))
        mu, lam = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        F = ufl.Identity(3) + ufl.grad(self.u)
        log_J = ufl.ln(ufl.det(F))
        psi = mu / 2 * (ufl.tr(F.T * F) - 3) - mu * log_J + lam / 2 * log_J**2
        offset = self.u - self.target
        constant, quadratic = (ufl.dx(metadata={"quadrature_degree": degree}) for degree in (1, 2))
        potential = (psi * constant + DENSITY / (2 * h**2) * ufl.inner(offset, offset) * quadratic
                     - DENSITY * ufl.inner(ufl.as_vector(GRAVITY), self.u) * constant)
        gradient = ufl.derivative(potential, self.u)
        jit = {"cffi_extra_compile_args": ["-O3", "-march=native"]}
        self.residual_form = fem.form(gradient, jit_params=jit)
        self.jacobian_form = fem.form(ufl.derivative(gradient, self.u), jit_params=jit)
        held = fem.locate_dofs_geometrical(self.V, lambda x: np.isclose(x[0], 0.0))
        self.bcs = [fem.dirichletbc(np.zeros(3), held, self.V)]
        self.A = fem_petsc.create_matrix(self.jacobian_form)
        self.b = fem_petsc.create_vector(self.residual_form)
        self.p = self.b.duplicate()
        self.set_near_null_space()

    def set_near_null_space(self):
        coordinates = self.A.createVecRight()
        coordinates.setBlockSize(3)
        owned = self.V.dofmap.index_map.size_local
        coordinates.array[:] = self.V.tabulate_dof_coordinates()[:owned].ravel()
        self.A.setNearNullSpace(PETSc.NullSpace().createRigidBody(coordinates))

    def residual(self):
        with self.b.localForm() as local:
            local.set(0.0)
        fem_petsc.assemble_vector(self.b, self.residual_form)
        self.b.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
        fem_petsc.set_bc(self.b, self.bcs, self.u.vector, -1.0)  # u is 0 there, so that no lifting is needed

    def jacobian(self):
        self.A.zeroEntries()
        fem_petsc.assemble_matrix(self.A, self.jacobian_form, self.bcs)
        self.A.assemble()

    def start(self, kept):
        """From rest, with a fresh linear solver."""
        for f in (self.u, self.u_t0, self.v, self.target):
            f.x.array[:] = 0.0
        self.ksp = PETSc.KSP().create(COMM)
        self.ksp.setType("cg")
        self.ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
        self.ksp.getPC().setType("gamg")
        self.ksp.setFromOptions()
        self.ksp.setOperators(self.A)
        self.kept = kept

    def step(self, rtol, tolerance, max_iterations=50):
        """One step; returns (Newton iterations, Krylov iterations)."""
        self.target.x.array[:] = self.u_t0.x.array + self.h * self.v.x.array
        self.u.x.array[:] = self.target.x.array
        krylov, raw, last_norm = 0, 0.0, 0.0
        for newton in range(1, max_iterations + 1):
            self.residual()
            self.jacobian()
            norm = self.b.norm()
            relative = rtol
            if rtol is None:  # as NewtonSolver::forcing_term
                ratio = norm / last_norm if last_norm > 0.0 else 0.0
                relative = 1e-3
                if ratio > 0.0 and raw > 0.0:
                    relative = min(0.1, max(1e-5, 0.9 * ratio**2, 0.1 * tolerance * self.h / (raw * ratio)))
            last_norm = norm
            self.ksp.setTolerances(rtol=relative, atol=1e-50, max_it=1000)
            self.ksp.solve(self.b, self.p)
            if self.kept:
                self.ksp.getPC().setReusePreconditioner(True)
            if self.ksp.getConvergedReason() <= 0:
                raise RuntimeError(f"CG: reason {self.ksp.getConvergedReason()}")
            krylov += self.ksp.getIterationNumber()
            self.u.vector.axpy(-1.0, self.p)
            self.u.x.scatter_forward()
            raw = self.p.norm(PETSc.NormType.INFINITY)
            if raw / self.h <= tolerance:
                break
        else:
            raise RuntimeError("no convergence")
        self.v.x.array[:] = (self.u.x.array - self.u_t0.x.array) / self.h
        self.u_t0.x.array[:] = self.u.x.array
        return newton, krylov

    def displacement(self, point):
        """Displacement of the node at the point."""
        x = self.V.tabulate_dof_coordinates()[:self.V.dofmap.index_map.size_local]
        distance = np.linalg.norm(x - point, axis=1)
        place = int(np.argmin(distance)) if len(distance) else 0
        mine = (float(distance[place]) if len(distance) else np.inf, self.u.x.array[3 * place:3 * place + 3].tolist())
        return min(COMM.allgather(mine))[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh")
    parser.add_argument("result")
    parser.add_argument("--time-step", type=float, default=0.01)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--repeat", type=int, default=5, help="assemblies that are timed")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--point", type=float, nargs=3, action="append", default=[], help="where displacements are wanted")
    options = parser.parse_args()

    for name, value in {"pc_gamg_reuse_interpolation": 0, "pc_gamg_esteig_ksp_type": "gmres",
                        "mg_levels_ksp_type": "chebyshev", "mg_levels_pc_type": "jacobi"}.items():
        PETSc.Options()[name] = value
    if COMM.size > 1:
        PETSc.Options()["matptap_via"] = "backend"

    bar = Bar(read_mesh(options.mesh), options.time_step)
    result = {"dolfinx": dolfinx.__version__, "petsc": ".".join(map(str, PETSc.Sys.getVersion())), "basix":
              basix.__version__, "unknowns": 3 * bar.V.dofmap.index_map.size_global, "variants": {}}
    for name in options.variants:
        rtol, kept = VARIANTS[name]
        bar.start(kept)
        seconds, newton, krylov = [], [], []
        for _ in range(options.steps):
            counts = []
            seconds.append(timed(lambda: counts.extend(bar.step(rtol, options.tolerance))))
            newton.append(counts[0])
            krylov.append(counts[1])
        result["variants"][name] = {"step": seconds, "newton": newton, "krylov": krylov,
                                    "displacement": [bar.displacement(point) for point in options.point]}
    result["residual"] = [timed(bar.residual) for _ in range(options.repeat)]
    result["jacobian"] = [timed(bar.jacobian) for _ in range(options.repeat)]
    result["peak"] = COMM.allreduce(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    if COMM.rank == 0:
        with open(options.result, "w") as file:
            json.dump(result, file)


if __name__ == "__main__":
    main()
