"""The files that commands leave: pictures are read by other programs, colours stay the same."""

import os
import shutil
import subprocess
import unittest

from program import ProgramTest, main

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy python3-pil)")
    raise SystemExit(77)


class Files(ProgramTest):
    def render(self, name, *options, ranks=0):
        self.assert_done("render", "--view", "seahorse", "--iterations", "600", "--size", "500x330",
                         "--tile", "96", "--quiet", "--output", name, *options, ranks=ranks)

    def picture(self, name):
        return np.asarray(Image.open(self.path(name)))

    def test_picture_is_read_by_other_programs(self):
        self.render("a.h5", "--png", "a.png", "--fields", "iterations,smooth", ranks=2)
        pixels = self.picture("a.png")
        self.assertEqual(pixels.shape, (330, 500, 3))
        self.assertGreater(len(np.unique(pixels.reshape(-1, 3), axis=0)), 100)
        if shutil.which("pngcheck"):
            subprocess.run(["pngcheck", "-q", self.path("a.png")], check=True)

    def test_color_gives_the_same_picture_later_at_any_rank_and_thread_count(self):
        self.render("a.h5", "--png", "a.png", ranks=3)
        first = self.picture("a.png")
        for ranks, threads, memory in ((0, 1, "2G"), (0, 3, "64M"), (2, 2, "2G"), (4, 1, "100M")):
            self.assert_done("color", "a.h5", "b.png", "--overwrite", "--threads", str(threads), "--memory",
                             memory, ranks=ranks)
            np.testing.assert_array_equal(first, self.picture("b.png"))

    def test_region_is_a_part_of_the_picture(self):
        self.render("a.h5", "--png", "a.png")
        self.assert_done("color", "a.h5", "part.png", "--region", "90,70,211,129")
        np.testing.assert_array_equal(self.picture("a.png")[70:199, 90:301], self.picture("part.png"))

    def test_scale_averages(self):
        self.render("a.h5", "--png", "a.png")
        self.assert_done("color", "a.h5", "small.png", "--scale", "1/4")
        small = self.picture("small.png")
        self.assertEqual(small.shape, (82, 125, 3))
        # In linear light: the average of what a screen emits, not of the coded values.
        def decode(v):
            v = v / 255.0
            return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
        full = decode(self.picture("a.png")[:328, :500].astype(float)).reshape(82, 4, 125, 4, 3).mean((1, 3))
        np.testing.assert_allclose(decode(small.astype(float)), full, atol=0.006)

    def test_palettes_differ_and_a_file_is_one_too(self):
        self.render("a.h5")
        self.assert_done("color", "a.h5", "a.png", "--palette", "viridis")
        self.assert_done("color", "a.h5", "b.png", "--palette", "ember")
        self.assertFalse(np.array_equal(self.picture("a.png"), self.picture("b.png")))
        self.write("mine.txt", "255 0 0\n0 0 255\ninside 1 2 3\n")
        self.assert_done("color", "a.h5", "c.png", "--palette", "mine.txt")
        self.assertTrue((self.picture("c.png")[..., 1] <= 2).all())

    def test_a_full_disk_is_one_line_and_leaves_no_result(self):
        mount = self.path("small")
        os.mkdir(mount)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", mount], capture_output=True)
        if done.returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", mount], check=True)
        for ranks in (0, 2):
            done = self.run_program("render", "--view", "seahorse", "--iterations", "600", "--size", "1500x1500",
                                    "--fields", "iterations,smooth", "--quiet", "--output", "small/a.h5",
                                    ranks=ranks)
            said = [line for line in done.stderr.splitlines() if line.startswith("tessera: ")]
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertEqual(len(said), 1, done.stderr)
            self.assertIn("small/a.h5", said[0])
            self.assertIn("space", said[0])
            self.assertNotIn("a.h5", os.listdir(mount))


if __name__ == "__main__":
    main()
