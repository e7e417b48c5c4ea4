#!/usr/bin/python3
"""Plots statistics.csv: energies, momenta, iterations, smallest det F and distance, wall time.

  plot.py STATISTICS.csv|DIR [--out plot.png]
"""
import argparse
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)
import numpy as np  # noqa: E402

# Title, unit of the vertical axis, columns.
PANELS = [
    ("energy", "J", ["kinetic_energy", "elastic_energy", "gravity_energy", "contact_energy", "friction_energy",
                     "total_energy"]),
    ("momentum", "kg m/s", ["momentum_x", "momentum_y", "momentum_z"]),
    ("angular momentum", "kg m²/s", ["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"]),
    ("iterations a step", "", ["newton_iterations", "linear_iterations", "line_search_evaluations"]),
    ("smallest det F", "", ["min_jacobian"]),
    ("smallest distance", "m", ["min_distance"]),
    ("wall time a step", "s", ["step_seconds"]),
]


def read_columns(path):
    """Column name to numbers; an empty cell is NaN."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if len(rows) < 2:
        raise ValueError("there are no rows")
    header = rows[0]
    if "time" not in header:
        raise ValueError("there is no column time")
    complete = [row for row in rows[1:] if len(row) == len(header)]  # the last one may be half written
    table = np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in complete])
    return dict(zip(header, table.T.reshape(len(header), -1)))


def draw_panel(axes, title, unit, names, columns):
    time = columns["time"]
    for name in names:
        # Steps without movement may hold one row only: a marker keeps it visible.
        axes.plot(time, columns[name], label=name.replace("_", " "), marker="." if len(time) < 40 else None, linewidth=1.2)
    if title == "iterations a step":
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("time [s]", fontsize=8)
    axes.set_ylabel(f"[{unit}]" if unit else "", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)
    if len(names) > 1:
        axes.legend(fontsize=7)


def plot(columns, path, name):
    """Panels without a single value are left out."""
    panels = []
    for title, unit, names in PANELS:
        present = [column for column in names if column in columns and np.isfinite(columns[column]).any()]
        if present:
            panels.append((title, unit, present))
    if not panels:
        raise ValueError("none of the known columns holds a value")
    width = 2 if len(panels) < 5 else 3
    height = -(-len(panels) // width)
    figure, grid = plt.subplots(height, width, figsize=(4.6 * width, 3.2 * height), squeeze=False)
    for axes, panel in zip(grid.flat, panels):
        draw_panel(axes, *panel, columns)
    for axes in grid.flat[len(panels):]:
        axes.set_axis_off()
    figure.suptitle(name, fontsize=11)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description="Plots statistics.csv.")
    parser.add_argument("statistics", type=Path, help="statistics.csv, or the folder that holds it")
    parser.add_argument("--out", type=Path, help="picture (default: statistics.png beside the file)")
    arguments = parser.parse_args()
    path = arguments.statistics / "statistics.csv" if arguments.statistics.is_dir() else arguments.statistics
    out = arguments.out or path.with_suffix(".png")
    try:
        plot(read_columns(path), out, path.resolve().parent.name)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
