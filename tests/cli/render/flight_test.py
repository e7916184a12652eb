"""Ranks that are killed, stopped, hang or are slow do not cost a run. Needs a build with fault points, and Open MPI's
mpirun, which can let the others live (--enable-recovery)."""

import json
import os
import signal
import subprocess
import threading

try:
    import h5py
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py)")
    raise SystemExit(77)

from images import pixels_of, stored_tiles
from program import HANG_S, TESSERA, main
from runs import RunTest, wait_until
from surroundings import PATIENT

JOB = ("--view", "seahorse", "--size", "640x400", "--iterations", "500", "--tile", "64",
       "--fields", "iterations,smooth", "--device", "reference", "--threads", "1")
TILES = 10 * 7
# Each rank stays with its fifth tile, until a test has done what it does and releases them.
ALL_HELD = "worker.hold@5+"
# On a busy machine nobody is silent for so long who is not stopped.
HEARTBEAT_S = 2


class Run:
    """A render on some ranks, which a test interferes with."""

    def __init__(self, test, arguments, ranks, fault, heartbeat_s=HEARTBEAT_S):
        test.holding = test.new_hold()
        launcher = ["mpirun", "-q", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", "--enable-recovery"]
        self.test, self.ranks = test, ranks
        self.process = subprocess.Popen([*launcher, TESSERA, arguments[0], "--heartbeat", str(heartbeat_s), *arguments[1:]],
                                        cwd=test.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "TESSERA_FAULT": f"{PATIENT},{fault}", "TESSERA_HOLD": test.holding})
        self.said, self.printed = [], []
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True)
                        for pair in ((self.process.stderr, self.said), (self.process.stdout, self.printed))]
        for reader in self.readers:
            reader.start()
        self.pids = {}
        test.addCleanup(self.clear_away)

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line)

    def find(self):
        """Process of each rank."""
        found = {}
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                if parent != self.process.pid:
                    continue
                with open(f"/proc/{name}/environ") as file:
                    variables = dict(entry.split("=", 1) for entry in file.read().split("\0") if "=" in entry)
                found[int(variables["OMPI_COMM_WORLD_RANK"])] = int(name)
            except (OSError, ValueError, KeyError, IndexError):
                continue
        return found

    def wait_until(self, what, holds):
        try:
            wait_until(what, holds, pause_s=.02)
        except AssertionError as error:
            self.test.fail(f"{error}\n{''.join(self.said)}")

    def wait_for_ranks(self):
        def there():
            self.pids = self.find()
            return len(self.pids) == self.ranks
        self.wait_until("all ranks", there)

    def wait_for_words(self, words):
        self.wait_until(repr(words), lambda: any(words in line for line in self.said))

    def wait_for_tiles(self):
        log = self.test.path("a.h5.part.log")
        self.wait_until("the first tiles", lambda: os.path.exists(log) and os.path.getsize(log) > 1000)

    def wait_for_items(self):
        """Each rank has an item, with which it is held."""
        self.wait_until("an item of each rank", lambda: self.test.held() == self.ranks)

    def wait_for_end_of(self, *ranks):
        self.wait_until(f"the end of ranks {ranks}", lambda: not set(ranks) & set(self.find()))

    def signal(self, rank, number):
        os.kill(self.pids[rank], number)

    def wait(self):
        try:
            code = self.process.wait(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            self.test.fail(f"it hangs:\n{''.join(self.said)}")
        for reader in self.readers:
            reader.join(timeout=HANG_S)
        return code

    def clear_away(self):
        for pid in self.find().values():
            os.kill(pid, signal.SIGKILL)
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=HANG_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class Flight(RunTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        maker = cls("values")
        maker.setUp()
        cls.addClassCleanup(maker.doCleanups)
        maker.assert_done("render", *JOB, "--output", "a.h5", "--png", "a.png", "--quiet")
        cls.truth = maker.values("a.h5")
        cls.picture = pixels_of(maker.path("a.png"))
        cls.truth_file = maker.path("a.h5")

    def values(self, name):
        with h5py.File(self.path(name), "r") as file:
            self.assertIn(file.attrs["status"], (b"complete", "complete"))
            return [file[field][()].tobytes() for field in ("iterations", "smooth")]

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def start(self, *options, ranks=3, fault=ALL_HELD, **more):
        run = Run(self, ["render", *JOB, "--output", "a.h5", "--report", "a.json", "--status-file", "a.status", *options],
                  ranks, fault, **more)
        run.wait_for_ranks()
        return run

    def lost_ranks(self):
        return [lost["rank"] for lost in self.in_flight()["lost_ranks"]]

    def in_flight(self):
        with open(self.path("a.json")) as file:
            return json.load(file)["in_flight"]

    def assert_same_bits_each_tile_once(self):
        self.assertTrue(self.values("a.h5") == self.truth, "other bits")
        with open(self.path("a.json")) as file:
            self.assertEqual(json.load(file)["total"]["tiles"], TILES)

    def assert_finished(self, run):
        self.assertEqual(run.wait(), 0, "".join(run.said))
        self.assert_same_bits_each_tile_once()
        self.assertEqual(self.bytes_of("a.status"), b"0\ndone\n")

    def test_a_rank_that_is_stopped_for_a_while_comes_back(self):
        run = self.start()
        run.wait_for_items()
        run.signal(2, signal.SIGSTOP)
        run.wait_for_words("has not been heard of")
        run.signal(2, signal.SIGCONT)
        run.wait_for_words("is heard of again")
        self.release()
        self.assert_finished(run)
        self.assertEqual(self.lost_ranks(), [2])
        self.assertIn("lost ranks     2 (", "".join(run.printed))

    def test_a_rank_that_is_stopped_for_good_is_not_waited_for(self):
        run = self.start()
        run.wait_for_items()
        run.signal(2, signal.SIGSTOP)
        run.wait_for_words("has not been heard of")
        self.release()
        run.wait_for_end_of(0, 1)
        self.assert_same_bits_each_tile_once()
        self.assertEqual(self.bytes_of("a.status"), b"0\ndone\n")  # of mpirun nothing is heard yet
        self.assertGreater(self.in_flight()["reissued_items"], 0)
        # And when it is continued after all, it finds that the others are gone.
        run.signal(2, signal.SIGCONT)
        run.wait_for_end_of(2)

    def test_a_rank_that_is_killed_does_not_cost_the_run(self):
        def in_the_preview(run):
            run.wait_for_words("rank 2 on ")  # printed before it begins

        def in_the_render(run):
            run.wait_for_tiles()

        def in_the_picture(run):
            run.wait_until("the picture", lambda: os.path.exists(self.path("a.h5")) and self.held())

        for when in (in_the_preview, in_the_render, in_the_picture):
            with self.subTest(when=when.__name__):
                fault = "worker.hold.color@1+" if when is in_the_picture else ALL_HELD
                run = self.start("--png", "a.png", "--overwrite", fault=fault)
                when(run)
                run.signal(1, signal.SIGKILL)
                self.release()
                self.assert_finished(run)
                self.assertTrue(pixels_of(self.path("a.png")) == self.picture, "another picture")
                for name in ("a.h5", "a.png", "a.json"):
                    os.remove(self.path(name))

    def test_all_but_the_gather_rank_may_be_killed(self):
        run = self.start(ranks=4)
        run.wait_for_tiles()
        for rank in (1, 2, 3):
            run.signal(rank, signal.SIGKILL)
        self.release()
        self.assert_finished(run)
        self.assertEqual(self.lost_ranks(), [1, 2, 3])

    def start_writers(self, ranks=4):
        """Three of the ranks write a part each: ranks 0, 1 and 2 of four."""
        run = self.start("--writers", "3", "--png", "a.png", ranks=ranks)
        parts = [self.path(f"a.h5.parts/{part:03}.h5") for part in range(3)]
        run.wait_for_items()
        run.wait_until("tiles in the parts", lambda: sum(map(stored_tiles, parts)) >= 3)
        return run

    def assert_writers_finished(self, run, *lost):
        self.assert_finished(run)
        self.assertEqual(self.lost_ranks(), list(lost))
        self.assertTrue(pixels_of(self.path("a.png")) == self.picture, "another picture")
        self.assertEqual(sorted(os.listdir(self.path("a.h5.parts"))), ["000.h5", "001.h5", "002.h5", "parts.txt"])
        self.assert_done("verify", "a.h5")

    def test_the_part_of_a_writer_that_is_killed_goes_to_another(self):
        run = self.start_writers()
        run.signal(1, signal.SIGKILL)
        self.release()
        self.assert_writers_finished(run, 1)

    def test_writers_may_be_killed_one_after_the_other(self):
        run = self.start_writers(ranks=5)
        for rank in (1, 2, 3, 4):
            run.signal(rank, signal.SIGKILL)
            run.wait_for_words(f"rank {rank} on ")
        self.release()
        self.assert_writers_finished(run, 1, 2, 3, 4)

    def test_what_a_lost_writer_has_not_kept_is_said_to_be_missing(self):
        run = self.start_writers()
        run.signal(1, signal.SIGKILL)
        log = self.path("a.h5.parts/001.h5.part.log")
        os.truncate(log, os.path.getsize(log) - 200)  # as if its node had not synced it
        self.release()
        run.wait()
        self.assertTrue(any("run the same command to render the rest" in line for line in run.said), run.said)
        self.assertFalse(os.path.exists(self.path("a.h5")))
        self.assert_done("render", *JOB, "--output", "a.h5")
        self.assertTrue(self.values("a.h5") == self.truth, "other bits")

    def test_a_writer_that_is_busy_at_the_end_does_not_cost_the_run(self):
        run = self.start("--writers", "3", ranks=4, fault="rank2:worker.hang@9,rank0:worker.hold@2+,rank1:worker.hold@2+,rank3:worker.hold@2+")
        run.wait_until("all are held", lambda: self.held() == 4)
        self.release()
        self.assert_finished(run)
        self.assert_done("verify", "a.h5")

    def test_a_writer_that_is_stopped_for_a_while_goes_on_with_its_part(self):
        run = self.start_writers()
        run.signal(2, signal.SIGSTOP)
        run.wait_for_words("has not been heard of")
        run.signal(2, signal.SIGCONT)
        run.wait_for_words("is heard of again")
        self.release()
        self.assert_writers_finished(run, 2)

    def test_a_writer_that_is_stopped_keeps_its_part_and_the_same_command_goes_on(self):
        run = self.start_writers()
        run.signal(2, signal.SIGSTOP)
        run.wait_for_words("has not been heard of")
        self.release()
        run.wait_for_words("run the same command to resume")
        self.assertTrue(any("another run is writing it" in line for line in run.said), run.said)
        run.signal(2, signal.SIGKILL)
        run.wait()
        self.assert_done("render", *JOB, "--output", "a.h5", "--report", "a.json")
        with open(self.path("a.json")) as file:
            self.assertGreater(json.load(file)["found_tiles"], 0)
        self.assertTrue(self.values("a.h5") == self.truth, "other bits")

    def test_without_its_gather_rank_a_rank_leaves_and_the_same_command_goes_on(self):
        for number in (signal.SIGKILL, signal.SIGSTOP):
            with self.subTest(number=number):
                run = self.start("--overwrite")
                run.wait_for_tiles()
                run.signal(0, number)
                run.wait_for_end_of(1, 2)
                run.wait_until("the last words of two ranks", lambda: 2 == sum(
                    "rank 0, which gathers, has not been heard of" in line for line in run.said))
                if number == signal.SIGSTOP:
                    run.signal(0, signal.SIGKILL)
                run.wait()  # for mpirun's exit code, which may be 0
                self.assertFalse(os.path.exists(self.path("a.h5")))
                self.assertFalse(os.path.exists(self.path("a.status")))
                self.assert_finished_by_the_same_command()

    def assert_finished_by_the_same_command(self):
        self.assert_done("render", *JOB, "--output", "a.h5", "--report", "a.json")
        with open(self.path("a.json")) as file:
            report = json.load(file)
        self.assertGreater(report["found_tiles"], 0)
        self.assertTrue(self.values("a.h5") == self.truth, "other bits")
        os.remove(self.path("a.h5"))

    def test_a_worker_that_hangs_does_not_decide_the_end(self):
        # In the preview; in a tile.
        for call in (1, 9):
            with self.subTest(call=call):
                run = self.start("--overwrite", fault=f"rank1:worker.hang@{call},rank0:worker.hold@2+,rank2:worker.hold@2+")
                run.wait_until("all are held", lambda: self.held() == 3)
                self.release()
                self.assert_finished(run)
                self.assertEqual(self.lost_ranks(), [1])
                self.assertEqual(self.in_flight()["reissued_items"], 0)

    def test_what_a_slow_rank_has_at_the_end_is_copied(self):
        run = self.start(fault="rank1:worker.hold@3+", heartbeat_s=100)
        run.wait_until("all tiles", lambda: stored_tiles(self.path("a.h5")) == TILES)
        self.release()
        self.assert_finished(run)
        self.assertGreater(self.in_flight()["copied_items"], 0)
        self.assertEqual(self.lost_ranks(), [])

    def test_other_commands_do_without_a_rank_that_hangs(self):
        os.symlink(self.truth_file, self.path("a.h5"))
        for command in (("verify", "a.h5"), ("color", "a.h5", "b.png"), ("plan", *JOB)):
            with self.subTest(command=command[:2]):
                run = Run(self, command, 3, "rank2:worker.hang@1")
                self.assertEqual(run.wait(), 0, "".join(run.said))
        self.assertTrue(pixels_of(self.path("b.png")) == self.picture, "another picture")

    def test_reductions_count_each_element_once_without_a_rank_that_hangs(self):
        os.symlink(self.truth_file, self.path("a.h5"))
        for command in (("--op", "mean,max"), ("--op", "max", "--axis", "0", "--output", "b.npy")):
            with self.subTest(command=command):
                run = Run(self, ["reduce", "a.h5:/smooth", *command, "--slice", "4K", "--nan", "skip",
                                 "--report", "a.json"], 3, "rank2:worker.hang@1,rank0:worker.hold@2+,rank1:worker.hold@2+")
                run.wait_until("all are held", lambda: self.held() == 3)
                self.release()
                self.assertEqual(run.wait(), 0, "".join(run.said))
                with open(self.path("a.json")) as file:
                    report = json.load(file)
                self.assertEqual(report["total"]["elements"], report["array"]["elements"])
                self.assertEqual([lost["rank"] for lost in report["in_flight"]["lost_ranks"]], [2])
                self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1, 2])

    def test_silence_can_be_as_long_as_one_likes(self):
        run = self.start("--heartbeat", "0", heartbeat_s=.1)
        run.wait_for_tiles()
        run.signal(2, signal.SIGSTOP)
        self.release()
        run.wait_until("all tiles", lambda: stored_tiles(self.path("a.h5")) == TILES)
        self.assertIsNone(run.process.poll())
        self.assertFalse(any("heard of" in line for line in run.said))
        run.signal(2, signal.SIGCONT)
        self.assert_finished(run)

    def test_a_heartbeat_that_is_no_time_is_bad_usage(self):
        for seconds in ("-1", "0.001", "soon"):
            self.assert_refused(("render", *JOB, "--output", "b.h5", "--heartbeat", seconds), 2, "--heartbeat")


if __name__ == "__main__":
    main()
