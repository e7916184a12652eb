"""Counts are true, or the file and the command say which arithmetic made them: special pixels of deep images, places and
widths at the ends of f64's range, and pictures in which no point escapes."""

import program
from images import h5py
from runs import RunTest

import numpy as np

# Its orbit runs into a cycle as far as 100 digits can tell.
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

    def test_a_picture_in_which_no_point_escapes_says_what_to_try(self):
        said = self.run_render("b.h5", *INSIDE)
        self.assertIn("no point escaped within 1000 iterations", said)
        self.assertIn("--iterations 10000", said)
        self.assertNotIn("escaped", self.run_render("q.h5", *INSIDE, "--quiet"))
        self.assertNotIn("escaped", self.run_render("o.h5", *INSIDE, "--iterations", "20000"))
        # One line for a zoom, whose first image is wide.
        said = self.run_render("z.h5", *INSIDE, "--frames", "32", "--size", "8x8")
        self.assertEqual(said.count("no point escaped"), 1)

    def test_a_file_and_its_report_say_whose_orbits_the_counts_are(self):
        wide = ("--formula", "burning-ship", "--center=-0.3,0", "--width", "3.4", "--size", "64x48")
        said = self.run_render("p.h5", *wide)
        self.assertIn("of orbits rounded to f64", said)
        self.assertIn("--arithmetic perturbation", self.attribute("p.h5", "counts"))
        self.assertIn("of orbits rounded to f64", self.run_program("info", "p.h5").stdout)
        said = self.run_render("e.h5", *wide, "--arithmetic", "perturbation")
        self.assertTrue(self.attribute("e.h5", "counts").startswith("exact, as far as"))
        self.run_render("x.h5", *wide, "--arithmetic", "perturbation", "--exact", "off")
        self.assertIn("except", self.attribute("x.h5", "counts"))
        with self.opened("p.h5") as plain, self.opened("e.h5") as exact:
            self.assertTrue(np.any(plain["iterations"][...] != exact["iterations"][...]))


if __name__ == "__main__":
    program.main()
