#!/usr/bin/python3
"""Draws a run without a screen: a picture of one frame, an animation of all.

  render.py PVD|DIR [--field von_mises] [--png picture.png] [--time T] [--gif movie.gif] [--every K]
            [--view AZIMUTH/ELEVATION] [--range LOW/HIGH] [--edges] [--size WIDTHxHEIGHT]

The surface is colored by a point or cell field (vectors by their magnitude), with one color range and one camera for
all frames. Without --png and --gif the last frame is written to NAME.png beside the .pvd file. Where there is no
display, a virtual one is started (xvfb-run).
"""
import argparse
import math
import os
import shutil
import sys
from pathlib import Path

TENSORS = {"stress", "nodal_stress"}
UNITS = {"von_mises": "Pa", "stress": "Pa", "nodal_stress": "Pa", "nodal_von_mises": "Pa", "displacement": "m",
         "velocity": "m/s", "reaction": "N"}


def pair(separator, kind):
    """A parser of two values such as 30/20."""
    def parse(text):
        parts = text.split(separator)
        if len(parts) != 2:
            raise argparse.ArgumentTypeError(f"{text!r} is not two values separated by {separator!r}")
        try:
            return tuple(kind(part) for part in parts)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error
    return parse


def parse_arguments():
    parser = argparse.ArgumentParser(description="Draws a run without a screen.")
    parser.add_argument("series", help=".pvd file, or the folder that holds it")
    parser.add_argument("--field", default="von_mises", help="point or cell data (default: von_mises)")
    parser.add_argument("--png", type=Path, help="picture of the last frame, or of the one at --time")
    parser.add_argument("--time", type=float, help="[s] draw the frame nearest to this time")
    parser.add_argument("--gif", type=Path, help="animation")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="every K-th frame of the animation")
    parser.add_argument("--rate", type=float, default=15.0, help="frames a second of the animation")
    parser.add_argument("--view", type=pair("/", float), default=(-60.0, 20.0), metavar="AZIMUTH/ELEVATION",
                        help="[degrees] where the camera stands, z up (default: -60/20); with a minus write --view=-90/70")
    parser.add_argument("--range", type=pair("/", float), metavar="LOW/HIGH", help="of the colors")
    parser.add_argument("--edges", action="store_true", help="draw the edges of the triangles that are drawn: of linear elements their own, "
                                                              "of quadratic ones those of their pieces")
    parser.add_argument("--size", type=pair("x", int), default=(960, 720), metavar="WIDTHxHEIGHT")
    arguments = parser.parse_args()
    if arguments.every < 1 or arguments.rate <= 0 or min(arguments.size) < 1:
        parser.error("--every, --rate and --size must be positive")
    return arguments


def ensure_display():
    """Starts this program again under a virtual display if there is none."""
    if os.environ.get("DISPLAY"):
        return
    if not shutil.which("xvfb-run"):
        sys.exit("There is no display and no xvfb-run; install xvfb and xauth (scripts/install_dependencies.sh).")
    command = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24", sys.executable, os.path.abspath(__file__)]
    os.execvp(command[0], command + sys.argv[1:])


