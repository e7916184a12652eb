"""Pictures in other formats than PNG: the values of a file as EXR, pictures as TIFF. EXR files are read without OpenEXR, and
TIFF files by tifffile."""

import os
import shutil
import subprocess
import sys
import unittest

from exr_file import read_exr
from images import deep_pixels_of
from program import LIMITED, TESSERA, ProgramTest, lines_of, main

try:
    import h5py
    import numpy as np
    import tifffile
    from PIL import Image
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy python3-pil python3-tifffile)")

JOB = ("--view", "double-hook", "--size", "300x200", "--iterations", "2000", "--tile", "64", "--device", "cpu", "--quiet")
ALL = "iterations,smooth,distance"
GRADIENT = ("gradient_x", "gradient_y")
FIELDS = (*ALL.split(","), "fraction", *GRADIENT, "phase")
BIAS, INSIDE = 1024, 0xFFFFFFFF


class PictureFormats(ProgramTest):
    def data(self, *options, name="a.h5", fields=ALL):
        """The fields, and the points inside."""
        self.assert_done("render", *JOB, "--fields", fields, "--output", name, *options)
        return self.fields(name)

    def fields(self, name):
        with h5py.File(self.path(name)) as file:
            fields = {field: file[field][()] for field in FIELDS if field in file}
            return fields, fields.get("smooth", fields.get("iterations")) >= file.attrs["iterations"]

    def color(self, out, *options, data="a.h5", **more):
        self.assert_done("color", data, out, "--overwrite", "--quiet", *options, **more)
        return self.path(out)

    def exr(self, *options, data="a.h5", **more):
        return read_exr(self.color("a.exr", *options, data=data, **more))

    def test_an_exr_has_all_values_of_the_file(self):
        fields, inside = self.data()
        for ranks, memory in ((0, "2G"), (3, "300M")):
            attributes, channels = self.exr("--memory", memory, ranks=ranks)
            self.assertEqual(set(channels), {"N", "NF", "DEX", "DEY", "R", "G", "B"})
            self.assertTrue(inside.any() and not inside.all())
            np.testing.assert_array_equal(channels["N"] == INSIDE, inside)
            self.assertTrue((channels["NF"] >= 0).all() and (channels["NF"] < 1).all())
            values = channels["N"].astype(float) + channels["NF"] - BIAS
            np.testing.assert_array_equal(values[~inside], fields["smooth"].astype(float)[~inside])
            np.testing.assert_array_equal(channels["DEX"], fields["distance"])
            self.assertFalse(channels["DEY"].any())
            self.assertEqual((attributes["Iterations"], attributes["IterationsBias"]), (2000, BIAS))

    def test_an_exr_has_the_digits_of_the_fraction(self):
        values, inside = self.data(fields="smooth,fraction")
        _, channels = self.exr()
        exact = values["iterations"].astype(float) + values["fraction"]
        np.testing.assert_array_equal((channels["N"].astype(float) + channels["NF"] - BIAS)[~inside], exact[~inside])
        self.assertTrue((channels["NF"] >= 0).all() and (channels["NF"] < 1).all())
        self.assertTrue((exact != values["smooth"])[~inside].any())
        # Beyond, a smooth value may be nearer to another count.
        self.assert_done("render", "--center=-3,0", "--width", "5.5", "--size", "64x8", "--iterations", str(2**30),
                         "--output", "w.h5", "--quiet", "--fields", "smooth,fraction")
        with h5py.File(self.path("w.h5"), "r+", libver=("v110", "v110")) as file:
            file["smooth"][0, :3] = 2**23 - 2, 2**23, 2**24
            file["fraction"][0, :3] = 3.25, 3.25, -1e-9
        _, channels = self.exr(data="w.h5")
        self.assertEqual([*channels["N"][0, :3] - BIAS], [2**23 - 2, 2**23, 2**24])
        np.testing.assert_array_equal(channels["NF"][0, :3], [.25, 0, 0])

    def test_a_gradient_is_the_pair_of_channels(self):
        for fields in ("smooth,gradient", "smooth,distance,gradient"):
            values, _ = self.data("--overwrite", "--rotate", "20", fields=fields)
            for options in ((), ("--distance", "1")) if "distance" in fields else ((),):
                _, channels = self.exr(*options)
                for channel, field in zip(("DEX", "DEY"), GRADIENT):
                    self.assertTrue(values[field].any())
                    np.testing.assert_array_equal(channels[channel], values[field])

    def test_the_phase_is_a_channel_beside_smooth_values(self):
        for fields in ("smooth,phase", "smooth,fraction,gradient,phase"):
            values, inside = self.data("--overwrite", fields=fields)
            _, channels = self.exr()
            np.testing.assert_array_equal(channels["T"], values["phase"])
            self.assertEqual("DEX" in channels, "gradient" in fields)
            self.assertTrue((channels["T"][inside] == 0).all() and channels["T"].max() < 1)
            # Counts are those of another step of the orbit.
            self.assertNotIn("T", self.exr("--field", "iterations")[1])
        self.data("--overwrite", fields="phase")
        self.assertNotIn("T", self.exr()[1])

    def test_counts_are_those_of_the_file(self):
        fields, inside = self.data()
        _, channels = self.exr("--field", "iterations")
        self.assertNotIn("NF", channels)
        np.testing.assert_array_equal(channels["N"][~inside], fields["iterations"].astype(int)[~inside] + BIAS)
        self.assertTrue((channels["N"][fields["iterations"] == 2000] == INSIDE).all())
        fields, inside = self.data("--overwrite", fields="iterations")
        _, channels = self.exr()
        self.assertEqual(set(channels), {"N", "R", "G", "B"})
        np.testing.assert_array_equal(channels["N"][~inside], fields["iterations"].astype(int)[~inside] + BIAS)

    def test_counts_that_need_64_bits_are_two_channels(self):
        for iterations, wide in ((2**32 - 2 - BIAS, False), (2**32 - 1 - BIAS, True), (2**40, True)):
            self.assert_done("render", "--center=-3,0", "--width", "5.5", "--size", "64x8", "--iterations", str(iterations),
                             "--output", "w.h5", "--overwrite", "--quiet", "--fields", "iterations,smooth")
            fields, inside = self.fields("w.h5")
            self.assertTrue(inside.any())
            for field in ("iterations", "smooth"):
                attributes, channels = self.exr("--field", field, data="w.h5")
                self.assertEqual("N0" in channels, wide)
                whole = np.floor(fields[field].astype(float))
                np.testing.assert_array_equal(channels["N0" if wide else "N"][~inside], whole[~inside] + BIAS)
                for name in ("N0", "N1") if wide else ("N",):
                    np.testing.assert_array_equal(channels[name] == INSIDE, inside)
                fits = iterations < 2**31
                self.assertEqual(attributes["Iterations"], iterations if fits else str(iterations))

    def test_colours_are_those_of_a_png_in_linear_light(self):
        self.data()
        for options in ((), ("--palette", "ember", "--palette-cycle", "2", "--distance", "1"), ("--equalize",)):
            _, channels = self.exr(*options)
            code = deep_pixels_of(self.color("a.png", "--png-depth", "16", *options)) / 65535
            light = np.where(code <= .04045, code / 12.92, ((code + .055) / 1.055) ** 2.4)
            np.testing.assert_array_equal(np.dstack([channels[name] for name in "RGB"]), light.astype("f2"))

    def test_a_part_of_an_image_is_not_yet_there(self):
        self.assert_done("render", *JOB, "--fields", "iterations,smooth", "--output", "b.h5", "--share", "1/2")
        _, channels = self.exr(data="b.h5.part")
        missing = np.isnan(self.fields("b.h5.part")[0]["smooth"])
        self.assertTrue(missing.any() and not missing.all())
        for name in ("N", "A"):
            np.testing.assert_array_equal(channels[name] == 0, missing)
        self.assertTrue((channels["A"][~missing] == 1).all())
        pixels = tifffile.imread(self.color("b.tif", data="b.h5.part"))
        np.testing.assert_array_equal(pixels, np.asarray(Image.open(self.color("b.png", data="b.h5.part"))))
        self.assertEqual(pixels.shape, (200, 300, 4))

    def test_a_region_and_its_place(self):
        self.data("--rotate", "20")
        _, whole = self.exr()
        attributes, part = self.exr("--region", "70,31,131,119")
        for name, values in part.items():
            np.testing.assert_array_equal(values, whole[name][31:150, 70:201])
        self.color("a.png", "--region", "70,31,131,119")
        for name in ("a.exr", self.color("a.tif", "--region", "70,31,131,119")):
            own = self.assert_done("place", "a.png", "--as", "kfr").replace("BailoutRadiusCustom: 2", "BailoutRadiusCustom: X")
            theirs = self.assert_done("place", name, "--as", "kfr")
            theirs = theirs.replace("BailoutRadiusCustom: " + ("256" if name == "a.exr" else "2"), "BailoutRadiusCustom: X")
            for mine, other in zip(own.split(), theirs.split()):
                try:
                    self.assertAlmostEqual(float(mine), float(other), delta=1e-12 * abs(float(mine)))
                except ValueError:
                    self.assertEqual(mine, other)
        self.assertIn("Zoom: ", attributes["KallesFraktaler2+"])
        self.assertIn("KallesFraktaler2+", self.assert_done("info", "a.exr"))

    def test_formulas_of_ours_tell_no_place_of_theirs(self):
        self.assert_done("render", "--formula", "burning-ship", "--size", "40x30", "--output", "s.h5", "--quiet")
        self.assertIn("FractalType: 1", self.exr(data="s.h5")[0]["KallesFraktaler2+"])
        self.assert_done("render", "--formula", "julia:-0.8,0.156", "--size", "40x30", "--output", "j.h5", "--quiet")
        attributes, _ = self.exr(data="j.h5")
        self.assertNotIn("KallesFraktaler2+", attributes)
        self.assertIn("--formula=julia:-0.8,0.156", attributes["Command"])

    @unittest.skipUnless(shutil.which("exrheader"), "no exrheader (Debian: openexr)")
    def test_openexr_reads_the_header(self):
        self.data()
        self.color("a.exr")
        said = subprocess.run(["exrheader", "a.exr"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        self.assertIn("N, 32-bit unsigned integer", said)
        self.assertIn("Iterations (type int): 2000", said)

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_a_decoder_of_its_own_sees_the_colours(self):
        self.data()
        self.color("a.exr")
        self.color("a.png", "--png-depth", "8")
        subprocess.run(["ffmpeg", "-v", "error", "-apply_trc", "iec61966_2_1", "-i", "a.exr", "-pix_fmt", "rgb24", "b.png"],
                       cwd=self.folder, check=True)
        own, theirs = (np.asarray(Image.open(self.path(name)).convert("RGB")).astype(int) for name in ("a.png", "b.png"))
        self.assertLessEqual(np.abs(own - theirs).max(), 2)

    def test_a_tiff_has_the_pixels_of_a_png(self):
        self.data()
        for ranks in (0, 3):
            for options in ((), ("--scale", "1/2"), ("--region", "3,5,101,77", "--palette", "ember")):
                pixels = np.asarray(Image.open(self.color("a.png", *options, ranks=ranks)))
                np.testing.assert_array_equal(tifffile.imread(self.color("a.tif", *options, ranks=ranks)), pixels)
                np.testing.assert_array_equal(np.asarray(Image.open(self.path("a.tif"))), pixels)
                deep = deep_pixels_of(self.color("a.png", "--png-depth", "16", *options))
                np.testing.assert_array_equal(tifffile.imread(self.color("a.TIFF", "--png-depth", "16", *options)), deep)
        with tifffile.TiffFile(self.path("a.tif")) as tiff:
            self.assertFalse(tiff.is_bigtiff)
            tags = tiff.pages[0].tags
            self.assertEqual((tags["XResolution"].value, tags["Software"].value), ((300, 1), "Tessera"))

    def test_what_cannot_be_is_refused(self):
        self.data()
        self.assert_refused(("color", "a.h5", "a.exr", "--scale", "1/2"), 2, "--scale 1/2", "a.exr", "--region")
        for name in ("a.exr", "a.tif"):
            self.color(name)
            before = os.stat(self.path(name)).st_mtime_ns
            self.assert_refused(("color", "a.h5", name), 2, name, "--overwrite")
            self.assertEqual(os.stat(self.path(name)).st_mtime_ns, before)
            self.assert_refused(("color", "a.h5", f"none/{name}", "--field", "distance"), 2, "--field")
            self.assert_refused(("render", *JOB, "--png", name), 2, "--png", "only PNG")
        self.assert_refused(("color", "a.h5", "a.jpg"), 2, "a.jpg", ".tif", ".exr")

    def test_standard_output_is_a_png(self):
        self.data()
        done = subprocess.run([TESSERA, "color", "a.h5", "-"], cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(done.stdout[:4], b"\x89PNG")

    def test_a_disk_that_fills_up_is_one_line_and_leaves_none(self):
        self.data()
        disk = self.small_disk("40k")
        for name in ("disk/a.exr", "disk/a.tif"):
            for ranks in (0, 2):
                done = self.run_program("color", "a.h5", name, "--quiet", ranks=ranks)
                self.assertEqual(done.returncode, 4, done.stderr)
                [said] = lines_of(done.stderr)
                self.assertIn(name, said)
                self.assertIn("space", said)
                self.assertEqual(os.listdir(disk), [])

    def test_a_disk_that_fills_up_at_any_byte_is_one_line(self):
        self.assert_done("render", "--view", "seahorse", "--size", "24x18", "--output", "a.h5", "--quiet")
        for name in ("a.exr", "a.tif"):
            whole = os.path.getsize(self.color(name))
            os.remove(self.path(name))
            for limit in (0, 1, 8, *range(9, whole, whole // 20), whole - 1):
                done = subprocess.run([sys.executable, "-c", LIMITED, str(limit), TESSERA, "color", "a.h5", name, "--quiet"],
                                      cwd=self.folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 4, (name, limit, done.stderr))
                [said] = lines_of(done.stderr)
                self.assertIn(name, said)
                self.assertEqual([file for file in os.listdir(self.folder) if file.startswith(name)], [])


if __name__ == "__main__":
    main()
