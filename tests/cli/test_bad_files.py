"""Configurations and meshes that are at fault: each is refused with its place, what was expected and a remedy.

Nothing crashes, hangs on several ranks, quotes the libraries underneath, or leaves a trace in the folder.
"""
import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import DATA, run_process

SAMPLE = """\
simulation:
  duration: 0.02
  time_step: 0.01
  gravity: [0, 0, -9.81]
bodies:
  - name: bar
    mesh: {box: {min: [0, 0, 0], max: [1, 0.25, 0.2], element_size: 0.15}}
    material: {density: 1000, youngs_modulus: 2.0e+5, poissons_ratio: 0.35}
boundary_conditions:
  - {name: clamp, body: bar, where: {group: xmin}, type: fixed}
output:
  every: 1
"""
CLAMP = "{name: clamp, body: bar, where: {group: xmin}, type: fixed}"
BOX = "{box: {min: [0, 0, 0], max: [1, 0.25, 0.2], element_size: 0.15}}"
STATIC = SAMPLE.replace("duration: 0.02", "duration: 0.02\n  integrator: static")

# What no message may hold: words of crashes, of exceptions, and of the libraries underneath.
TRACES = re.compile(r"terminate called|Segmentation|what\(\)|yaml-cpp|Assertion|PETSC ERROR|MPI_ABORT|Traceback"
                    r"|std::|basic_string|muParser|vtk[A-Z]\w+|bad_alloc|regex_error|HDF5-DIAG|internal error"
                    r"|Standard_\w+|Caught signal|\w+\.(cxx|cpp|hpp|h):\d")


class Case:
    """A configuration `text`, the other `files` of its folder, and what the program answers.

    `says`: fragments of the message; `code`: the exit code. `changes`: prepares the folder. `arguments`: after the
    configuration. `runs_on`: the error appears only when the simulation runs, after its folder has been written.
    """

    def __init__(self, name, text, *says, files=None, code=1, changes=None, arguments=(), runs_on=False, only_run=False,
                 unprivileged=False):
        self.name, self.text, self.says, self.files, self.code = name, text, says, files or {}, code
        self.changes, self.arguments = changes, [str(a) for a in arguments]
        self.runs_on, self.only_run, self.unprivileged = runs_on, only_run or runs_on, unprivileged


def edit(name, old, new, *says, base=SAMPLE, line=0, **options):
    """The sample with one change; the message names the line of the change, or the one `line` lines below."""
    assert base.count(old) == 1, (name, old)
    at = base[:base.index(old)].count("\n") + 1 + line
    return Case(name, base.replace(old, new), f"scene.yaml:{at}: ", *says, **options)


def condition(name, new, *says, base=SAMPLE, **options):
    """The sample with other conditions in place of the clamp; several are separated by new lines."""
    return edit(name, CLAMP, new.replace("\n", "\n  - "), *says, base=base, **options)


def mesh(name, content, *says, keys="", **options):
    """A mesh file of this name, and the configuration that uses it."""
    body = f"{{file: {name}{keys}}}"
    text = SAMPLE.replace(BOX, body).replace("{group: xmin}", "all")
    files = {} if content is None else {name: content}
    return Case(name, text, name, *says, files=files, **options)


def msh2(nodes, elements):
    nodes, elements = nodes.strip().split("\n"), [e for e in elements.strip().split("\n") if e]
    return ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + "\n".join([str(len(nodes)), *nodes]) +
            "\n$EndNodes\n$Elements\n" + "\n".join([str(len(elements)), *elements]) + "\n$EndElements\n")


NODES = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 0.2 0.2 2\n"
TETRAHEDRON = "1 4 2 1 1 1 2 3 4\n"
QUADRATIC = ("1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n5 1 0 0\n6 1 1 0\n7 0 1 0\n8 0 0 1\n9 0 1 1\n10 1 0 1\n")
WHOLE_MSH = (DATA / "meshes" / "two_tetrahedra.msh").read_text(encoding="utf-8")
WHOLE_VTK = (DATA / "meshes" / "two_tetrahedra.vtk").read_text(encoding="utf-8")

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
SIDES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def triangles(corners=CORNERS, sides=tuple(SIDES)):
    return [[corners[k] for k in side] for side in sides]


def ascii_stl(facets):
    text = "solid part\n"
    for facet in facets:
        text += "facet normal 0 0 0\nouter loop\n"
        text += "".join("vertex " + " ".join(map(str, corner)) + "\n" for corner in facet)
        text += "endloop\nendfacet\n"
    return text + "endsolid part\n"


def binary_stl(facets, count=None):
    data = bytes(80) + struct.pack("<I", len(facets) if count is None else count)
    for facet in facets:
        data += struct.pack("<12fH", 0, 0, 0, *(x for corner in facet for x in corner), 0)
    return data


