"""Counts are true, or the file and the command say which arithmetic made them: special pixels of deep images, places and
widths at the ends of f64's range, and pictures in which no point escapes."""

import os

import program
from images import h5py
from runs import RunTest

import numpy as np

#Its orbit runs into a cycle as far as 100 digits can tell.
MULTIBROT = ("--formula", "multibrot:4", "--bailout", "4", "--width", "1e-12",
             "--center=-0.6016780470200699180216853285703037405524876963996225325884249819049173362734"
             "590565304762672209082754,-0.503283393963300435240104511242692284192766101885535476158565"
             "3983690107534660127870697124747378981520")
INSIDE = ("--center=-0.743643887037151,0.13182590420533", "--width", "1e-9", "--size", "48x27")


class TrueCounts(RunTest):
    def run_render(self, name, *options):
        done = self.run_program("render", *options, "--output", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def opened(self, name):
        return h5py.File(self.path(name), "r")

    def attribute(self, name, key):
        with self.opened(name) as file:
            value = file.attrs[key]
        return value.decode() if isinstance(value, bytes) else value

    def test_the_middle_pixel_does_not_have_the_rounding_errors_of_the_reference_orbit(self):
        for device in ("reference", "cpu"):
            for side in (1, 17):
                self.run_render("m.h5", *MULTIBROT, "--size", str(side), "--device", device, "--quiet", "--overwrite")
                with self.opened("m.h5") as file:
                    self.assertEqual(file["iterations"][side // 2, side // 2], 221, (device, side))
                    self.assertLess(file.attrs["uncertain_pixels"], 10)
        checked = self.run_program("verify", "m.h5")
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_widths_and_places_pass_the_lower_end_of_f64(self):
        place = ("--size", "16x12", "--iterations", "1000", "--quiet", "--overwrite")
        for width in ("2.3e-308", "2.2e-308", "1e-310", "4.9e-324", "1e-330"):
            self.run_render("w.h5", "--center=-1.75,0", "--width", width, *place)
            self.assertEqual(self.attribute("w.h5", "width"), float(width))
            self.assertEqual(self.attribute("w.h5", "width_text"), width)
            said = self.run_program("info", "w.h5", "--json")
            self.assertEqual(said.returncode, 0, said.stderr)
            checked = self.run_program("verify", "w.h5", "--quiet")
            self.assertEqual(checked.returncode, 0, checked.stderr)
        for options in (("--center=1e-320,-4.9e-324",), ("--formula", "julia:1e-310,-1e-320"),
                        ("--arithmetic", "perturbation", "--center=1e-320,0")):
            self.run_render("c.h5", *options, *place)
        self.write("job.toml", 'center = "1e-320,0"\nwidth = 1e-310\nsize = "8x8"\noutput = "t.h5"\n')
        self.assertEqual(self.run_program("render", "job.toml", "--quiet").returncode, 0)
        self.assertEqual(self.attribute("t.h5", "width"), 1e-310)

    def test_a_picture_of_one_colour_is_announced_after_the_preview_and_named_at_the_end(self):
        said = self.run_render("b.h5", *INSIDE, "--iterations", "1000")
        self.assertIn("render: no sampled point escapes within 1000 iterations", said)
        self.assertIn("render: b.h5: no point escapes within 1000 iterations", said)
        self.assertEqual(said.count("--iterations 10k"), 2, said)
        self.assertNotIn("escape", self.run_render("q.h5", *INSIDE, "--iterations", "1000", "--quiet"))
        self.assertNotIn("escape", self.run_render("o.h5", *INSIDE, "--iterations", "20000"))
        said = self.run_render("i.h5", "--center=0,0", "--width", "0.01", "--size", "64x64")
        self.assertIn("all sampled points are inside the set", said)
        self.assertNotIn("give more", said)
        said = self.run_render("f.h5", "--center=10,10", "--width", "0.01", "--size", "64x64")
        self.assertIn("f.h5: all points escape at once", said)
        for size in ("10", "3000x14", "12x3000"):  # samples lie beside it
            said = self.run_render("s.h5", "--size", size, "--overwrite")
            self.assertNotIn("escape", said, size)
        planned = self.run_program("plan", *INSIDE, "--iterations", "1000")
        self.assertIn("plan: no sampled point escapes within 1000 iterations", planned.stderr)
#One line for a zoom, whose first image is wide.
        said = self.run_render("z.h5", *INSIDE, "--iterations", "1000", "--frames", "32", "--size", "8x8")
        self.assertEqual(said.count("escapes within"), 1)

    def test_a_deep_place_gets_iterations_by_its_depth(self):
        self.assertNotIn("escape", self.run_render("d.h5", *INSIDE))
        self.assertEqual(self.attribute("d.h5", "iterations"), 8500)
        self.assertIn("8500 iterations by depth", self.assert_done("plan", *INSIDE, "--output", "p.h5"))
        self.write("auto.toml", 'center = "-0.75,0.1"\nwidth = 0.25\niterations = "auto"\nsize = "8x8"\noutput = "a.h5"\n')
        self.assert_done("render", "auto.toml", "--quiet")
        self.assertEqual(self.attribute("a.h5", "iterations"), 1500)

    def test_a_file_of_another_default_keeps_its_iterations(self):
        place = ("--center=-0.7463,0.1102", "--width", "0.01", "--size", "64x64")
        self.run_render("k.h5", *place, "--iterations", "1000")
        said = self.run_render("k.h5", *place)
        self.assertIn("k.h5 has 1000 iterations and keeps them; --iterations 2750 --overwrite", said)
        self.assertIn("k.h5 is complete already", said)
        self.assertEqual(self.attribute("k.h5", "iterations"), 1000)
        self.assert_refused(["render", *place, "--iterations", "2000", "--output", "k.h5"], 2, "holds another image")
        self.run_render("z.h5", *place, "--iterations", "1000", "--frames", "3")
        os.remove(self.path("z-0001.h5"))
        self.run_render("z.h5", *place, "--frames", "3")
        self.assertEqual(self.attribute("z-0001.h5", "iterations"), 1000)

    def test_a_file_and_its_report_say_whose_orbits_the_counts_are(self):
        wide = ("--formula", "burning-ship", "--center=-0.3,0", "--width", "3.4", "--size", "64x48")
        said = self.run_render("p.h5", *wide)
        self.assertIn("of orbits rounded to f64", said)
        self.assertIn("--arithmetic exact", self.attribute("p.h5", "counts"))
        self.assertIn("of orbits rounded to f64", self.run_program("info", "p.h5").stdout)
        said = self.run_render("e.h5", *wide, "--arithmetic", "perturbation")
        self.assertTrue(self.attribute("e.h5", "counts").startswith("exact, as far as"))
        self.run_render("x.h5", *wide, "--arithmetic", "perturbation", "--exact", "off")
        self.assertIn("except", self.attribute("x.h5", "counts"))
        with self.opened("p.h5") as plain, self.opened("e.h5") as exact:
            self.assertTrue(np.any(plain["iterations"][...] != exact["iterations"][...]))

    def test_counts_that_the_most_bits_leave_open_are_told(self):
        # On the real axis the orbit is chaotic and stays: a bit is lost at each step.
        needle = ("--center=-1.9,0", "--width", "1e-3", "--size", "1x1", "--arithmetic", "exact", "--report", "r.json")
        for device in ("cpu", "reference"):
            for iterations, undecided in ((70000, 1), (10000, 0)):
                said = self.run_render("u.h5", *needle, "--iterations", str(iterations), "--device", device, "--overwrite")
                self.assertEqual("undecided_pixels: 1 pixel;" in said, undecided == 1, said)
                self.assertEqual(int(self.attribute("u.h5", "undecided_pixels")), undecided)
                self.assertEqual(self.read_json("r.json")["ranks"][0]["undecided_pixels"], undecided)

    def test_wide_images_are_exact_in_f64_with_a_bound(self):
        wide = ("--formula", "burning-ship", "--center=-0.3,0", "--width", "3.4", "--size", "64x48", "--iterations", "300")
        self.run_render("e.h5", *wide, "--arithmetic", "exact", "--fields", "iterations,smooth,distance")
        self.assertEqual(self.attribute("e.h5", "arithmetic"), "exact-f64")
        self.assertTrue(self.attribute("e.h5", "counts").startswith("exact by a proven bound"))
        self.assertGreater(self.attribute("e.h5", "uncertain_pixels"), 0)
        self.run_render("p.h5", *wide, "--arithmetic", "perturbation")
        self.run_render("f.h5", *wide, "--arithmetic", "plain")
        with self.opened("e.h5") as exact, self.opened("p.h5") as perturbed, self.opened("f.h5") as plain:
            counts = exact["iterations"][...]
            self.assertTrue(np.array_equal(counts, perturbed["iterations"][...]))
            self.assertTrue(np.any(counts != plain["iterations"][...]))
            self.assertTrue(np.all(exact["distance"][...][counts == 300] == 0))
            self.assertGreater(np.mean(exact["distance"][...][counts < 300] > 0), 0.99)
        self.assertIn("by definition with MPFR: the same counts", self.run_program("verify", "e.h5").stdout)
        self.run_render("d.h5", "--center=-1.25066,0.02012", "--width", "1e-9", "--size", "16x12", "--arithmetic", "exact")
        self.assertEqual(self.attribute("d.h5", "arithmetic"), "perturbation-f64")

    def test_a_region_keeps_an_arithmetic_that_can_go_deeper(self):
        wide = ("--formula", "burning-ship", "--center=-0.3,0", "--width", "3.4", "--size", "64x48", "--iterations", "300")
        kinds = (("--arithmetic", "exact"), ("--arithmetic", "perturbation"), ("--arithmetic", "perturbation", "--exact", "off"), ())
        for number, options in enumerate(kinds):
            self.run_render(f"{number}.h5", *wide, *options)
            self.run_render(f"part{number}.h5", "--from", f"{number}.h5", "--region", "16,12,32,24")
            for name in ("arithmetic", "counts"):
                self.assertEqual(self.attribute(f"part{number}.h5", name), self.attribute(f"{number}.h5", name), (name, options))

    def test_what_exact_arithmetic_cannot_do_is_refused(self):
        for options, said in ((("--bailout", "1e10"), "takes up to 1000000000"),
                              (("--iterations", "1e10"), "takes up to 4294967294"),
                              (("--interior", "derivative"), "take proven"), (("--exact", "off"), "this image is exact")):
            self.assert_refused(["render", "--arithmetic", "exact", *options, "--output", "x.h5"], 2, said)


if __name__ == "__main__":
    program.main()
