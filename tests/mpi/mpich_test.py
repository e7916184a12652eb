"""The program with MPICH: it starts, renders and reduces on two ranks with the bits of one. MPICH ends all ranks when one is
lost; then the same command resumes.

usage: mpich_test.py PROGRAM LAUNCHER       PROGRAM is none where MPICH is not installed"""

import os
import signal
import subprocess
import sys

LAUNCHER = sys.argv.pop(2)
if sys.argv[1] == "none":
    print("SKIPPED: MPICH is not installed (tools/packages.sh install mpich)")
    raise SystemExit(77)

from program import HANG_S, TESSERA, main
from runs import RunTest, children, end, without_fault_points
from surroundings import PATIENT

JOB = ("render", "--view", "seahorse", "--size", "320x200", "--tile", "64", "--device", "cpu", "--threads", "1", "--quiet")


class Mpich(RunTest):
    def on_ranks(self, ranks, *arguments):
        return subprocess.run([LAUNCHER, "-n", str(ranks), TESSERA, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=HANG_S)

    def done_on_ranks(self, ranks, *arguments):
        done = self.on_ranks(ranks, *arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def test_it_is_linked_with_mpich_alone(self):
        needed = subprocess.run(["ldd", TESSERA], capture_output=True, text=True).stdout
        self.assertIn("libmpich", needed)
        self.assertNotIn("libmpi.so", needed)

    def test_two_ranks_have_the_pixels_of_one(self):
        for ranks in (1, 2):
            self.done_on_ranks(ranks, *JOB, "--output", f"on{ranks}.h5", "--report", f"on{ranks}.json")
        self.assertEqual(len(self.read_json("on2.json")["ranks"]), 2)
        sums = {self.assert_done("reduce", f"on{ranks}.h5:/iterations", "--op", "sum,std,argmax,median", "--quiet")
                for ranks in (1, 2)}
        self.assertEqual(len(sums), 1, sums)
        self.assert_done("verify", "on2.h5")

    def test_two_ranks_have_the_sums_of_one(self):
        numbers = ("reduce", "random:normal?count=1000003&seed=8", "--op", "sum,mean,var,median,argmin", "--quiet", "--device", "cpu")
        self.assertEqual(self.done_on_ranks(1, *numbers), self.done_on_ranks(2, *numbers))

    def test_after_the_loss_of_a_rank_the_same_command_resumes(self):
        if without_fault_points():
            self.skipTest(without_fault_points())
        self.holding = self.new_hold()
        process = subprocess.Popen([LAUNCHER, "-n", "2", TESSERA, *JOB, "--output", "a.h5"], cwd=self.folder, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, "TESSERA_FAULT": f"{PATIENT},worker.hold@3+", "TESSERA_HOLD": self.holding})
        self.addCleanup(end, process)
        self.assert_held(process, ranks=2)
        [proxy] = children(process.pid)
        ranks = children(proxy)
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[1], signal.SIGKILL)
        code, said = self.finish(process)
        self.assertNotEqual(code, 0, said)
        self.wait_until_gone(ranks)
        self.assertFalse(os.path.exists(self.path("a.h5")))
        done = self.on_ranks(2, *JOB[:-1], "--output", "a.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("resum", done.stderr)
        self.assert_done("verify", "a.h5")

    def test_mpirun_of_another_mpi_is_refused(self):
        other = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
        if "Open MPI" not in other:
            self.skipTest("mpirun is not Open MPI's")
        done = subprocess.run(["mpirun", "-q", "-n", "2", "--oversubscribe", "--bind-to", "none", TESSERA, *JOB, "--output", "a.h5"],
                              cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("mpirun started 2 ranks, but MPI (MPICH Version: ", done.stderr)
        self.assertFalse(os.path.exists(self.path("a.h5")))


if __name__ == "__main__":
    main()