def vtu(cells, offsets, types, points="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1", extra=""):
    count = len(types.split())
    return ('<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">\n<UnstructuredGrid>\n'
            f'<Piece NumberOfPoints="{len(points.split()) // 3}" NumberOfCells="{count}">\n'
            f'<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">{points}</DataArray></Points>\n'
            f'<Cells><DataArray type="Int64" Name="connectivity" format="ascii">{cells}</DataArray>\n'
            f'<DataArray type="Int64" Name="offsets" format="ascii">{offsets}</DataArray>\n'
            f'<DataArray type="UInt8" Name="types" format="ascii">{types}</DataArray>\n{extra}</Cells>\n'
            '</Piece>\n</UnstructuredGrid>\n</VTKFile>\n')


def crossing_surface():
    """A closed surface that crosses itself: the tip of a pyramid is pulled through its base."""
    base = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)]
    top = [(0, 0, 1), (4, 0, 1), (4, 4, 1), (0, 4, 1)]
    tip = (2, 2, -1)
    facets = [[base[0], base[2], base[1]], [base[0], base[3], base[2]]]
    for k in range(4):
        j = (k + 1) % 4
        facets += [[base[k], base[j], top[j]], [base[k], top[j], top[k]], [top[k], top[j], tip]]
    return facets


SYNTAX = [
    Case("empty file", "", "scene.yaml: the file is empty", "simulation and bodies"),
    Case("only comments", "# nothing\n\n# at all\n", "scene.yaml: the file is empty", "simulation and bodies"),
    Case("list at the top", "- simulation\n- bodies\n", "scene.yaml:1: ", "a list of 2", "a map"),
    Case("word at the top", "simulation\n", "scene.yaml:1: ", "'simulation'", "a map"),
    edit("tab", "  time_step", "\ttime_step", "a tab in the indentation", "spaces"),
    edit("tab in a list", "    mesh", "\t\tmesh", "a tab in the indentation"),
    edit("open bracket", "-9.81]", "-9.81", "'[' without its ']'"),
    edit("open brace", "0.35}", "0.35", "'{' without its '}'"),
    edit("open quote", "name: bar\n", "name: \"bar\n", "quotation mark"),
    edit("stray bracket", "every: 1", "every: 1]", "every"),
    edit("duplicate key", "  time_step: 0.01", "  time_step: 0.01\n  time_step: 0.02", "simulation.time_step",
         "duplicate key", "line 3", line=1),
    edit("duplicate section", "output:", "bodies: []\noutput:", "bodies: duplicate key", "line 5"),
    edit("indented too little", "  time_step", " time_step", "indented by 1 space; expected 2 or 0"),
    edit("indented too much", "  time_step", "    time_step", "indented by 4 spaces; expected 2, as the line above"),
    edit("not indented", "  time_step: 0.01\n", "time_step: 0.01\n",
         "indented by 2 spaces; expected 0, as the line above",
         line=1),
    edit("last key not indented", "  gravity:", "gravity:", "unknown key", "simulation.gravity",
         "check the indentation"),
    edit("indented too little in a list", "    material", "   material", "indented by 3 spaces; expected 4 or 2"),
    edit("indented too much in a list", "    material", "      material", "indented by 6 spaces; expected 4"),
    edit("missing colon", "time_step: 0.01", "time_step 0.01", "'time_step' without a ':'"),
    edit("missing space", "time_step: 0.01", "time_step:0.01", "'time_step:' without a space after it"),
    edit("decimal comma", "time_step: 0.01", "time_step: 0,01", "simulation.time_step", "'0,01'",
         "decimals are written with '.'"),
    edit("decimal comma in a list", "[0, 0, -9.81]", "[0, 0, -9,81]", "simulation.gravity", "a list of 4",
         "decimals are written with '.'"),
    edit("decimal comma in a map", "poissons_ratio: 0.35", "poissons_ratio: 0,35", "material.35",
         "decimals are written with '.'"),
    edit("alias without anchor", "gravity: [0, 0, -9.81]", "gravity: *down", "'*'", "anchor '&'"),
    edit("alias of itself", "  - name: bar", "  - &self\n    name: *self", "bodies[0].name", "found an alias", line=1),
    Case("alias cycle", "simulation: &a {duration: 1, time_step: *a}\nbodies: &b [*b, *b, *b]\n",
         "scene.yaml:1: simulation.time_step: found an alias", "scene.yaml:2: bodies[2]: found an alias"),
    edit("second document", "output:", "---\noutput:", "second document", line=1),
    edit("control character", "name: bar", "name: b\x07r", "control character 0x07", "UTF-8"),
    Case("UTF-16", SAMPLE.encode("utf-16"), "scene.yaml: ", "UTF-16", "UTF-8"),
    Case("UTF-16 without a mark", SAMPLE.encode("utf-16-le"), "scene.yaml", "UTF-16", "UTF-8"),
    Case("Latin-1", SAMPLE.replace("name: bar\n", "name: br\xfccke\n").encode("latin-1"), "scene.yaml:6: ", "UTF-8"),
    Case("zero bytes", bytes(3000), "scene.yaml:1: ", "0x00", "UTF-8"),
    Case("binary", bytes(range(1, 256)) * 20, "scene.yaml:1: ", "0x01", "UTF-8"),
    Case("5 MB", SAMPLE + "padding: [" + "0, " * 1700000 + "0]\n", "scene.yaml: found 5 MB", "at most 4 MB"),
    Case("300 kB of numbers", SAMPLE + "padding: [" + "0, " * 100000 + "0]\n", "scene.yaml:13: padding", "unknown key"),
    Case("3 MB in a word", SAMPLE.replace("duration: 0.02", "duration: " + "n" * 3000000), "scene.yaml:2: "
         "simulation.duration: found 'nnn", "…'; expected a number"),
    Case("3 MB in a key", SAMPLE.replace("time_step:", "n" * 3000000 + ":"), "scene.yaml:3: ", "not valid YAML",
         "nnn…"),
    Case("long key", SAMPLE.replace("time_step:", "n" * 900 + ":"), "scene.yaml:3: simulation.nnn", "n…: unknown key"),
    Case("byte order mark", "\ufeff" + SAMPLE.replace("time_step:", "time_stop:"), "scene.yaml:3: simulation.time_stop",
         "'time_step'"),
    Case("deep brackets", "simulation: " + "[" * 100000, "scene.yaml:1: "),
]

