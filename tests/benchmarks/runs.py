"""What the benchmark scripts share: structured meshes, runs of limber and what comes out of them, facts of the machine."""
import csv
import itertools
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, field


def environment():
    """The environment of a run: MPI as root, more ranks than cores, one thread a rank. Values that are set are kept."""
    defaults = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if os.geteuid() == 0:
        defaults |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return defaults | os.environ


def cpu():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    return f"{model.group(1) if model else 'unknown CPU'}, {os.cpu_count()} cores"


def write_box(path, counts, lengths, move=None):
    """Writes a box from the origin as a Gmsh file (version 2.2): counts[0]×counts[1]×counts[2] cells of 6 tetrahedra.

    move(i, j, k, x) may return another place for the node (i, j, k) at x. Returns (nodes, tetrahedra).
    """
    nx, ny, nz = counts

    def node(i, j, k):
        return (k * (ny + 1) + j) * (nx + 1) + i + 1

    corners = []  # Kuhn's six paths from corner 000 to corner 111, those of odd permutations turned
    for order in itertools.permutations(range(3)):
        path_corners, corner = [(0, 0, 0)], [0, 0, 0]
        for axis in order:
            corner[axis] = 1
            path_corners.append(tuple(corner))
        odd = sum(order[a] > order[b] for a in range(3) for b in range(a + 1, 3)) % 2
        if odd:
            path_corners[2], path_corners[3] = path_corners[3], path_corners[2]
        corners.append(path_corners)
    nodes, tetrahedra = (nx + 1) * (ny + 1) * (nz + 1), 6 * nx * ny * nz
    with open(path, "w") as file:
        file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{nodes}\n")
        for k, j, i in itertools.product(range(nz + 1), range(ny + 1), range(nx + 1)):
            x = [n * length / count for n, length, count in zip((i, j, k), lengths, counts)]
            x = move(i, j, k, x) if move else x
            file.write(f"{node(i, j, k)} {x[0]:.17g} {x[1]:.17g} {x[2]:.17g}\n")
        file.write(f"$EndNodes\n$Elements\n{tetrahedra}\n")
        number = 0
        for k, j, i in itertools.product(range(nz), range(ny), range(nx)):
            for path_corners in corners:
                number += 1
                vertices = " ".join(str(node(i + a, j + b, k + c)) for a, b, c in path_corners)
                file.write(f"{number} 4 2 1 1 {vertices}\n")
        file.write("$EndElements\n")
    return nodes, tetrahedra


@dataclass
class Run:
    """A finished run of limber. Times are wall times [s], of events and stages the largest over the ranks."""
    code: int  # exit code; None where it ran out of time
    wall: float
    output: str
    log: str = ""
    rows: list = field(default_factory=list)  # statistics.csv without row 0
    probes: list = field(default_factory=list)  # probes.csv without row 0
    peaks: list = field(default_factory=list)  # peak resident memory of every rank [bytes]
    events: dict = field(default_factory=dict)  # name: (count, seconds) over all stages, PETSc's log
    stages: dict = field(default_factory=dict)  # name: seconds, those of inner stages not included
    nodes: int = 0
    tetrahedra: int = 0
    unknowns: int = 0

    def total(self, column):
        return sum(int(row[column] or 0) for row in self.rows)

    def step_seconds(self):
        return [float(row["step_seconds"]) for row in self.rows]


def _table(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [row for row in csv.DictReader(file) if row["step"] != "0"]


def _read_petsc_log(path, run):
    if not os.path.exists(path):
        return
    count, seconds = {}, {}
    with open(path) as file:
        next(file, None)
        for line in file:
            stage, event, rank, calls, duration = line.split(",")[:5]
            if event == "summary":
                run.stages[stage] = max(run.stages.get(stage, 0.0), float(duration))
            elif int(calls) > 0:
                key = (event, rank)
                count[key] = count.get(key, 0) + int(calls)
                seconds[key] = seconds.get(key, 0.0) + float(duration)
    for (event, rank), calls in count.items():
        before = run.events.get(event, (0, 0.0))
        run.events[event] = (max(before[0], calls), max(before[1], seconds[event, rank]))


def run_limber(limber, config, ranks=1, petsc_options=(), timeout=None):
    """Runs limber on the text of a configuration, in a folder of its own that is gone afterwards."""
    limber = os.path.abspath(limber)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scene.yaml"), "w") as file:
            file.write(config)
        petsc_log = os.path.join(folder, "petsc.csv")
        command = ["mpirun", "-n", str(ranks), "/usr/bin/time", "--append", "--output", "peaks.txt", "-f", "%M", limber, "run",
                   "scene.yaml", "--quiet", "--output", "out", "--", "-log_view", f":{petsc_log}:ascii_csv", *petsc_options]
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment(), text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        try:
            output, _ = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.terminate()  # mpirun hands it on; killed outright it would leave its ranks behind
            output, _ = process.communicate()
            code = None
        run = Run(code, time.perf_counter() - start, output)
        peaks = os.path.join(folder, "peaks.txt")  # GNU time also says there when a program fails
        if os.path.exists(peaks):
            with open(peaks) as file:
                run.peaks = [int(line) * 1024 for line in file if line.strip().isdigit()]
        run.rows = _table(os.path.join(folder, "out", "statistics.csv"))
        run.probes = _table(os.path.join(folder, "out", "probes.csv"))
        _read_petsc_log(petsc_log, run)
        log = os.path.join(folder, "out", "log.txt")
        if os.path.exists(log):
            with open(log) as file:
                run.log = file.read()
        counts = re.search(r"(\d+) nodes, (\d+) tetrahedra, (\d+) unknowns", run.log)
        if counts:
            run.nodes, run.tetrahedra, run.unknowns = map(int, counts.groups())
        return run


REMARKS = [  # words of the log: what they are called here
    (r"step \d+ of \S+ s failed", "halved step"),
    (r"; falling back", "CG with Jacobi"),
    (r"trying Cholesky", "Cholesky as last resort"),
    (r"gave up at", "gave up"),
]


def remarks(run):
    """What the log mentions beside successful steps: fallbacks of the linear solver, halved steps, other warnings."""
    found = []
    for pattern, name in REMARKS:
        times = len(re.findall(pattern, run.log))
        if times:
            found.append(f"{name} {times}×")
    others = sum("warning:" in line and not any(re.search(p, line) for p, _ in REMARKS) for line in run.log.splitlines())
    if others:
        found.append(f"other warnings {others}×")
    return found
