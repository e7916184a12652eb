"""jobs/tessera-slurm with an srun that is made up: by what it judges how a start has ended. And --status-file, from
which it knows."""

import os
import shutil
import subprocess
import sys
import unittest

JOB_SCRIPT = os.path.abspath(sys.argv.pop(2))

import h5py
import numpy as np

from program import HANG_S, TESSERA, ProgramTest, main
from runs import RunTest, without_fault_points

RENDER = ("render", "--view", "seahorse", "--size", "100x80", "--output", "a.h5", "--quiet")
# Runs one rank, and then says what the test wants srun to say of it; "kill" stands for a rank that is never heard of.
SRUN = """#!/usr/bin/env bash
[[ $* != *--mpi=list* ]] || { echo pmix; exit 0; }
echo "$*" >> starts
while [[ $1 == -* ]]; do shift; done
[ -z "$LOST" ] && "$@"
code=$?
exit ${SAYS:-$code}
"""


class JobScript(ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        for name, text in (("srun", SRUN), ("sinfo", "#!/bin/sh\n"), ("squeue", "#!/bin/sh\nexit 1\n"),
                           ("scontrol", '#!/bin/sh\n[ "$1" = show ] && echo n1\n'), ("sleep", "#!/bin/sh\n")):
            with open(self.path("bin/" + name), "w") as file:
                file.write(text)
            os.chmod(file.name, 0o755)
        shutil.copy(JOB_SCRIPT, self.path("bin/tessera-slurm"))
        os.symlink(TESSERA, self.path("bin/tessera"))

    def run_job(self, *arguments, cwd=None, **variables):
        environment = {**os.environ, "PATH": self.path("bin") + os.pathsep + os.environ["PATH"], "SLURM_JOB_ID": "7",
                       "SLURM_JOB_NODELIST": "n1", "SLURM_JOB_NUM_NODES": "1", "SLURM_NTASKS_PER_NODE": "1",
                       "SLURM_CPUS_ON_NODE": "1", "LOST": "", "SAYS": "", **variables}
        return subprocess.run(["tessera-slurm", "--tries", "2", *arguments], cwd=cwd or self.folder, env=environment,
                              capture_output=True, text=True, timeout=HANG_S, executable=self.path("bin/tessera-slurm"))

    def starts(self):
        with open(self.path("starts")) as file:
            return len(file.readlines())

    def assert_ends(self, done, code, starts):
        self.assertEqual((done.returncode, self.starts()), (code, starts), done.stdout + done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".status")], [])

    def test_what_the_others_have_finished_is_not_begun_again(self):
        done = self.run_job(*RENDER, SAYS="137")
        self.assert_ends(done, 0, starts=1)
        self.assertIn("srun ended with 137, but the run with 0", done.stdout)
        # A reduction would be computed again instead of being found complete.
        done = self.run_job("reduce", "linspace:0,1?count=9", "--op", "sum", SAYS="1")
        self.assert_ends(done, 0, starts=2)
        self.assertEqual(done.stdout.count("4.5"), 1)

    def test_a_run_of_which_nothing_is_heard_is_begun_again(self):
        self.assert_ends(self.run_job(*RENDER, SAYS="137", LOST="yes"), 4, starts=2)

    def test_a_failure_is_one_whatever_the_launcher_says(self):
        self.assert_ends(self.run_job("render", "--view", "nowhere", SAYS="0"), 2, starts=1)

    @unittest.skipIf(without_fault_points(), without_fault_points())
    def test_a_stop_that_only_slurm_has_asked_for_is_gone_on_with_at_once(self):
        done = self.run_job("render", "--size", "900x900", "--tile", "64", "--device", "reference", "--max-seconds", "1", "--output",
                            "long.h5", "--quiet", SAYS="137", TESSERA_FAULT="worker.hold@1+", TESSERA_HOLD=self.write("hold", ""))
        self.assert_ends(done, 4, starts=2)

    def test_a_map_carries_on_with_what_an_earlier_start_has_written(self):
        for arguments in (("map", "a+1", "a=linspace:0,1?count=9", "--output", "a.npy"),
                          ("film", "zoom.h5", "f.png"), ("film", "zoom.h5", "f.mp4"), ("verify", "a.h5")):
            with open(self.path("starts"), "w"):
                pass
            self.run_job(*arguments, "--overwrite", SAYS="1", LOST="yes")
            with open(self.path("starts")) as file:
                again = file.readlines()[1]
            carries_on = arguments[0] == "map" or "f.png" in arguments
            self.assertEqual("--overwrite" not in again, carries_on, again)

    def test_overwrite_is_dropped_however_it_is_given(self):
        for given in ("--overwrite", "--overwrite=true"):
            self.write("starts", "")
            self.run_job(*RENDER, given, SAYS="1", LOST="yes")
            with open(self.path("starts")) as file:
                first, again = file.readlines()
            self.assertIn(given, first)
            self.assertNotIn("--overwrite", again)

    def test_inputs_of_the_folder_of_submission_are_found_from_scratch(self):
        os.mkdir(self.path("runs"))
        os.mkdir(self.path("reduce"))  # called like the command
        for name in ("x.npy", "runs/1.npy", "runs/2.npy", "runs/ab2"):
            np.save(self.path("values.npy"), np.arange(10.))
            os.rename(self.path("values.npy"), self.path(name))
        np.arange(10.).tofile(self.path("r.raw"))
        with h5py.File(self.path("d.h5"), "w") as file:
            file["v"] = np.arange(10.)
        for given, total in (("x.npy", 45), ("x.npy[0:5]", 10), ("r.raw?dtype=f8&shape=10", 45), ("d.h5:/v", 45),
                             ("runs/*.npy", 90), ("runs/*.npy[0:2]", 2), ("linspace:0,1?count=9", 4.5)):
            done = self.run_job("--scratch", self.path("scratch"), "reduce", given, "--op", "sum", "--report", "r.json", "--quiet")
            self.assertEqual(done.returncode, 0, f"{given}: {done.stdout}{done.stderr}")
            self.assertEqual(float(self.read_json("scratch/r.json")["results"][0]["values"][0]["value"]), total, given)
        for given in ("a=../x.npy", "1.npy"):
            done = self.run_job("--scratch", self.path("scratch"), "map", "a*2", given, "--output", "m.npy", "--overwrite", "--quiet", cwd=self.path("runs"))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            np.testing.assert_array_equal(np.load(self.path("scratch/m.npy")), 2 * np.arange(10.))

    def test_where_nothing_can_be_written_the_launcher_is_believed(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        done = self.run_job("views")
        self.assertEqual(done.returncode, 0, done.stderr)


class StatusFile(RunTest):
    def status(self):
        with open(self.path("s")) as file:
            return file.read()

    def test_it_has_the_exit_code_and_the_reason(self):
        self.assert_done("views", "--status-file", "s")
        self.assertEqual(self.status(), "0\ndone\n")
        self.assert_done(*RENDER, "--status-file", "s", ranks=2)
        self.assertEqual(self.status(), "0\ndone\n")
        done = self.run_program("render", "--status-file", "s", "--size", "none")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.status(), "2\n" + done.stderr.removeprefix("tessera: "))
        self.assertEqual(os.listdir(self.folder).count("s.new"), 0)

    def test_one_of_an_earlier_run_is_gone_before_the_work_begins(self):
        self.write("s", "0\ndone\n")
        process = self.start_program("reduce", "random:uniform?count=1000", "--op", "sum", "--device", "reference", "--quiet",
                                     "--status-file", "s", hold=1)
        self.assert_held(process)
        self.assertFalse(os.path.exists(self.path("s")))
        self.kill(process)
        self.assertFalse(os.path.exists(self.path("s")), "a killed run says nothing")

    def test_a_file_that_is_something_else_is_refused_and_stays(self):
        for text in ("precious", "1234\n", "42\n43\n44\n", "\nnotes\n", "42\ndone\n", "0\ndone\nmore\n"):
            self.write("s", text)
            self.assert_refused((*RENDER, "--status-file", "s"), 2, "--status-file s: exists and is no status file")
            self.assertEqual(self.status(), text)
        self.write("s", "")
        self.assert_done("views", "--status-file", "s")
        self.assertEqual(self.status(), "0\ndone\n")

    def test_what_the_run_has_made_by_that_name_stays(self):
        command = ("reduce", "linspace:0,9?count=10", "--op", "sum", "--quiet", "--report", "s", "--status-file", "s")
        done = self.run_program(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is no status file any more", done.stderr)
        self.assertIn('"results"', self.status())

    def test_a_folder_that_is_not_there_is_made(self):
        self.assert_done(*RENDER, "--status-file", "no/such/s")
        self.assertTrue(os.path.exists(self.path("no/such/s")))


if __name__ == "__main__":
    main()
