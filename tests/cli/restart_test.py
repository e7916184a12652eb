"""Kills, signals and second runs: what is stored stays stored, and the same command goes on to the same bits."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

try:
    import h5py
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py)")
    raise SystemExit(77)

from program import TESSERA, ProgramTest, main, seed, times

JOB = ("--view", "seahorse", "--size", "3000x2200", "--iterations", "20000", "--tile", "64")
# So that there is time for what is to happen.
SLOWLY = ("--device", "reference", "--threads", "1")
TILES = 47 * 35
LOG_HEADER_BYTES = 256
LOG_RECORD_BYTES = 120


class Restart(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(seed())

    def start(self, *options, ranks=0, launcher=(), device=SLOWLY):
        command = [TESSERA, "render", *JOB, *device, "--output", "a.h5", "--report", "report.json", *options]
        if ranks:
            command = ["mpirun", "-q", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *launcher,
                       *command]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True, start_new_session=True)

    def finish(self, process):
        """Its exit code and what it said, once all its processes are gone."""
        _, said = process.communicate(timeout=60)
        return process.returncode, said

    def processes(self, launcher):
        """The ranks below a launcher."""
        listed = subprocess.run(["pgrep", "-x", "tessera", "-s", str(launcher.pid)], capture_output=True,
                                text=True)
        ranks = [int(line) for line in listed.stdout.split()]
        if ranks:
            return ranks
        # mpirun puts its ranks into groups of their own.
        children = subprocess.run(["pgrep", "-P", str(launcher.pid)], capture_output=True, text=True)
        return [int(line) for line in children.stdout.split()]

    def stored(self):
        """Tiles that the log has."""
        try:
            size = os.path.getsize(self.path("a.h5.part.log"))
        except FileNotFoundError:
            return 0
        return max(0, size - LOG_HEADER_BYTES) // LOG_RECORD_BYTES

    def wait_for_tiles(self, process, least):
        deadline = time.monotonic() + 60
        while self.stored() < least and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        return process.poll() is None

    def report(self):
        with open(self.path("report.json")) as file:
            return json.load(file)

    def assert_goes_on_to_the_same_bits(self, stored, ranks=0):
        """Runs it to its end: nothing that was stored is computed again."""
        code, said = self.finish(self.start(ranks=ranks, device=("--device", "cpu")))
        self.assertEqual(code, 0, said)
        report = self.report()
        self.assertGreaterEqual(report["found_tiles"], stored, said)
        self.assertEqual(report["damaged_tiles"], 0, said)
        self.assertEqual(report["total"]["tiles"], TILES - report["found_tiles"])
        with h5py.File(self.path("a.h5"), "r") as file, h5py.File(self.truth(), "r") as truth:
            self.assertEqual(file["iterations"][()].tobytes(), truth["iterations"][()].tobytes())
            self.assertTrue((file["tiles"]["rank"] >= 0).all())
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "report.json"])
        os.remove(self.path("a.h5"))

    _truth = None

    def truth(self):
        if Restart._truth is None:
            folder = os.path.dirname(self.folder)
            path = os.path.join(folder, f"tessera-truth-{os.getpid()}.h5")
            subprocess.run([TESSERA, "render", *JOB, *SLOWLY[:2], "--output", path, "--quiet"], check=True,
                           timeout=100)
            unittest.addModuleCleanup(os.remove, path)
            Restart._truth = path
        return Restart._truth

    def test_a_single_process_killed_at_any_moment_loses_nothing(self):
        for _ in range(5 * times()):
            found = 0
            while True:
                process = self.start()
                if not self.wait_for_tiles(process, found + self.random.randrange(TILES // 3)):
                    self.finish(process)
                    break
                process.kill()
                self.finish(process)
                found = self.stored()
            self.assertEqual(self.report()["total"]["tiles"], TILES - self.report()["found_tiles"])
            self.assertGreaterEqual(self.report()["found_tiles"], found)
            os.rename(self.path("a.h5"), self.path("b.h5"))
            with h5py.File(self.path("b.h5"), "r") as file, h5py.File(self.truth(), "r") as truth:
                self.assertEqual(file["iterations"][()].tobytes(), truth["iterations"][()].tobytes())
            os.remove(self.path("b.h5"))

    def test_a_rank_or_the_launcher_or_all_killed_lose_nothing(self):
        for victim in ("rank 0", "another rank", "mpirun", "all") * times():
            with self.subTest(victim=victim):
                process = self.start("--quiet", ranks=3)
                self.assertTrue(self.wait_for_tiles(process, self.random.randrange(1, TILES // 2)))
                ranks = sorted(self.processes(process))
                self.assertEqual(len(ranks), 3)
                victims = {"rank 0": ranks[:1], "another rank": ranks[1:2], "mpirun": [process.pid],
                           "all": [*ranks, process.pid]}[victim]
                for pid in victims:
                    os.kill(pid, signal.SIGKILL)
                code, said = self.finish(process)
                self.assertNotEqual(code, 0, said)
                self.wait_until_gone(ranks)
                self.assert_goes_on_to_the_same_bits(self.stored(), ranks=2)

    def wait_until_gone(self, pids):
        deadline = time.monotonic() + 30
        while any(os.path.exists(f"/proc/{pid}") for pid in pids):
            self.assertLess(time.monotonic(), deadline, "ranks stayed behind")
            time.sleep(0.01)

    def test_a_signal_to_any_rank_or_the_launcher_stops_all_in_good_order(self):
        cases = [(0, "it", signal.SIGTERM), (0, "it", signal.SIGUSR1), (3, "rank", signal.SIGTERM),
                 (3, "mpirun", signal.SIGUSR2)]
        for ranks, target, number in cases:
            with self.subTest(ranks=ranks, target=target, number=number):
                process = self.start("--quiet", ranks=ranks)
                self.assertTrue(self.wait_for_tiles(process, 20))
                pids = self.processes(process) if ranks else [process.pid]
                os.kill(max(pids) if target == "rank" else process.pid, number)
                code, said = self.finish(process)
                self.assertEqual(code, 75, said)
                lines = [line for line in said.splitlines() if line.startswith("tessera: ")]
                self.assertEqual(len(lines), 1, said)
                self.assertIn("stopped by SIG", lines[0])
                self.assertIn("the same command goes on", lines[0])
                self.wait_until_gone(pids)
                self.assert_goes_on_to_the_same_bits(self.stored(), ranks=ranks)

    def test_a_second_signal_leaves_at_once(self):
        process = self.start("--quiet")
        self.assertTrue(self.wait_for_tiles(process, 20))
        process.send_signal(signal.SIGTERM)
        time.sleep(0.6)  # what comes sooner is the same wish
        process.send_signal(signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assert_goes_on_to_the_same_bits(self.stored())

    def test_a_signal_to_the_process_and_to_its_group_is_one(self):
        process = self.start("--quiet")
        self.assertTrue(self.wait_for_tiles(process, 20))
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
        os.killpg(process.pid, signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertIn("stopped by SIGTERM", said)

    def test_drivers_that_take_signals_do_not_keep_them(self):
        # LLVM, in PoCL and other OpenCL drivers, takes SIGUSR1 when `auto` looks what there is.
        process = self.start("--quiet", "--iterations", "4000000", device=("--device", "auto"))
        self.assertTrue(self.wait_for_tiles(process, 20))
        process.send_signal(signal.SIGUSR1)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertIn("stopped by SIGUSR1", said)

    def test_max_seconds_stops_and_goes_on(self):
        code, said = self.finish(self.start("--max-seconds", "1", "--iterations", "4000000", "--quiet"))
        self.assertEqual(code, 75, said)
        self.assertIn("--max-seconds", said)
        # The limit is no part of the job.
        stored = self.stored()
        code, said = self.finish(self.start("--max-seconds", "1000", "--iterations", "4000000", "--quiet"))
        self.assertEqual(code, 0, said)
        self.assertEqual(self.report()["found_tiles"], stored)

    def test_a_second_run_on_the_same_output_names_the_first(self):
        first = self.start("--quiet")
        self.assertTrue(self.wait_for_tiles(first, 5))
        for options in ((), ("--overwrite",)):
            second = self.run_program("render", *JOB, "--output", "a.h5", *options)
            self.assertEqual(second.returncode, 2, second.stderr)
            self.assertIn(f"process {first.pid} on ", second.stderr)
        code, said = self.finish(first)
        self.assertEqual(code, 0, said)

    def test_another_job_is_refused_and_a_finished_one_is_left_alone(self):
        process = self.start("--quiet")
        self.assertTrue(self.wait_for_tiles(process, 5))
        process.kill()
        self.finish(process)
        stored = self.stored()
        other = self.run_program("render", *JOB, "--output", "a.h5", "--bailout", "3")
        self.assertEqual(other.returncode, 2, other.stderr)
        self.assertIn("another image", other.stderr)
        self.assertIn("--overwrite", other.stderr)
        self.assertEqual(self.stored(), stored)
        code, said = self.finish(self.start())
        self.assertEqual(code, 0, said)
        self.assertIn(f"going on with a.h5.part: {stored} tiles are stored", said)
        written = os.stat(self.path("a.h5")).st_mtime_ns
        code, said = self.finish(self.start())
        self.assertEqual((code, said), (0, "render: a.h5 is complete already\n"))
        self.assertEqual(os.stat(self.path("a.h5")).st_mtime_ns, written)
        # A picture that is asked for later is made of it.
        code, said = self.finish(self.start("--png", "a.png"))
        self.assertEqual(code, 0, said)
        self.assertTrue(os.path.exists(self.path("a.png")))
        other = self.run_program("render", *JOB, "--output", "a.h5", "--bailout", "3")
        self.assertEqual(other.returncode, 2, other.stderr)

    def test_a_full_disk_is_one_line_and_goes_on_when_there_is_room(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            os.rmdir(disk)
            self.skipTest("needs leave to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        job = ["render", *JOB, "--output", "disk/a.h5", "--report", "report.json", "--quiet"]
        full = self.run_program(*job)
        self.assertEqual(full.returncode, 4, full.stderr)
        said = [line for line in full.stderr.splitlines() if line.startswith("tessera: ")]
        self.assertEqual(len(said), 1, full.stderr)
        for word in ("disk/a.h5.part", "No space left on device", "free"):
            self.assertIn(word, said[0])
        still = self.run_program(*job)
        self.assertEqual(still.returncode, 4, still.stderr)
        stored = (os.path.getsize(self.path("disk/a.h5.part.log")) - LOG_HEADER_BYTES) // LOG_RECORD_BYTES
        self.assertGreater(stored, 0)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.assert_done(*job)
        self.assertGreaterEqual(self.report()["found_tiles"], stored)
        with h5py.File(self.path("disk/a.h5"), "r") as file, h5py.File(self.truth(), "r") as truth:
            self.assertEqual(file["iterations"][()].tobytes(), truth["iterations"][()].tobytes())

    def test_a_folder_that_is_gone_is_one_line(self):
        os.mkdir(self.path("gone"))
        process = self.start("--quiet", "--output", "gone/a.h5")
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("gone/a.h5.part.log")) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.rename(self.path("gone"), self.path("away"))
        code, said = self.finish(process)
        self.assertEqual(code, 4, said)
        self.assertEqual(said.count("tessera: gone/a.h5"), 1, said)
        # Nothing was lost: with the folder at its place the same command has nothing left to compute.
        os.rename(self.path("away"), self.path("gone"))
        code, said = self.finish(self.start("--quiet", "--output", "gone/a.h5"))
        self.assertEqual(code, 0, said)
        self.assertEqual(self.report()["found_tiles"], TILES)

    def test_resume_wants_something_to_go_on_with(self):
        self.assert_refused(["render", *JOB, "--output", "a.h5", "--resume"], 3, "a.h5.part")
        self.assert_refused(["render", *JOB, "--output", "a.h5", "--resume", "--overwrite"], 2, "--overwrite")


if __name__ == "__main__":
    main()