class Renderer:
    """One window whose colors and camera stay the same for all frames."""

    def __init__(self, frames, field, size, edges):
        from frames import read_surface
        self.read = lambda frame: read_surface(frame, field)
        self.field = field
        low, high = math.inf, -math.inf
        self.bounds = [math.inf, -math.inf] * 3
        for frame in frames:
            _, values, bounds = self.read(frame)
            low, high = min(low, values[0]), max(high, values[1])
            self.bounds = [(min, max)[i % 2](self.bounds[i], bounds[i]) for i in range(6)]
        self.range = (low, high)
        self.build(size, edges)

    def build(self, size, edges):
        import vtkmodules.vtkInteractionStyle  # noqa: F401 (these two register the OpenGL classes)
        import vtkmodules.vtkRenderingOpenGL2  # noqa: F401
        from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor
        from vtkmodules.vtkRenderingCore import (vtkActor, vtkDataSetMapper, vtkLightKit, vtkRenderer, vtkRenderWindow,
                                                    vtkTextActor)
        self.colors = color_table()
        self.mapper = vtkDataSetMapper()
        self.mapper.SetLookupTable(self.colors)
        self.mapper.UseLookupTableScalarRangeOn()
        actor = vtkActor()
        actor.SetMapper(self.mapper)
        actor.GetProperty().SetEdgeVisibility(edges)
        actor.GetProperty().SetEdgeColor(0.15, 0.15, 0.15)
        actor.GetProperty().SetAmbient(0.5)
        actor.GetProperty().SetDiffuse(0.6)
        bar = vtkScalarBarActor()
        bar.SetLookupTable(self.colors)
        unit = UNITS.get(self.field)
        name = f"|{self.field}|" if self.field in TENSORS else self.field  # the norm of its components
        bar.SetTitle(f"{name} [{unit}]" if unit else name)
        bar.SetNumberOfLabels(5)
        bar.SetLabelFormat("%.3g")
        bar.SetMaximumNumberOfColors(256)
        bar.SetPosition(0.86, 0.15)
        bar.SetWidth(0.11)
        bar.SetHeight(0.7)
        bar.UnconstrainedFontSizeOn()
        self.title = vtkTextActor()
        self.title.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
        self.title.GetPositionCoordinate().SetValue(0.03, 0.94)
        for text, height in ((bar.GetTitleTextProperty(), 15), (bar.GetLabelTextProperty(), 14),
                             (self.title.GetTextProperty(), 18)):
            text.SetColor(0.1, 0.1, 0.1)
            text.SetFontSize(height)
            text.ItalicOff()
            text.ShadowOff()
            text.BoldOff()
        self.renderer = vtkRenderer()
        self.renderer.SetBackground(1.0, 1.0, 1.0)
        for item in (actor, bar, self.title):
            self.renderer.AddViewProp(item)
        vtkLightKit().AddLightsToRenderer(self.renderer)
        self.window = vtkRenderWindow()
        self.window.SetOffScreenRendering(True)
        self.window.SetMultiSamples(8)
        self.window.SetSize(*size)
        self.window.AddRenderer(self.renderer)

    def aim(self, azimuth, elevation):
        """The camera looks at the middle of all frames from this direction [degrees]."""
        a, e = math.radians(azimuth), math.radians(elevation)
        direction = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
        camera = self.renderer.GetActiveCamera()
        camera.SetFocalPoint(0.0, 0.0, 0.0)
        camera.SetPosition(*direction)
        camera.SetViewUp(*((0.0, 1.0, 0.0) if abs(math.cos(e)) < 1e-6 else (0.0, 0.0, 1.0)))
        self.renderer.ResetCamera(self.bounds)
        camera.SetWindowCenter(0.12, 0.0)  # leaves room for the color bar

    def draw(self, frame, name):
        """The frame as a PIL image."""
        import numpy as np
        from PIL import Image
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkRenderingCore import vtkWindowToImageFilter
        surface, _, _ = self.read(frame)
        self.mapper.SetInputData(surface)
        self.colors.SetTableRange(*self.range)
        self.title.SetInput(f"{name}   t = {frame.time:.4g} s")
        self.window.Render()
        grab = vtkWindowToImageFilter()
        grab.SetInput(self.window)
        grab.ReadFrontBufferOff()
        grab.Update()
        image = grab.GetOutput()
        width, height, _ = image.GetDimensions()
        pixels = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1, :, :3]
        return Image.fromarray(np.ascontiguousarray(pixels))


def color_table():
    """From blue over white-gray to red, monotone on both sides."""
    from vtkmodules.vtkCommonCore import vtkLookupTable
    from vtkmodules.vtkRenderingCore import vtkColorTransferFunction
    transfer = vtkColorTransferFunction()
    transfer.SetColorSpaceToDiverging()
    transfer.AddRGBPoint(0.0, 0.23, 0.30, 0.75)
    transfer.AddRGBPoint(1.0, 0.71, 0.02, 0.15)
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i in range(256):
        table.SetTableValue(i, *transfer.GetColor(i / 255.0), 1.0)
    return table


def write_gif(path, images, rate):
    """One palette for all frames, so that colors do not flicker."""
    palette = images[-1].quantize(256)
    frames = [image.quantize(palette=palette, dither=0) for image in images]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=round(1000 / rate), loop=0)


def main():
    arguments = parse_arguments()
    ensure_display()
    from frames import SeriesError, find_pvd, read_series
    try:
        pvd = find_pvd(arguments.series)
        series = read_series(pvd)
        still = series[-1]
        if arguments.time is not None:
            still = min(series, key=lambda frame: abs(frame.time - arguments.time))
        png = arguments.png or (None if arguments.gif else pvd.with_suffix(".png"))
        moving = series[::arguments.every] if arguments.gif else []
        shown = moving + ([still] if png and still not in moving else [])
        renderer = Renderer(shown, arguments.field, arguments.size, arguments.edges)
        if arguments.range:
            renderer.range = arguments.range
        renderer.aim(*arguments.view)
        if png:
            renderer.draw(still, pvd.stem).save(png)
            print(png)
        if arguments.gif:
            write_gif(arguments.gif, [renderer.draw(frame, pvd.stem) for frame in moving], arguments.rate)
            print(arguments.gif)
    except (SeriesError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
