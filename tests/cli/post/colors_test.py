"""The colours of pictures: dithering, depth, equalizing, unfinished images, palettes, and the place that a picture tells."""

import os
import re
import shlex

from images import deep_pixels_of
from program import ProgramTest, main

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy python3-pil)")
    raise SystemExit(77)

JOB = ("--view", "double-hook", "--size", "300x200", "--iterations", "2000", "--tile", "64", "--device", "cpu", "--quiet")


class Colors(ProgramTest):
    def data(self, name="a.h5", fields="iterations,smooth", *options):
        self.assert_done("render", *JOB, "--fields", fields, "--output", name, *options)

    def color(self, *options, data="a.h5", png="a.png", ranks=0):
        self.assert_done("color", data, png, "--overwrite", "--quiet", *options, ranks=ranks)
        return np.asarray(Image.open(self.path(png))).astype(int)

    def deep(self, png):
        return deep_pixels_of(self.path(png))

    def test_gradients_of_8_bits_are_dithered_and_have_the_mean_of_16_bits(self):
        self.data()
        for options in ((), ("--scale", "1/2")):
            shallow = self.color(*options)
            self.color("--png-depth", "16", *options, png="deep.png")
            deep = self.deep("deep.png") / 257
            self.assertLessEqual(np.abs(shallow - deep).max(), 1)
            self.assertGreater((np.abs(shallow - deep) > .6).mean(), .05)  # rounding would not do that
            self.assertLess(abs((shallow - deep).mean()), .01)

    def test_counts_are_not_dithered(self):
        self.data(fields="iterations")
        with h5py.File(self.path("a.h5")) as file:
            counts = file["iterations"][()]
        pixels = self.color()
        for count in np.unique(counts)[::7]:
            self.assertEqual(len(np.unique(pixels[counts == count], axis=0)), 1)

    def test_the_bytes_are_the_same_at_any_number_of_ranks_threads_and_memory(self):
        self.data()
        for options in (("--palette-cycle", "2"), ("--equalize",), ("--png-depth", "16", "--scale", "1/3")):
            one = self.color(*options)
            for ranks, threads, memory in ((2, 1, "150M"), (3, 2, "2G")):
                np.testing.assert_array_equal(
                    one, self.color(*options, "--threads", str(threads), "--memory", memory, ranks=ranks))

    def test_a_region_has_the_colours_of_the_whole(self):
        self.data()
        whole = self.color()
        np.testing.assert_array_equal(whole[31:150, 70:201], self.color("--region", "70,31,131,119"))

    def test_equalizing_gives_all_colours_the_same_number_of_pixels(self):
        self.data()
        self.write("ramp.txt", "0 0 0\n255 255 255\ninside 255 0 0\n")
        for options, even in (((), False), (("--equalize",), True)):
            pixels = self.color("--palette", "ramp.txt", *options)
            shades = np.sort(pixels[pixels[..., 0] == pixels[..., 1]][:, 0])
            # From black to white and back in linear light: half of the shades are above the code of half the light.
            self.assertEqual(abs((shades > 187).mean() - .5) < .03, even)

    def test_pictures_beyond_f64_are_equalized_by_all_commands(self):
        deep = ("render", "--view", "shell", "--size", "48x32", "--fields", "iterations,smooth", "--device", "cpu", "--quiet",
                "--output")
        self.assert_done(*deep, "a.h5", "--png", "p.png")
        self.assert_done(*deep, "b.h5")
        rendered = np.asarray(Image.open(self.path("p.png")))
        equalized, cycled = self.color("--equalize", data="b.h5"), self.color("--palette-cycle", "0.35", data="b.h5")
        self.assertTrue((equalized != cycled).any())
        np.testing.assert_array_equal(rendered, equalized)
        for data in ("a.h5", "b.h5"):
            np.testing.assert_array_equal(self.color(data=data), equalized)
            np.testing.assert_array_equal(self.color(data=data, ranks=2), equalized)
        # The command of a picture makes it again, whichever colours it has.
        for options in ((), ("--palette-cycle", "0.35"), ("--equalize", "--palette-cycle", "2"), ("--palette-scale", "sqrt:7")):
            pixels = self.color(*options, data="b.h5")
            command = shlex.split(Image.open(self.path("a.png")).text["Command"])
            self.assert_done(*command[1:-1], "--png=again.png", "--supersample", "1", "--device", "cpu", "--quiet")
            np.testing.assert_array_equal(np.asarray(Image.open(self.path("again.png"))), pixels)
            os.remove(self.path("again.png"))

    def test_inside_and_offset(self):
        self.data(fields="iterations")
        with h5py.File(self.path("a.h5")) as file:
            inside = file["iterations"][()] == 2000
        self.assertTrue(inside.any())
        for color in ("#0a141e", "10,20,30", "10 20 30"):
            self.assertEqual(np.unique(self.color("--inside", color)[inside], axis=0).tolist(), [[10, 20, 30]])
        np.testing.assert_array_equal(self.color("--palette-offset", "1"), self.color("--palette-offset", "-1"))
        self.assertTrue((self.color("--palette-offset", "0.5") != self.color()).any())
        for option, value in (("--inside", "redd"), ("--palette-offset", "2"), ("--palette-cycle", "0"),
                              ("--png-depth", "12")):
            self.assert_refused(("color", "a.h5", "x.png", option, value), 2, option, value)

    def test_other_scales_repeat_the_palette_by_the_iterations_or_their_roots(self):
        self.data(fields="iterations")
        with h5py.File(self.path("a.h5")) as file:
            counts = file["iterations"][()].astype(int)
        with open(self.path("own.map"), "w", encoding="utf-8") as file:
            file.writelines(f"{k} {255 - k} {k // 2}\n" for k in range(256))
        own = ("--palette", "own.map", "--inside", "#010203")
        entry = counts % 256
        expected = np.stack([entry, 255 - entry, entry // 2], axis=-1)
        expected[counts == 2000] = [1, 2, 3]
        for ranks in (0, 2):
            np.testing.assert_array_equal(self.color(*own, "--palette-scale", "linear:256", ranks=ranks), expected)
        for scale, root in (("sqrt:4", np.sqrt(counts) / 4), ("cbrt:1.5", np.cbrt(counts) / 1.5)):
            red = self.color(*own, "--palette-scale", scale, "--palette-offset", "0.5")[..., 0]
            place = (root + 0.5) % 1 * 256
            here = (counts < 2000) & (place < 255)  # the rest is between the last colour and the first
            self.assertLessEqual(np.abs(red - place)[here].max(), 1)
        command = shlex.split(Image.open(self.path("a.png")).text["Command"])
        self.assertIn("--palette-scale=cbrt:1.5", command)
        pixels = self.color(*own, "--palette-scale", "cbrt:1.5", png="b.png")
        self.assert_done(*command[1:-1], "--palette-offset", "0", "--png=again.png", "--supersample", "1", "--device", "cpu", "--quiet")
        np.testing.assert_array_equal(np.asarray(Image.open(self.path("again.png"))), pixels)
        for value, word in (("linear", "Write linear:N"), ("log:2", "--palette-cycle"), ("linear:0", "above 0"), ("square:2", "scale"),
                            ("linear:x", "x")):
            self.assert_refused(("color", "a.h5", "x.png", "--palette-scale", value), 2, "--palette-scale", word)
        for other in (("--equalize",), ("--palette-cycle", "1")):
            self.assert_refused(("color", "a.h5", "x.png", "--palette-scale", "linear:9", *other), 2, "leave out", other[0])

    def test_render_makes_the_same_picture_and_makes_it_again_for_other_colours(self):
        options = ("--palette-cycle", "1", "--inside", "#ffffff", "--equalize", "--png-depth", "16")
        job = ("render", *JOB, "--output", "a.h5", "--png", "p.png")
        self.assert_done(*job, *options)
        self.color(*options)
        np.testing.assert_array_equal(self.deep("p.png"), self.deep("a.png"))
        self.assert_done(*job)
        np.testing.assert_array_equal(np.asarray(Image.open(self.path("p.png"))), self.color())

    def test_tiles_that_are_missing_are_transparent(self):
        self.data()
        whole = self.color()
        self.assert_done("render", *JOB, "--fields", "smooth", "--output", "b.h5", "--share", "1/2")
        for ranks in (0, 2):
            part = self.color(data="b.h5.part", png="b.png", ranks=ranks)
            self.assertEqual(part.shape, (200, 300, 4))
            there = part[..., 3] == 255
            self.assertTrue(.2 < there.mean() < .8)
            np.testing.assert_array_equal(part[..., :3][there], whole[there])
            self.assertFalse(part[~there].any())
        half = self.color("--scale", "1/2", data="b.h5.part", png="b.png")
        self.assertEqual(set(np.unique(half[..., 3])), {0, 255})
        # With --png at the finished file, the picture of the unfinished one is no reason to keep it.
        self.color(data="b.h5.part", png="c.png")
        os.rename(self.path("a.h5"), self.path("c.h5"))
        self.assert_done("render", *JOB, "--output", "c.h5", "--png", "c.png")
        np.testing.assert_array_equal(np.asarray(Image.open(self.path("c.png"))), whole)

    def test_a_picture_tells_how_to_make_it_again(self):
        self.assert_done("render", *JOB, "--png", "a.png", "--palette", "ember", "--inside", "#102030")
        said = self.assert_done("info", "a.png")
        for word in ("Center  ", "-0.7436423016578859", "Width  ", "0.0001", "Iterations", "2000", "300x200"):
            self.assertIn(word, said)
        first = np.asarray(Image.open(self.path("a.png")))
        command = shlex.split(re.search("Command +tessera (.*)", said).group(1))
        os.rename(self.path("a.png"), self.path("old.png"))
        self.assert_done(*command, "--quiet")
        np.testing.assert_array_equal(np.asarray(Image.open(self.path("a.png"))), first)
        self.assert_done("render", "--from", "old.png", "--png", "b.png", "--quiet", ranks=2)
        np.testing.assert_array_equal(np.asarray(Image.open(self.path("b.png"))), first)

    def test_a_region_of_a_picture_or_a_file_is_rendered_deeper(self):
        self.assert_done("render", *JOB, "--png", "a.png")
        self.data()
        for source in ("a.png", "a.h5"):
            self.assert_done("render", "--from", source, "--region", "100,50,100,50", "--fields", "smooth", "--output", "b.h5",
                             "--overwrite", "--quiet")
            with h5py.File(self.path("a.h5")) as whole, h5py.File(self.path("b.h5")) as part:
                self.assertEqual(part["smooth"].shape, (150, 300))
                # The middle pixel of 3 x 3 is where the pixel of the whole was.
                there, here = whole["smooth"][50:100, 100:200], part["smooth"][1::3, 1::3]
                self.assertGreater(np.isclose(there, here, rtol=1e-3).mean(), .95)
        self.assert_refused(("render", "--from", "a.png", "--region", "250,0,100,50"), 2, "--region", "300x200")
        self.assert_refused(("render", "--region", "0,0,100,50"), 2, "--region", "--from")
        self.assert_refused(("render", "--from", "a.png", "--view", "sun"), 2, "--view", "--from")
        self.assert_refused(("render", "--from", "none.png"), 3, "none.png")
        Image.new("RGB", (4, 4)).save(self.path("other.png"))
        self.assert_refused(("render", "--from", "other.png"), 2, "other.png", "center")

    def test_the_picture_of_a_region_tells_the_place_of_the_region(self):
        self.data()
        self.color("--region", "100,50,100,50", png="part.png")
        self.assert_done("render", "--from", "part.png", "--output", "b.h5", "--fields", "smooth", "--quiet")
        with h5py.File(self.path("a.h5")) as whole, h5py.File(self.path("b.h5")) as part:
            there, here = whole["smooth"][50:100, 100:200], part["smooth"][()]
            self.assertGreater(np.isclose(there, here, rtol=1e-3).mean(), .95)

    def test_palettes_are_listed_and_drawn(self):
        said = self.assert_done("palettes")
        self.assertIn("coals, flame and white heat", said)
        self.assertNotIn("\x1b", said)
        self.assert_done("palettes", "--preview", "p.png")
        rows = np.asarray(Image.open(self.path("p.png")))
        self.assertGreater(len(np.unique(rows.reshape(-1, 3), axis=0)), 1000)
        self.assert_refused(("palettes", "--preview", "p.png"), 2, "p.png", "--overwrite")
        self.assert_done("palettes", "--preview", "p.png", "--overwrite", "ocean", "gray")
        self.assertLess(Image.open(self.path("p.png")).size[1], len(rows))
        self.assertIn("twilight, ember", self.assert_done("render", "--help").replace("\n", " "))

    def test_an_output_without_a_name_leaves_nothing(self):
        self.data()
        before = sorted(os.listdir(self.path("")))
        self.assert_refused(("color", "a.h5", ""), 2, "OUT.png: must not be empty")
        self.assertEqual(sorted(os.listdir(self.path(""))), before)

    def test_a_file_is_a_palette_before_a_name_is(self):
        self.data()
        self.write("mypal", "255,0,0\n0,0,255\n")
        self.write("ember", "255 0 0\n0 0 255\n")
        np.testing.assert_array_equal(self.color("--palette", "mypal"), self.color("--palette", "ember"))
        os.remove(self.path("ember"))
        self.assertTrue((self.color("--palette", "mypal") != self.color("--palette", "ember")).any())


if __name__ == "__main__":
    main()
