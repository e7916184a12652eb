"""Counts agree with their nouns: no "1 tiles", "1 threads" or "1 rank(s)" in what commands print."""

import re

from program import ProgramTest, main

ONE = ("--size", "64x64", "--tile", "64", "--threads", "1")
WRONG = re.compile(r"\b1 (?:more )?(?:stored )?(?:tiles|ranks|threads|rows|files|bands|items|workers|cores|devices|slices|"
                   r"pixels|chunks|elements|iterations|parts|lanes|GPUs|answers|colours|points)\b|\w\(s\)")


class Plurals(ProgramTest):
    def assert_singular(self, *arguments, code=0, **options):
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        for line in (done.stdout + done.stderr).splitlines():
            self.assertIsNone(WRONG.search(line), line)
        return done.stdout + done.stderr

    def test_of_one_tile_on_one_thread(self):
        for command in (("render", *ONE, "-o", "a.h5", "--png", "a.png"), ("info", "a.h5"), ("verify", "a.h5", "--threads", "1"),
                        ("plan", *ONE, "--iterations", "1"), ("color", "a.h5", "b.png"), ("devices",),
                        ("reduce", "linspace:0,1?count=1", "--op", "sum", "--threads", "1"), ("clean",)):
            self.assert_singular(*command)
        self.assert_singular("bench", "--device", "cpu", "--sizes", "1", "--iterations", "1", "--elements", "1", "--repeats",
                             "1", "--threads", "1")

    def test_of_one_tile_of_two(self):
        two = ("--size", "64x32", "--tile", "32")
        self.assert_singular("render", *two, "--share", "1/2", "-o", "one.h5")
        self.assertIn("complete share 1/2 for merge, 1 of 2 tiles", self.assert_singular("clean"))
        self.assertIn("1 of 2 tiles is in none of the parts", self.assert_singular("merge", "m.h5", "one.h5.part", code=4))
        self.assertIn("1 tile is stored", self.assert_singular("render", *two, "-o", "m.h5"))
        self.assertIn("1 tile is in more than one part",
                      self.assert_singular("merge", "n.h5", "m.h5", "one.h5.part"))


if __name__ == "__main__":
    main()
