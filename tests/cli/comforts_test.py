"""What makes the program easy to use: help, short names, folders that are made, files that are never lost."""

import os
import shutil

from program import ProgramTest, main, why_missing

JOBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "jobs")
SMALL = ("--size", "64x48", "--quiet")


class Help(ProgramTest):
    def test_help_takes_a_command(self):
        self.assertEqual(self.assert_done("help"), self.assert_done("--help"))
        for command in ("render", "devices"):
            self.assertEqual(self.assert_done("help", command), self.assert_done(command, "--help"))
        self.assert_refused(("help", "rendr"), 2, "rendr: no such command", "did you mean render?")

    def test_help_fits_the_terminal(self):
        for columns in ("80", "100", "200"):
            for command in ("help", "render", "reduce"):
                said = self.assert_done("help", command, env={**os.environ, "COLUMNS": columns})
                self.assertLessEqual(max(len(line) for line in said.splitlines()), int(columns))

    def test_devices_fits_the_terminal(self):
        said = self.assert_done("devices", env={**os.environ, "COLUMNS": "80"})
        self.assertLessEqual(max(len(line) for line in said.splitlines()), 80, said)

    def test_short_names(self):
        self.assertEqual(self.assert_done("render", "-q", "-o", "a.h5", "--size", "64x48"), "")
        self.assertTrue(os.path.exists(self.path("a.h5")))
        self.assertEqual(self.assert_done("-V"), self.assert_done("--version"))

    def test_the_beginning_of_a_name_is_a_hint(self):
        self.assert_refused(("render", "--out", "a.h5"), 2, "--out", "did you mean --output?")
        self.assert_refused(("render", "--de", "cpu"), 2, "--de: render takes no such argument; see")


class Devices(ProgramTest):
    def test_gpu_is_any_gpu_or_an_error(self):
        if why_missing("gpu"):
            self.assert_refused(("render", *SMALL, "--device", "gpu", "-o", "a.h5"), 3, "--device gpu: no such device")
        else:
            self.assert_done("render", *SMALL, "--device", "gpu", "-o", "a.h5")
            self.assertTrue(os.path.exists(self.path("a.h5")))


class Folders(ProgramTest):
    def test_are_made_for_every_output(self):
        self.assert_done("render", *SMALL, "-o", "a/b/a.h5", "--png", "c/a.png", "--report", "d/e/r.json",
                         "--trace", "f/t.json")
        self.assert_done("color", "a/b/a.h5", "g/a.png", "--report", "h/r.json", "-q")
        self.assert_done("merge", "i/m.h5", "a/b/a.h5", "-q")
        for output in ("j/s.npy", "k/s.h5"):
            self.assert_done("reduce", "a/b/a.h5:/iterations", "--op", "sum", "--axis", "0", "-o", output, "-q",
                             "--report", "l/r.json")
        self.assert_done("bench", "--device", "cpu", "--sizes", "8", "--iterations", "5", "--elements", "", "--repeats",
                         "1", "-q", "--plot", "m/b.svg", "--report", "m/b.json")
        for path in ("a/b/a.h5", "c/a.png", "d/e/r.json", "f/t.json", "g/a.png", "h/r.json", "i/m.h5", "j/s.npy",
                     "k/s.h5", "l/r.json", "m/b.svg", "m/b.json"):
            self.assertTrue(os.path.exists(self.path(path)), path)

    def test_are_not_made_by_a_command_that_is_refused(self):
        self.assert_refused(("render", *SMALL, "-o", "new/a.h5", "--memory", "16M", "--tile", "16384"), 2, "--memory")

    def test_job_files_run_from_anywhere_and_name_no_folder(self):
        for job in sorted(name for name in os.listdir(JOBS) if name.endswith(".toml")):
            self.assert_done("render", os.path.join(JOBS, job), "--size", "32x32", "--iterations", "100", "-q")
        self.assertEqual([name for name in os.listdir(self.folder) if os.path.isdir(self.path(name))], [])
        self.assertIn("first-light.png", os.listdir(self.folder))

    def test_the_shares_of_a_job_file_write_a_report_each(self):
        shutil.copy(os.path.join(JOBS, "poster.toml"), self.path("poster.toml"))
        for share, output in (("1/2", "first.h5"), ("2/2", "second.h5")):
            self.assert_done("render", "poster.toml", "--size", "64x64", "--tile", "16", "--png=", "--share", share,
                             "--output", output, "-q")
        self.assert_done("merge", "poster.h5", "first.h5.part", "second.h5.part", "-q")
        reports = [self.read_json(f"poster.share{share}.json") for share in (1, 2)]
        self.assertEqual([report["total"]["tiles"] for report in reports], [8, 8])


class Kept(ProgramTest):
    def test_reports_traces_and_plots_replace_their_own_kind_only(self):
        bench = ("bench", "--device", "cpu", "--sizes", "8", "--iterations", "5", "--elements", "", "--repeats", "1", "-q")
        render = ("render", *SMALL)
        for command, option, name in ((bench, "--plot", "a.svg"), (bench, "--report", "a.json"),
                                      (render, "--report", "b.json"), (render, "--trace", "c.json"),
                                      (("reduce", "linspace:0,1?count=9", "--op", "sum"), "--report", "d.json")):
            self.write(name, "mine, all mine\n")
            self.assert_refused((*command, option, name), 2, f"{option} {name}: is there already")
            self.assertEqual(open(self.path(name)).read(), "mine, all mine\n")
            self.write(name, "")
            for _ in range(2):
                self.assert_done(*command, option, name)
            self.assertGreater(os.path.getsize(self.path(name)), 100)

    def test_overwrite_replaces_any_report(self):
        self.write("r.json", "mine\n")
        self.assert_done("render", *SMALL, "--report", "r.json", "--overwrite")
        self.assertEqual(self.read_json("r.json")["command"], "render")


if __name__ == "__main__":
    main()
