"""Reductions that are killed or asked to stop: the same command goes on, reads nothing twice that was recorded, and comes
to the same bits."""

import contextlib
import os
import random
import shutil
import signal
import struct
import subprocess
import time

from reduction import ReduceTest, h5py, np
from program import TESSERA, main, seed, times

# `reference` with one thread is slow, so that there is time to stop it; its bits are those of every device.
SLOWLY = ("--device", "reference", "--threads", "1")
QUICKLY = ("--device", "cpu")
# The histogram takes a second journey over the array.
OPERATIONS = ("sum,prod,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,dot,"
              "histogram=16")
SLICE_BYTES = 256 << 10


class Job:
    """Seconds of work on arrays that are made."""

    def __init__(self, elements):
        self.slices = 2 * -(-8 * elements // SLICE_BYTES)
        self.arguments = (f"random:uniform?count={elements}&seed=3", "--op", OPERATIONS,
                          "--with", f"random:normal?count={elements}&seed=4", "--slice", "256K",
                          "--checkpoint", "1", "--report", "r.json")


ALONE = Job(30_000_000)
SHARED = Job(60_000_000)  # by three ranks


class Checkpoint:
    """docs/file-format.md, read by a program that knows nothing else."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        assert self.bytes[:8] == b"TSRRED01", self.bytes[:8]
        self.at = 12
        self.owner, self.version, self.job, self.inputs = (self.text() for _ in range(4))
        self.may_replace, self.slice_bytes, self.tiles_each, self.shares, self.journey = self.take("<BQqqq")
        count = self.take("<Q")[0]
        packed = np.frombuffer(self.bytes, np.uint8, -(-count // 8), self.at)
        self.finished = np.unpackbits(packed, bitorder="little")[:count]
        self.at += len(packed)
        partial_bytes = self.take("<Q")[0]
        self.at += partial_bytes
        assert self.at == len(self.bytes)

    def take(self, layout):
        values = struct.unpack_from(layout, self.bytes, self.at)
        self.at += struct.calcsize(layout)
        return values

    def text(self):
        length = self.take("<Q")[0]
        self.at += length
        return self.bytes[self.at - length:self.at].decode()

    def done(self):
        """Items of all journeys."""
        return self.journey * len(self.finished) + int(self.finished.sum())


class Restart(ReduceTest):
    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(seed())
        cls.truths = {}

    # --- running it

    def start(self, *arguments, ranks=0):
        command = [TESSERA, "reduce", *arguments]
        if ranks:
            command = ["mpirun", "-q", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *command]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                start_new_session=True)

    def finish(self, process):
        """Its exit code and what it said, once it is gone."""
        _, said = process.communicate(timeout=100)
        return process.returncode, said

    def run_after(self, seconds, process, number=signal.SIGKILL):
        """Sends the signal after a while; false if it was done before."""
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            return True
        return False

    def ranks_of(self, launcher):
        listed = subprocess.run(["pgrep", "-P", str(launcher.pid)], capture_output=True, text=True)
        return sorted(int(line) for line in listed.stdout.split())

    def wait_until_gone(self, pids):
        deadline = time.monotonic() + 30
        while any(os.path.exists(f"/proc/{pid}") for pid in pids):
            self.assertLess(time.monotonic(), deadline, "ranks stayed behind")
            time.sleep(0.01)

    def checkpoints(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".checkpoint"))

    def recorded(self):
        """What there is to go on with."""
        names = self.checkpoints()
        self.assertLessEqual(len(names), 1)
        return Checkpoint(self.path(names[0])).done() if names else 0

    def wait_for_checkpoint(self, process):
        deadline = time.monotonic() + 60
        while not self.recorded() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "it was done before it could be stopped")

    def stop_in_mid_run(self, *arguments, seconds=0.7):
        """Leaves a checkpoint that is not empty."""
        for _ in range(10):
            process = self.start(*arguments)
            self.run_after(seconds, process, signal.SIGTERM)
            code, said = self.finish(process)
            if code == 75 and self.checkpoints():
                return said
            seconds *= 0.7 if code == 0 else 1.5
        self.fail("never stopped in the middle")

    # --- what must come out

    def results(self):
        return self.read_report()["results"]

    def truth(self, *arguments):
        """Without a stop, and not where a checkpoint of the job may be."""
        self.assertEqual(self.checkpoints(), [])
        self.assert_done("reduce", *arguments, *QUICKLY, "--quiet")
        return self.results()

    def truth_of(self, job):
        if job not in self.truths:
            self.truths[job] = self.truth(*job.arguments)
        return self.truths[job]

    def assert_goes_on(self, recorded, job=ALONE, ranks=0):
        """To its end: nothing that was recorded is read again."""
        code, said = self.finish(self.start(*job.arguments, *QUICKLY, ranks=ranks))
        self.assertEqual(code, 0, said)
        report = self.read_report()
        self.assertEqual(report["found_slices"], recorded, said)
        self.assertEqual(report["total"]["slices"], job.slices - recorded)
        self.assertLessEqual(report["total"]["bytes"], 2 * (job.slices - recorded) * SLICE_BYTES)  # two arrays
        self.assertEqual(self.checkpoints(), [])
        self.assertEqual(report["results"], self.truth_of(job))

    def test_a_process_killed_at_any_moment_goes_on(self):
        for _ in range(2 * times()):
            recorded = 0
            while True:
                process = self.start(*ALONE.arguments, *SLOWLY)
                if not self.run_after(self.random.uniform(0.2, 4), process):
                    break
                self.finish(process)
                self.assertGreaterEqual(self.recorded(), recorded)
                recorded = self.recorded()
            code, said = self.finish(process)
            self.assertEqual(code, 0, said)
            self.assertEqual(self.read_report()["found_slices"], recorded)
            self.assertEqual(self.results(), self.truth_of(ALONE))
            self.assertEqual(self.checkpoints(), [])

    def test_a_rank_or_the_launcher_or_all_killed_go_on(self):
        self.truth_of(SHARED)
        for victim in ("rank 0", "another rank", "mpirun", "all") * times():
            with self.subTest(victim=victim):
                process = self.start(*SHARED.arguments, *SLOWLY, ranks=3)
                self.wait_for_checkpoint(process)
                ranks = self.ranks_of(process)
                self.assertEqual(len(ranks), 3)
                for pid in {"rank 0": ranks[:1], "another rank": ranks[1:2], "mpirun": [process.pid],
                            "all": [*ranks, process.pid]}[victim]:
                    os.kill(pid, signal.SIGKILL)
                code, said = self.finish(process)
                self.assertNotEqual(code, 0, said)
                self.wait_until_gone(ranks)
                self.assert_goes_on(self.recorded(), SHARED, ranks=2)

    def test_a_signal_to_any_rank_or_the_launcher_stops_all_in_good_order(self):
        cases = [(0, "it", signal.SIGTERM), (0, "it", signal.SIGUSR1), (0, "it", signal.SIGUSR2), (0, "it", signal.SIGINT),
                 (3, "rank", signal.SIGTERM), (3, "mpirun", signal.SIGUSR2)]
        for ranks, target, number in cases:
            with self.subTest(ranks=ranks, target=target, number=number):
                job = SHARED if ranks else ALONE
                self.truth_of(job)
                process = self.start(*job.arguments, *SLOWLY, "--quiet", ranks=ranks)
                time.sleep(0.7 if not ranks else 1.2)
                pids = self.ranks_of(process) if ranks else [process.pid]
                os.kill(max(pids) if target == "rank" else process.pid, number)
                code, said = self.finish(process)
                self.assertEqual(code, 75, said)
                lines = [line for line in said.splitlines() if line.startswith("tessera: ")]
                self.assertEqual(len(lines), 1, said)
                self.assertIn("stopped by SIG", lines[0])
                self.assertIn("the same command goes on, with tessera-reduce-", lines[0])
                self.wait_until_gone(pids)
                self.assertGreater(self.recorded(), 0)
                self.assert_goes_on(self.recorded(), job, ranks)

    def test_a_second_signal_leaves_at_once_and_what_is_on_the_disk_counts(self):
        process = self.start(*ALONE.arguments, *SLOWLY, "--quiet")
        self.wait_for_checkpoint(process)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.6)  # what comes sooner is the same wish
        process.send_signal(signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertGreater(self.recorded(), 0)
        self.assert_goes_on(self.recorded())

    def test_max_seconds_stops_and_goes_on_with_any_slice_and_any_number_of_ranks(self):
        code, said = self.finish(self.start(*ALONE.arguments, *SLOWLY, "--max-seconds", "1", "--quiet"))
        self.assertEqual(code, 75, said)
        self.assertIn("stopped by --max-seconds", said)
        recorded = self.recorded()
        # The cut is that of the run that began.
        code, said = self.finish(self.start(*ALONE.arguments, *QUICKLY, "--slice", "1M", "--max-seconds", "1000", ranks=3))
        self.assertEqual(code, 0, said)
        self.assertIn(f"{recorded} of {ALONE.slices // 2} slices are done", said)
        self.assertEqual(self.read_report()["total"]["slices"], ALONE.slices - recorded)
        self.assertEqual(self.results(), self.truth_of(ALONE))

    def test_a_run_that_is_stopped_before_anything_is_done_leaves_nothing(self):
        job = (*Job(120_000_000).arguments, "--slice", "1G", *SLOWLY)  # in one slice
        process = self.start(*job)
        self.assertTrue(self.run_after(0.4, process, signal.SIGTERM))
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertIn("stopped by SIGTERM with 0 of 1 done", said)
        self.assertNotIn("goes on", said)
        self.assertEqual(os.listdir(self.folder), [])

    # --- checkpoints that are not what they should be

    def short_job(self):
        """A second's work on a file."""
        self.save(np.random.default_rng(5).standard_normal(8_000_000))
        return "a.npy", "--op", "sum,var,argmax,histogram=4,-1,1", "--slice", "64K", "--report", "r.json"

    def assert_begins_anew(self, job, *words):
        done = self.run_program("reduce", *job, *QUICKLY, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in (*words, "begins anew"):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.read_report()["found_slices"], 0)
        self.assertEqual(self.checkpoints(), [])

    def test_what_is_damaged_is_told_and_not_used(self):
        job = self.short_job()
        truth = self.truth(*job)
        self.stop_in_mid_run(*job, *SLOWLY, seconds=0.3)
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
            self.assert_begins_anew(job, "is damaged")
            self.assertEqual(self.results(), truth)
        with open(name, "wb") as file:
            file.write(sound)
        self.assert_done("reduce", *job, *QUICKLY, "--quiet")
        self.assertGreater(self.read_report()["found_slices"], 0)
        self.assertEqual(self.results(), truth)

    def test_an_input_that_has_changed_is_told_and_its_checkpoint_not_used(self):
        job = self.short_job()
        self.stop_in_mid_run(*job, *SLOWLY, seconds=0.3)
        self.save(np.random.default_rng(6).standard_normal(8_000_000))
        self.assert_begins_anew(job, "a.npy has changed since")
        self.assertEqual(self.results(), self.truth(*job))

    def test_files_that_match_a_pattern_are_inputs_too(self):
        job = ("*.npy", *self.short_job()[1:])
        self.stop_in_mid_run(*job, *SLOWLY, seconds=0.3)
        self.save(np.zeros(3), "b.npy")
        self.assert_begins_anew(job, "b.npy has changed since")
        self.assertEqual(self.read_report()["array"]["elements"], 8_000_003)

    def test_another_job_is_refused_under_a_name_that_was_given(self):
        job = (*self.short_job(), "--checkpoint-file", "mine")
        self.assertIn("goes on, with mine", self.stop_and_expect("mine", *job, *SLOWLY))
        stored = os.stat(self.path("mine")).st_mtime_ns
        other = ("reduce", "a.npy", "--op", "norm2", "--slice", "64K", "--checkpoint-file", "mine")
        self.assert_refused(other, 2, "mine: is of another reduction", "--overwrite")
        self.assertEqual(os.stat(self.path("mine")).st_mtime_ns, stored)
        self.assert_done(*other, "--overwrite")
        self.assertFalse(os.path.exists(self.path("mine")))

    def stop_and_expect(self, name, *arguments):
        for seconds in (0.3, 0.2, 0.6, 0.1, 1.2):
            process = self.start(*arguments)
            self.run_after(seconds, process, signal.SIGTERM)
            code, said = self.finish(process)
            if code == 75 and os.path.exists(self.path(name)):
                return said
        self.fail("never stopped in the middle")

    def test_a_file_that_is_no_checkpoint_is_left_alone(self):
        job = self.short_job()
        self.write("notes", "mine, all mine\n")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "notes"), 2, "is no checkpoint", "--overwrite")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "a.npy"), 2, "would overwrite INPUT a.npy")
        self.assert_refused(("reduce", *job, "--checkpoint-file", "none/a"), 2, "there is no folder none")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "b.npy", "--checkpoint-file", "c"),
                            2, "b.npy.part.checkpoint")
        with open(self.path("notes")) as file:
            self.assertEqual(file.read(), "mine, all mine\n")

    def test_a_second_run_is_refused_and_told_who_the_first_is(self):
        for names in (("--checkpoint-file", "mine.checkpoint"), ()):
            with self.subTest(names=names):
                job = (*ALONE.arguments, *names)
                first = self.start(*job, *SLOWLY, "--quiet")
                deadline = time.monotonic() + 60
                while not self.checkpoints() and time.monotonic() < deadline:
                    time.sleep(0.01)
                for options in ((), ("--overwrite",)):
                    second = self.run_program("reduce", *job, *options)
                    self.assertEqual(second.returncode, 2, second.stderr)
                    self.assertIn("another run is writing it", second.stderr)
                    self.assertIn(f"process {first.pid} on ", second.stderr)
                code, said = self.finish(first)
                self.assertEqual(code, 0, said)
                self.assertEqual(self.results(), self.truth_of(ALONE))

    def test_a_disk_that_fills_up_costs_the_checkpoint_and_not_the_answer(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("needs leave to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        process = self.start(*ALONE.arguments, *SLOWLY, "--checkpoint-file", "disk/mine")
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("disk/mine")) and time.monotonic() < deadline:
            time.sleep(0.01)
        with open(self.path("disk/rest"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        code, said = self.finish(process)
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("no checkpoint for now"), 1, said)
        self.assertIn("No space left on device", said)
        self.assertEqual(self.results(), self.truth_of(ALONE))
        self.assertEqual(os.listdir(disk), ["rest"])

    # --- along axes

    AXES = ("a.npy", "--op", "sum,var,argmax,minmax,histogram=3,-1,1", "--slice", "16K", "--checkpoint", "1", "--report",
            "r.json")

    def save_matrix(self):
        rng = np.random.default_rng(7)
        self.save(rng.standard_normal((2000, 8000)))

    def assert_same_file(self, truth, name):
        with h5py.File(self.path(truth)) as a, h5py.File(self.path(name)) as b:
            self.assertEqual(sorted(a), sorted(b))
            for operation in a:
                self.assertEqual(a[operation][()].tobytes(), b[operation][()].tobytes(), operation)

    def test_arrays_along_axes_go_on_after_any_kill(self):
        self.save_matrix()
        for axis, threads, ranks in (("0", "1", 0), ("-1", "1", 0), ("0", "40", 0), ("0,1", "1", 0), ("0", "1", 2)):
            job = (*self.AXES, "--axis", axis)
            self.assert_done("reduce", *job, *QUICKLY, "--quiet", "--output", f"truth{axis}{threads}{ranks}.h5")
            truth = self.read_report()
            with self.subTest(axis=axis, threads=threads, ranks=ranks):
                slowly = (*job, *SLOWLY, "--threads", threads, "--output", "b.h5", "--quiet")
                recorded, numbers = 0, iter((signal.SIGTERM, signal.SIGKILL) * times())
                while True:
                    process = self.start(*slowly, ranks=ranks)
                    number = next(numbers, None)
                    if number is None or not self.run_after(self.random.uniform(0.2, 1.2), process, number):
                        break
                    pids = self.ranks_of(process) if ranks else []
                    self.finish(process)
                    self.wait_until_gone(pids)
                    if os.path.exists(self.path("b.h5")):  # just then
                        os.remove(self.path("b.h5"))
                    else:
                        self.assertGreaterEqual(self.recorded(), recorded)
                    recorded = self.recorded()
                code, said = self.finish(process)
                self.assertEqual(code, 0, said)
                report = self.read_report()
                self.assertEqual(report["found_slices"], recorded)
                self.assertEqual(report["array"], truth["array"])
                if recorded:
                    self.assertLess(report["total"]["elements"], truth["total"]["elements"])
                self.assert_same_file(f"truth{axis}{threads}{ranks}.h5", "b.h5")
                self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("b.h5.")], ["b.h5.done"])
                os.remove(self.path("b.h5"))

    def test_a_npy_goes_on_too(self):
        self.save_matrix()
        job = ("a.npy", "--op", "var", "--axis", "1", "--slice", "16K", "--report", "r.json", "--output")
        self.assert_done("reduce", *job, "truth.npy", *QUICKLY)
        self.stop_in_mid_run(*job, "b.npy", *SLOWLY, seconds=0.2)
        self.assert_done("reduce", *job, "b.npy", *QUICKLY)
        self.assertGreater(self.read_report()["found_slices"], 0)
        with open(self.path("truth.npy"), "rb") as a, open(self.path("b.npy"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_an_output_that_was_touched_is_begun_anew(self):
        self.save_matrix()
        job = (*self.AXES, "--axis", "1", "--output")
        self.assert_done("reduce", *job, "truth.h5", *QUICKLY)

        def zero(at, bytes_from):
            with open(self.path("b.h5.part"), "r+b") as file:
                file.seek(at(bytes_from))
                file.write(bytes(100))

        for damage in (lambda: zero(lambda size: 20, 0),  # what HDF5 keeps
                       lambda: zero(lambda size: 4000, 0),  # an answer of the first items
                       lambda: os.truncate(self.path("b.h5.part"), 3000),
                       lambda: os.remove(self.path("b.h5.part"))):
            self.stop_in_mid_run(*job, "b.h5", *SLOWLY, seconds=0.4)
            damage()
            done = self.run_program("reduce", *job, "b.h5", *QUICKLY, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("b.h5.part is not what it was; begins anew", done.stderr)
            self.assert_same_file("truth.h5", "b.h5")
            os.remove(self.path("b.h5"))

    def test_a_file_that_may_be_replaced_may_be_so_by_the_run_that_goes_on(self):
        self.save_matrix()
        job = (*self.AXES, "--axis", "1", "--output", "b.h5")
        self.assert_done("reduce", *job, *QUICKLY)
        os.rename(self.path("b.h5"), self.path("truth.h5"))
        self.assert_done("reduce", "a.npy", "--op", "any", "--axis", "1", "--output", "b.h5")
        self.assert_refused(("reduce", *job), 2, "b.h5: is there already")
        said = self.stop_in_mid_run(*job, *SLOWLY, "--overwrite", seconds=0.4)
        self.assertIn("goes on, with b.h5.part.checkpoint", said)
        other = ("reduce", "a.npy", "--op", "all", "--axis", "1", "--output", "b.h5")
        self.assert_refused(other, 2, "b.h5.part.checkpoint: is of another reduction", "--overwrite")
        self.assert_done("reduce", *job, *QUICKLY)
        self.assertGreater(self.read_report()["found_slices"], 0)
        self.assert_same_file("truth.h5", "b.h5")

    def test_a_kill_just_behind_the_last_step_leaves_a_file_that_is_complete(self):
        self.save_matrix()
        job = (*self.AXES, "--axis", "1", "--output", "b.h5")
        self.stop_in_mid_run(*job, *SLOWLY, seconds=0.4)
        shutil.copy2(self.path("b.h5.part.checkpoint"), self.path("kept"))
        self.assert_done("reduce", *job, *QUICKLY)
        os.rename(self.path("kept"), self.path("b.h5.part.checkpoint"))
        done = self.run_program("reduce", *job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("b.h5 is complete already", done.stderr)
        self.assertEqual(self.checkpoints(), [])

    def test_a_second_run_on_an_output_is_refused(self):
        self.save_matrix()
        job = (*self.AXES, "--axis", "1", "--output", "b.h5")
        first = self.start(*job, *SLOWLY)
        deadline = time.monotonic() + 60
        while not self.checkpoints() and time.monotonic() < deadline:
            time.sleep(0.005)
        second = self.run_program("reduce", *job)
        self.assertEqual(second.returncode, 2, second.stderr)
        self.assertIn(f"process {first.pid} on ", second.stderr)
        code, said = self.finish(first)
        self.assertEqual(code, 0, said)


if __name__ == "__main__":
    main()
