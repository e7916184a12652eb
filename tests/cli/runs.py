"""Runs that a test interferes with: they are started in the background, get somewhere, and are stopped or killed."""

import os
import random
import signal
import subprocess
import time

from program import TESSERA, ProgramTest, launched, lines_of, seed

# `reference` with one thread is slow, so that there is time for what is to happen; its bits are those of every device.
SLOWLY = ("--device", "reference", "--threads", "1")
QUICKLY = ("--device", "cpu")
DEADLINE_S = 60


def wait_until(what, holds, pause_s=.01):
    """Waits for something to be so that comes sooner or later."""
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {DEADLINE_S} s: {what}")
        time.sleep(pause_s)


def end(process):
    """However a test came out, its run is gone and nothing is left to read."""
    process.kill()
    process.wait()
    process.stderr.close()


def ranks_of(launcher):
    """Process numbers, in the order in which mpirun has started them."""
    listed = subprocess.run(["pgrep", "-P", str(launcher.pid)], capture_output=True, text=True)
    return sorted(int(line) for line in listed.stdout.split())


class RunTest(ProgramTest):
    """`self.random` is for what a test leaves to chance."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(seed())

    def start_program(self, *arguments, ranks=0, **options):
        """In a session of its own; what it says on stderr is for finish()."""
        process = subprocess.Popen(launched([TESSERA, *arguments], ranks), cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True, **options)
        self.addCleanup(end, process)
        return process

    def finish(self, process):
        """Its exit code and what it said, once it is gone."""
        _, said = process.communicate(timeout=100)
        return process.returncode, said

    def finish_well(self, process):
        """What it said."""
        code, said = self.finish(process)
        self.assertEqual(code, 0, said)
        return said

    def kill(self, process):
        process.kill()
        self.finish(process)

    def reaches(self, process, what, holds):
        """Waits for something of a run; false if the run has come to its end by then."""
        wait_until(what, lambda: process.poll() is not None or holds(), pause_s=.005)
        return process.poll() is None

    def assert_reaches(self, process, what, holds):
        if not self.reaches(process, what, holds):
            self.fail(f"it ended before that could be caught: {what}: {self.finish(process)}")

    def kill_some_of(self, process, victims):
        """SIGKILL to "rank 0", "another rank", "mpirun" or "all" of a run on three ranks, and waits for their end."""
        ranks = ranks_of(process)
        self.assertEqual(len(ranks), 3)
        for pid in {"rank 0": ranks[:1], "another rank": ranks[1:2], "mpirun": [process.pid],
                    "all": [*ranks, process.pid]}[victims]:
            os.kill(pid, signal.SIGKILL)
        code, said = self.finish(process)
        self.assertNotEqual(code, 0, said)
        self.wait_until_gone(ranks)

    def signal_one_of(self, process, target, number):
        """To a "rank", or to the process itself; the run must stop in good order. Its line."""
        pids = ranks_of(process) or [process.pid]
        os.kill(max(pids) if target == "rank" else process.pid, number)
        line = self.assert_stops(process, "stopped by SIG", "run the same command to resume")
        self.wait_until_gone(pids)
        return line

    def assert_stops(self, process, *words):
        """With one line, which has these words; the line."""
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        lines = lines_of(said)
        self.assertEqual(len(lines), 1, said)
        for word in words:
            self.assertIn(word, lines[0])
        return lines[0]

    def stop_twice(self, process):
        """Two signals, so far apart that the second is no part of the first wish."""
        process.send_signal(signal.SIGTERM)
        time.sleep(0.6)
        process.send_signal(signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)

    def wait_until_gone(self, pids):
        wait_until("ranks are gone", lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))

    def assert_refused_beside(self, first, arguments, *words):
        """A run with the same output, which names the one that is writing it."""
        second = self.run_program(*arguments)
        self.assertEqual(second.returncode, 2, second.stderr)
        for word in (*words, f"process {first.pid} on "):
            self.assertIn(word, second.stderr)
