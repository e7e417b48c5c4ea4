#!/usr/bin/env python3
"""Writes mooney_rivlin.json: reference numbers of the Mooney–Rivlin energy in the form of materials.json.

Independent of the program's formulas: P and dP/dF are central differences of Ψ in 90 digits with the step 1e-18, and the
projection comes from an eigen-decomposition in 90 digits; all printed digits are right. Needs mpmath.
"""
import json
from pathlib import Path

from mpmath import det, diag, eigsy, mp, mpf, matrix

mp.dps = 90
FOLDER = Path(__file__).resolve().parent
C10, C01, K = 3, 2, 11
STEP = mpf(10) ** -18


def energy(f):
    m = matrix(3, 3)
    for a in range(9):
        m[a % 3, a // 3] = f[a]
    c = m.T * m
    j = det(m)
    i1 = c[0, 0] + c[1, 1] + c[2, 2]
    cc = c * c
    i2 = (i1**2 - cc[0, 0] - cc[1, 1] - cc[2, 2]) / 2
    root = mp.cbrt(j)
    return C10 * (i1 / root**2 - 3) + C01 * (i2 / root**4 - 3) + mpf(K) / 2 * (j - 1) ** 2


def moved(f, *steps):
    g = list(f)
    for a, step in steps:
        g[a] += step
    return g


def derivatives(f):
    h = STEP
    gradient = [(energy(moved(f, (a, h))) - energy(moved(f, (a, -h)))) / (2 * h) for a in range(9)]
    hessian = matrix(9, 9)
    for a in range(9):
        for b in range(a, 9):
            total = (energy(moved(f, (a, h), (b, h))) - energy(moved(f, (a, h), (b, -h)))
                     - energy(moved(f, (a, -h), (b, h))) + energy(moved(f, (a, -h), (b, -h))))
            hessian[a, b] = hessian[b, a] = total / (4 * h * h)
    return gradient, hessian


def rows(m, n):
    # Differences leave 1e-36 where the number is zero.
    return [[float(m[i, j]) if abs(m[i, j]) > mpf(10) ** -25 else 0.0 for j in range(n)] for i in range(n)]


def main():
    deformations = json.loads((FOLDER / "materials.json").read_text())["setup"]["F"]
    values = {}
    for name, f_rows in deformations.items():
        f = [mpf(repr(f_rows[a % 3][a // 3])) for a in range(9)]
        m = matrix([[f[i + 3 * j] for j in range(3)] for i in range(3)])
        if det(m) <= 0:
            continue
        gradient, hessian = derivatives(f)
        p = matrix([[gradient[i + 3 * j] for j in range(3)] for i in range(3)])
        eigenvalues, vectors = eigsy(hessian)
        lifted = vectors * diag([max(e, mpf(0)) for e in eigenvalues]) * vectors.T
        values[name] = {"Psi": float(energy(f)), "P": rows(p, 3), "dPdF": rows(hessian, 9), "psd": rows(lifted, 9)}
    result = {
        "setup": {"title": "Mooney-Rivlin: Psi, P, dP/dF, projected dP/dF",
                  "formula": "C10 (J^(-2/3) I1 - 3) + C01 (J^(-4/3) I2 - 3) + K/2 (J-1)^2",
                  "vec": "column-major, as materials.json",
                  "parameters": {"C10": C10, "C01": C01, "K": K}, "method": __doc__.strip(),
                  "F": {name: deformations[name] for name in values}},
        "materials": {"mooney_rivlin": {"values": values}},
    }
    (FOLDER / "mooney_rivlin.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
