"""Writes small time series in limber's output format, for the tests of the scripts."""
import itertools
from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import VTK_QUADRATIC_TETRA, VTK_TETRA, vtkCellArray, vtkUnstructuredGrid
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

CELLS = (4, 1, 1)  # cubes of 0.25 m along x, y, z


def bar():
    """Nodes (n, 3) and tetrahedra (m, 4) of a bar; six tetrahedra a cube along its diagonals, positive volumes."""
    nx, ny, nz = (n + 1 for n in CELLS)
    points = 0.25 * np.array(list(itertools.product(range(nx), range(ny), range(nz))), dtype=float)
    tetrahedra = []
    for cube in itertools.product(*(range(n) for n in CELLS)):
        for order in itertools.permutations(range(3)):
            corner = list(cube)
            corners = [tuple(corner)]
            for axis in order:
                corner[axis] += 1
                corners.append(tuple(corner))
            cell = [(i * ny + j) * nz + k for i, j, k in corners]
            edges = points[cell[1:]] - points[cell[0]]
            if np.linalg.det(edges) < 0:
                cell[2], cell[3] = cell[3], cell[2]
            tetrahedra.append(cell)
    return points, np.array(tetrahedra)


def quadratic_bar():
    """The same with a node in the middle of every edge; tetrahedra (m, 10) in the order of VTK_QUADRATIC_TETRA."""
    points, tetrahedra = bar()
    ends = tetrahedra[:, [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]]]
    edges, which = np.unique(np.sort(ends, axis=2).reshape(-1, 2), axis=0, return_inverse=True)
    middles = points[edges].mean(axis=1)
    return np.vstack([points, middles]), np.hstack([tetrahedra, len(points) + which.reshape(-1, 6)])


def bend(points, time):
    """A smooth deformation, identity at time 0, with det F = 1 + 0.1 time everywhere."""
    moved = points.copy()
    moved[:, 0] *= 1.0 + 0.1 * time
    moved[:, 2] += 0.2 * time * points[:, 0] ** 2
    return moved


def write_piece(path, positions, rest, tetrahedra, element_ids, rank):
    nodes = np.unique(tetrahedra)
    local = np.searchsorted(nodes, tetrahedra)
    grid = vtkUnstructuredGrid()
    points = vtkPoints()
    points.SetData(numpy_to_vtk(positions[nodes], deep=True))
    grid.SetPoints(points)
    cells = vtkCellArray()
    width = local.shape[1]
    cells.SetData(numpy_to_vtkIdTypeArray(width * np.arange(len(local) + 1), deep=True),
                  numpy_to_vtkIdTypeArray(local.ravel().astype(np.int64), deep=True))
    grid.SetCells(VTK_TETRA if width == 4 else VTK_QUADRATIC_TETRA, cells)
    displacement = positions[nodes] - rest[nodes]
    stress = 1e4 * np.linalg.norm((positions - rest)[tetrahedra].mean(axis=1), axis=1)
    for data, name, values in ((grid.GetPointData(), "displacement", displacement),
                               (grid.GetPointData(), "node_id", nodes.astype(np.int64)),
                               (grid.GetCellData(), "von_mises", stress),
                               (grid.GetCellData(), "element_id", element_ids.astype(np.int64)),
                               (grid.GetCellData(), "rank", np.full(len(local), rank, dtype=np.int32))):
        array = numpy_to_vtk(values, deep=True)
        array.SetName(name)
        data.AddArray(array)
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(grid)
    writer.Write()


PVTU = """<?xml version="1.0"?>
<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PUnstructuredGrid GhostLevel="0">
<PPointData><PDataArray type="Float64" Name="displacement" NumberOfComponents="3"/>
<PDataArray type="Int64" Name="node_id"/></PPointData>
<PCellData><PDataArray type="Float64" Name="von_mises"/><PDataArray type="Int64" Name="element_id"/>
<PDataArray type="Int32" Name="rank"/></PCellData>
<PPoints><PDataArray type="Float64" NumberOfComponents="3"/></PPoints>
{pieces}
</PUnstructuredGrid></VTKFile>
"""


def write_series(folder, times=(0.0, 0.5, 1.0), ranks=2, change=None, times_written=None, order=1):
    """Writes a bar that bends; returns the .pvd file.

    change(frame, rank, positions, rest, tetrahedra, element_ids) may alter a piece's arrays (copies) in place, or
    return (tetrahedra, element_ids) to take their place.
    """
    folder = Path(folder)
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    rest, tetrahedra = bar() if order == 1 else quadratic_bar()
    entries = []
    for frame, time in enumerate(times):
        pieces = []
        for rank, owned in enumerate(np.array_split(np.arange(len(tetrahedra)), ranks)):
            positions, piece_rest = bend(rest, time), rest.copy()
            cells, ids = tetrahedra[owned].copy(), owned.copy()
            if change and (replaced := change(frame, rank, positions, piece_rest, cells, ids)):
                cells, ids = replaced
            name = f"bar_{frame:06d}_{rank:04d}.vtu"
            write_piece(folder / "frames" / name, positions, piece_rest, cells, ids, rank)
            pieces.append(f'<Piece Source="{name}"/>')
        (folder / "frames" / f"bar_{frame:06d}.pvtu").write_text(PVTU.format(pieces="\n".join(pieces)))
        written = (times_written or times)[frame]
        entries.append(f'<DataSet timestep="{written!r}" group="" part="0" file="frames/bar_{frame:06d}.pvtu"/>')
    pvd = folder / "bar.pvd"
    pvd.write_text('<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n<Collection>\n'
                   + "\n".join(entries) + "\n</Collection></VTKFile>\n")
    return pvd


STATISTICS_HEADER = (
    "step,time,time_step,newton_iterations,linear_iterations,line_search_evaluations,residual,kinetic_energy,"
    "elastic_energy,gravity_energy,contact_energy,friction_energy,total_energy,momentum_x,momentum_y,momentum_z,"
    "angular_momentum_x,angular_momentum_y,angular_momentum_z,contact_pairs,min_distance,min_jacobian,step_seconds")


def write_statistics(folder, steps=20, step_seconds=0.1, elastic=1.0):
    """A statistics.csv with empty cells where a value has no meaning; step 0 has no iterations."""
    lines = [STATISTICS_HEADER]
    for step in range(steps + 1):
        time = 0.05 * step
        iterations = ",,,," if step == 0 else f"0.05,{3 + step % 2},{40 + step},5,"
        iterations += "" if step == 0 else "1e-5"
        lines.append(f"{step},{time!r},{iterations},{time * time},{elastic * time},{-time},,,{time * time},"
                     f"{time},0,{-2 * time},0,{time},0,,,{1.0 - 0.01 * step},{step_seconds * (1 + step % 3)}")
    path = Path(folder) / "statistics.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
