#!/usr/bin/env python3
"""Writes membrane_materials.json: strain energy densities of surfaces (F is 3×2) to 15 digits, by differences of Ψ in
80-digit arithmetic and a numerical eigen-decomposition; independent of the closed forms of the program."""
import json
from pathlib import Path

from mpmath import diag, eigsy, log, matrix, mp, mpf, sqrt

mp.dps = 80
MU, LAMBDA = mpf(3), mpf(7)
STEP = mpf(10) ** -20

DEFORMATIONS = {
    "rest": [[1, 0], [0, 1], [0, 0]],
    "turned in the plane": [[0.8, -0.6], [0.6, 0.8], [0, 0]],
    "turned in space": [[0.78163917, -0.48292928], [0.55011723, 0.83203013], [-0.29395788, 0.27295634]],
    "plane": [[1.2, 0.7], [-0.3, 0.6], [0, 0]],
    "space": [[1.1, 0.3], [0.15, 0.8], [-0.25, 0.1]],
    "stretched": [[2.4, -0.24], [1.8, 0.32], [0.1, 0.7]],
    "compressed": [[0.5, 0.1], [-0.2, 0.4], [0.3, -0.1]],
    "one way": [[1.3, 0.05], [0.1, 0.6], [0.2, -0.1]],
    "nearly collapsed": [[1.1, 0.02], [0.3, 0.01], [-0.2, 0.008]],
}


def invariants(f):
    """Trace and determinant of FᵀF."""
    c = f.T * f
    return c[0, 0] + c[1, 1], c[0, 0] * c[1, 1] - c[0, 1] ** 2


def neo_hookean(f):
    trace, determinant = invariants(f)
    return MU / 2 * (trace - 2) - MU / 2 * log(determinant) + LAMBDA / 8 * log(determinant) ** 2


def st_venant_kirchhoff(f):
    strain = (f.T * f - diag([1, 1])) / 2
    trace = strain[0, 0] + strain[1, 1]
    return MU * sum(strain[i, j] ** 2 for i in range(2) for j in range(2)) + LAMBDA / 2 * trace**2


def arap(f):
    """Σ (s − 1)² with the sum of the stretches √(tr + 2 √det)."""
    trace, determinant = invariants(f)
    return MU * (trace + 2 - 2 * sqrt(trace + 2 * sqrt(determinant)))


def moved(f, *changes):
    g = f.copy()
    for index, change in changes:
        g[index % 3, index // 3] += change
    return g


def derivatives(psi, f):
    first, second = [], matrix(6, 6)
    for a in range(6):
        first.append((psi(moved(f, (a, STEP))) - psi(moved(f, (a, -STEP)))) / (2 * STEP))
        for b in range(6):
            second[a, b] = (psi(moved(f, (a, STEP), (b, STEP))) - psi(moved(f, (a, STEP), (b, -STEP)))
                            - psi(moved(f, (a, -STEP), (b, STEP))) + psi(moved(f, (a, -STEP), (b, -STEP)))) / (4 * STEP**2)
    return first, second


def projection(c):
    values, vectors = eigsy(c)
    return vectors * diag([max(value, 0) for value in values]) * vectors.T


def number(x):
    return 0.0 if abs(x) < mpf(10) ** -25 else float(x)


def rows(m):
    return [[number(m[i, j]) for j in range(m.cols)] for i in range(m.rows)]


def main():
    data = {"parameters": {"mu": 3, "lambda": 7},
            "vec": "column-major, index(i, j) = i + 3 j; F and P are nested rows", "F": DEFORMATIONS, "materials": {}}
    for psi in (neo_hookean, st_venant_kirchhoff, arap):
        values = {}
        for name, entries in DEFORMATIONS.items():
            f = matrix(entries)
            first, second = derivatives(psi, f)
            values[name] = {"Psi": number(psi(f)), "P": [[number(first[i + 3 * j]) for j in range(2)] for i in range(3)],
                            "dPdF": rows(second), "psd": rows(projection(second))}
        data["materials"][psi.__name__] = values
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
