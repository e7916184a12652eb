"""Images, in memory and in files."""

import io
import os
import pickle
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import h5py
import numpy as np

import tessera as ts
from tessera import _core

CORES = ts.Context(device="cpu")


class Images(unittest.TestCase):
    def test_fields_have_shapes_and_types(self):
        image = ts.render("seahorse", size=(80, 50), iterations=3000, fields=("iterations", "smooth", "distance"),
                          context=CORES)
        self.assertEqual(image.shape, (50, 80))
        self.assertEqual((image.iterations.dtype, image.smooth.dtype, image.distance.dtype), ("u2", "f4", "f4"))
        self.assertEqual(image.limit, 3000)
        self.assertEqual(ts.render("seahorse", size=8, iterations=10**6, context=CORES).iterations.dtype, "u4")
        self.assertIsNone(ts.render("seahorse", size=8, fields="iterations", context=CORES).smooth)
        escaped = image.iterations < 3000
        self.assertLess(np.ptp((image.smooth - image.iterations)[escaped]), 2)

    def test_fields_of_slopes(self):
        image = ts.render("seahorse", size=(80, 50), fields=("smooth", "distance", "fraction", "gradient", "phase"), context=CORES)
        self.assertEqual(image.fields, ("iterations", "smooth", "distance", "fraction", "gradient_x", "gradient_y", "phase"))
        np.testing.assert_allclose(image.iterations + image.fraction, image.smooth, rtol=1e-6)
        np.testing.assert_allclose(np.hypot(image.gradient_x, image.gradient_y), image.distance, rtol=1e-6)
        again = ts.render(**image.place, context=CORES)
        np.testing.assert_array_equal(again.gradient_y, image.gradient_y)
        np.testing.assert_array_equal(again.phase, image.phase)
        with self.assertRaisesRegex(ts.UsageError, "gradient_x"):
            image.png(field="gradient_x")

    def test_the_place_makes_the_image_again(self):
        deep = ("-1." + "7" * 30, "0")
        for how in ({"view": "seahorse"}, {"center": deep, "width": "1e-20", "iterations": 500},
                    {"center": -0.5 + 0.1j, "zoom": 10}, {"formula": "julia:-0.8,0.156"}):
            image = ts.render(how.pop("view", None), **how, size=(40, 30), context=CORES)
            again = ts.render(**image.place, context=CORES)
            np.testing.assert_array_equal(image.iterations, again.iterations)
            np.testing.assert_array_equal(image.smooth, again.smooth)
            self.assertEqual(image.place, again.place)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path, picture = os.path.join(folder, "a.h5"), os.path.join(folder, "a.png")
            image = ts.render("seahorse", size=(100, 60), out=[path, picture], context=CORES)
            memory = ts.render("seahorse", size=(100, 60), context=CORES)
            np.testing.assert_array_equal(image.iterations[...], memory.iterations)
            np.testing.assert_array_equal(image.smooth[10:20, ::3], memory.smooth[10:20, ::3])
            self.assertEqual(image.place, memory.place)
            self.assertEqual(pixels(image.png()), pixels(memory.png()))
            with open(picture, "rb") as file:
                self.assertEqual(pixels(file.read()), pixels(memory.png()))
            with self.assertRaises(ts.UsageError):
                ts.render("seahorse", size=(10, 60), out=path, context=CORES)
            ts.render("seahorse", size=(10, 60), out=path, overwrite=True, context=CORES)
            self.assertEqual(ts.open_image(path).shape, (60, 10))

    def test_a_picture_of_a_part_is_transparent_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.h5")
            ts.render("seahorse", size=(100, 60), tile=16, out=path, share="1/2", context=CORES)
            part = ts.open_image(path + ".part")
            rows = np.frombuffer(pixels(part.png()), "u1").reshape(60, 100, 4)
            missing = part.iterations[...] == 0  # no orbit of this view escapes at once
            self.assertTrue(missing.any() and not missing.all())
            np.testing.assert_array_equal(rows[..., 3] == 0, missing)
            whole = ts.render("seahorse", size=(100, 60), context=CORES)
            whole = np.frombuffer(pixels(whole.png()), "u1").reshape(60, 100, 3)
            np.testing.assert_array_equal(rows[..., :3][~missing], whole[~missing])

    def test_a_count_of_0_is_not_missing_in_a_part(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.h5")
            place = {"formula": "julia:-0.8,0.156", "center": "0,0", "width": 12, "size": (64, 64), "iterations": 50, "tile": 16}
            ts.render(**place, fields="iterations", out=path, share="1/2", context=CORES)
            part = ts.open_image(path + ".part")
            alpha = np.frombuffer(pixels(part.png()), "u1").reshape(64, 64, 4)[..., 3]
            whole = ts.render(**place, fields="iterations", context=CORES).iterations
            tiles = alpha.reshape(4, 16, 4, 16).swapaxes(1, 2).reshape(16, 256)
            self.assertTrue((tiles == tiles[:, :1]).all())
            self.assertEqual((tiles[:, 0] > 0).sum(), 8)
            self.assertTrue((whole[alpha > 0] == 0).any())

    def test_a_long_image_shows_itself(self):
        image = ts.render("seahorse", size=(1, 5000), context=CORES)
        self.assertEqual(size_of(image._repr_png_()), (1, 5000))

    def test_options_of_files_are_refused_in_memory(self):
        for more in ({"png": "a.png"}, {"frames": 3}, {"report": "r.json"}, {"writers": 2}, {"supersample": 2}, {"region": "0,0,5,5"},
                     {"equalize": True}):
            with self.assertRaises(ts.UsageError, msg=str(more)):
                ts.render("seahorse", size=(20, 10), context=CORES, **more)

    def test_options_that_a_call_cannot_follow_are_refused(self):
        for more in ({"frames": 3}, {"turn_per_frame": 9}, {"pool": "p"}, {"report": "r.json"}, {"trace": "t.json"},
                     {"report_html": "r.html"}, {"serve": True}, {"memory": "1G"}):
            with self.assertRaisesRegex(ts.UsageError, next(iter(more)).replace("_", "-"), msg=str(more)):
                ts.render("seahorse", size=(8, 8), out="never.h5", context=CORES, **more)

    def test_pictures(self):
        image = ts.render("seahorse", size=(100, 60), fields=("iterations", "smooth", "distance", "gradient"), context=CORES)
        looks = ({}, {"palette": "ember"}, {"equalize": True}, {"cycle": 2}, {"offset": 0.5}, {"transfer": "linear:7"}, {"field": "iterations"},
                 {"inside": "#ff0000"}, {"distance": 2}, {"light": 90}, {"light": "200,0.5"})
        self.assertEqual(len({image.png(**look) for look in looks}), len(looks))
        self.assertEqual(size_of(image.png(scale=2)), (50, 30))
        self.assertEqual(size_of(image._repr_png_()), (100, 60))
        bare = ts.render("seahorse", size=(100, 60), context=CORES)
        for look, word in (({"light": 90}, "gradient"), ({"distance": 1}, "distance")):
            with self.assertRaisesRegex(ts.UsageError, word):
                bare.png(**look)
        for look in ({"palette": "umber"}, {"colour": 3}, {"transfer": "linear"}, {"field": "distance"}, {"scale": 1000}):
            with self.assertRaises(ts.UsageError, msg=str(look)):
                image.png(**look)
        with tempfile.TemporaryDirectory() as folder:
            image.save(os.path.join(folder, "a.png"), palette="ember")
            with open(os.path.join(folder, "a.png"), "rb") as file:
                self.assertEqual(file.read(), image.png("ember"))
            with self.assertRaises(ts.UsageError):
                image.save(os.path.join(folder, "a.jpg"))

    def test_xarray(self):
        try:
            import xarray
        except ImportError:
            self.skipTest("no xarray")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.h5")
            image = ts.render("seahorse", size=(100, 60), tile=32, out=path, context=CORES)
            with xarray.open_dataset(path, engine="tessera") as data:
                self.assertEqual(data.smooth.encoding["preferred_chunks"], {"y": 32, "x": 32})
                np.testing.assert_array_equal(data.smooth[5:9, ::7], image.smooth[5:9, ::7])
                np.testing.assert_array_equal(pickle.loads(pickle.dumps(data)).iterations, image.iterations[...])
                self.assertEqual(data.attrs["width"], image.place["width"])
                np.testing.assert_array_equal(data.x, image.re)
                self.assertEqual(data.smooth.sel(x=image.re[7], y=image.im[5], method="nearest"), image.smooth[5, 7])
            with xarray.open_dataset(path, drop_variables="smooth") as data:  # found by itself
                self.assertEqual(list(data), ["iterations"])
            self.assertEqual(image.to_xarray().smooth.shape, (60, 100))
            self.assertEqual(sorted(image.to_xarray().coords), ["x", "y"])
            self.assertEqual(sorted(ts.render("seahorse", size=(9, 6), rotate=30, context=CORES).to_xarray().coords), [])

    def test_places_of_pixels(self):
        image = ts.render(center="-0.5,0.25", width="3", size=(6, 4), iterations=10, context=CORES)
        np.testing.assert_array_equal(image.re, np.arange(6) * 0.5 - 1.75)
        np.testing.assert_array_equal(image.im, 1 - np.arange(4) * 0.5)
        turned = ts.render("seahorse", size=(6, 4), rotate=30, context=CORES)
        deep = ts.render(center="-0.75,0.1", width="1e-30", size=(6, 4), iterations=10, context=CORES)
        for without in (turned, deep):
            self.assertIsNone(without.re)
            self.assertIsNone(without.im)
        with tempfile.TemporaryDirectory() as folder:
            kept = ts.render("seahorse", size=(100, 60), out=os.path.join(folder, "a.h5"), context=CORES)
            with h5py.File(os.path.join(folder, "a.h5")) as file:
                np.testing.assert_array_equal(kept.re, file["re"])
                np.testing.assert_array_equal(kept.im, file["im"])

    def test_bad_places(self):
        for how in ({"width": "0"}, {"size": (0, 3)}, {"fields": ("smoothness",)}, {"iterations": 0}, {"colour": 3},
                    {"center": "here"}, {"zoom": 3, "width": 3}):
            with self.assertRaises(ts.UsageError, msg=str(how)):
                ts.render(**how, context=CORES)

    def test_explore(self):
        program = os.environ.get("TESSERA_PROGRAM")
        if not program:
            self.skipTest("no program")
        told = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        if told.split()[1] == ts.__version__ and _core.version() not in told:
            self.skipTest("the program was built of another commit than the package")
        with tempfile.TemporaryDirectory() as folder:
            path = os.environ["PATH"]
            self.addCleanup(os.environ.update, PATH=path)
            os.environ["PATH"] = folder
            with self.assertRaises(ts.MissingError):
                ts.explore()
            os.symlink(program, os.path.join(folder, "tessera"))
            with ts.explore("seahorse", size=(100, 100), iterations=500) as page:
                # The token of the address becomes a cookie.
                browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
                with browser.open(page.url, timeout=60) as answer:
                    self.assertIn(b"<html", answer.read())
                self.assertIn(page.url, page._repr_html_())
            with self.assertRaises(urllib.error.URLError):
                urllib.request.urlopen(page.url, timeout=60)
            with self.assertRaisesRegex(ts.UsageError, "seahorze"):
                ts.explore("seahorze")

    def test_lists(self):
        self.assertIn("seahorse", ts.views())
        self.assertIn("twilight", ts.palettes())


def pixels(png):
    from PIL import Image

    return Image.open(io.BytesIO(png)).tobytes()


def size_of(png):
    from PIL import Image

    return Image.open(io.BytesIO(png)).size


if __name__ == "__main__":
    unittest.main()
