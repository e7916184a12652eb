"""Zooms, as `render --frames` makes them, and their films, for tests."""

import os

from images import h5py, pixels_of, read_image
from runs import RunTest

import numpy as np

ZOOM = ("--center=-0.743643,0.131825", "--width", "0.002", "--size", "64x48", "--iterations", "500", "--tile", "16",
        "--device", "cpu")
FRAMES = 3
# From plain arithmetic to perturbation, and back up again.
DEEP = ("--center=-1.76877877871,0.00173889865", "--width", "4e-11", "--size", "48x32", "--iterations", "800", "--tile", "16")


class FilmTest(RunTest):
    def zoom(self, *options, frames=FRAMES, name="z.h5", job=ZOOM, **more):
        return self.assert_done("render", *job, "--frames", str(frames), "--output", name, "--quiet", *options, **more)

    def film(self, *options, input="z.h5", output="f.png", **more):
        return self.assert_done("film", input, output, *options, "--quiet", **more)

    def images(self, name="z", frames=FRAMES):
        return [read_image(self.path(f"{name}-{i:04}.h5"))[0] for i in range(frames)]

    def frames(self, name="f"):
        names = sorted(file for file in os.listdir(self.folder) if file.startswith(name + "-") and file.endswith(".png"))
        return [pixels_of(self.path(file)) for file in names]

    def arrays(self, name="f"):
        return [np.frombuffer(pixels, np.uint8).reshape(size[1], size[0], 3).astype(int)
                for _, size, pixels in self.frames(name)]

    def attribute(self, name, key):
        with h5py.File(self.path(name), "r") as file:
            value = file.attrs[key]
        return value.decode() if isinstance(value, bytes) else value
