"""Defaults of a site and of a user: which file wins, what they may hold, and where they are recorded."""

import os
import shutil
import subprocess

from program import HANG_S, TESSERA, ProgramTest, main

SMALL = ("--size", "64x48")


class Defaults(ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("config"))
        self.environment = {**os.environ, "XDG_CONFIG_HOME": self.path("config"), "TESSERA_OPTIONS": ""}

    def config(self, text):
        self.write("config/tessera.toml", text)

    def plan(self, *arguments, **variables):
        return self.assert_done("plan", *SMALL, *arguments, env={**self.environment, **variables})

    def test_a_file_of_the_user_holds_for_every_command_that_has_the_option(self):
        self.config('memory = "1G"\npalette = "ember"\ncompress = 3\nthreads = 1\nheartbeat = 20\nlisten = "127.0.0.1:0"\n')
        said = self.plan()
        self.assertIn("(--memory 1.0 GiB)", said)
        self.assertIn(f"memory=1G ({self.path('config/tessera.toml')}:1)", said)
        self.assertIn(f"palette=ember ({self.path('config/tessera.toml')}:2)", said)
        self.assert_done("render", *SMALL, "-o", "a.h5", "--report", "r.json", "-q", env=self.environment)
        self.assertEqual(self.read_json("r.json")["job"]["memory"], "1G")
        self.assertIn("palette=ember", self.read_json("r.json")["job"]["defaults"])
        self.assertRegex(self.assert_done("info", "a.h5"), r"defaults +.*compress=3 \(")
        self.assert_done("color", "a.h5", "a.png", "-q", env=self.environment)
        self.assertRegex(self.assert_done("info", "a.png"), r"Palette +ember")
        self.assert_done("reduce", "linspace:0,1?count=9", "--op", "sum", "--report", "s.json", "-q", env=self.environment)
        self.assertIn("memory=1G", self.read_json("s.json")["job"]["defaults"])
        # A file without chunks takes no --compress.
        self.assert_done("map", "a+1", "linspace:0,1?count=9", "-o", "b.npy", "-q", env=self.environment)
        self.assert_done("views", env=self.environment)

    def test_later_ones_win(self):
        self.config('memory = "1G"\npalette = "ember"\n')
        said = self.plan(TESSERA_OPTIONS="--memory 900M --quiet")
        self.assertIn("memory=900M (TESSERA_OPTIONS)", said)
        self.assertNotIn("memory=1G", said)
        self.assertIn("palette=ember", said)
        self.write("job.toml", 'memory = "800M"\nsize = "64x48"\n')
        said = self.assert_done("plan", "job.toml", env={**self.environment, "TESSERA_OPTIONS": "--memory=900M"})
        self.assertIn("(--memory 800 MiB)", said)
        self.assertNotIn("memory=", said)
        self.assertIn("(--memory 700 MiB)", self.plan("--memory", "700M"))
        self.assertNotIn("defaults", self.plan(TESSERA_DEFAULTS="none"))

    def test_a_file_of_the_prefix_is_that_of_the_site(self):
        os.makedirs(self.path("prefix/bin"))
        os.makedirs(self.path("prefix/etc"))
        program = self.path("prefix/bin/tessera")
        shutil.copy(TESSERA, program)
        self.write("prefix/etc/tessera.toml", 'memory = "600M"\npalette = "ocean"\n')
        self.config('palette = "ember"\n')
        done = subprocess.run([program, "plan", *SMALL], cwd=self.folder, capture_output=True, text=True, timeout=HANG_S,
                              env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("prefix/etc/tessera.toml:1)", done.stdout)
        self.assertIn("palette=ember (", done.stdout)

    def test_every_rank_has_them(self):
        self.config('compress = 3\n')
        self.assert_done("render", *SMALL, "-o", "a.h5", "-q", ranks=2, env=self.environment)
        self.assertIn("compress=3", self.assert_done("info", "a.h5"))

    def test_what_belongs_to_a_job_or_to_nothing_is_an_error_that_names_the_line(self):
        for text, words in (('iterations = 7\n', ("tessera.toml:1: iterations", )), ('\nop = "sum"\n', ("tessera.toml:2: op",)),
                            ('memroy = "1G"\n', ("memroy", "did you mean 'memory'?")), ('memory = "much"\n', ("tessera.toml:1: memory",)),
                            ('[render]\nmemory = "1G"\n', ("no tables",))):
            self.config(text)
            self.assert_refused(("plan", *SMALL), 2, *words, env=self.environment)
        self.config("")
        for text, words in (("memory 1G", ("TESSERA_OPTIONS: 'memory'",)), ("--memory", ("--memory: has no value",)),
                            ("--iterations 7", ("TESSERA_OPTIONS: --iterations",))):
            self.assert_refused(("plan", *SMALL), 2, *words, env={**self.environment, "TESSERA_OPTIONS": text})


if __name__ == "__main__":
    main()
