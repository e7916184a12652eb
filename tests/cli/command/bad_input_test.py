"""Every kind of bad input: its exit code, one line that names it, and nothing left behind."""

import os
import unittest

from program import main
from runs import RunTest

RENDER = ["render", "--size", "64x64", "--quiet", "--output", "a.h5"]


class BadInput(RunTest):
    def test_sizes(self):
        for size in ["0x64", "64x0", "-1x64", "2147483648x1", "6k", "64x", "axb", "1e3x10", "64x64x64", ""]:
            with self.subTest(size=size):
                self.assert_refused(["render", f"--size={size}", "--output", "a.h5"], 2, "--size")

    def test_numbers(self):
        for option, values in {
            "--width": ["0", "-1", "nan", "inf", "1e999", "wide", ""],
            "--center": ["0", "0,nan", "a,b", "0,0,0", "inf,0"],
            "--iterations": ["0", "-5", "9007199254740993", "18446744073709551616", "1e30", "1.5", "many"],
            "--bailout": ["0", "-2", "nan", "inf"],
            "--tile": ["0", "-1", "16385", "x"],
            "--threads": ["-1", "x"],
            "--memory": ["0", "x", "-1G", "1K"],
            "--compress": ["4", "-1", "x"],
        }.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_refused([*RENDER, f"{option}={value}"], 2, option)

    def test_names_suggest_the_nearest(self):
        self.assert_refused([*RENDER, "--view", "seahose"], 2, "--view", "seahorse")
        self.assert_refused([*RENDER, "--fields", "iterations,smoth"], 2, "--fields", "smooth")
        self.assert_refused([*RENDER, "--png", "a.png", "--palette", "twilite"], 2, "twilight")
        self.assert_refused([*RENDER, "--device", "cpux"], 2, "--device", "cpu")
        self.assert_refused([*RENDER, "--itertions", "5"], 2, "--itertions", "--iterations")
        self.assert_refused(["rendr"], 2, "rendr", "render")

    def test_devices_that_are_not_there(self):
        self.assert_refused([*RENDER, "--device", "cuda:99"], 3, "cuda")
        self.assert_refused([*RENDER, "--device", "opencl:99.0"], 3, "opencl")
        self.assert_refused([*RENDER, "--device", "cpu:mmx"], 2, "mmx")
        self.assert_refused([*RENDER, "--device", "cuda:99"], 3, "cuda", ranks=2)

    def test_a_device_given_twice(self):
        self.assert_refused([*RENDER, "--device", "cpu,cpu"], 2, "'cpu' is there twice")
        self.assert_refused(["devices", "--device", "auto, auto"], 2, "'auto' is there twice", ranks=2)

    def test_options_that_contradict(self):
        self.assert_refused([*RENDER, "--bailout", "1.5", "--fields", "iterations,smooth"], 2, "bailout")
        self.assert_refused([*RENDER, "--png", "a.h5"], 2, "--png")

    def test_a_zoom_too_deep_says_how_deep_it_goes(self):
        self.assert_refused([*RENDER, "--center", "-0.75,0.1", "--width", "1e-17", "--arithmetic", "plain"], 2, "--width",
                            "at least")

    def test_job_files(self):
        self.assert_refused(["render", "none.toml"], 3, "none.toml")
        self.write("bad.toml", "view = 'whole'\nsize = = 3\n")
        self.assert_refused(["render", "bad.toml"], 2, "bad.toml:2")
        self.write("key.toml", "view = 'whole'\n\nitertions = 3\n")
        self.assert_refused(["render", "key.toml"], 2, "key.toml:3", "iterations")
        self.write("type.toml", "tile = [true]\n")
        self.assert_refused(["render", "type.toml"], 2, "type.toml:1", "tile")
        self.write("value.toml", "size = '0x5'\n")
        self.assert_refused(["render", "value.toml"], 2, "value.toml:1", "size")
        os.mkdir(self.path("folder.toml"))
        self.assert_refused(["render", "folder.toml"], 2, "folder.toml")

    def test_outputs(self):
        self.write("none", "no folder\n")
        self.assert_refused(["render", "--output", "none/a.h5"], 2, "--output", "none")
        self.assert_refused([*RENDER, "--png", "none/a.png"], 2, "--png", "none")
        self.assert_refused([*RENDER, "--report", "none/a.json"], 2, "--report", "none")
        self.assert_refused([*RENDER, "--trace", "none/a.json"], 2, "--trace", "none")
        self.assert_refused(["render", "--output", "."], 2, "--output")
        self.write("there.h5", "precious")
        self.assert_refused(["render", "--size", "8x8", "--output", "there.h5"], 2, "--overwrite")
        with open(self.path("there.h5")) as file:
            self.assertEqual(file.read(), "precious")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written(self):
        os.mkdir(self.path("locked"), mode=0o500)
        self.assert_refused(["render", "--output", "locked/a.h5"], 2, "--output", "locked")

    def test_a_disk_too_small(self):
        size = "2147483647x2147483647"
        for fields in ("iterations", "iterations,smooth"):
            self.assert_refused(["render", "--size", size, "--compress", "0", "--tile", "16384", "--fields", fields,
                                 "--memory", "64G", "--threads", "1", "--output", "a.h5"], 2, "--output", "free")

    def test_too_little_memory(self):
        self.assert_refused(["render", "--size", "40000x40000", "--tile", "16384", "--memory", "300M",
                             "--threads", "1", "--output", "a.h5"], 2, "--memory")

    def test_files_that_are_not_ours(self):
        self.write("text.h5", "not HDF5")
        for command in (["color", "text.h5", "o.png"], ["info", "text.h5"], ["verify", "text.h5"]):
            with self.subTest(command=command):
                self.assert_refused(command, 2, "text.h5")
        for command in (["color", "none.h5", "o.png"], ["info", "none.h5"], ["verify", "none.h5"]):
            with self.subTest(command=command):
                self.assert_refused(command, 3, "none.h5")

    def test_color_arguments(self):
        self.assert_done("render", "--size", "64x48", "--quiet", "--output", "a.h5")
        for arguments, word in {
            ("--region", "0,0,65,1"): "--region", ("--region", "1,2,3"): "--region",
            ("--region", "-1,0,4,4"): "--region", ("--region", "0,0,0,4"): "--region",
            ("--scale", "0"): "--scale", ("--scale", "0.3"): "--scale", ("--scale", "2"): "--scale",
            ("--scale", "1/100"): "--scale", ("--palette", "x"): "x", ("--palette", "./x.txt"): "x.txt",
            ("--field", "depth"): "--field", ("--memory", "x"): "--memory",
        }.items():
            with self.subTest(arguments=arguments):
                done = self.run_program("color", "a.h5", "o.png", *arguments)
                self.assertIn(done.returncode, (2, 3), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(os.listdir(self.folder), ["a.h5"])
        self.assert_refused(["color", "a.h5", "o.png", "--field", "smooth"], 3, "smooth")
        self.assert_refused(["color", "a.h5", "a.h5"], 2, "a.h5")
        for memory, needed in {"1M": "16M", "95M": "needs"}.items():
            self.assert_refused(["color", "a.h5", "o.png", "--memory", memory], 2, "--memory", needed)

    def test_color_never_writes_to_its_input_or_twice_to_one_file(self):
        self.assert_done("render", "--size", "64x48", "--quiet", "--output", "a.h5")
        os.mkdir(self.path("sub"))
        os.symlink("a.h5", self.path("link.png"))
        os.link(self.path("a.h5"), self.path("hard.png"))
        os.rename(self.path("a.h5"), self.path("b.png.part"))
        os.symlink("b.png.part", self.path("a.h5"))
        with open(self.path("a.h5"), "rb") as file:
            before = file.read()
        for arguments in (("a.h5", "a.h5"), ("a.h5", "./sub/../a.h5"), ("a.h5", self.path("a.h5")),
                          ("a.h5", "link.png"), ("a.h5", "hard.png"), ("b.png.part", "b.png"),
                          ("a.h5", "o.png", "--report", "a.h5"), ("a.h5", "o.png", "--trace", "sub/../a.h5"),
                          ("a.h5", "o.png", "--report", "o.png"), ("a.h5", "o.png", "--report", "./o.png"),
                          ("a.h5", "o.png", "--trace", "o.png.part"),
                          ("a.h5", "o.png", "--report", "r.json", "--trace", "sub/../r.json")):
            for ranks in (0, 2) if arguments == ("a.h5", "a.h5") else (0,):
                with self.subTest(arguments=arguments, ranks=ranks):
                    why = "ends in .png" if arguments[1].endswith(".h5") else "would overwrite"
                    self.assert_refused(["color", *arguments, "--overwrite"], 2, why, ranks=ranks)
        with open(self.path("a.h5"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assert_done("color", "a.h5", "o.png", "--report", "/dev/null", "--trace", "/dev/null")

    def test_srun_without_mpi_is_not_many_programs(self):
        self.assert_refused([*RENDER], 3, "srun", "pmix", env={**os.environ, "SLURM_STEP_NUM_TASKS": "4"})

    def test_a_second_run_keeps_off_the_first(self):
        slow = ["render", "--view", "seahorse", "--size", "800x800", "--output", "a.h5", "--device", "reference", "--quiet"]
        first = self.start_program(*slow, hold=1)
        self.assert_held(first)
        self.assert_refused(slow, 2, "a.h5.part", "another run")
        self.assert_refused([*slow, "--overwrite"], 2, "a.h5.part", "another run")
        self.kill(first)
        self.assert_refused([*RENDER], 2, "a.h5.part", "another image", "--overwrite")
        self.assert_done(*RENDER, "--overwrite")  # what the killed run left is in nobody's way

    def test_one_message_from_all_ranks(self):
        self.assert_refused([*RENDER, "--view", "seahose"], 2, "seahorse", ranks=2)
        self.assert_refused(["render", "--output", "/dev/null/a.h5"], 2, "/dev/null", ranks=2)
        self.assert_refused(["info", "none.h5"], 3, "none.h5", ranks=2)


if __name__ == "__main__":
    main()
