"""--formula: the same bits on every device, what is refused, and that a file knows its formula ever after."""

import os

import program
from images import h5py, read_image

SIZE = ("--size", "201x113", "--iterations", "300", "--tile", "64")
FORMULAS = ("mandelbrot", "julia:-0.8,0.156", "julia:0.3,2.5", "burning-ship", "tricorn", "multibrot:3", "multibrot:4",
            "multibrot:5", "multibrot:6", "multibrot:7", "multibrot:8")
BOTH = ("--fields", "iterations,smooth", "--bailout", "3")


class Formula(program.ProgramTest):
    def render(self, name, formula, *options, **more):
        return self.assert_done("render", f"--formula={formula}", "--center=0,0", "--width", "4", *SIZE, *options, "--quiet",
                                "--output", name, **more)

    def values(self, name):
        return read_image(self.path(name))[0]

    def forget_formula(self, name):
        """As files were before there was a choice."""
        with h5py.File(self.path(name), "r+", libver=("v110", "v110")) as file:
            del file.attrs["formula"]

    def test_each_has_its_own_pixels_and_the_same_on_every_device(self):
        seen = []
        opencl = program.why_missing("opencl") == ""
        for formula in FORMULAS:
            for device in ("reference", "cpu", *(("opencl",) if opencl else ())):
                self.render(f"{device}.h5", formula, *BOTH, "--device", device, "--overwrite")
            pixels = self.values("reference.h5")
            self.assertNotIn(pixels, seen)
            seen.append(pixels)
            self.assertTrue(self.values("cpu.h5") == pixels, formula)
            if opencl:
                self.assertTrue(self.values("opencl.h5") == pixels, formula)
            self.assertRegex(self.assert_done("info", "cpu.h5"), rf"formula +{formula}\n")
            self.assertIn("all checksums right", self.assert_done("verify", "cpu.h5", "--sample", "8"))

    def test_orbits_longer_than_a_launch_are_those_of_the_cores(self):
        """The first rotates and never returns; the others have orbits that return late, below and above 2^32 iterations."""
        if why := program.why_missing("opencl"):
            self.skipTest(why)
        for formula, width, iterations in (("julia:-0.390540870218,-0.586787907346", "0.5", "2500003"),
                                           ("mandelbrot", "4", "4294967294"), ("mandelbrot", "4", "1e10")):
            for device, *options in (("cpu",), ("opencl",), ("opencl", "--isolate", "off")):
                self.assert_done("render", f"--formula={formula}", "--center=0,0", "--width", width, "--size", "20x12",
                                 "--tile", "16", "--iterations", iterations, "--device", device, "--quiet", "--output",
                                 f"{device}.h5", "--overwrite", *options)
                self.assertTrue(self.values(f"{device}.h5") == self.values("cpu.h5"), (formula, device, *options))

    def test_bad_ones_are_refused_in_a_line(self):
        for formula, *words in (("julia", "needs its constant", "julia:-0.8,0.156"), ("julia:1", "'1'"),
                                ("julia:nan,0", "'nan'"), ("julia:0,1e400", "1e400"), ("multibrot", "needs its power", "3 to 8"),
                                ("multibrot:2", "is the Mandelbrot set"), ("multibrot:9", "'9'", "3 to 8"),
                                ("multibrot:x", "'x'"), ("multibrot:nan", "'nan'"), ("tricorn:2", "takes no parameter"),
                                ("Tricorn", "did you mean 'tricorn'"), ("", "mandelbrot, julia"),
                                ("newton", "there is no formula 'newton'")):
            self.assert_refused(["render", f"--formula={formula}", "--output", "a.h5"], 2, "--formula", *words)
        self.assert_refused(["render", "--formula=julia:-6,0", "--fields", "smooth", "--output", "a.h5"], 2, "--fields",
                            "julia:-6,0", "bailout of at least 3.001")

    def test_a_job_file_names_one(self):
        self.write("a.toml", "formula = 'julia:-0.8,0.156'\ncenter = [0, 0]\nsize = '64x64'\noutput = 'a.h5'\n")
        self.assert_done("render", "a.toml", "--quiet")
        self.assertRegex(self.assert_done("info", "a.h5"), r"formula +julia:-0.8,0.156\n")
        self.write("b.toml", "formula = 'multibrot:9'\n")
        self.assert_refused(["render", "b.toml"], 2, "b.toml:1: formula", "3 to 8")

    def test_report_and_plan_tell_it(self):
        self.render("a.h5", "tricorn", "--report", "r.json")
        self.assertEqual(self.read_json("r.json")["job"]["formula"], "tricorn")
        self.assertRegex(self.assert_done("plan", "--formula", "multibrot:5", "--size", "200x200"), "formula +multibrot:5\n")

    def test_a_view_brings_its_own_and_views_lists_it(self):
        self.assert_done("render", "--view", "ship", *SIZE, "--output", "a.h5")
        self.assertRegex(self.assert_done("info", "a.h5"), r"formula +burning-ship\n")
        said = self.assert_done("views")
        for formula in ("julia:", "burning-ship", "tricorn", "multibrot:"):
            self.assertGreaterEqual(said.count(f"--formula {formula}"), 2, formula)

    def test_verify_finds_pixels_of_another(self):
        self.render("a.h5", "tricorn")
        with h5py.File(self.path("a.h5"), "r+", libver=("v110", "v110")) as file:
            file.attrs["formula"] = "burning-ship"
        done = self.run_program("verify", "a.h5")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("differs from reference", done.stderr)

    def test_a_run_with_another_formula_does_not_go_on_with_a_file(self):
        options = ("--share", "1/2", "--center=0,0", "--width", "4", *SIZE, "--output", "a.h5")
        self.assert_done("render", "--formula=julia:-0.8,0.156", *options)
        self.assert_refused(["render", "--formula=julia:-0.8,0.157", *options], 2, "another image")
        self.assert_refused(["render", *options, "--resume"], 2, "another image")
        done = self.run_program("render", "--formula=julia:-0.80,.156", *options)
        self.assertIn("tiles are stored", done.stderr)

    def test_shares_of_one_formula_are_merged_and_of_two_are_not(self):
        for number, formula in ((1, "multibrot:3"), (2, "multibrot:3"), (3, "multibrot:4")):
            self.render(f"{number}.h5", formula, "--share", f"{min(number, 2)}/2")
        self.assert_done("merge", "all.h5", "1.h5", "2.h5")
        self.render("whole.h5", "multibrot:3")
        self.assertTrue(self.values("all.h5") == self.values("whole.h5"))
        self.assertIn("all checksums right", self.assert_done("verify", "all.h5"))
        self.assert_refused(["merge", "b.h5", "1.h5", "3.h5"], 2, "3.h5: is of another image than 1.h5")

    def test_files_from_before_there_was_a_choice_are_of_the_mandelbrot_set(self):
        self.render("a.h5", "mandelbrot")
        self.forget_formula("a.h5")
        self.assertIn("all checksums right", self.assert_done("verify", "a.h5", "--sample", "8"))
        self.assertIn("is complete already", self.run_program("render", "--center=0,0", "--width", "4", *SIZE, "--output", "a.h5").stderr)
        for number in (1, 2):
            self.render(f"{number}.h5", "mandelbrot", "--share", f"{number}/2")
            self.forget_formula(f"{number}.h5.part")
        self.assertIn("tiles are stored", self.run_program("render", "--center=0,0", "--width", "4", *SIZE, "--share", "2/2",
                                                           "--output", "2.h5").stderr)
        self.assert_done("merge", "all.h5", "1.h5", "2.h5")
        self.assertTrue(self.values("all.h5") == self.values("a.h5"))

    def test_two_centres_that_differ_beyond_a_float_are_two_images(self):
        options = ("--width", "1e-9", *SIZE, "--output", "a.h5")
        self.assert_done("render", "--center=-0.7436438870371587,0.1", *options)
        self.assertTrue(os.path.exists(self.path("a.h5")))
        self.assertEqual(self.run_program("render", "--center=-0.74364388703715870,+.1", *options).returncode, 0)
        self.assert_refused(["render", "--center=-0.74364388703715870000001,0.1", "--quiet", *options], 2, "holds another image")


if __name__ == "__main__":
    program.main()
