"""tessera bench: what it measures, what it writes, and what it refuses."""

import os
import xml.etree.ElementTree as ElementTree

from program import ProgramTest, main

SMALL = ["bench", "--sizes", "64,100", "--iterations", "50", "--elements", "1000", "--repeats", "2"]


class Bench(ProgramTest):
    def test_table_report_and_plot_tell_of_every_case(self):
        said = self.assert_done(*SMALL, "--device", "cpu,reference", "--report", "r.json", "--plot", "p.svg")
        for word in ("cpu", "reference", "64 x 64", "100 x 100", "50 iterations", "first call", "later calls",
                     "reference is ", "vector add", "sum", "copy to the device", "copy from the device", "GB/s"):
            self.assertIn(word, said)

        report = self.read_json("r.json")
        self.assertEqual(report["schema"], "tessera-bench-1")
        self.assertEqual(report["problems"], [])
        self.assertEqual([device["name"] for device in report["devices"]], ["cpu", "reference"])
        cases = {(r["device"], r["side_px"]): r for r in report["renders"]}
        self.assertEqual(len(cases), 4)
        for side in (64, 100):
            cpu, reference = cases["cpu", side], cases["reference", side]
            for key in ("checksum", "iterations", "max_iterations"):
                self.assertEqual(cpu[key], reference[key])
            self.assertEqual(cpu["speed_ratio"], 1)
            for case in (cpu, reference):
                self.assertEqual(len(case["later_s"]), 2)
                self.assertGreater(case["first_s"], 0)
                self.assertAlmostEqual(case["pixels_per_s"] * case["later_median_s"], side * side, delta=1e-6)
        self.assertNotEqual(cases["cpu", 64]["checksum"], cases["cpu", 100]["checksum"])
        self.assertEqual([(a["device"], a["work"], a["elements"]) for a in report["arrays"]],
                         [("cpu", work, 1000) for work in ("add", "sum", "copy_to_device", "copy_from_device")])

        picture = ElementTree.parse(self.path("p.svg")).getroot()
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
        titles = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}title")]
        for title in ("cpu, first call", "cpu, later calls", "reference, first call", "reference, later calls",
                      "cpu, sum"):
            self.assertIn(title, titles)

    def test_quiet_prints_nothing(self):
        done = self.run_program(*SMALL, "--device", "cpu", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(os.listdir(self.folder), [])

    def test_compares_all_devices_unless_told(self):
        self.assert_done(*SMALL, "--quiet", "--report", "r.json")
        report = self.read_json("r.json")
        names = [device["name"] for device in report["devices"]]
        self.assertIn("cpu", names)
        self.assertNotIn("reference", names)

    def test_pictures_or_arrays_alone(self):
        said = self.assert_done("bench", "--device", "cpu", "--sizes=", "--elements", "10", "--repeats", "1")
        self.assertNotIn("Mandelbrot", said)
        said = self.assert_done("bench", "--device", "cpu", "--sizes", "10", "--elements=", "--repeats", "1")
        self.assertNotIn("GB/s", said)

    def test_arrays_that_do_not_fit_the_memory_are_left_out_aloud(self):
        said = self.assert_done("bench", "--device", "cpu", "--sizes", "10", "--iterations", "5", "--elements",
                                "10,100000000", "--memory", "1G", "--repeats", "1")
        self.assertRegex(said, r"left out: cpu: arrays of 100000000 elements: .*--memory")

    def test_sizes_beyond_the_time_limit_are_left_out_aloud(self):
        done = self.run_program("bench", "--device", "cpu", "--sizes", "32,20000", "--iterations", "1000", "--elements=",
                                "--within", "0.5", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bench: takes up to 500 ms; --within sets the limit", done.stderr)
        self.assertRegex(done.stdout, "left out: cpu, 20000 x 20000 pixels, 1000 iterations, and more: .*--within 0")
        self.assertEqual([case["side_px"] for case in self.read_json("r.json")["renders"]], [32])

    def test_bad_numbers(self):
        for option, values in {
            "--sizes": ["0", "-1", "1.5", "x", "64,", "64,64", "1048577", "1e-3"],
            "--iterations": ["0", "", "4294967295", "50;100"],
            "--elements": ["0", "x", "10,10", "1099511627777"],
            "--repeats": ["0", "x", "1001"],
            "--threads": ["-1", "x"],
            "--memory": ["x", "1K", "32M"],
        }.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_refused([*SMALL, f"{option}={value}"], 2, option)

    def test_bad_devices(self):
        self.assert_refused([*SMALL, "--device", "cpux"], 2, "--device", "cpu")
        self.assert_refused([*SMALL, "--device", "cpu:mmx"], 2, "mmx")
        self.assert_refused([*SMALL, "--device", "cpu,cpu"], 2, "twice")
        self.assert_refused([*SMALL, "--device", "auto,cpu"], 2, "auto")
        self.assert_refused([*SMALL, "--device="], 2, "--device")

    def test_nothing_to_measure(self):
        self.assert_refused(["bench", "--sizes=", "--elements="], 2, "--sizes", "--elements")

    def test_outputs(self):
        self.assert_refused([*SMALL, "--report", "/dev/null/r.json"], 2, "--report", "/dev/null is no folder")
        self.assert_refused([*SMALL, "--plot", "/dev/null/p.svg"], 2, "--plot", "/dev/null is no folder")
        self.assert_refused([*SMALL, "--report", "a", "--plot", "./a"], 2, "--plot", "would overwrite")
        self.assert_refused([*SMALL, "--report", "a.part", "--plot", "a"], 2, "--plot", "would overwrite")

    def test_one_rank_measures_and_more_are_refused(self):
        self.assertIn("cpu", self.assert_done(*SMALL, "--device", "cpu", ranks=1))
        self.assert_refused(SMALL, 2, "bench", "without mpirun", ranks=2)


if __name__ == "__main__":
    main()
