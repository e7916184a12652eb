"""The field `distance`, the edge that pictures draw with it, and the derivative's test of the interior."""

import os

import program
from images import h5py, read_image
from runs import QUICKLY, SLOWLY, RunTest

import numpy as np
from PIL import Image

ALL = ("--fields", "iterations,smooth,distance,fraction,gradient,phase")
PLACE = ("--center=-0.7463,0.1102", "--width", "0.005", "--size", "160x120")
SEAHORSE = (*PLACE, "--iterations", "2000")
TIP = ("--center=-2,0", "--width", "3e-400", "--iterations", "2000", "--size", "48x33")
LOG_HEADER_BYTES, LOG_RECORD_BYTES = 256, 72 + 24 * 7  # of all fields


class Distance(RunTest):
    def render(self, name, *options, ranks=0):
        done = self.run_program("render", *options, "--output", name, "--quiet", ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)

    def fields(self, name):
        return read_image(self.path(name))[0]

    def field(self, name, field):
        with h5py.File(self.path(name), "r") as file:
            return file[field][...]

    def attribute(self, name, key):
        with h5py.File(self.path(name), "r") as file:
            value = file.attrs[key]
        return value.decode() if isinstance(value, bytes) else value

    def pixels(self, name):
        return np.asarray(Image.open(self.path(name)).convert("RGB")).astype(int)

    def assert_usage(self, arguments, *words):
        self.assert_refused(arguments, 2, *words)

    def test_bits_do_not_depend_on_how_the_work_is_cut(self):
        for place in (SEAHORSE, TIP):
            job = (*place, *ALL)
            self.render("a.h5", *job, "--tile", "16", "--device", "reference")
            wanted = self.fields("a.h5")
            self.assertEqual(len(wanted), 7)
            for number, (options, ranks) in enumerate([(("--tile", "16", "--device", "cpu"), 0),
                                                       (("--tile", "7", "--threads", "3"), 0),
                                                       (("--tile", "64", "--compress", "0"), 2)]):
                self.render(f"{number}.h5", *job, *options, "--overwrite", ranks=ranks)
                self.assertTrue(self.fields(f"{number}.h5") == wanted, options)
            os.remove(self.path("a.h5"))

    def test_distances_are_true_to_a_factor_of_two(self):
        # Around -2 the set is the real axis, to the right of -2.
        self.render("a.h5", *TIP, *ALL)
        distance, counts = self.field("a.h5", "distance"), self.field("a.h5", "iterations")
        rows, columns = np.mgrid[0:33, 0:48]
        x, y = columns + .5 - 24, 16.5 - (rows + .5)
        true = np.where(x > 0, abs(y), np.hypot(x, y))
        outside = counts < 2000
        self.assertGreater(outside.mean(), .9)
        self.assertTrue((distance[~outside] == 0).all())
        ratio = distance[outside] / true[outside]
        self.assertGreater(ratio.min(), .49)
        self.assertLess(ratio.max(), 2.01)

    def test_arithmetics_agree(self):
        place = ("--center=-0.7463,0.1102", "--width", "1e-4", "--iterations", "2000", "--size", "64x48")
        self.render("a.h5", *place, *ALL, "--arithmetic", "plain")
        self.render("b.h5", *place, *ALL, "--arithmetic", "perturbation")
        a, b = self.field("a.h5", "distance"), self.field("b.h5", "distance")
        same = self.field("a.h5", "iterations") == self.field("b.h5", "iterations")
        self.assertGreater(same.mean(), .95)
        self.assertLess(np.median(abs(a - b)[same] / (1e-6 + b[same])), 1e-5)

    def test_other_formulas_have_distances(self):
        for formula in ("julia:-0.8,0.156", "burning-ship", "tricorn", "multibrot:3"):
            self.render("a.h5", "--formula", formula, "--center=0,0", "--width", "4", "--size", "64x48", *ALL, "--overwrite")
            distance, counts = self.field("a.h5", "distance"), self.field("a.h5", "iterations")
            self.assertTrue((distance[counts == 1000] == 0).all(), formula)
            # Late escapes of the Burning Ship have derivatives beyond f64.
            self.assertGreater((distance[counts < 1000] > 0).mean(), .98, formula)
            self.assertGreater(distance.max(), 3, formula)

    def test_a_killed_run_resumes(self):
        job = ("render", *PLACE, "--iterations", "2000", *ALL, "--tile", "16", "--output", "a.h5")
        for tear in (0, 50):
            process = self.start_program(*job, *SLOWLY, "--quiet", hold=5)
            log = self.path("a.h5.part.log")

            def stored():
                size = os.path.getsize(log) if os.path.exists(log) else 0
                return (size - LOG_HEADER_BYTES) // LOG_RECORD_BYTES

            self.assert_reaches(process, "some tiles", lambda: stored() >= 3)
            self.kill(process)
            self.assertEqual((os.path.getsize(log) - LOG_HEADER_BYTES) % LOG_RECORD_BYTES, 0)
            if tear:
                os.truncate(log, os.path.getsize(log) - tear)
            done = self.run_program(*job, *QUICKLY)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("render: resuming", done.stderr)
            self.render("b.h5", *job[1:-2], *QUICKLY)
            self.assertTrue(self.fields("a.h5") == self.fields("b.h5"))
            os.remove(self.path("a.h5"))
            os.remove(self.path("b.h5"))

    def test_shares_merge_and_verify(self):
        job = (*SEAHORSE, *ALL, "--tile", "64")
        self.render("whole.h5", *job)
        for number in (1, 2):
            self.render(f"{number}.h5", *job, "--share", f"{number}/2")
        self.assert_done("merge", "all.h5", "1.h5.part", "2.h5.part")
        self.assertTrue(self.fields("all.h5") == self.fields("whole.h5"))
        self.assertIn("the same bits", self.assert_done("verify", "all.h5"))
        with h5py.File(self.path("all.h5"), "r+", libver=("v110", "v110")) as file:
            file["distance"][0:64, 0:64] += 1
        done = self.run_program("verify", "all.h5")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("checksum", done.stderr)

    def test_pictures_draw_the_edge_and_nothing_beyond(self):
        self.render("a.h5", *SEAHORSE, *ALL)
        distance = self.field("a.h5", "distance")
        look = ("--inside", "#000000", "--overwrite", "--quiet", "--png-depth", "8")
        self.assert_done("color", "a.h5", "plain.png", *look)
        for width in (1, 3):
            self.assert_done("color", "a.h5", "edge.png", *look, "--distance", str(width))
            plain, edge = self.pixels("plain.png"), self.pixels("edge.png")
            far = distance >= width
            self.assertLessEqual(abs(plain - edge)[far].max(), 1)
            self.assertTrue((edge[distance == 0] == 0).all())
            near = (distance < .2 * width) & (plain.sum(axis=2) > 60)
            self.assertGreater(near.sum(), 20)
            self.assertTrue((edge.sum(axis=2)[near] < .8 * plain.sum(axis=2)[near]).all())
        self.assert_done("color", "a.h5", "again.png", *look, "--distance", "3", ranks=2)
        self.assertTrue((self.pixels("again.png") == edge).all())
        # A smaller picture has the edge as wide in its own pixels.
        self.assert_done("color", "a.h5", "half.png", *look, "--distance", "1", "--scale", "1/2")
        self.assert_done("color", "a.h5", "whole.png", *look, "--distance", "2")
        mean = self.pixels("whole.png").reshape(60, 2, 80, 2, 3)
        half = self.pixels("half.png")
        self.assertTrue((half >= mean.min(axis=(1, 3)) - 1).all())
        self.assertTrue((half <= mean.max(axis=(1, 3)) + 1).all())

    def test_a_picture_alone_has_what_it_needs_and_tells_it(self):
        self.assert_done("render", *SEAHORSE, "--png", "a.png", "--distance", "1.5", "--quiet")
        said = self.assert_done("info", "a.png")
        self.assertIn("--distance=1.5", said)
        self.assertIn("--fields=iterations,smooth,distance", said)
        before = self.pixels("a.png")
        self.assert_done("render", "--from", "a.png", "--png", "b.png", "--quiet")
        self.assertTrue((self.pixels("b.png") == before).all())
        self.assert_done("render", *SEAHORSE, "--png", "c.png", "--quiet")
        self.assertFalse((self.pixels("c.png") == before).all())
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.png", "b.png", "c.png"])

    def test_a_file_without_distances_is_rendered_again_only_on_request(self):
        self.render("a.h5", *SEAHORSE)
        self.assert_refused(["color", "a.h5", "a.png", "--distance", "1"], 3, "a.h5 has no distances", "--fields")
        self.assert_usage(["render", *SEAHORSE, "--output", "a.h5", "--png", "a.png", "--distance", "1"], "--overwrite")
        self.assert_usage(["render", *SEAHORSE, "--png", "a.png", "--fields", "smooth", "--distance", "1"], "--distance",
                          "needs the field distance", "--fields")
        self.assert_usage(["render", *SEAHORSE, "--output", "b.h5", "--distance", "1"], "--png")
        self.assert_usage(["render", *SEAHORSE, "--fields", "distance", "--bailout", "1.5"], "--bailout",
                          "distance values", "at least 2")
        self.assert_usage(["color", "a.h5", "a.png", "--distance", "-1"], "above 0")
        self.assert_usage(["render", *SEAHORSE, "--interior", "derivate"], "--interior", "did you mean 'derivative'?")

    def test_the_derivatives_test_is_recorded(self):
        place = ("--center=-1.768,0", "--width", "0.05", "--iterations", "20000", "--size", "96x64", "--tile", "32",
                 "--arithmetic", "perturbation")
        self.render("a.h5", *place)
        self.render("b.h5", *place, "--interior", "derivative", *ALL)
        self.render("c.h5", *place, "--interior", "derivative", *ALL, "--device", "reference", ranks=2)
        self.assertTrue(self.fields("b.h5") == self.fields("c.h5"))
        self.assertTrue((self.field("a.h5", "iterations") == self.field("b.h5", "iterations")).all())
        self.assertNotEqual(self.attribute("a.h5", "fingerprint"), self.attribute("b.h5", "fingerprint"))
        self.assertEqual(self.attribute("b.h5", "interior"), "derivative")
        self.assertIn("the same bits", self.assert_done("verify", "b.h5"))
        self.render("d.h5", "--from", "b.h5", "--size", "96x64")
        self.assertEqual(self.attribute("d.h5", "interior"), "derivative")


if __name__ == "__main__":
    program.main()