KEYS = [
    edit("key of no section", "output:", "ouput:", "ouput: unknown key", "'output'"),
    edit("key in simulation", "gravity:", "gravitiy:", "simulation.gravitiy", "'gravity'"),
    edit("key in a body", "    mesh:", "    meesh:", "bodies[0].meesh", "'mesh'"),
    edit("key in a mesh", "element_size: 0.15", "elementsize: 0.15", "bodies[0].mesh.box.elementsize",
         "'element_size'"),
    edit("key in a material", "density:", "densty:", "bodies[0].material.densty", "'density'",
         "bodies[0].material.density: missing"),
    edit("key in a condition", "type: fixed", "typ: fixed", "boundary_conditions[0].typ", "'type'"),
    edit("key in a selection", "{group: xmin}", "{groups: xmin}", "where.groups", "'group'"),
    edit("key in the output", "every: 1", "evry: 1", "output.evry", "'every'"),
    edit("key in the solver", "output:", "solver: {tolerence: 1}\noutput:", "solver.tolerence", "'tolerance'"),
    edit("key of elsewhere", "every: 1", "density: 1", "output.density", "bodies[].material.density"),
    edit("key of a later version", "output:", "contact: {}\noutput:", "contact", "not available in this version"),
    edit("missing time step", "  time_step: 0.01\n", "", "simulation.time_step: missing", "a number above 0 [s]",
         line=-2),
    edit("missing density", "density: 1000, ", "", "bodies[0].material.density: missing", "[kg/m³]"),
    Case("missing bodies", SAMPLE[:SAMPLE.index("bodies:")], "scene.yaml:1: bodies: missing"),
    edit("no bodies", "bodies:\n  - name: bar\n    mesh: " + BOX, "bodies: []\nbody:\n  - mesh: {}", "bodies",
         "at least one entry"),
    edit("missing mesh", f"    mesh: {BOX}\n", "", "bodies[0].mesh: missing", line=-1),
    edit("section without content", "output:\n  every: 1", "output:", "output: found nothing", "a map"),
    edit("word for a map", BOX, "bar.msh", "bodies[0].mesh: found 'bar.msh'", "a map", "file"),
    edit("map for a list", "bodies:\n  - name", "bodies:\n    name", "bodies: found a map", "a list"),
    edit("text for a number", "duration: 0.02", "duration: long", "simulation.duration", "'long'", "a number above 0"),
    edit("quotes", "duration: 0.02", "duration: \"0.02\"", "in quotes", "a number"),
    edit("unit", "duration: 0.02", "duration: 0.02 s", "'0.02 s'", "[s]"),
    edit("half a step", "every: 1", "every: 1.5", "output.every", "a whole number"),
    edit("yes", "gravity:", "ramp: yes\n  gravity:", "simulation.ramp", "'yes'", "true or false", base=STATIC),
    edit("two components", "[0, 0, -9.81]", "[0, -9.81]", "simulation.gravity", "a list of 3 numbers"),
    edit("NaN", "density: 1000", "density: .nan", "density", "'.nan'"),
    edit("infinity", "density: 1000", "density: .inf", "density", "'.inf'"),
    edit("beyond range", "density: 1000", "density: 1e400", "density", "'1e400'", "beyond the range"),
    edit("negative density", "density: 1000", "density: -1000", "density", "'-1000'", "above 0"),
    edit("no time step", "time_step: 0.01", "time_step: 0", "simulation.time_step", "above 0"),
    edit("incompressible", "poissons_ratio: 0.35", "poissons_ratio: 0.5", "poissons_ratio", "'0.5'", "below 0.5"),
    edit("negative scale", "    material:", "    transform: {scale: -1}\n    material:", "transform.scale", "above 0"),
    edit("no scale", "    material:", "    transform: {scale: 0}\n    material:", "transform.scale", "'0'", "above 0"),
    edit("too many steps", "duration: 0.02", "duration: 1e20", "simulation.time_step", "a billionth", line=1),
    edit("two meshes", "{box:", "{file: bar.msh, box:", "bodies[0].mesh.box", "found beside file", "exactly one of"),
    edit("two materials", "density: 1000", "density: 1000, lame_mu: 1", "lame_mu", "exactly one of"),
    edit("half a material", ", poissons_ratio: 0.35", "", "poissons_ratio", "expected both"),
    edit("two frame intervals", "every: 1", "every: 1\n  every_seconds: 0.1", "output.every_seconds", "only one of",
         line=1),
    edit("empty box", "max: [1, 0.25, 0.2]", "max: [1, -0.25, 0.2]", "bodies[0].mesh.box.max", "above that of min"),
    edit("same body name", "boundary_conditions:", f"  - name: bar\n    mesh: {BOX}\n    material: {{density: 1, "
         "youngs_modulus: 1, poissons_ratio: 0}\nboundary_conditions:", "bodies[1].name", "differs from all others"),
    condition("same condition name", CLAMP + "\n" + CLAMP, "boundary_conditions[1].name", "differs", line=1),
    condition("unknown body", CLAMP.replace("body: bar", "body: bra"), "boundary_conditions[0].body", "'bra'",
              "nearest: bar"),
    edit("probe of an unknown body", "every: 1", "probes: [{name: tip, body: bra, point: [1, 0, 0]}]",
         "output.probes[0].body", "'bra'", "nearest: bar"),
    edit("unknown integrator", "gravity:", "integrator: newmarck\n  gravity:", "integrator", "nearest: newmark"),
    edit("Newmark's keys", "gravity:", "newmark_beta: 0.3\n  gravity:", "simulation.newmark_beta", "newmark"),
    edit("gravity of a place", "-9.81]", "-9.81*x]", "simulation.gravity", "-9.81*x", "time t"),
    edit("unknown field", "every: 1", "fields: [velocities]", "output.fields[0]", "nearest: velocity"),
    edit("static start", "    material:", "    initial: {velocity: [1, 0, 0]}\n    material:",
         "bodies[0].initial.velocity", "static", base=STATIC),
    edit("ramp of a dynamic run", "gravity:", "ramp: true\n  gravity:", "simulation.ramp", "integrator: static"),
    Case("several errors", SAMPLE.replace("0.01", "fast").replace("density", "densty").replace("body: bar", "body: bra")
         .replace("every: 1", "every: 0"), "scene.yaml:3: simulation.time_step",
         "\nscene.yaml:8: bodies[0].material.densty",
         "\nscene.yaml:8: bodies[0].material.density: missing", "\nscene.yaml:10: boundary_conditions[0].body",
         "\nscene.yaml:12: output.every", "5 errors"),
    Case("unknown override", SAMPLE, "--set simulation.durration=1", "'duration'",
         arguments=["--set", "simulation.durration=1"]),
    Case("wrong override", SAMPLE, "--set bodies[baz].mass=lumped", "nearest: bar",
         arguments=["--set", "bodies[baz].mass=lumped"]),
]

