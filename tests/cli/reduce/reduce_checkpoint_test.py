"""Checkpoints of reductions that are damaged, of something else, in use, or have no room."""

import contextlib
import os

from program import main, times
from reduce_runs import ALONE, ReduceRunTest
from reduction import np
from runs import QUICKLY, SLOWLY


class Checkpoints(ReduceRunTest):
    def short_job(self):
        """Of some slices of a file."""
        self.save(np.random.default_rng(5).standard_normal(80_000))
        return "a.npy", "--op", "sum,var,argmax,histogram=4,-1,1", "--slice", "64K", "--report", "r.json"

    def assert_restarts(self, job, *words):
        done = self.run_program("reduce", *job, *QUICKLY, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in (*words, "restarts from scratch"):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.read_report()["found_slices"], 0)
        self.assertEqual(self.checkpoints(), [])

    def test_what_is_damaged_is_told_and_not_used(self):
        job = self.short_job()
        truth = self.truth(*job)
        self.stop_in_mid_run(*job)
        name = self.path(self.checkpoints()[0])
        with open(name, "rb") as file:
            sound = file.read()
        for _ in range(6 * times()):
            bytes_now = bytearray(sound)
            if self.random.random() < 0.3:
                del bytes_now[self.random.randrange(1, len(sound)):]
            else:
                bytes_now[self.random.randrange(len(sound))] ^= 1 << self.random.randrange(8)
            with open(name, "wb") as file:
                file.write(bytes_now)
            self.assert_restarts(job, "is damaged")
            self.assertEqual(self.results(), truth)
        with open(name, "wb") as file:
            file.write(sound)
        self.assert_done("reduce", *job, *QUICKLY, "--quiet")
        self.assertGreater(self.read_report()["found_slices"], 0)
        self.assertEqual(self.results(), truth)

    def test_an_input_that_has_changed_is_told_and_its_checkpoint_not_used(self):
        job = self.short_job()
        self.stop_in_mid_run(*job)
        self.save(np.random.default_rng(6).standard_normal(80_000))
        self.assert_restarts(job, "a.npy has changed since")
        self.assertEqual(self.results(), self.truth(*job))

    def test_files_that_match_a_pattern_are_inputs_too(self):
        job = ("*.npy", *self.short_job()[1:])
        self.stop_in_mid_run(*job)
        self.save(np.zeros(3), "b.npy")
        self.assert_restarts(job, "b.npy has changed since")
        self.assertEqual(self.read_report()["array"]["elements"], 80_003)

    def test_another_job_is_refused_under_a_name_that_was_given(self):
        job = (*self.short_job(), "--checkpoint-file", "mine")
        self.assertIn("to resume from mine", self.stop_in_mid_run(*job, left="mine"))
        stored = os.stat(self.path("mine")).st_mtime_ns
        other = ("reduce", "a.npy", "--op", "norm2", "--slice", "64K", "--checkpoint-file", "mine")
        self.assert_refused(other, 2, "mine: is of another reduction", "--overwrite")
        self.assertEqual(os.stat(self.path("mine")).st_mtime_ns, stored)
        self.assert_done(*other, "--overwrite")
        self.assertFalse(os.path.exists(self.path("mine")))

    def test_a_file_that_is_no_checkpoint_is_left_alone(self):
        job = self.short_job()
        self.write("notes", "mine, all mine\n")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "notes"), 2, "is no checkpoint", "--overwrite")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "a.npy"), 2, "would overwrite INPUT a.npy")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "notes/a"), 2, "notes is no folder")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "b.npy", "--checkpoint-file", "c"),
                            2, "b.npy.part.checkpoint")
        with open(self.path("notes")) as file:
            self.assertEqual(file.read(), "mine, all mine\n")

    def test_a_second_run_is_refused_and_told_who_the_first_is(self):
        for names in (("--checkpoint-file", "mine.checkpoint"), ()):
            with self.subTest(names=names):
                job = (*ALONE.arguments, *names)
                first = self.start_and_record(*job)
                for options in ((), ("--overwrite",)):
                    self.assert_refused_beside(first, ("reduce", *job, *options), "another run is writing it")
                self.release()
                self.finish_well(first)
                self.assertEqual(self.results(), self.truth_of(ALONE))

    def test_a_disk_that_fills_up_costs_the_checkpoint_and_not_the_answer(self):
        disk = self.small_disk("256k")
        process = self.start(*ALONE.arguments, *SLOWLY, "--checkpoint-file", "disk/mine", "--quiet", hold=4)
        self.assert_held(process)
        with open(self.path("disk/rest"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        said = process.stderr.readline()
        self.release()
        said += process.stderr.read()
        self.assertEqual(process.wait(), 0, said)
        self.assertEqual(said.count("no checkpoint for now"), 1, said)
        self.assertIn("No space left on device", said)
        self.assertEqual(self.results(), self.truth_of(ALONE))
        self.assertEqual(os.listdir(disk), ["rest"])

    def test_a_disk_that_is_full_from_the_start_costs_the_checkpoint_and_not_the_answer(self):
        disk = self.small_disk("16k")
        with open(self.path("disk/rest"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        job = self.short_job()
        truth = self.truth(*job)
        for ranks in (0, 2):
            done = self.run_program("reduce", *job, "--checkpoint-file", "disk/mine", "--quiet", ranks=ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("no checkpoint for now"), 1, done.stderr)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(self.results(), truth)
            self.assertEqual(os.listdir(disk), ["rest"])

    def test_a_folder_without_leave_to_write_ends_the_run_before_any_work(self):
        """Or what it does for hours is lost when it is killed."""
        job = self.short_job()
        if not os.path.isdir("/sys/kernel"):
            self.skipTest("needs a folder in which not even root may make a file, such as /sys/kernel")
        for ranks in (0, 2):
            done = self.run_program("reduce", *job, "--checkpoint-file", "/sys/kernel/mine", "--quiet", ranks=ranks)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("/sys/kernel/mine.new: cannot create", done.stderr)
            self.assertNotIn("no checkpoint for now", done.stderr)
            self.assertFalse(os.path.exists(self.path("r.json")))

    def test_names_cannot_order_a_terminal_about(self):
        disk = self.small_disk("64k")
        job = (*self.short_job(), "--checkpoint-file", "disk/\x1b[2Jmine")
        self.stop_in_mid_run(*job, left="disk/\x1b[2Jmine")
        went_on = self.run_program("reduce", *job, *QUICKLY)
        self.assertIn("resuming disk/\\x1b[2Jmine", went_on.stderr)
        with open(self.path("disk/rest"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        full = self.run_program("reduce", *job, *QUICKLY, "--quiet")
        self.assertIn("no checkpoint for now: disk/\\x1b[2Jmine", full.stderr)
        self.assertNotIn("\x1b", full.stderr)
        self.assertNotIn("\x1b", went_on.stderr.replace("\x1b[K", ""))

    def test_room_that_comes_later_is_used(self):
        disk = self.small_disk("256k")
        with open(self.path("disk/rest"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        process = self.start(*ALONE.arguments, *SLOWLY, "--checkpoint-file", "disk/mine", "--quiet", hold=4)
        self.assert_held(process)
        os.remove(self.path("disk/rest"))
        self.assert_reaches(process, "its checkpoint", lambda: os.path.exists(self.path("disk/mine")))
        self.release()
        self.finish_well(process)
        self.assertEqual(self.results(), self.truth_of(ALONE))
        self.assertEqual(os.listdir(disk), [])

    def test_what_was_to_be_replaced_is_gone_where_the_disk_is_full(self):
        """Otherwise, a later run would resume from it."""
        disk = self.small_disk("64k")
        job = (*self.short_job(), "--checkpoint-file", "disk/mine")
        self.stop_in_mid_run(*job, left="disk/mine")
        with open(self.path("disk/rest"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        other = ("a.npy", "--op", "max", "--slice", "64K", "--checkpoint-file", "disk/mine", "--report", "r.json")
        done = self.run_program("reduce", *other, "--overwrite", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no checkpoint for now", done.stderr)
        self.assertEqual(os.listdir(disk), ["rest"])


if __name__ == "__main__":
    main()
