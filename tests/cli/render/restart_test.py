"""Kills, signals and second runs: what is stored stays stored, and the same command goes on to the same bits."""

import json
import os
import signal
import subprocess
import unittest

from images import h5py, read_image, stored_tiles
from program import HANG_S, TESSERA, lines_of, main, times
from runs import QUICKLY, SLOWLY, RunTest, is_stopped

JOB = ("--view", "seahorse", "--size", "1000x700", "--iterations", "2000", "--tile", "32")
TILES = 32 * 22


class Restart(RunTest):
    def start(self, *options, device=SLOWLY, **more):
        return self.start_program("render", *JOB, *device, "--output", "a.h5", "--report", "report.json", *options, **more)

    def stored(self):
        return stored_tiles(self.path("a.h5"))

    def start_and_store(self, least, *options, before=0, **more):
        """A run that has so many tiles in its log, and does not come to its end."""
        process = self.start("--quiet", *options, hold=least + self.random.randrange(1, 20), **more)
        self.assert_reaches(process, f"{least} tiles", lambda: self.stored() >= before + least)
        return process

    def report(self):
        return self.read_json("report.json")

    def assert_goes_on_to_the_same_bits(self, stored, ranks=0):
        """Runs it to its end: nothing that was stored is computed again."""
        said = self.finish_well(self.start(ranks=ranks, device=QUICKLY))
        report = self.report()
        self.assertGreaterEqual(report["found_tiles"], stored, said)
        self.assertEqual(report["damaged_tiles"], 0, said)
        self.assertEqual(report["total"]["tiles"], TILES - report["found_tiles"])
        with h5py.File(self.path("a.h5"), "r") as file:
            self.assertTrue((file["tiles"]["rank"] >= 0).all())
        self.assert_has_the_true_bits("a.h5")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "report.json"])
        os.remove(self.path("a.h5"))

    def assert_has_the_true_bits(self, name):
        here, there = (read_image(path)[0] for path in (self.path(name), self.truth()))
        self.assertTrue(here == there, "other bits")

    _truth = None

    def truth(self):
        if Restart._truth is None:
            folder = os.path.dirname(self.folder)
            path = os.path.join(folder, f"tessera-truth-{os.getpid()}.h5")
            subprocess.run([TESSERA, "render", *JOB, *SLOWLY[:2], "--output", path, "--quiet"], check=True,
                           timeout=HANG_S)
            unittest.addModuleCleanup(os.remove, path)
            Restart._truth = path
        return Restart._truth

    def test_a_single_process_killed_at_any_moment_loses_nothing(self):
        for _ in range(5 * times()):
            found = 0
            for _ in range(self.random.randrange(1, 4)):
                self.kill(self.start_and_store(self.random.randrange(1, TILES // 4), before=found))
                found = self.stored()
            self.assert_goes_on_to_the_same_bits(found)

    def test_a_rank_or_the_launcher_or_all_killed_lose_nothing(self):
        for victims in ("rank 0", "another rank", "mpirun", "all") * times():
            with self.subTest(victims=victims):
                self.kill_some_of(self.start_and_store(self.random.randrange(1, TILES // 4), ranks=3), victims)
                self.assert_goes_on_to_the_same_bits(self.stored(), ranks=2)

    def test_a_signal_to_any_rank_or_the_launcher_stops_all_in_good_order(self):
        cases = [(0, "it", signal.SIGTERM), (0, "it", signal.SIGUSR1), (3, "rank", signal.SIGTERM),
                 (3, "mpirun", signal.SIGUSR2)]
        for ranks, target, number in cases:
            with self.subTest(ranks=ranks, target=target, number=number):
                self.signal_one_of(self.start_and_store(20, ranks=ranks), target, number)
                self.assert_goes_on_to_the_same_bits(self.stored(), ranks=ranks)

    def test_a_second_signal_leaves_at_once(self):
        process = self.start("--quiet", faults=("worker.hang@60",))  # some of them in the preview
        self.assert_held(process)
        self.stop_twice(process)
        self.assert_goes_on_to_the_same_bits(self.stored())

    def test_a_signal_to_the_process_and_to_its_group_is_one(self):
        process = self.start_and_store(20)
        # Both are there when it goes on, so that no time passes between them.
        process.send_signal(signal.SIGSTOP)
        self.assert_reaches(process, "a stop", lambda: is_stopped(process))
        process.send_signal(signal.SIGTERM)
        os.killpg(process.pid, signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        self.assert_stops(process, "stopped by SIG", "run the same command to resume")

    def test_drivers_that_take_signals_do_not_keep_them(self):
        # LLVM, in PoCL and other OpenCL drivers, takes SIGUSR1 when `auto` looks what there is.
        process = self.start_and_store(20, device=("--device", "auto"))
        process.send_signal(signal.SIGUSR1)
        self.assert_stops(process, "stopped by SIGUSR1")

    def test_max_seconds_stops_and_goes_on(self):
        self.assert_stops(self.start("--max-seconds", "1", "--quiet", hold=20), "--max-seconds")
        # The limit is no part of the job.
        stored = self.stored()
        self.finish_well(self.start("--max-seconds", "1000", "--quiet", device=QUICKLY))
        self.assertEqual(self.report()["found_tiles"], stored)

    def test_a_stopped_run_writes_its_reports_and_the_next_one_adds_up_the_starts(self):
        more = ("--report-html", "page.html", "--trace", "trace.json", "--quiet")
        process = self.start_and_store(5, *more)
        process.send_signal(signal.SIGTERM)
        self.assert_stops(process, "stopped by SIGTERM", "run the same command to resume")
        first = self.report()
        self.assertEqual(first["state"], "stopped")
        self.assertIn("stopped by SIGTERM", first["stopped"])
        self.assertEqual(len(first["starts"]), 1)
        self.assertEqual(first["total"]["tiles"], self.stored())
        self.assertGreater(first["total"]["busy_s"], 0)
        with open(self.path("page.html")) as page:
            self.assertIn('"state":"stopped"', page.read())
        self.assertGreater(len(self.read_json("trace.json")["traceEvents"]), 5)
        self.finish_well(self.start(*more, "--threads", "2", device=QUICKLY))
        last = self.report()
        self.assertEqual((last["state"], last["stopped"], len(last["starts"])), ("complete", None, 2))
        self.assertEqual(last["starts"][0], first["starts"][0])
        self.assertEqual(last["all_starts"]["items"], 32 * 22)
        # A third one finds everything, and a job from scratch has no earlier start.
        self.finish_well(self.start("--quiet", "--overwrite", device=QUICKLY))
        self.assertEqual(len(self.report()["starts"]), 1)

    def test_info_gives_no_rates_of_an_image_of_several_starts(self):
        job = ("render", "--view", "seahorse", "--size", "300x200", "--tile", "32", "--output", "s.h5", "--quiet")
        self.assert_done(*job, *QUICKLY)
        run = json.loads(self.assert_done("info", "s.h5", "--json"))["files"][0]["run"]
        self.assertEqual(run["found_tiles"], 0)
        self.assertGreater(run["pixels_per_s"], 0)
        os.remove(self.path("s.h5"))
        process = self.start_program(*job, *SLOWLY, hold=30)
        self.assert_held(process)
        self.signal_one_of(process, "rank", signal.SIGTERM)
        self.assert_done(*job, *QUICKLY, "--report", "s.json")
        run = json.loads(self.assert_done("info", "s.h5", "--json"))["files"][0]["run"]
        self.assertGreater(run["found_tiles"], 0)
        self.assertEqual(run["found_tiles"], self.read_json("s.json")["found_tiles"])
        for rate in ("pixels_per_s", "iterations_per_s", "computing_share_ratio"):
            self.assertEqual(run[rate], 0, rate)
        self.assertNotIn("pixels/s", self.assert_done("info", "s.h5"))

    def test_a_share_that_stops_counts_its_own_tiles(self):
        process = self.start("--quiet", "--share", "1/8", hold=9)
        self.assert_held(process)
        self.assertIn(f" of {TILES // 8} tiles done", self.signal_one_of(process, "rank", signal.SIGTERM))

    def test_a_second_run_on_the_same_output_names_the_first(self):
        first = self.start_and_store(5)
        for options in ((), ("--overwrite",)):
            self.assert_refused_beside(first, ("render", *JOB, "--output", "a.h5", *options))
        self.release()
        self.finish_well(first)

    def test_another_job_is_refused_and_a_finished_one_is_left_alone(self):
        self.kill(self.start_and_store(5))
        stored = self.stored()
        other = self.run_program("render", *JOB, "--output", "a.h5", "--bailout", "3")
        self.assertEqual(other.returncode, 2, other.stderr)
        self.assertIn("another image", other.stderr)
        self.assertIn("--overwrite", other.stderr)
        self.assertEqual(self.stored(), stored)
        self.assertIn(f"resuming a.h5.part: {stored} tiles are stored", self.finish_well(self.start()))
        written = os.stat(self.path("a.h5")).st_mtime_ns
        self.assertEqual(self.finish_well(self.start()), "render: a.h5 is complete already\n")
        self.assertEqual(os.stat(self.path("a.h5")).st_mtime_ns, written)
        # A picture that is asked for later is made of it.
        self.finish_well(self.start("--png", "a.png"))
        self.assertTrue(os.path.exists(self.path("a.png")))
        other = self.run_program("render", *JOB, "--output", "a.h5", "--bailout", "3")
        self.assertEqual(other.returncode, 2, other.stderr)

    def test_a_picture_alone_goes_on_after_a_kill_and_leaves_no_other_file(self):
        job = ("render", *JOB, "--png", "a.png", "--quiet")
        for ranks in (0, 2):
            process = self.start_program(*job, *SLOWLY, ranks=ranks, hold=12)
            self.assert_reaches(process, "9 tiles", lambda: stored_tiles(self.path("a.png.h5")) >= 9)
            process.send_signal(signal.SIGTERM)
            self.assertIn(self.finish(process)[0], (75,) if ranks == 0 else (1, 75))  # 1: that of mpirun
            stored = stored_tiles(self.path("a.png.h5"))
            other = self.run_program(*job, "--bailout", "3")
            self.assertEqual(other.returncode, 2, other.stderr)
            self.assertIn("--png a.png: a.png.h5.part is what a run for another image left", other.stderr)
            self.assert_done(*job, "--report", "report.json", ranks=ranks)
            self.assertEqual(self.report()["found_tiles"], stored)
            self.assertEqual(sorted(os.listdir(self.folder)), ["a.png", "report.json"])
            os.remove(self.path("a.png"))

    def test_a_full_disk_is_one_line_and_goes_on_when_there_is_room(self):
        disk = self.small_disk("300k")
        job = ["render", *JOB, "--output", "disk/a.h5", "--report", "report.json", "--quiet"]
        full = self.run_program(*job)
        self.assertEqual(full.returncode, 4, full.stderr)
        said = lines_of(full.stderr)
        self.assertEqual(len(said), 1, full.stderr)
        for word in ("disk/a.h5.part", "No space left on device", "free"):
            self.assertIn(word, said[0])
        still = self.run_program(*job)
        self.assertEqual(still.returncode, 4, still.stderr)
        stored = stored_tiles(self.path("disk/a.h5"))
        self.assertGreater(stored, 0)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.assert_done(*job)
        self.assertGreaterEqual(self.report()["found_tiles"], stored)
        self.assert_has_the_true_bits("disk/a.h5")

    def test_a_folder_that_is_gone_is_one_line(self):
        os.mkdir(self.path("gone"))
        process = self.start("--quiet", "--output", "gone/a.h5", hold=5)
        # From then on the files are open for good.
        self.assert_reaches(process, "a tile", lambda: stored_tiles(self.path("gone/a.h5")) > 0)
        os.rename(self.path("gone"), self.path("away"))
        self.release()
        code, said = self.finish(process)
        self.assertEqual(code, 4, said)
        self.assertEqual(said.count("tessera: gone/a.h5"), 1, said)
        # Nothing was lost: with the folder at its place the same command has nothing left to compute.
        os.rename(self.path("away"), self.path("gone"))
        self.finish_well(self.start("--quiet", "--output", "gone/a.h5"))
        self.assertEqual(self.report()["found_tiles"], TILES)

    def test_resume_wants_something_to_go_on_with(self):
        self.assert_refused(["render", *JOB, "--output", "a.h5", "--resume"], 3, "a.h5.part")
        self.assert_refused(["render", *JOB, "--output", "a.h5", "--resume", "--overwrite"], 2, "--overwrite")


if __name__ == "__main__":
    main()
