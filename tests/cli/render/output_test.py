"""What becomes of a render whose output is taken away or closed to it while it runs: one line that names the file, exit
code 4, and the same command goes on once things are mended."""

import contextlib
import os

from images import read_image, stored_tiles
from program import main
from runs import SLOWLY, RunTest

JOB = ("--view", "elephant", "--size", "300x200", "--iterations", "1000", "--tile", "16", *SLOWLY, "--quiet")
NOBODY = 65534


class Output(RunTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("out"))
        # root may do anything: what is forbidden is forbidden to somebody else.
        self.user = NOBODY if os.getuid() == 0 else None
        for name in (".", "out"):
            os.chmod(self.path(name), 0o777)

    def start(self, hold=0):
        return self.start_program("render", *JOB, "--output", "out/a.h5", user=self.user, hold=hold)

    def start_and_wait(self):
        wanted = self.random.randint(1, 100)
        process = self.start(hold=wanted + self.random.randint(1, 20))
        self.assert_reaches(process, f"{wanted} tiles", lambda: self.stored() >= wanted)
        return process

    def stored(self):
        return stored_tiles(self.path("out/a.h5"))

    def assert_fails(self, process, *words):
        with contextlib.suppress(FileNotFoundError):
            self.release()
        code, said = self.finish(process)
        self.assertEqual(code, 4, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in words:
            self.assertIn(word, said)

    def assert_goes_on(self, stored):
        self.assertGreaterEqual(self.stored(), stored)
        self.finish_well(self.start())
        read_image(self.path("out/a.h5"))
        self.assertEqual(os.listdir(self.path("out")), ["a.h5"])

    def test_a_file_that_becomes_read_only(self):
        process = self.start_and_wait()
        stored = self.stored()
        os.chmod(self.path("out/a.h5.part"), 0o444)
        self.assert_fails(process, "out/a.h5.part", "Permission denied")
        # As long as nothing is mended, the same.
        self.assert_fails(self.start(), "out/a.h5.part", "Permission denied")
        os.chmod(self.path("out/a.h5.part"), 0o644)
        self.assert_goes_on(stored)

    def test_a_folder_that_becomes_read_only(self):
        process = self.start_and_wait()
        stored = self.stored()
        os.chmod(self.path("out"), 0o555)
        self.assert_fails(process, "out/a.h5.part", "Permission denied")
        os.chmod(self.path("out"), 0o777)
        self.assert_goes_on(stored)

    def test_a_folder_that_is_removed(self):
        process = self.start_and_wait()
        for name in os.listdir(self.path("out")):
            os.remove(self.path(f"out/{name}"))
        os.rmdir(self.path("out"))
        self.assert_fails(process, "out/a.h5.part", "No such file or directory")
        os.mkdir(self.path("out"))
        os.chmod(self.path("out"), 0o777)
        self.assert_goes_on(0)

    def test_a_file_that_is_removed(self):
        process = self.start_and_wait()
        os.remove(self.path("out/a.h5.part"))
        self.assert_fails(process, "out/a.h5.part", "No such file or directory")
        self.assertFalse(os.path.exists(self.path("out/a.h5")))
        self.assert_goes_on(0)


if __name__ == "__main__":
    main()
