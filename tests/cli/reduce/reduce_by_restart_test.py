"""Reductions of groups that are killed or asked to stop: the same command goes on, and the table is the same."""

import os
import signal
import subprocess
import sys

from program import LIMITED, TESSERA, main
from reduce_runs import Checkpoint, ReduceRunTest
from reduction import np
from runs import QUICKLY, SLOWLY

BY = ("a.npy", "--op", "sum,var,argmax,minmax", "--slice", "16K", "--checkpoint", "1", "--report", "r.json")
# Where a run stops itself: when it has stored groups for the first time, and behind its first rows.
STORED, ROWS = "groups.stored@1", "groups.rows@2"


class Restart(ReduceRunTest):
    def save_groups(self, groups):
        random = np.random.default_rng(7)
        self.save(random.standard_normal((2000, 1500)))
        self.save(random.integers(0, groups, (2000, 1500)) * 2**30, "k.npy")
        self.save(random.integers(0, 3, (2000, 1)), "m.npy")

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def assert_goes_on(self, job, ranks, **how):
        self.assert_done("reduce", *job, *QUICKLY, "--quiet", "--output", "truth.csv", "--overwrite")
        self.stop_again_and_again("b.csv", *job, ranks=ranks, **how)
        self.assertEqual(self.read("truth.csv"), self.read("b.csv"))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("b.csv.")], ["b.csv.done"])
        os.remove(self.path("b.csv"))

    def test_goes_on_after_any_kill(self):
        for groups, by, ranks in ((1000, "k.npy", 0), (1000, "k.npy", 2), (300, "m.npy,k.npy", 0)):
            with self.subTest(groups=groups, by=by, ranks=ranks):
                self.save_groups(groups)
                self.assert_goes_on((*BY, "--by", by), ranks, first=2 * 1465 * ("," in by))  # the ranges of two keys

    def test_order_statistics_go_on_after_any_kill(self):
        self.save_groups(100)
        self.assert_goes_on(("a.npy", "--op", "median,quantile=0.1,argtopk=2", *BY[3:], "--by", "k.npy"), 0)
        # Passes that collect have smaller items than the one before, which is one item here.
        job = ("a.npy", "--op", "sum,median", "--slice", "1M", *BY[5:], "--by", "k.npy")
        self.assert_done("reduce", *job, *QUICKLY, "--quiet", "--output", "truth.csv", "--overwrite")
        process = self.start_and_record(*job, "--output", "b.csv", hold=2)
        process.kill()
        self.finish(process)
        self.finish_well(self.start(*QUICKLY, *job, "--output", "b.csv", "--quiet"))
        self.assertEqual(self.read("truth.csv"), self.read("b.csv"))
        os.remove(self.path("b.csv"))
        self.save_groups(40)  # that are not collected
        self.assert_goes_on(("a.npy", "--op", "median,quantile=0.1,argtopk=2", *BY[3:], "--by", "k.npy"), 2)

    def test_goes_on_with_stored_groups(self):
        self.save_groups(1_200_000)
        job = ("a.npy", "--by", "k.npy", "--op", "sum", "--memory", "64M", "--slice", "64K", "--report", "r.json")
        self.assert_done("reduce", *job, *QUICKLY, "--output", "truth.csv")
        process = self.start(*job, *QUICKLY, "--threads", "1", "--output", "b.csv", faults=(STORED,))
        self.assert_pauses(process)
        self.send_in_pause(process, signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertIn("b.csv.part.checkpoint", said)
        left = self.assert_done("clean")
        self.assertIn("b.csv.part.groups", left)
        self.assertIn("groups of b.csv", left)
        self.assert_done("reduce", *job, *QUICKLY, "--output", "b.csv")
        self.assertGreater(self.read_report()["found_slices"], 0)
        self.assert_is_the_truth()

    def assert_is_the_truth(self):
        self.assertEqual(self.read("truth.csv"), self.read("b.csv"))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("b.csv.")], ["b.csv.done"])
        os.remove(self.path("b.csv"))

    def test_stored_groups_go_on_after_any_kill(self):
        self.save_groups(600_000)
        self.assert_goes_on(("a.npy", "--op", "sum,median", *BY[3:], "--by", "k.npy", "--memory", "64M"), 2, within=200)

    def save_accumulators(self, groups):
        self.save_groups(groups)
        random = np.random.default_rng(8)
        self.save(np.ldexp(random.standard_normal((2000, 1500)), random.integers(-900, 900, (2000, 1500))))

    def test_checkpoints_of_short_passes(self):
        """They are saved although each pass is shorter than the time between two checkpoints."""
        self.save_accumulators(40_000)
        job = ("a.npy", "--by", "k.npy", "--op", "sum,norm1,var", "--memory", "64M", "--threads", "1", "--report", "r.json")
        self.assert_done("reduce", *job, "--output", "truth.csv")
        process = self.start(*job, "--checkpoint", "1", "--output", "b.csv")
        self.assert_reaches(process, "a checkpoint of a later pass", lambda: self.pass_saved("b.csv.part.checkpoint") > 0)
        process.kill()
        self.finish(process)
        self.assert_done("reduce", *job, "--output", "b.csv")
        self.assertGreater(self.read_report()["total"]["elements"], 0, "the pass was saved, not what follows it")
        self.assert_is_the_truth()

    def pass_saved(self, name):
        return Checkpoint(self.path(name)).pass_number if os.path.exists(self.path(name)) else 0

    def test_accumulators_go_on_after_any_kill(self):
        """They fill the memory within a piece of the array, so items end there."""
        self.save_accumulators(20_000)
        self.assert_goes_on(("a.npy", "--op", "sum,norm2", *BY[3:], "--by", "k.npy", "--memory", "64M"), 2, within=200)

    def test_goes_on_in_passes_for_some_of_the_groups(self):
        self.save_groups(130_000)
        self.assert_goes_on(("a.npy", "--op", "sum,argmax", *BY[3:], "--by", "k.npy", "--memory", "64M"), 0, within=200)

    def test_goes_on_where_rows_are_made(self):
        self.save_groups(1_200_000)
        job = ("a.npy", "--by", "k.npy", "--op", "sum,median", "--memory", "64M", "--report", "r.json")
        self.assert_done("reduce", *job, "--output", "truth.csv")
        for how, code in ((signal.SIGTERM, 75), (signal.SIGKILL, -9)):
            process = self.start(*job, "--output", "b.csv", faults=(ROWS,))
            self.assert_pauses(process)
            self.send_in_pause(process, how)
            ended, said = self.finish(process)
            self.assertEqual(ended, code, said)
            self.assertIn("b.csv.part.groups", self.assert_done("clean"))
            self.assert_done("reduce", *job, "--output", "b.csv")
            self.assertEqual(self.read_report()["total"]["elements"], 0, "all was read before")
            self.assert_is_the_truth()

    def test_goes_on_with_another_memory(self):
        """Pieces of the array are as large as in the first run."""
        self.save_groups(300_000)
        job = ("a.npy", "--by", "k.npy", "--op", "sum", "--slice", "64K", "--report", "r.json")
        self.assert_done("reduce", *job, *QUICKLY, "--output", "truth.csv")
        for memory, another in (("4G", "64M"), ("64M", "4G")):
            process = self.start(*job, *SLOWLY, "--memory", memory, "--output", "b.csv", hold=20)
            self.assert_held(process)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(self.finish(process)[0], 75)
            self.assert_done("reduce", *job, *QUICKLY, "--memory", another, "--output", "b.csv")
            self.assertGreater(self.read_report()["found_slices"], 0)
            self.assert_is_the_truth()

    def test_a_disk_that_gets_full_and_has_room_again(self):
        """What was stored in part is not counted twice."""
        keys = ("--by", "random:uniform?count=3e6&seed=5", "--bins", "0,1,1200000")
        for operations, limit in (("sum", 25_000_000), ("median", 45_000_000)):  # groups are stored, or their elements
            job = ("random:normal?count=3e6", *keys, "--op", operations, "--memory", "64M", "--report", "r.json")
            self.assert_done("reduce", *job, *QUICKLY, "--output", "truth.csv", "--overwrite")
            process = self.start(*job, *SLOWLY, "--slice", "64K", "--output", "b.csv", faults=(STORED,))
            self.assert_pauses(process)
            self.send_in_pause(process, signal.SIGTERM)
            self.assertEqual(self.finish(process)[0], 75)
            limited = (sys.executable, "-c", LIMITED, str(limit), TESSERA, "reduce", *job, "--output", "b.csv")
            done = subprocess.run(limited, cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("run the same command to resume from", done.stderr)
            self.assert_done("reduce", *job, *QUICKLY, "--output", "b.csv")
            self.assertGreater(self.read_report()["found_slices"], 0)
            self.assert_is_the_truth()

    def test_a_stop_where_rows_are_made_from_memory(self):
        self.save_groups(1_200_000)
        for operations in ("sum", "sum,median"):
            job = ("a.npy", "--by", "k.npy", "--op", operations, "--memory", "4G", "--report", "r.json")
            self.assert_done("reduce", *job, "--output", "truth.csv", "--overwrite")
            process = self.start(*job, "--output", "b.csv", faults=(ROWS,))
            self.assert_pauses(process)
            self.send_in_pause(process, signal.SIGTERM)
            code, said = self.finish(process)
            self.assertEqual(code, 75, said)
            self.assertIn("run the same command to resume from", said)
            self.assert_done("reduce", *job, "--output", "b.csv")
            self.assertEqual(self.read_report()["total"]["elements"], 0, "all was read before")
            self.assert_is_the_truth()

    def test_two_runs_and_the_file_of_stored_groups(self):
        self.save_groups(1_200_000)
        job = ("a.npy", "--by", "k.npy", "--op", "sum", "--memory", "64M", "--slice", "64K")
        stored = lambda: [name for name in os.listdir(self.folder) if name.endswith(".groups")]
        process = self.start(*job, *SLOWLY, faults=(STORED,))
        self.assert_pauses(process)
        self.assert_refused(("reduce", *job), 4, ".groups: another run is writing it")
        process.send_signal(signal.SIGCONT)
        self.finish_well(process)
        self.assertEqual(stored(), [])
        with open(self.path("months.groups"), "w", encoding="utf-8") as file:
            file.write("of the user")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "months"), 2, "months.groups", "in the way")
        with open(self.path("months.groups"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "of the user")
        os.remove(self.path("months.groups"))
        # A result that cannot be printed is not lost.
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TESSERA, "reduce", *job, "--checkpoint-file", "c"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assert_done("reduce", *job, "--checkpoint-file", "c", "--report", "r.json")
        self.assertEqual(self.read_report()["total"]["elements"], 0, "all was read before")
        self.assertEqual(stored(), [])

    def test_stored_groups_that_are_gone(self):
        self.save_groups(1_200_000)
        job = ("a.npy", "--by", "k.npy", "--op", "sum", "--memory", "64M", "--slice", "64K")
        process = self.start(*job, *QUICKLY, "--output", "b.csv", faults=(STORED,))
        self.assert_pauses(process)
        self.send_in_pause(process, signal.SIGTERM)
        self.assertEqual(self.finish(process)[0], 75)
        os.remove(self.path("b.csv.part.groups"))
        done = self.run_program("reduce", *job, "--output", "b.csv", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the groups that it stored are gone or damaged; restarts from scratch", done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("b.csv.")], ["b.csv.done"])

    def test_without_an_output(self):
        self.save_groups(1000)
        job = (*BY, "--by", "k.npy")
        self.assert_done("reduce", *job, *QUICKLY)
        truth = self.read_report()["groups"]
        self.stop_in_mid_run(*job)
        self.assert_done("reduce", *job, *QUICKLY)
        self.assertGreater(self.read_report()["found_slices"], 0)
        self.assertEqual(self.read_report()["groups"], truth)
        self.assertEqual(self.checkpoints(), [])


if __name__ == "__main__":
    main()
