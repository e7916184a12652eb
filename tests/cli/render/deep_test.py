"""Deep zoom through the whole program: true counts, the same bits however the work is cut, and what is kept beside a
file. Places and counts by MPFR are those of tests/deep."""

import contextlib
import json
import os
import re
import signal

import program
from images import h5py, read_image, stored_tiles
from recorded_disk import crc32c
from runs import QUICKLY, SLOWLY, RunTest

import numpy as np

TRUTH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "deep", "truth")
# Points that lead to cycles that repel.
OTHERS = (("burning-ship", "-2,0", "1e-40"), ("tricorn", "-2,0", "1e-90"), ("julia:0,1", "0,0", "1e-30"),
          ("multibrot:4", "-1.259921049894873164767210607278228350570251464701507980081975112155299676514,0", "1e-60"))
# A copy of the set of period 86614.
COPY = ("--center=-0.04947002906310409375169222672735363011874571248822490822377490408258110184036"
        "0748036476493582995049896760966605467760313983395359582265120619903591151,"
        "-0.67478757584467536401139205313059765633477070682240346301927610994511040397031"
        "4677767714516646655713070493936798484769529896708585489544428381974760464", "--width", "6e-60")
# A point that escapes after 3e30 iterations.
ENDLESS = ("--center=-0.75,1e-30", "--iterations", "4000000000", "--size", "16")


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

    def test_other_formulas_are_as_deep(self):
        for formula, center, width in OTHERS:
            job = (f"--formula={formula}", f"--center={center}", "--width", width, "--size", "40x30", "--iterations", "2000",
                   "--fields", "iterations,smooth,distance")
            self.render("a.h5", *job, "--tile", "16", "--device", "reference", "--overwrite")
            wanted = self.fields("a.h5")
            self.assertGreater(len(np.unique(self.counts("a.h5"))), 5, formula)
            for options, ranks in ((("--tile", "16", "--device", "cpu"), 0), (("--tile", "7"), 2)):
                self.render("b.h5", *job, *options, "--overwrite", ranks=ranks)
                self.assertTrue(self.fields("b.h5") == wanted, (formula, options))
            self.assertIn("by definition with MPFR: the same counts", self.assert_done("verify", "b.h5"))
            self.assertEqual(self.attribute("b.h5", "arithmetic"), "perturbation-f64")
            self.assertEqual(self.attribute("b.h5", "formula"), formula)

    def test_digits_of_a_constant_count(self):
        job = ("--center=0,0", "--width", "1e-20", "--size", "16", "--iterations", "3000", "--quiet")
        texts = []
        for digits in ("0." + "0" * 40 + "1,1", "0,1"):
            self.render("a.h5", f"--formula=julia:{digits}", *job, "--overwrite")
            texts.append((self.attribute("a.h5", "fingerprint"), self.fields("a.h5")))
        self.assertNotEqual(texts[0][0], texts[1][0])
        self.assertFalse(texts[0][1] == texts[1][1])

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
        for ranks in (0, 2):
            said = self.assert_done("verify", "all.h5", ranks=ranks)
            self.assertIn("16 rows of 12 tiles computed again on reference: the same bits", said)
            self.assertIn("768 pixels of these rows computed by definition with MPFR: the same counts", said)

    def test_counts_have_64_bits_beyond_the_largest_of_32(self):
        limit = 10**12
        job = (*COPY, "--iterations", str(limit), "--size", "40x30", "--fields", "iterations,smooth,distance")
        self.render("a.h5", *job, "--tile", "16", "--device", "reference")
        wanted, counts = self.fields("a.h5"), self.counts("a.h5")
        with h5py.File(self.path("a.h5"), "r") as file:
            self.assertEqual(file["iterations"].dtype, np.uint64)
            self.assertEqual(int(file.attrs["iterations"]), limit)
            self.assertTrue((file["smooth"][...][counts == limit] == np.float32(limit)).all())
        inside = int((counts == limit).sum())
        self.assertGreater(inside, 100)
        self.assertGreater(len(np.unique(counts)), 20)
        for options, ranks in ((("--tile", "16"), 0), (("--tile", "7"), 2)):
            self.render("b.h5", *job, *options, "--overwrite", ranks=ranks)
            self.assertTrue(self.fields("b.h5") == wanted, options)
        if not program.why_missing("opencl"):
            for tile in ("8", "32"):
                self.render("b.h5", *job, "--tile", tile, "--device", "opencl", "--overwrite")
                self.assertTrue(self.fields("b.h5") == wanted, tile)
        for number in (1, 2):
            self.render(f"{number}.h5", *job, "--tile", "16", "--share", f"{number}/2")
        self.assert_done("merge", "all.h5", "1.h5.part", "2.h5.part")
        self.assertTrue(self.fields("all.h5") == wanted)
        self.assertIn("by definition with MPFR: the same counts", self.assert_done("verify", "all.h5"))
        self.assertRegex(self.assert_done("info", "all.h5"), rf"iterations +{limit}\n")
        self.assertEqual(self.assert_done("reduce", "all.h5:/iterations", "--op", "max", "--quiet").strip(), str(limit))
        self.assert_done("plan", *job)
        for options in ((), ("--equalize",), ("--field", "iterations"), ("--field", "iterations", "--equalize")):
            self.assert_done("color", "all.h5", "a.png", "--quiet", "--overwrite", *options)

    def test_a_changed_count_is_found(self):
        self.render("a.h5", *Place("e14").options, "--size", "32", "--compress", "0")
        with h5py.File(self.path("a.h5"), "r+", libver=("v110", "v110")) as file:
            file["iterations"][...] += 1
            tiles = file["tiles"][...]
            tiles["checksum"] = crc32c(file["iterations"][...].tobytes())
            tiles["iterations"] += 32 * 32
            file["tiles"][...] = tiles
        done = self.run_program("verify", "a.h5")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("/iterations", done.stderr)
        self.assertIn("1 of 1 stored tile is damaged or wrong", done.stderr)

    def test_uncertain_pixels_stay_on_request(self):
        job = (*Place("wiki14").options, "--size", "96", "--tile", "32")
        self.render("exact.h5", *job)
        self.render("quick.h5", *job, "--exact", "off")
        self.render("reference.h5", *job, "--exact", "off", "--device", "reference", ranks=2)
        self.assertTrue(self.fields("quick.h5") == self.fields("reference.h5"))
        uncertain = int(self.attribute("exact.h5", "uncertain_pixels"))
        self.assertGreater(uncertain, 0)
        self.assertEqual(int(self.attribute("quick.h5", "uncertain_pixels")), uncertain)
        self.assertLessEqual((self.counts("exact.h5") != self.counts("quick.h5")).sum(), uncertain)
        self.assertEqual(self.attribute("quick.h5", "exact"), "off")
        self.assertNotEqual(self.attribute("quick.h5", "fingerprint"), self.attribute("exact.h5", "fingerprint"))
        self.assertRegex(self.assert_done("info", "quick.h5"), rf"uncertain_pixels +{uncertain}\n")
        self.assertIn("--exact off: counts not compared with MPFR", self.assert_done("verify", "quick.h5"))
        self.render("again.h5", "--from", "quick.h5", "--size", "96")
        self.assertEqual(self.attribute("again.h5", "exact"), "off")

    def test_a_killed_run_resumes_with_the_orbit_that_it_kept(self):
        job = ("render", *Place("e50").options, "--size", "160x120", "--tile", "16", "--output", "a.h5")
        for damage in (False, True):
            process = self.start_program(*job, *SLOWLY, "--quiet", hold=5)
            self.assert_reaches(process, "some tiles", lambda: stored_tiles(self.path("a.h5")) >= 3)
            self.kill(process)
            self.assertTrue(os.path.exists(self.path("a.h5.orbit")))
            self.assertIn("reference orbit of a.h5, 86614 iterations", self.assert_done("clean"))
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

    def test_a_killed_run_of_a_julia_set_resumes(self):
        job = ("render", "--formula=julia:0,1", "--center=0,0", "--width", "1e-30", "--iterations", "3000", "--size", "160x120",
               "--tile", "16", "--output", "a.h5")
        process = self.start_program(*job, *SLOWLY, "--quiet", hold=5)
        self.assert_reaches(process, "some tiles", lambda: stored_tiles(self.path("a.h5")) >= 3)
        self.kill(process)
        self.assertTrue(os.path.exists(self.path("a.h5.orbit")))
        done = self.run_program(*job, *QUICKLY)
        self.assertIn("render: resuming", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5"])
        self.render("b.h5", *job[1:-2], *QUICKLY)
        self.assertTrue(self.fields("a.h5") == self.fields("b.h5"))

    def test_a_stop_request_ends_the_reference_orbit(self):
        process = self.start_program("render", *ENDLESS, "--width", "1e-3000", "--output", "a.h5", "--memory", "8G")
        line = process.stderr.readline()
        self.assertRegex(line, r"render: reference orbit: [\d,]+ of at most 4,000,000,000 iterations")
        process.send_signal(signal.SIGTERM)
        self.assert_stops(process, "stopped by SIGTERM", "run the same command to resume")

    def test_an_orbit_that_is_not_complete_is_resumed(self):
        job = ("render", "--center=-0.75,1e-30", "--iterations", "400000", "--size", "8", "--width", "1e-3000",
               "--checkpoint", "1", "--output", "a.h5")
        stopped = self.run_program(*job, "--max-seconds", "1")
        self.assertEqual(stopped.returncode, 75, stopped.stderr)
        self.assertIn("stopped by --max-seconds", stopped.stderr)
        first = self.kept_iterations()
        process = self.start_program(*job)
        self.assert_reaches(process, "another checkpoint", lambda: self.kept_iterations() > first)
        self.kill(process)
        done = self.run_program(*job)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = int(re.search(r"resuming the reference orbit after ([\d,]+) iterations", done.stderr)[1].replace(",", ""))
        self.assertGreater(kept, first)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])
        self.assertTrue((self.counts("a.h5") == 400000).all())

    def kept_iterations(self):
        found = re.search(r"reference orbit of a.h5, (\d+) iterations", self.run_program("clean").stdout)
        return int(found[1]) if found else 0

    def test_an_iteration_limit_far_above_the_period_costs_nothing(self):
        place = ("--center=-1.7548776662466927600495088963585286918946,0", "--width", "1e-30", "--size", "16")
        self.render("a.h5", *place, "--iterations", "4000000000", "--memory", "200M")
        self.assertTrue((self.counts("a.h5") == 4000000000).all())
        self.assertIn("orbit    3 iterations of", self.assert_done("plan", *place, "--iterations", "4000000000"))
        # Nor does a pixel in the middle, which returns to 0.
        for centre, width in ((place[0], "1e-30"), ("--center=-1,0", "1e-30"), ("--center=-1,0", "1e-300")):
            self.render("odd.h5", centre, "--width", width, "--size", "15x9", "--iterations", "4000000000",
                        "--memory", "200M", "--overwrite")
            self.assertTrue((self.counts("odd.h5") == 4000000000).all())

    def test_an_orbit_beyond_the_memory_says_so(self):
        self.assert_usage(["render", *ENDLESS, "--width", "1e-30", "--memory", "100M", "--checkpoint", "1", "--quiet"],
                          "--memory 100M", "reference orbit", "4,000,000,000")

    def test_a_job_that_is_refused_after_its_orbit_leaves_nothing(self):
        job = ("render", *Place("e113").options, "--size", "4096", "--tile", "4096", "--output", "a.h5")
        self.assert_usage([*job, "--memory", "80M"], "--memory 80.0 MiB", "reference orbit")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_job_that_is_refused_keeps_the_orbit_of_an_earlier_run(self):
        job = ("render", *Place("e113").options, "--size", "4096", "--tile", "4096", "--output", "a.h5")
        process = self.start_program(*job, *SLOWLY, "--quiet", hold=1)
        self.assert_reaches(process, "an orbit", lambda: self.kept_iterations() > 0)
        self.kill(process)
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path("a.h5.part"))
        self.assert_usage([*job, "--memory", "80M"], "--memory 80.0 MiB", "reference orbit")
        self.assertGreater(self.kept_iterations(), 0)

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
        self.assertEqual(plan["reference_iterations"], 22760)  # it would escape after 22905
        self.assertGreater(plan["reference_bits"], 380)
        self.assertGreater(plan["reference_memory_bytes"], 22760 * 64)
        self.assertIn("orbit    22760 iterations of", self.assert_done("plan", *Place("e113").options, "--size", "64x48"))

    def test_tables_for_uncertain_pixels_are_made_if_there_is_room(self):
        job = ("--view", "e227", "--size", "48x27", "--tile", "16", "--threads", "1", "--device", "cpu")

        def plan(memory):
            return json.loads(self.assert_done("plan", *job, "--json", "--memory", str(memory)))

        wide = plan("2G")
        needed = wide["all_uncertain_memory_bytes"]
        self.assertEqual(wide["uncertain_memory_bytes"], needed)
        self.assertGreater(needed, 48 * wide["reference_iterations"])
        queues_beyond_the_least = wide["queues_memory_bytes"] - (12 << 20)
        least = wide["memory_bytes"] - queues_beyond_the_least - needed + (1 << 20)
        self.render("all.h5", *job)
        done = self.run_program("render", *job, "--output", "a.h5", "--memory", str(least), "--quiet")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIsNone(plan(least)["one_worker_s"])
        self.assertRegex(done.stderr, r"--memory leaves .* pixels whose counts are uncertain need")
        self.render("a.h5", *job)
        self.assertTrue((self.counts("a.h5") == self.counts("all.h5")).all())
        part = plan(least + needed * 3 // 4)["uncertain_memory_bytes"]  # the table of 106 bits alone
        self.assertTrue(0 < part < needed, part)

    def test_deep_views_are_rendered(self):
        for view in ("islands", "sea-stars", "comet", "coral-galaxy", "anemone", "feathered-eye", "two-suns", "shell",
                     "towers", "jellyfish", "sparks", "burning-bush", "mandala", "urchin", "halo", "e113", "egg", "roots",
                     "e533", "julia-rings", "julia-leaves", "lattice", "deep-ship", "ball-lightning", "deep-tricorn", "curls",
                     "lanterns"):
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
        for formula in ("tricorn", "julia:0,1"):
            self.assert_usage([*deep, "--width", "1e-50", "--formula", formula, "--arithmetic", "plain"], "too deep")
            self.assert_usage(["render", "--center=-1.7548776662,0", "--width", "1e-50", "--formula", formula],
                              "10 decimal places", "needs 50")
        self.assert_usage([*deep, "--width", "1e-50", "--formula", "julia:0," + "7" * 100001], "--formula", "100001 digits")
        self.write("long.toml", f"center = \"-1.{'7' * 1000000},0\"\nwidth = \"1e-50\"\n")
        self.assert_usage(["render", "long.toml"], "long.toml:1: center", "1000001 digits")


if __name__ == "__main__":
    program.main()