CONDITIONS = [
    condition("unknown group", CLAMP.replace("xmin", "xmn"), "boundary_conditions[0]", "'xmn'", "xmin, xmax"),
    condition("group without a name", CLAMP.replace("xmin", '""'), "where.group", "an empty text"),
    condition("nothing selected", CLAMP.replace("{group: xmin}", "{sphere: {center: [9, 9, 9], radius: 1}}"),
              "boundary_conditions[0]", "'clamp' selects no node", "Check 'where'"),
    condition("unknown node", CLAMP.replace("{group: xmin}", "{nodes: [0, 99999]}"), "node 99999", "counted from zero"),
    condition("no face", CLAMP + "\n{name: push, body: bar, where: {nodes: [0, 1]}, type: pressure, value: 1}",
              "boundary_conditions[1]", "'push' selects no boundary face", "All nodes of a", line=1),
    condition("contradiction", CLAMP + "\n{name: pull, body: bar, where: {group: xmin}, type: prescribed, "
              "velocity: [0, 0, 1]}", "boundary_conditions[1]", "'clamp' and 'pull'", "component z", line=1),
    condition("open parenthesis", CLAMP.replace("fixed", "traction, value: [0, 0, \"sin(t\"]"), "value[2]",
              "a ')' is missing"),
    condition("half an expression", CLAMP.replace("fixed", "traction, value: [0, 0, \"2*\"]"), "value[2]",
              "ends too early"),
    condition("unknown variable", CLAMP.replace("fixed", "traction, value: [0, 0, \"2*time\"]"), "value[2]", "'time'",
              "allowed names are t, x, y, z"),
    condition("unknown function", CLAMP.replace("fixed", "traction, value: [0, 0, \"sine(t)\"]"), "value[2]", "'sine'",
              "sin"),
    condition("expression with a decimal comma", CLAMP.replace("fixed", "pressure, value: \"0,5*t\""), "value",
              "decimals are written with '.'"),
    condition("not finite from the start", CLAMP.replace("fixed", "traction, value: [0, 0, \"1/(x-x)\"]"),
              "boundary_conditions[0]", "'clamp' is not finite", "rest position", "divisions by zero"),
    condition("not finite in between", CLAMP.replace("fixed", "traction, value: [0, 0, \"sqrt(0.015-t)\"]"),
              "boundary_conditions[0]", "'clamp' is not finite at t = 0.02 s", "divisions by zero", runs_on=True),
    condition("motion that is not finite", CLAMP.replace("fixed", "prescribed, velocity: [0, 0, \"sqrt(0.005-t)\"]"),
              "boundary_conditions[0]", "'clamp' is not finite", "divisions by zero", only_run=True),
    Case("free body in statics", STATIC.replace(CLAMP, CLAMP.replace("fixed", "pressure, value: 1")),
         "boundary_conditions",
         "body bar can move and turn freely", "static equilibrium", "fixed or prescribed"),
    Case("held at one node in statics", STATIC.replace("{group: xmin}", "{nodes: [0]}"), "boundary_conditions",
         "body bar can turn",
         "static equilibrium", "fixed or prescribed"),
    Case("one piece held in statics", STATIC.replace(BOX, "{file: pieces.msh}").replace("{group: xmin}",
         "{nodes: [0, 1, 2, 3]}"), "boundary_conditions", "piece 2 of 2", "static equilibrium",
         files={"pieces.msh": msh2(NODES + "7 9 0 0\n8 10 0 0\n9 9 1 0\n10 9 0 1\n",
                                   TETRAHEDRON + "2 4 2 1 1 7 8 9 10\n")}),
    Case("motion that inverts", SAMPLE.replace(CLAMP,
         CLAMP + "\n  - {name: ram, body: bar, where: {group: xmax}, type: "
         "prescribed, displacement: [-200*t, 0, 0]}"), "the prescribed motion would invert elements", "gave up at t = ",
         "--restart", code=2, runs_on=True),
]

