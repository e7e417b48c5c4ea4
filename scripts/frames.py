"""Reads the VTU time series that limber writes: the .pvd file, its .pvtu frames and their pieces."""
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import numpy as np

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import VTK_QUADRATIC_TETRA, VTK_TETRA
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError:
    sys.exit("The Python package vtk is missing for this interpreter; on Debian use /usr/bin/python3 with python3-vtk9.")


class SeriesError(Exception):
    """A file is missing, broken, or not what the format says."""


@dataclass
class Frame:
    """One entry of the .pvd file."""
    time: float  # [s]
    path: Path  # .pvtu, or a single .vtu

    def pieces(self):
        """Paths of the .vtu pieces."""
        if self.path.suffix == ".vtu":
            return [self.path]
        found = [self.path.parent / piece.attrib["Source"] for piece in parse(self.path).iter("Piece")]
        if not found:
            raise SeriesError(f"{self.path}: names no pieces")
        for piece in found:
            if not piece.is_file():
                raise SeriesError(f"{self.path}: the piece {piece} is missing")
        return found


@dataclass
class Piece:
    """What one .vtu file holds."""
    path: Path
    points: np.ndarray  # (points, 3) current positions [m]
    tetrahedra: np.ndarray  # (linear tetrahedra, 4) indices into points
    tetrahedron_cells: np.ndarray  # cell index of each linear tetrahedron
    quadratic: np.ndarray  # (quadratic tetrahedra, 10) indices into points, in the order of VTK_QUADRATIC_TETRA
    quadratic_cells: np.ndarray  # cell index of each quadratic tetrahedron
    cell_count: int
    point_data: dict
    cell_data: dict

    def point_array(self, name):
        if name not in self.point_data:
            raise SeriesError(f"{self.path}: the point data {name} is missing")
        return self.point_data[name]

    def cell_array(self, name):
        if name not in self.cell_data:
            raise SeriesError(f"{self.path}: the cell data {name} is missing")
        return self.cell_data[name]


def parse(path):
    if not path.is_file():
        raise SeriesError(f"{path} is missing")
    try:
        return ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise SeriesError(f"{path} is not XML: {error}") from error


def find_pvd(path):
    """The .pvd file itself, or the only one in a folder."""
    path = Path(path)
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.pvd"))
    if len(found) != 1:
        raise SeriesError(f"{path}: holds {len(found)} .pvd files; name one")
    return found[0]


def read_series(path):
    """The frames of a .pvd file, in its order."""
    pvd = find_pvd(path)
    frames = []
    for entry in parse(pvd).iter("DataSet"):
        try:
            frames.append(Frame(float(entry.attrib["timestep"]), pvd.parent / entry.attrib["file"]))
        except (KeyError, ValueError) as error:
            raise SeriesError(f"{pvd}: a DataSet without a proper timestep and file") from error
    if not frames:
        raise SeriesError(f"{pvd}: holds no frames")
    return frames


def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())
            if data.GetArray(i) is not None}


def cells_of_type(grid, kind, width):
    """Point indices (cells, width) and cell indices of the cells of one type."""
    if not grid.GetNumberOfCells():
        return np.empty((0, width), dtype=int), np.empty(0, dtype=int)
    offsets = vtk_to_numpy(grid.GetCells().GetOffsetsArray())
    connectivity = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    cells = np.flatnonzero(vtk_to_numpy(grid.GetCellTypesArray()) == kind)
    return connectivity[offsets[cells][:, None] + np.arange(width)], cells


def read_piece(path):
    reader = vtkXMLUnstructuredGridReader()
    if not reader.CanReadFile(str(path)):
        raise SeriesError(f"{path} is not a readable .vtu file")
    reader.SetFileName(str(path))
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(1))
    reader.Update()
    if errors or reader.GetErrorCode():
        raise SeriesError(f"{path} is broken")
    grid = reader.GetOutput()
    points = np.empty((0, 3))
    linear, quadratic = cells_of_type(grid, VTK_TETRA, 4), cells_of_type(grid, VTK_QUADRATIC_TETRA, 10)
    if grid.GetNumberOfPoints():
        points = vtk_to_numpy(grid.GetPoints().GetData())
    return Piece(path, points, *linear, *quadratic, grid.GetNumberOfCells(), arrays(grid.GetPointData()),
                 arrays(grid.GetCellData()))


def merge_sorted(pieces, kind, names, ids):
    """Arrays of all pieces in the order of their ids, one row an id: points lie in several pieces."""
    all_ids = np.concatenate([getattr(piece, kind + "_array")(ids) for piece in pieces])
    unique, first = np.unique(all_ids, return_index=True)
    merged = {name: np.concatenate([getattr(piece, kind + "_array")(name) for piece in pieces])[first] for name in names}
    return unique, merged, first


def read_surface(frame, field):
    """The outer surface of a frame with `field` as its scalars (vectors by magnitude).

    Returns the surface, the range of the field and the box (x low, x high, y low, ...).
    """
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkFiltersGeometry import vtkDataSetSurfaceFilter
    from vtkmodules.vtkIOXML import vtkXMLPUnstructuredGridReader

    frame.pieces()  # refuses missing pieces, which the reader would skip
    reader = vtkXMLUnstructuredGridReader() if frame.path.suffix == ".vtu" else vtkXMLPUnstructuredGridReader()
    reader.SetFileName(str(frame.path))
    skin = vtkDataSetSurfaceFilter()
    skin.SetInputConnection(reader.GetOutputPort())
    skin.Update()
    surface = skin.GetOutput()
    for data in (surface.GetPointData(), surface.GetCellData()):
        array = data.GetArray(field)
        data.SetActiveScalars(None)
        if array is None:
            continue
        values = vtk_to_numpy(array).astype(float)
        if values.ndim == 2:
            values = np.linalg.norm(values, axis=1)
        scalars = numpy_to_vtk(values, deep=True)
        scalars.SetName("limber_scalars")
        data.SetScalars(scalars)
        if data is not surface.GetPointData():
            surface.GetPointData().SetActiveScalars(None)
        return surface, (values.min(initial=np.inf), values.max(initial=-np.inf)), surface.GetBounds()
    names = [*arrays(surface.GetPointData()), *arrays(surface.GetCellData())]
    raise SeriesError(f"{frame.path}: there is no field {field}; there are {' '.join(sorted(names))}")
