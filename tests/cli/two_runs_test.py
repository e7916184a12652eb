"""Two runs with the same output: one writes it, the other is refused and told who that is; a lock that a killed run
left keeps nobody out. The same on file systems without locks, as a preloaded library plays them."""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

try:
    import h5py
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py)")
    raise SystemExit(77)

NO_LOCKS = os.path.abspath(sys.argv.pop(2))
from program import TESSERA, ProgramTest, main, preloading, seed, times  # noqa: E402

# A second or more, so that a second run meets the first.
JOB = ("--view", "elephant", "--size", "700x500", "--iterations", "3000", "--tile", "32", "--device", "reference",
       "--threads", "1", "--quiet")
LOG_HEADER_BYTES = 256


class TwoRuns(ProgramTest):
    environment = dict(os.environ)
    left = ["a.h5"]

    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(seed())

    def start(self, *options):
        return subprocess.Popen([TESSERA, "render", *JOB, "--output", "a.h5", *options], cwd=self.folder,
                                stderr=subprocess.PIPE, text=True, env=self.environment)

    def finish(self, process):
        said = process.communicate(timeout=100)[1]
        return process.returncode, said

    def start_and_wait(self, *options):
        """Until a part of it is stored."""
        process = self.start(*options)
        log = self.path("a.h5.part.log")
        before = os.path.getsize(log) if os.path.exists(log) else LOG_HEADER_BYTES
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if os.path.exists(log) and os.path.getsize(log) > before:
                return process
            time.sleep(.002)
        self.fail(f"nothing was stored: {self.finish(process)}")

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        self.finish(process)

    def assert_goes_on(self):
        code, said = self.finish(self.start())
        self.assertEqual(code, 0, said)
        self.assert_whole()

    def assert_whole(self):
        with h5py.File(self.path("a.h5"), "r") as file:
            self.assertIn(file.attrs["status"], (b"complete", "complete"))
        self.assertEqual(os.listdir(self.folder), self.left)
        os.remove(self.path("a.h5"))

    def test_of_two_that_start_together_one_wins(self):
        for _ in range(2 * times()):
            runs = [self.start()]
            time.sleep(self.random.choice((0, 0, .01, .1)))
            runs.append(self.start())
            ends = [self.finish(run) for run in runs]
            self.assertEqual(sorted(code for code, _ in ends), [0, 2], ends)
            loser = 0 if ends[0][0] else 1
            self.assertIn("another run is writing it", ends[loser][1])
            self.assertIn(f"process {runs[1 - loser].pid} on {os.uname().nodename} since", ends[loser][1])
            self.assert_whole()

    def test_a_second_one_is_refused_whatever_it_wants(self):
        first = self.start_and_wait()
        for options in ((), ("--overwrite",), ("--resume",)):
            code, said = self.finish(self.start(*options))
            self.assertEqual(code, 2, said)
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertIn(f"process {first.pid} on {os.uname().nodename} since", said)
        self.assertEqual(self.finish(first)[0], 0)
        self.assert_whole()

    def test_a_lock_that_a_killed_run_left_keeps_nobody_out(self):
        for _ in range(2 * times()):
            for _ in range(2):
                self.kill(self.start_and_wait())
            self.assert_goes_on()

    def test_a_run_that_copied_a_damaged_file_keeps_others_out(self):
        self.kill(self.start_and_wait())
        part = self.path("a.h5.part")
        os.truncate(part, os.path.getsize(part) - 100)
        first = self.start_and_wait()
        code, said = self.finish(self.start())
        self.assertEqual(code, 2, said)
        self.assertIn(f"process {first.pid} on ", said)
        self.kill(first)
        self.assert_goes_on()


class TwoRunsWithoutLocks(TwoRuns):
    environment = preloading(NO_LOCKS)

    def test_the_one_that_is_refused_hears_what_to_do(self):
        first = self.start_and_wait()
        code, said = self.finish(self.start())
        self.assertEqual(code, 2, said)
        self.assertIn("has no locks: if that run is gone, remove a.h5.part.lock", said)
        self.kill(first)
        self.assertIn("a.h5.part.lock", os.listdir(self.folder))
        self.assert_goes_on()


if __name__ == "__main__":
    main()