MESHES = [
    mesh("missing.msh", None, "there is no such file", "relative to the configuration file", "bodies[0].mesh"),
    mesh("folder.msh", None, "not a regular file", changes=lambda folder: (folder / "folder.msh").mkdir()),
    mesh("loop.msh", None, "no such file", changes=lambda folder: (folder / "loop.msh").symlink_to("loop.msh")),
    mesh("unreadable.msh", WHOLE_MSH, "Permission denied", "readable", unprivileged=True,
         changes=lambda folder: (folder / "unreadable.msh").chmod(0)),
    mesh("empty.msh", "", "it is empty"),
    mesh("garbage.msh", bytes(range(256)) * 30, "not a Gmsh mesh", "Save"),
    mesh("garbage.vtu", bytes(range(256)) * 30, "no VTK XML file", "Save"),
    mesh("garbage.vtk", bytes(range(256)) * 30, "no legacy VTK file", "Save"),
    mesh("garbage.stl", bytes(range(256)) * 30, "no STL file", "Export"),
    mesh("garbage.obj", bytes(range(256)) * 30, "no triangles", "Export"),
    mesh("garbage.step", bytes(range(256)) * 30, "geometry cannot be read", "Export"),
    mesh("garbage.brep", bytes(range(256)) * 30, "geometry cannot be read: nothing is in it", "Export"),
    mesh("garbage.geo", bytes(range(256)) * 30, "geometry cannot be read"),
    mesh("wrong.inp", "*HEADING\n", "'wrong.inp'", "ends with .msh", "scene.yaml:7: bodies[0].mesh.file"),
    mesh("no_ending", "", "'no_ending'", "ends with .msh", "scene.yaml:7: bodies[0].mesh.file"),
    mesh("stl.msh", ascii_stl(triangles()), "not a Gmsh mesh"),
    mesh("version.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "version 4.00", "Convert"),
    mesh("cut_in_nodes.msh", WHOLE_MSH[:WHOLE_MSH.index("5 5 5")], "$Nodes", "damaged or incomplete"),
    mesh("cut_in_elements.msh", WHOLE_MSH[:WHOLE_MSH.index("12 10 1")], "$Elements", "damaged or incomplete"),
    mesh("cut_in_names.msh", WHOLE_MSH[:WHOLE_MSH.index("3 9")], "$PhysicalNames", "damaged or incomplete"),
    mesh("no_elements.msh", msh2(NODES, ""), "no elements of dimension 3", "tetrahedral mesh"),
    mesh("surface.msh", msh2(NODES, "1 2 2 1 1 1 2 3\n"), "surface mesh", "Mesh > 3D"),
    mesh("hexahedra.msh", msh2(NODES + "7 1 0 1\n8 0 1 1\n", "1 5 2 1 1 1 2 3 4 5 6 7 8\n"), "Hexahedron 8",
         "only tetrahedra"),
    mesh("flat.msh", msh2(NODES + "7 1 1 0\n", TETRAHEDRON + "8 4 2 1 1 1 2 3 7\n"), "1 of 2 tetrahedra have no volume",
         "tags 8", "Optimize"),
    Case("inverted tetrahedron", SAMPLE.replace(BOX, "{file: inverted.msh}").replace("{group: xmin}", "all"),
         "warning: body bar: 1 of 1 tetrahedra are inverted", code=0,
         files={"inverted.msh": msh2(NODES, "1 4 2 1 1 1 3 2 4\n")}),
    mesh("twice.msh", msh2(NODES, "6 4 2 1 1 1 2 3 3\n"), "name a node twice", "tags 6", "mesh again"),
    mesh("absent_node.msh", msh2(NODES, "7 4 2 1 1 1 2 3 99\n"), "element 7 refers to node 99",
         "save the mesh again"),
    mesh("absent_node_4.msh", WHOLE_MSH.replace("12 10 1 3 7", "12 10 1 3 99"), "element 12 refers to node 99",
         "save the mesh again"),
    mesh("nan.msh", msh2(NODES.replace("3 0 1 0", "3 0 nan 0"), TETRAHEDRON), "not finite", "tags 3", "Correct"),
    mesh("infinite.msh", msh2(NODES.replace("3 0 1 0", "3 0 1e999 0"), TETRAHEDRON), "not finite", "tags 3"),
    mesh("overlap.msh", msh2(NODES, TETRAHEDRON + "2 4 2 1 1 2 3 4 5\n3 4 2 1 1 2 3 4 6\n"),
         "more than two tetrahedra share",
         "tags", "overlaps itself"),
    mesh("mixed.msh", msh2(QUADRATIC + "11 0 0 -2\n", "1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n2 4 2 1 1 1 3 2 11\n"),
         "linear and quadratic", "one order"),
    mesh("folded.msh", msh2(QUADRATIC.replace("5 1 0 0", "5 1 0.9 0.9"), "4 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n"),
         "fold over themselves", "tags 4", "order: 1"),
    mesh("node_tag_twice.msh", msh2(NODES.replace("5 1 1 1", "4 1 1 1"), TETRAHEDRON), "two nodes have the tag 4",
         "save the mesh again"),
    mesh("large_tag.msh", msh2(NODES, "1 4 2 1 1 1 2 3 4000000000\n"), "4000000000", "$Elements"),
    mesh("large_tag_4.msh", WHOLE_MSH.replace("\n7\n", "\n9223372036854775807\n").replace("3 7\n",
         "3 9223372036854775807\n"),
         "node tag 9223372036854775807 is larger than 2147483647", "Number the nodes"),
    mesh("large_tag_of_13_digits.msh", WHOLE_MSH.replace("\n7\n", "\n1000000000000\n"), "node tag 1000000000000",
         "Number the nodes"),
    mesh("large_count.msh", msh2(NODES, TETRAHEDRON).replace("$Nodes\n6", "$Nodes\n900000000"), "$Nodes", "900000000"),
    mesh("same_group.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"part\"\n3 2 \"part\"\n"
         "$EndPhysicalNames\n" + msh2(NODES, TETRAHEDRON + "2 4 2 2 2 2 3 4 5\n").split("$EndMeshFormat\n")[1],
         "physical groups", "'part'", "own name"),
    mesh("open.stl", ascii_stl(triangles()[:3]), "3 open edges", "MeshLab"),
    mesh("non_manifold.stl", ascii_stl(triangles() + triangles([CORNERS[0], CORNERS[1], (0, 0, -1), (0, -1, 0)])),
         "non-manifold", "1"),
    mesh("crossing.stl", ascii_stl(crossing_surface()), "cannot be filled", "crosses itself"),
    mesh("syntax.stl", ascii_stl(triangles()).replace("vertex 0 1 0", "vertex 0 one 0", 1), "syntax.stl:5",
         "'one' is not a coordinate"),
    mesh("two_corners.stl", ascii_stl(triangles()).replace("vertex 0 1 0\n", "", 1), "vertices instead of three"),
    mesh("count.stl", binary_stl(triangles(), 1000), "cut off", "50084", "284"),
    mesh("cut.stl", ascii_stl(triangles())[:-20], "endsolid", "Export"),
    mesh("cut_in_a_vertex.stl", ascii_stl(triangles())[:-60], "cut_in_a_vertex.stl:25", "a coordinate is missing"),
    mesh("no_faces.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles", "Export"),
    mesh("corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n", "corner.obj:4", "vertex 7"),
    mesh("not_xml.vtu", vtu("0 1 2 3", "4", "10").replace("</Points>", "</Pionts>"), "not_xml.vtu:4: ",
         "closing tag", "Save"),
    mesh("cut.vtu", vtu("0 1 2 3", "4", "10")[:400], "cut.vtu:6: ", "XML ends too early", "Save"),
    mesh("character.vtu", vtu("0 1 2 3", "4", "10").replace("<Points>", "<<Points>"), "character.vtu:4: ",
         "not well-formed", "Save"),
    mesh("polyhedra.vtu", vtu("0 1 2 3", "4", "42",
         extra='<DataArray type="Int64" Name="faces" format="ascii">4 3 0 2 1 3 '
         '0 1 3 3 0 3 2 3 1 2 3</DataArray><DataArray type="Int64" Name="faceoffsets" format="ascii">17</DataArray>'),
         "POLYHEDRON", "Tetrahedralize"),
    mesh("absent_node.vtu", vtu("0 1 2 99", "4", "10"), "99", "Save"),
    mesh("surface.vtu", vtu("0 1 2", "3", "5"), "surface", ".stl"),
    mesh("nan.vtu", vtu("0 1 2 3", "4", "10", points="0 0 0 1 0 0 0 nan 0 0 0 1"), "nan.vtu"),
    mesh("cut.vtk", WHOLE_VTK[:WHOLE_VTK.index("CELLS") + 12], "its cells are incomplete", "Save"),
    mesh("words.vtk", WHOLE_VTK.replace("0 1 0", "0 one 0"), "something other than numbers", "Save"),
    mesh("image.vtk", "# vtk DataFile Version 3.0\nimage\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\n",
         "no legacy VTK file with an unstructured grid", "Save"),
    mesh("surface_only.step", (DATA / "bad" / "surface_only.step").read_bytes(), "no volume", "closed solid"),
    mesh("header.step", "ISO-10303-21;\nHEADER;\n", "geometry cannot be read", "Export"),
    mesh("empty.iges", "x\n", "geometry cannot be read: nothing is in it", "Export"),
    mesh("syntax.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1;\n", "geometry cannot be read", "line 2"),
    mesh("variable.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, side, 1, 1};\n", "side", "line 2"),
    mesh("no_volume.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n", "no volume",
         "Define a Volume"),
    mesh("flat_box.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 0};\n", "geometry"),
    mesh("tiny.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n", "element_size 1e-09",
         "tetrahedra", "larger element_size", keys=", element_size: 1.0e-9"),
    mesh("tiny.stl", ascii_stl(triangles()), "element_size 1e-09", "tetrahedra", keys=", element_size: 1.0e-9"),
    edit("third order", "{box:", "{order: 3, box:", "bodies[0].mesh.order", "'3'", "1 or 2"),
    mesh("size.msh", msh2(NODES, TETRAHEDRON), "mesh is finished", keys=", element_size: 1"),
    edit("tiny elements", "element_size: 0.15", "element_size: 1.0e-9", "bodies[0].mesh", "tetrahedra",
         "larger element_size"),
    edit("tiny body", "max: [1, 0.25, 0.2]", "max: [1.0e-9, 1.0e-9, 1.0e-9]", "bodies[0].mesh",
         "1e-7 m", "transform"),
    Case("elements larger than the body", SAMPLE.replace("element_size: 0.15", "element_size: 100"), code=0),
]


def results_of_another_run(folder):
    (folder / "out").mkdir()
    (folder / "out" / "scene.pvd").write_text("results", encoding="utf-8")


def foreign_checkpoint(folder):
    """The checkpoint of a run with another mesh."""
    other = folder / "other.yaml"
    other.write_text(SAMPLE.replace("element_size: 0.15", "element_size: 0.3"), encoding="utf-8")
    done = run_process(["run", other, "--quiet", "--output", folder / "other"], cwd=folder)
    assert done.code == 0, str(done)
    shutil.copy(next((folder / "other" / "checkpoints").glob("*.h5")), folder / "foreign.h5")


OUTPUT = [
    Case("folder in use", SAMPLE, "output.directory", "not empty", "--overwrite", "--restart",
         arguments=["--output", "out"], changes=results_of_another_run, only_run=True),
    Case("folder is a file", SAMPLE, "output.directory", "not a folder", "--output",
         arguments=["--output", "out"], changes=lambda folder: (folder / "out").write_text(""), only_run=True),
    Case("folder under a file", SAMPLE, "output.directory", "out/below", "--output",
         arguments=["--output", "out/below"], changes=lambda folder: (folder / "out").write_text(""), only_run=True),
    Case("folder of the system", SAMPLE, "output.directory", "/proc/limber", "--output",
         arguments=["--output", "/proc/limber"], only_run=True),
    Case("folder not writable", SAMPLE, "output.directory", "Permission denied", "--output", unprivileged=True,
         arguments=["--output", "out"], changes=lambda folder: (folder / "out").mkdir(mode=0o555), only_run=True),
    Case("no checkpoint yet", SAMPLE, "--restart", "no checkpoint in out", arguments=["--output", "out", "--restart"],
         only_run=True),
    Case("missing checkpoint", SAMPLE, "nowhere.h5", "there is no such file", arguments=["--output", "out", "--restart",
         "nowhere.h5"],
         only_run=True),
    Case("checkpoint that is none", SAMPLE, "scene.yaml", "checkpoint",
         arguments=["--output", "out", "--restart", "scene.yaml"], only_run=True),
    Case("foreign checkpoint", SAMPLE, "foreign.h5", "nodes", "Restart with the bodies",
         arguments=["--output", "out", "--restart", "foreign.h5"], changes=foreign_checkpoint, only_run=True),
    Case("missing configuration", None, "scene.yaml", "no such file", "working directory"),
    Case("configuration is a folder", None, "scene.yaml", "a folder",
         changes=lambda folder: (folder / "scene.yaml").mkdir()),
    Case("configuration is unreadable", SAMPLE, "scene.yaml", "cannot be read", "permissions", unprivileged=True,
         changes=lambda folder: (folder / "scene.yaml").chmod(0)),
]

CASES = SYNTAX + KEYS + CONDITIONS + MESHES + OUTPUT


def content_of(folder):
    """Everything in the folder, with the sizes of files."""
    return sorted((str(p.relative_to(folder)), p.stat().st_size if p.is_file() else -1) for p in folder.rglob("*"))


def prepare(case, folder):
    for name, content in {**case.files, "scene.yaml": case.text}.items():
        if content is None:
            continue
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    if case.changes:
        case.changes(folder)


def run_case(case, command, ranks):
    """What is wrong with the program's answer, and the answer."""
    with tempfile.TemporaryDirectory(prefix="limber_") as scratch:
        folder = Path(scratch)
        prepare(case, folder)
        before = content_of(folder)
        options = {}
        if case.unprivileged and os.geteuid() == 0: # root may read and write everything
            folder.chmod(0o755)
            options = {"user": 65534, "env": {**os.environ, "HOME": scratch}}
        try:
            result = run_process([command, "scene.yaml", *case.arguments], ranks, cwd=folder, timeout=20,
            errors="replace", **options)
        except subprocess.TimeoutExpired:
            return ["did not end within 20 s"], ""
        return list(faults(case, result, before, content_of(folder))), str(result)


def faults(case, result, before, after):
    if result.code != case.code:
        yield f"exit code {result.code}, expected {case.code}"
    for text in case.says:
        if text not in result.err:
            yield f"does not say {text!r}"
    if len(result.err) > 20000:
        yield "is too long"
    for trace in TRACES.finditer((result.out + result.err)[:20000]):
        yield f"shows {trace.group()!r}"
    if case.code == 1:
        if len(re.findall("^limber: ", result.err, re.M)) != 1:
            yield "is not exactly one message"
        if not re.search(r"expected |\n  (?!Gmsh|VTK)[A-Z]|nearest valid key|remove it|keep one|needs quotes",
        result.err):
            yield "has no remedy"
    if case.runs_on or case.code == 0:
        if any(name.endswith(".tmp") for name, _ in after):
            yield "left half-written files"
    elif before != after:
        yield f"changed the folder: {sorted(set(after) ^ set(before))[:5]}"


def jobs():
    """Each case alone; every fifth also on three ranks, and every fifth with `check`."""
    for i, case in enumerate(CASES):
        yield case, "run", 1
        if i % 5 == 0 and not case.unprivileged:
            yield case, "run", 3
        if i % 5 == 1 and not case.only_run and case.code == 1:
            yield case, "check", 1


class BadFiles(unittest.TestCase):
    def test_table(self):
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        work = list(jobs())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda job: run_case(*job), work)
            for (case, command, ranks), (wrong, answer) in zip(work, answers):
                with self.subTest(case=case.name, command=command, ranks=ranks):
                    self.assertEqual(wrong, [], f"\n{answer}")

if __name__ == "__main__":
    unittest.main()
