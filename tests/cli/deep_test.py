"""Deep zoom through the whole program: true counts, the same bits however the work is cut, and what is kept beside a
file. Places and counts by MPFR are those of tests/deep."""

import json
import os
import signal

import program
from images import h5py, read_image, stored_tiles
from runs import QUICKLY, SLOWLY, RunTest

import numpy as np

TRUTH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "deep", "truth")
# A point inside the set, so that its orbit does not end.
ENDLESS = ("--center=-0.1,0.1", "--iterations", "4000000000", "--size", "16")


class Place:
    """A file of tests/deep/truth: `options` render it, `counts` is (column, row, count at R = 2)."""

    def __init__(self, name):
        keys, self.counts = {}, []
        with open(os.path.join(TRUTH, name + ".txt")) as file:
            for line in file:
                words = line.split()
                if line[0].isdigit():
                    column, from_bottom, count, _ = map(int, words)
                    self.counts.append((column, 511 - from_bottom, count))
                elif not line.startswith("#"):
                    keys[words[0]] = words[1]
        self.limit = int(keys["iterations"])
        self.options = (f"--center={keys['re']},{keys['im']}", "--zoom", keys["zoom"], "--iterations", keys["iterations"])


class Deep(RunTest):
    def render(self, name, *options, ranks=0):
        done = self.run_program("render", *options, "--output", name, "--quiet", "--json", ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def fields(self, name):
        return read_image(self.path(name))[0]

    def counts(self, name):
        with h5py.File(self.path(name), "r") as file:
            return file["iterations"][...].astype(np.int64)

    def attribute(self, name, key):
        with h5py.File(self.path(name), "r") as file:
            value = file.attrs[key]
        return value.decode() if isinstance(value, bytes) else value

    def assert_usage(self, arguments, *words):
        self.assert_refused(arguments, 2, *words)

    def test_counts_are_the_true_ones(self):
        for name in ("e14", "e113"):
            place = Place(name)
            self.render(f"{name}.h5", *place.options, "--size", "512")
            counts = self.counts(f"{name}.h5")
            for column, row, count in place.counts:
                wanted = place.limit if count < 0 else count
                self.assertEqual(counts[row, column], wanted, f"{name}: column {column}, row {row}")
            self.assertEqual(self.attribute(f"{name}.h5", "arithmetic"), "perturbation-f64")

    def test_bits_do_not_depend_on_how_the_work_is_cut(self):
        job = (*Place("e50").options, "--size", "50x34", "--fields", "iterations,smooth")
        self.render("a.h5", *job, "--tile", "16", "--device", "reference")
        wanted = self.fields("a.h5")
        for number, (options, ranks) in enumerate([(("--tile", "16", "--device", "cpu"), 0),
                                                   (("--tile", "7", "--threads", "3"), 0),
                                                   (("--threads", "1"), 0), (("--tile", "16"), 2),
                                                   (("--tile", "9"), 3)]):
            self.render(f"{number}.h5", *job, *options, ranks=ranks)
            self.assertTrue(self.fields(f"{number}.h5") == wanted, options)

    def test_arithmetics_agree_where_both_are_right(self):
        for arithmetic in ("plain", "perturbation"):
            self.render(f"{arithmetic}.h5", "--view", "antenna", "--size", "160x90", "--arithmetic", arithmetic)
        self.assertTrue(self.fields("plain.h5") == self.fields("perturbation.h5"))
        self.assertEqual(self.attribute("plain.h5", "arithmetic"), "f64-fma")

    def test_shares_merge_and_verify(self):
        job = (*Place("e113").options, "--size", "64x48", "--tile", "16")
        self.render("whole.h5", *job)
        for number in (1, 2):
            self.render(f"{number}.h5", *job, "--share", f"{number}/2")
            self.assertFalse(os.path.exists(self.path(f"{number}.h5.orbit")))
        self.assert_done("merge", "all.h5", "1.h5.part", "2.h5.part")
        self.assertTrue(self.fields("all.h5") == self.fields("whole.h5"))
        self.assertIn("the same bits", self.assert_done("verify", "all.h5"))

    def test_a_changed_count_is_found(self):
        self.render("a.h5", *Place("e14").options, "--size", "32", "--compress", "0")
        with h5py.File(self.path("a.h5"), "r+") as file:
            file["iterations"][5, 5] += 1
        done = self.run_program("verify", "a.h5")
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_a_killed_run_resumes_with_the_orbit_that_it_kept(self):
        job = ("render", *Place("e50").options, "--size", "160x120", "--tile", "16", "--output", "a.h5")
        for damage in (False, True):
            process = self.start_program(*job, *SLOWLY, "--quiet")
            self.assert_reaches(process, "some tiles", lambda: stored_tiles(self.path("a.h5")) >= 3)
            self.kill(process)
            self.assertTrue(os.path.exists(self.path("a.h5.orbit")))
            self.assertIn("reference orbit of a.h5, 192860 iterations", self.assert_done("clean"))
            if damage:
                with open(self.path("a.h5.orbit"), "r+b") as file:
                    file.seek(-100, os.SEEK_END)
                    file.write(b"damage")
            done = self.run_program(*job, *QUICKLY)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("render: resuming", done.stderr)
            self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5"])
            self.render("b.h5", *job[1:-2], *QUICKLY)
            self.assertTrue(self.fields("a.h5") == self.fields("b.h5"))
            os.remove(self.path("a.h5"))
            os.remove(self.path("b.h5"))

    def test_a_stop_request_ends_the_reference_orbit(self):
        process = self.start_program("render", *ENDLESS, "--width", "1e-3000", "--output", "a.h5", "--memory", "8G")
        line = process.stderr.readline()
        self.assertRegex(line, r"render: reference orbit: [\d,]+ of at most 4,000,000,000 iterations")
        process.send_signal(signal.SIGTERM)
        self.assert_stops(process, "stopped by SIGTERM", "run the same command to resume")

    def test_an_orbit_beyond_the_memory_says_so(self):
        self.assert_usage(["render", *ENDLESS, "--width", "1e-30", "--memory", "100M", "--quiet"], "--memory 100M",
                          "reference orbit", "4,000,000,000")

    def test_a_region_of_a_deep_image_has_its_pixels(self):
        self.render("a.h5", *Place("e113").options, "--size", "64x48")
        self.render("b.h5", "--from", "a.h5", "--region", "10,20,16,8", "--size", "16x8")
        self.assertTrue((self.counts("b.h5") == self.counts("a.h5")[20:28, 10:26]).all())
        self.render("c.h5", "--from", "a.h5", "--zoom", "1e114", "--size", "8")
        self.assertEqual(self.attribute("c.h5", "width_text"), "4e-114")

    def test_a_picture_tells_its_place_with_all_digits(self):
        place = Place("e113")
        self.assert_done("render", *place.options, "--size", "32x24", "--png", "a.png", "--quiet")
        center = place.options[0].removeprefix("--center=")
        said = self.assert_done("info", "a.png")
        self.assertIn(center, said)
        self.assertIn("--arithmetic=perturbation", said)
        self.assert_done("render", "--from", "a.png", "--png", "b.png", "--quiet")

    def test_plan_tells_about_the_reference(self):
        done = self.run_program("plan", *Place("e113").options, "--size", "64x48", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = json.loads(done.stdout)
        self.assertEqual(plan["reference_iterations"], 22905)  # it escapes
        self.assertGreater(plan["reference_bits"], 380)
        self.assertGreater(plan["reference_memory_bytes"], 22905 * 64)
        self.assertIn("orbit    22905 iterations of", self.assert_done("plan", *Place("e113").options, "--size", "64x48"))

    def test_deep_views_are_rendered(self):
        for view in ("islands", "e113", "e533"):
            self.assert_done("render", "--view", view, "--size", "16x9", "--output", f"{view}.h5", "--quiet")
            counts = self.counts(f"{view}.h5")
            self.assertGreater(len(np.unique(counts)), 10, view)

    def test_impossible_places_are_refused_in_one_line(self):
        deep = ("render", "--size", "16", "--center=-1.75,0")
        self.assert_usage([*deep, "--width", "0"], "--width", "above 0")
        self.assert_usage([*deep, "--width", "1e-99999999999"], "--width", "1e-100000")
        self.assert_usage([*deep, "--zoom", "1e50", "--width", "1e-50"], "--zoom", "--width")
        self.assert_usage(["render", "--center=-1.7548776662,0", "--width", "1e-50"], "10 decimal places", "needs 50")
        self.assert_usage([*deep, "--width", "1e-50", "--arithmetic", "plain"], "too deep")
        self.assert_usage([*deep, "--width", "1e-50", "--formula", "tricorn"], "too deep")
        self.assert_usage([*deep, "--width", "1e-5", "--formula", "tricorn", "--arithmetic", "perturbation"],
                          "mandelbrot only")
        self.assert_usage([*deep, "--width", "1e-50", "--device", "gpu"], "--device gpu", "perturbation")
        self.write("long.toml", f"center = \"-1.{'7' * 1000000},0\"\nwidth = \"1e-50\"\n")
        self.assert_usage(["render", "long.toml"], "long.toml:1: center", "1000001 digits")


if __name__ == "__main__":
    program.main()
