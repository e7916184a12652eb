"""The files that commands leave: pictures are read by other programs, colours stay the same."""

import os
import shutil
import subprocess
import sys

from program import HANG_S, LIMITED, TESSERA, ProgramTest, launched, lines_of, main

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy python3-pil)")
    raise SystemExit(77)


def light(v):
    """What a screen emits for the bytes of sRGB, 0 to 1."""
    v = v / 255.0
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def averaged(pixels, n):
    """n x n pixels into one, in whole steps of light: 2^24 - 1 is white; the result has 16 bits, then 8."""
    steps = np.rint(0xFFFFFF * light(np.arange(65536) / 257)).astype(np.uint64)
    height, width = pixels.shape[0] // n, pixels.shape[1] // n
    boxes = steps[257 * pixels[:height * n, :width * n].astype(int)].reshape(height, n, width, n, 3)
    mean = (boxes.sum((1, 3)) + n * n // 2) // (n * n)
    middles = (steps[:-1] + steps[1:] + 1) // 2
    return (np.searchsorted(middles, mean, "right") + 128) // 257


class Files(ProgramTest):
    def render(self, name, *options, ranks=0):
        self.assert_done("render", "--view", "seahorse", "--iterations", "600", "--size", "500x330",
                         "--tile", "96", "--quiet", "--fields", "iterations", "--output", name, *options, ranks=ranks)

    def picture(self, name):
        return np.asarray(Image.open(self.path(name)))

    def test_no_output_is_that_of_another_by_a_link_or_a_part(self):
        os.symlink("out.h5", self.path("r.json"))
        os.mkdir(self.path("d1"))
        os.symlink("d1", self.path("d2"))
        self.write("j.toml", 'size = "32"')
        for output, more in (("out.h5", ("--report", "r.json")), ("d1/a.h5", ("--report", "d2/a.h5")), ("b.h5", ("--report", "b.h5.part")),
                             ("c.h5", ("--report", "c.h5.parts/001.h5")), ("d.h5", ("--trace", "d1/t", "--report", "d2/t")),
                             ("./j.toml", ("j.toml", "--overwrite"))):
            with self.subTest(output=output):
                self.assert_refused(("render", "--size", "32", "--output", output, *more), 2, "would overwrite")

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
        for ranks, threads, memory in ((0, 1, "2G"), (0, 3, "104M"), (2, 2, "2G"), (4, 1, "104M")):
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
        full = light(self.picture("a.png")[:328, :500].astype(float)).reshape(82, 4, 125, 4, 3).mean((1, 3))
        np.testing.assert_allclose(light(small.astype(float)), full, atol=0.006)

    def test_scale_of_a_region_averages_the_picture_of_the_region(self):
        self.render("a.h5", "--png", "a.png")
        whole = self.picture("a.png")
        for region, n, ranks, memory in (((90, 70, 211, 129), 3, 2, "104M"), ((1, 95, 98, 2), 2, 0, "2G"),
                                         ((0, 0, 500, 330), 64, 3, "2G"), ((37, 11, 401, 307), 300, 0, "104M"),
                                         ((95, 191, 193, 97), 5, 0, "104M"), ((499, 0, 1, 330), 1, 2, "2G")):
            x, y, width, height = region
            with self.subTest(region=region, n=n):
                self.assert_done("color", "a.h5", "b.png", "--overwrite", "--memory", memory, "--region",
                                 ",".join(map(str, region)), "--scale", f"1/{n}", ranks=ranks)
                np.testing.assert_array_equal(averaged(whole[y:y + height, x:x + width], n), self.picture("b.png"))

    def test_the_smallest_scale(self):
        self.assert_done("render", "--size", "2050x1030", "--iterations", "50", "--fields", "iterations", "--output", "a.h5", "--png", "a.png",
                         "--quiet")
        whole = self.picture("a.png")
        for n in (1023, 1024):
            for scale in (f"1/{n}", repr(1 / n)):
                self.assert_done("color", "a.h5", "b.png", "--overwrite", "--quiet", "--scale", scale)
                np.testing.assert_array_equal(averaged(whole, n), self.picture("b.png"))
        for scale in ("1/1025", repr(1 / 1025)):
            self.assert_refused(["color", "a.h5", "c.png", "--quiet", "--scale", scale], 2, "--scale")

    def test_a_rank_that_does_not_see_the_file_leaves_the_work_to_the_others(self):
        self.render("a.h5", "--png", "a.png")
        os.mkdir(self.path("elsewhere"))
        done = self.color_where_only_the_first_rank_sees("a.h5", "b.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_array_equal(self.picture("a.png"), self.picture("b.png"))

    def test_a_bad_attribute_is_one_line_on_one_rank_and_on_two(self):
        self.render("a.h5")
        with h5py.File(self.path("a.h5"), "r+") as file:
            file.attrs["iterations"] = np.bytes_(b"many")
        for ranks in (0, 2):
            self.assert_refused(["color", "a.h5", "b.png"], 2, "attribute iterations", "many", ranks=ranks)
        os.mkdir(self.path("elsewhere"))
        done = self.color_where_only_the_first_rank_sees("a.h5", "b.png")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def color_where_only_the_first_rank_sees(self, name, picture):
        ranks = [part for folder in (".", "elsewhere") for part in
                 (":", "-n", "1", "--wdir", self.path(folder), TESSERA, "color", name, picture, "--quiet")]
        return subprocess.run(["mpirun", "-q", "--oversubscribe", "--bind-to", "none", *ranks[1:]],
                              cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)

    def test_palettes_differ_and_a_file_is_one_too(self):
        self.render("a.h5")
        self.assert_done("color", "a.h5", "a.png", "--palette", "viridis")
        self.assert_done("color", "a.h5", "b.png", "--palette", "ember")
        self.assertFalse(np.array_equal(self.picture("a.png"), self.picture("b.png")))
        self.write("mine.txt", "255 0 0\n0 0 255\ninside 1 2 3\n")
        self.assert_done("color", "a.h5", "c.png", "--palette", "mine.txt")
        self.assertTrue((self.picture("c.png")[..., 1] <= 2).all())

    def assert_failed_writing(self, done, name):
        said = lines_of(done.stderr)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(name, said[0])
        return said[0]

    def test_a_full_disk_is_one_line_and_leaves_no_result(self):
        disk = self.small_disk("400k")
        for ranks in (0, 2):
            done = self.run_program("render", "--view", "seahorse", "--iterations", "600", "--size", "1500x1500",
                                    "--fields", "iterations,smooth", "--quiet", "--output", "disk/a.h5",
                                    ranks=ranks)
            self.assertIn("space", self.assert_failed_writing(done, "disk/a.h5"))
            self.assertNotIn("a.h5", os.listdir(disk))

    def test_a_disk_that_fills_up_during_the_picture_is_one_line_and_leaves_none(self):
        disk = self.small_disk("200k")
        for ranks in (0, 1, 2):
            done = self.run_program("render", "--view", "seahorse", "--iterations", "600", "--size", "1500x1500",
                                    "--quiet", "--overwrite", "--output", "a.h5", "--png", "disk/a.png",
                                    ranks=ranks)
            self.assertIn("space", self.assert_failed_writing(done, "disk/a.png"))
            self.assertEqual(os.listdir(disk), [])
            done = self.run_program("color", "a.h5", "disk/a.png", "--quiet", ranks=ranks)
            self.assertIn("space", self.assert_failed_writing(done, "disk/a.png"))
            self.assertEqual(os.listdir(disk), [])

    def test_a_disk_that_fills_up_at_any_byte_of_the_picture_ends_all_ranks(self):
        self.render("a.h5", "--png", "a.png")
        with open(self.path("a.png"), "rb") as file:
            png = file.read()
        os.remove(self.path("a.png"))
        head = png.index(b"IDAT") - 4
        # In the head of the file, at the first bytes of the stream, at a band, at the very end.
        for limit in (head - 1, head + 9, head + 500, len(png) - 1):
            for ranks in (0, 2):
                with self.subTest(limit=limit, ranks=ranks):
                    command = [sys.executable, "-c", LIMITED, str(limit), TESSERA, "color", "a.h5", "a.png", "--quiet"]
                    done = subprocess.run(launched(command, ranks), cwd=self.folder, capture_output=True, text=True,
                                          timeout=HANG_S)
                    self.assertIn("too large", self.assert_failed_writing(done, "a.png"))
                    self.assertEqual(os.listdir(self.folder), ["a.h5"])


if __name__ == "__main__":
    main()
