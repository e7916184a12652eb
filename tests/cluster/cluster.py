"""A cluster of tools/minicluster for the tests of one file, and what they do with it.

usage: X_test.py TESSERA MINICLUSTER JOBS [unittest's arguments]; exits with 77 where no cluster can be had.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py)")
    raise SystemExit(77)

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S, PATIENT

TESSERA, MINICLUSTER, JOBS = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED")


def skip_unless_possible(done):
    """Where a verb of minicluster found out that this machine cannot be a cluster."""
    if done.returncode == 77:
        print(f"SKIPPED: {done.stderr.strip()}")
        raise SystemExit(77)


def require_cluster():
    skip_unless_possible(subprocess.run([MINICLUSTER, "check"], capture_output=True, text=True, timeout=HANG_S))


def run_here(folder, *arguments):
    """tessera on this machine, without a launcher."""
    subprocess.run([TESSERA, *arguments], cwd=folder, check=True, timeout=HANG_S, capture_output=True)


class ClusterTest(unittest.TestCase):
    """Hosts are up for all tests of a class, which is as long as a folder of its own that all of them see."""

    hosts, gpus = 3, 0

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tessera cluster ")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name
        # Slurm's own folder has no blank in its name, which slurm.conf could not say.
        home = tempfile.TemporaryDirectory(prefix="tessera-cluster-")
        cls.addClassCleanup(home.cleanup)
        cls.home = os.path.join(home.name, "c")
        cls.cluster("up", str(cls.hosts), "--gpus", str(cls.gpus), "--until", str(os.getpid()))
        cls.addClassCleanup(cls.cluster, "down")

    @classmethod
    def cluster(cls, *arguments, timeout=HANG_S, check=True, environment=None):
        """A verb of minicluster in the tests' folder; its stdout."""
        path = os.path.dirname(TESSERA) + os.pathsep + os.environ["PATH"]
        command = ["timeout", "-k", "5", str(timeout), MINICLUSTER, "--dir", cls.home, *arguments]
        done = subprocess.run(command, cwd=cls.folder, capture_output=True, text=True, timeout=timeout + 20,
                              env={**os.environ, "PATH": path, **(environment or {})})
        if arguments[0] == "up":
            skip_unless_possible(done)
        if check and done.returncode:
            raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def slurm(self, *arguments, **options):
        return self.cluster("slurm", *arguments, **options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def submit(self, script, options, arguments, **more):
        """Number of the job."""
        return self.slurm("sbatch", "--parsable", *options, os.path.join(JOBS, script), *arguments, **more)

    def log(self, job):
        name = next((name for name in os.listdir(self.folder) if name.endswith(f"-{job}.out")), None)
        if not name:
            return ""
        with open(self.path(name)) as file:
            return file.read()

    def state(self, job):
        return self.slurm("squeue", "-h", "-j", job, "-t", "all", "-o", "%T")

    def restarts(self, job):
        said = self.slurm("scontrol", "show", "job", job)
        return int(next(word for word in said.split() if word.startswith("Restarts=")).split("=")[1])

    def hold(self, item):
        """The environment in which each rank stays with its item of that number, and all later ones, until release()."""
        self.holding = self.path(f"hold {self.id()}")
        with open(self.holding, "w"):
            return {"TESSERA_FAULT": f"{PATIENT},worker.hold@{item}+", "TESSERA_HOLD": self.holding}

    def release(self):
        os.remove(self.holding)

    def assert_ends(self, job, state):
        done = self.cluster("wait", job, str(HANG_S), timeout=HANG_S + 10, check=False)
        self.assertEqual(done, state, f"job {job}:\n{self.log(job)}")

    @classmethod
    def size_of(cls, name):
        """In bytes; 0 where there is no such file."""
        try:
            return os.path.getsize(os.path.join(cls.folder, name))
        except FileNotFoundError:
            return 0

    def wait_until_part_is_done(self, output, whole_bytes):
        self.wait_until("a part of the render",
                        lambda: self.size_of(output + ".part") > whole_bytes / 5 or self.size_of(output) > 0)
        self.assertEqual(self.size_of(output), 0, "it is complete before anything could happen to it")

    def assert_went_on(self, report, job):
        """Tiles that an earlier start had stored were kept, and each of the others was computed once."""
        with open(self.path(report)) as file:
            run = json.load(file)
        columns, rows = (-(-side // int(run["job"]["tile"])) for side in map(int, run["job"]["size"].split("x")))
        self.assertGreater(run["found_tiles"], 0, self.log(job))
        self.assertEqual(run["found_tiles"] + sum(rank["tiles"] for rank in run["ranks"]), columns * rows)

    def wait_until(self, what, holds):
        """Waits for something to be so that comes sooner or later."""
        end = time.monotonic() + HANG_S
        while not holds():
            if time.monotonic() > end:
                self.fail(f"{what} did not come within {HANG_S} s\n{self.cluster('status', check=False)}")
            time.sleep(0.1)

    def fields(self, name):
        with h5py.File(self.path(name), "r") as file:
            status = file.attrs["status"]
            self.assertEqual(status.decode() if isinstance(status, bytes) else status, "complete")
            return {field: file[field][()].tobytes() for field in ("iterations", "smooth") if field in file}

    def assert_same_bits(self, a, b):
        here, there = self.fields(a), self.fields(b)
        self.assertEqual(list(here), list(there))
        for field, values in here.items():
            self.assertTrue(values == there[field], f"/{field} of {a} and {b} differ")


def main():
    require_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
