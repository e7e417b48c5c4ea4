"""scripts/render.py and scripts/plot.py: pictures are drawn and show the data."""
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image, ImageSequence

from script_runner import run_script
from synthetic_series import write_series, write_statistics


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def colored(image):
    """Share of the pixels of the drawing area (left of the color bar) that are neither white nor gray."""
    area = image[:, : int(0.84 * image.shape[1])]
    return np.mean(area.max(axis=2) - area.min(axis=2) > 30)


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.without_display = {name: value for name, value in os.environ.items() if name != "DISPLAY"}

    def render(self, *arguments):
        return run_script("render.py", *arguments, env=self.without_display)

    def test_picture_and_animation(self):
        pvd = write_series(self.folder, times=(0.0, 0.4, 0.8, 1.2))
        png, gif = self.folder / "last.png", self.folder / "all.gif"
        code, output = self.render(pvd, "--field", "displacement", "--png", png, "--gif", gif, "--every", "2",
                                   "--size", "480x360", "--edges")
        self.assertEqual(code, 0, output)
        image = pixels(png)
        self.assertEqual(image.shape, (360, 480, 3))
        # A slender bar that fills the width covers a few percent of the picture; an empty one 0.
        self.assertGreater(colored(image), 0.02)
        with Image.open(gif) as animation:
            frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(animation)]
        self.assertEqual(len(frames), 2)
        self.assertGreater(np.abs(frames[0].astype(int) - frames[1]).max(), 100)

    def test_default_is_cell_data_beside_the_series(self):
        write_series(self.folder)
        code, output = self.render(self.folder, "--view", "0/90", "--time", "0.5")
        self.assertEqual(code, 0, output)
        self.assertGreater(colored(pixels(self.folder / "bar.png")), 0.02)

    def test_quadratic_tetrahedra(self):
        pvd = write_series(self.folder, order=2)
        for field in ("displacement", "von_mises"):
            code, output = self.render(pvd, "--field", field, "--png", self.folder / "a.png")
            self.assertEqual(code, 0, output)
            self.assertGreater(colored(pixels(self.folder / "a.png")), 0.02)

    def test_unknown_field(self):
        code, output = self.render(write_series(self.folder), "--field", "heat", "--png", self.folder / "a.png")
        self.assertEqual(code, 1)
        self.assertIn("there is no field heat; there are displacement element_id node_id rank von_mises", output)

    def test_missing_series(self):
        code, output = self.render(self.folder / "none.pvd")
        self.assertEqual(code, 1)
        self.assertIn("none.pvd is missing", output)

    def test_plot(self):
        write_statistics(self.folder)
        code, output = run_script("plot.py", self.folder)
        self.assertEqual(code, 0, output)
        image = pixels(self.folder / "statistics.png")
        self.assertGreater(np.mean(image.max(axis=2) - image.min(axis=2) > 60), 0.002)  # colored lines

    def test_plot_of_one_row(self):
        write_statistics(self.folder, steps=0)
        self.assertEqual(run_script("plot.py", self.folder / "statistics.csv", "--out", self.folder / "a.png")[0], 0)
        self.assertTrue((self.folder / "a.png").is_file())

    def test_plot_without_rows(self):
        path = write_statistics(self.folder)
        path.write_text(path.read_text().splitlines()[0] + "\n")
        code, output = run_script("plot.py", path)
        self.assertEqual(code, 1)
        self.assertIn("there are no rows", output)


if __name__ == "__main__":
    unittest.main()
