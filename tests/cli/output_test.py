"""What becomes of a render whose output is taken away or closed to it while it runs: one line that names the file, exit
code 4, and the same command goes on once things are mended."""

import os
import random
import subprocess
import time

try:
    import h5py
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py)")
    raise SystemExit(77)

from program import TESSERA, ProgramTest, main, seed

# A second or two.
JOB = ("--view", "elephant", "--size", "700x500", "--iterations", "4000", "--tile", "32", "--device", "reference",
       "--threads", "1", "--quiet")
LOG_HEADER_BYTES, LOG_RECORD_BYTES = 256, 120
NOBODY = 65534


class Output(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(seed())

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("out"))
        # root may do anything: what is forbidden is forbidden to somebody else.
        self.user = NOBODY if os.getuid() == 0 else None
        for name in (".", "out"):
            os.chmod(self.path(name), 0o777)

    def start(self):
        return subprocess.Popen([TESSERA, "render", *JOB, "--output", "out/a.h5"], cwd=self.folder, user=self.user,
                                stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": self.folder})

    def start_and_wait(self):
        process = self.start()
        wanted, deadline = self.random.randint(1, 100), time.monotonic() + 60
        while process.poll() is None and self.stored() < wanted and time.monotonic() < deadline:
            time.sleep(.002)
        if process.poll() is not None:
            self.fail(process.communicate()[1])
        return process

    def stored(self):
        try:
            return (os.path.getsize(self.path("out/a.h5.part.log")) - LOG_HEADER_BYTES) // LOG_RECORD_BYTES
        except FileNotFoundError:
            return 0

    def assert_fails(self, process, *words):
        said = process.communicate(timeout=100)[1]
        self.assertEqual(process.returncode, 4, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in words:
            self.assertIn(word, said)

    def assert_goes_on(self, stored):
        self.assertGreaterEqual(self.stored(), stored)
        process = self.start()
        said = process.communicate(timeout=100)[1]
        self.assertEqual(process.returncode, 0, said)
        with h5py.File(self.path("out/a.h5"), "r") as file:
            self.assertIn(file.attrs["status"], (b"complete", "complete"))
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
