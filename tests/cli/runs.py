"""Runs that a test interferes with: they are started in the background, get somewhere, and are stopped or killed."""

import functools
import glob
import os
import random
import signal
import subprocess
import tempfile
import time

from program import HANG_S, TESSERA, ProgramTest, launched, lines_of, seed
from surroundings import PATIENT

# `reference` with one thread counts its items one by one; its bits are those of every device.
SLOWLY = ("--device", "reference", "--threads", "1")
QUICKLY = ("--device", "cpu")


def wait_until(what, holds, pause_s=.01):
    """Waits for something to be so that comes sooner or later."""
    deadline = time.monotonic() + HANG_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {HANG_S} s: {what}")
        time.sleep(pause_s)


def end(process):
    """However a test came out, its run is gone and nothing is left to read."""
    process.kill()
    process.wait()
    process.stderr.close()


def children(pid):
    """Process numbers, in the order in which the process has started them."""
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return sorted(int(line) for line in listed.stdout.split())


def ranks_of(launcher):
    return children(launcher.pid)


@functools.cache
def without_fault_points():
    """Why runs cannot be held up; "" in a build that has fault points."""
    done = subprocess.run([TESSERA, "views"], env={**os.environ, "TESSERA_FAULT": "none"}, capture_output=True, timeout=HANG_S)
    return "" if done.returncode == 2 else "needs a build with TESSERA_FAULT_POINTS=ON"


def is_stopped(process):
    with open(f"/proc/{process.pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


class RunTest(ProgramTest):
    """`self.random` is for what a test leaves to chance."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(seed())

    def start_program(self, *arguments, ranks=0, hold=0, faults=(), env=None, **options):
        """In a session of its own; what it says on stderr is for finish(). With `hold`, each rank stays with its item of
        that number, and with all later ones, until release() or a request to stop."""
        if (hold or faults) and without_fault_points():
            self.skipTest(without_fault_points())
        points = [PATIENT, *faults]
        environment = dict(env or os.environ)
        if hold:
            points.append(f"worker.hold@{hold}+")
        if hold or faults:
            self.holding = environment["TESSERA_HOLD"] = self.new_hold()
        if environment.get("TESSERA_FAULT", PATIENT) != PATIENT:
            points.append(environment["TESSERA_FAULT"])
        environment["TESSERA_FAULT"] = ",".join(points)
        process = subprocess.Popen(launched([TESSERA, *arguments], ranks), cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment, **options)
        self.addCleanup(end, process)
        return process

    def new_hold(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera hold ")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o777)  # the program may be run by somebody else
        path = os.path.join(folder.name, "hold")
        with open(path, "w"):
            return path

    def held(self):
        """The number of ranks that are held."""
        return len(glob.glob(glob.escape(self.holding) + ".*"))

    def assert_held(self, process, ranks=1):
        """Waits until so many ranks have made all the items that come before `hold`."""
        self.assert_reaches(process, f"{ranks} ranks that are held", lambda: self.held() >= ranks)

    def assert_pauses(self, process):
        """Waits until it has come to a fault point at which it stops itself."""
        self.assert_reaches(process, "its pause", lambda: is_stopped(process))

    def send_in_pause(self, process, number):
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)

    def release(self):
        os.remove(self.holding)

    def finish(self, process):
        """Its exit code and what it said, once it is gone."""
        _, said = process.communicate(timeout=HANG_S)
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
        """Signals to a run whose worker hangs, until one of them is no part of the first wish."""
        wait_until("it leaves at once", lambda: process.poll() is not None or process.send_signal(signal.SIGTERM), pause_s=.2)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertNotIn("to resume", said)

    def wait_until_gone(self, pids):
        wait_until("ranks are gone", lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))

    def assert_refused_beside(self, first, arguments, *words):
        """A run with the same output, which names the one that is writing it."""
        second = self.run_program(*arguments)
        self.assertEqual(second.returncode, 2, second.stderr)
        for word in (*words, f"process {first.pid} on "):
            self.assertIn(word, second.stderr)
