"""How runs end from outside: lost connections, limits of processor time and of file sizes, tables that no disk holds."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys

try:
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-numpy)")
    raise SystemExit(77)

import program
from program import lines_of, main
from runs import SLOWLY, RunTest
from surroundings import HANG_S

LONG = ("reduce", "random:normal?count=1e11", "--op", "std", "--quiet", *SLOWLY, "--checkpoint", "1", "--checkpoint-file", "c")
# What would kill the program if it did not see to that itself.
LIMITED = [sys.executable, "-c", program.LIMITED.replace("SIG_IGN", "SIG_DFL"), "4096", program.TESSERA]


class Signals(RunTest):
    def start(self, ranks=0, **options):
        """A run that has saved some work."""
        process = self.start_program(*LONG, ranks=ranks, **options)
        self.assert_has_saved(process)
        return process

    def assert_has_saved(self, process):
        """The first checkpoint reserves the name; the next one is another file."""
        self.assert_reaches(process, "its checkpoint", lambda: os.path.exists(self.path("c")))
        first = os.stat(self.path("c")).st_ino
        self.assert_reaches(process, "its work is saved", lambda: os.stat(self.path("c")).st_ino != first)

    def test_of_lost_connections_and_of_time_limits_stop_it(self):
        for number in (signal.SIGHUP, signal.SIGXCPU):
            process = self.start(preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL))
            process.send_signal(number)
            self.assert_stops(process, f"stopped by {signal.Signals(number).name}", "run the same command to resume")
            os.remove(self.path("c"))

    def test_to_one_rank_stop_all(self):
        for number in (signal.SIGHUP, signal.SIGXCPU):
            self.signal_one_of(self.start(ranks=2), "rank", number)
            os.remove(self.path("c"))

    def test_that_are_ignored_stay_so(self):
        process = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assert_stops(process, "stopped by SIGTERM")

    def test_a_terminal_that_is_gone_keeps_no_work(self):
        ours, its = pty.openpty()
        process = self.start_program(*LONG, preexec_fn=lambda: os.dup2(its, 2))
        os.close(its)
        self.assert_has_saved(process)
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(100), 75)
        self.assertTrue(os.path.exists(self.path("c")))

    def test_processor_time_that_is_used_up_stops_it(self):
        done = self.run_program(*LONG, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 60)))
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("stopped by SIGXCPU", done.stderr)


class Disks(RunTest):
    def test_a_limit_of_file_sizes_is_a_full_disk(self):
        np.save(self.path("k.npy"), np.arange(5000))
        self.assert_done("render", "--size", "640x360", "--iterations", "50", "--quiet", "--output", "i.h5")
        for command in (("render", "--size", "640x360", "--iterations", "50", "--quiet", "--output", "o.h5"),
                        ("render", "--size", "640x360", "--iterations", "50", "--quiet", "--output", "i.h5", "--png", "o.png"),
                        ("map", "a*2", "linspace:0,1?count=5000", "--quiet", "--output", "o.npy"),
                        ("map", "a*2", "linspace:0,1?count=5000", "--quiet", "--output", "o.h5"),
                        ("reduce", "k.npy", "--by", "k.npy", "--op", "sum", "--quiet", "--output", "o.csv"),
                        ("reduce", "k.npy", "--by", "k.npy", "--op", "sum", "--quiet", "--output", "o.h5"),
                        ("color", "i.h5", "o.png", "--quiet"), ("info", "i.h5", "--html", "o.html"),
                        ("palettes", "--preview", "o.png")):
            for ranks in (0, 2) if command[0] in ("render", "color") else (0,):
                with self.subTest(command=command, ranks=ranks):
                    done = subprocess.run(program.launched([*LIMITED, *command], ranks), cwd=self.folder, capture_output=True, text=True,
                                          timeout=HANG_S)
                    self.assertEqual(done.returncode, 4, done.stderr)
                    self.assertEqual(len(lines_of(done.stderr)), 1, done.stderr)
                    self.assertIn("File too large", done.stderr)
                    for left in os.listdir(self.folder):
                        if left.startswith("o."):
                            os.remove(self.path(left))

    def test_standard_output_that_is_full_is_no_disk(self):
        self.assert_done("render", "--size", "64x36", "--quiet", "--output", "i.h5")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program.TESSERA, "color", "i.h5", "-"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=HANG_S)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("standard output", done.stderr)
        self.assertNotIn("free", done.stderr)


class Groups(RunTest):
    COUNT = 1_000_000_000_000

    def setUp(self):
        super().setUp()
        np.save(self.path("v.npy"), np.arange(3.))
        np.save(self.path("k.npy"), np.array([2, 5, self.COUNT - 1]))
        self.job = ("reduce", "v.npy", "--by", "k.npy", "--groups", str(self.COUNT), "--op", "sum,max")

    def test_without_end_are_only_counted_where_nobody_sees_them(self):
        rows = self.assert_done(*self.job, "--quiet").splitlines()
        self.assertLess(len(rows), 1010)
        groups = json.loads(self.assert_done(*self.job, "--json"))["groups"]
        self.assertEqual(groups["count"], self.COUNT)

    def test_of_rows_at_the_ends_of_what_is_shown(self):
        for count in (999, 1000, 1001, 16384 + 1000, 16384 + 1001):
            np.save(self.path("k.npy"), np.array([0, 999 % count, count - 1]))
            job = ("reduce", "v.npy", "--by", "k.npy", "--groups", str(count), "--op", "sum")
            groups = json.loads(self.assert_done(*job, "--json"))["groups"]
            self.assertEqual(groups["count"], count)
            self.assert_done(*job, "--output", "t.npy", "--overwrite", "--quiet")
            table = np.load(self.path("t.npy"))
            self.assertEqual(len(table), count)
            self.assertEqual(table["sum"].sum(), 3)

    def test_that_no_disk_holds_are_not_begun(self):
        for name in ("t.csv", "t.json", "t.npy", "t.h5"):
            self.assert_refused((*self.job[:4], "--groups", str(2 ** 40), "--op", "sum,mean", "--output", name, "--quiet"), 2,
                                "--groups", "free")


if __name__ == "__main__":
    main()
