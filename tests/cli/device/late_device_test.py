"""Under --device auto the cores begin, and a GPU joins them once it is open: whenever that is, if it fails, hangs or fails
later. On the CUDA runtime for tests (tests/cuda_runtime), with fault points."""

import os
import re
import signal
import unittest.mock

from cuda_host_test import OnHost
from images import h5py
from program import lines_of, main
from runs import wait_until

# Of many tiles, so that both kinds of devices have some.
JOB = ("--view", "galaxies", "--size", "1200x900", "--iterations", "300", "--fields", "iterations,smooth", "--tile", "64")
HANGS = "fail=cudaSetDevice:1:0"
REDUCTION = ("reduce", "random:normal?count=3000001", "--op", "sum,minmax,argmax", "--slice", "64K", "--report", "r.json")


class Late(OnHost):
    def processes(self):
        """Those of devices, for runs in this folder."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if b"\0device-process\0" in file.read() and os.readlink(f"/proc/{pid}/cwd") == self.folder:
                        found.append(pid)
            except OSError:
                pass
        return found

    def setUp(self):
        super().setUp()
        self.addCleanup(wait_until, "no process is left", lambda: not self.processes())

    def start_on(self, machine, *arguments, hold=1, **options):
        environment = {**os.environ, "TESSERA_CUDA_RUNTIME": f"reports={self.path('reports')},{machine}"}
        return self.start_program(*arguments, env=environment, hold=hold, **options)

    def render_held(self, machine, *options, **run_options):
        """Held at its first tile, so that it does not end before the device has joined or failed."""
        run = self.start_on(machine, "render", *JOB, "--device", "auto", "--output", "a.h5", "--overwrite", "--report",
                            "r.json", *options, **run_options)
        self.assert_held(run)
        return run

    def release_at(self, run, words):
        """Goes on once the run has said that; what it said by then."""
        said = ""
        while words not in said:
            line = run.stderr.readline()
            self.assertTrue(line, said)
            said += line
        self.release()
        return said

    def true_pixels(self):
        if not os.path.exists(self.path("truth.h5")):
            self.assert_done("render", *JOB, "--device", "cpu", "--output", "truth.h5", "--quiet")
        return self.pixels("truth.h5")

    def pixels(self, name="a.h5"):
        with h5py.File(self.path(name), "r") as file:
            return [file[field][()].tobytes() for field in ("iterations", "smooth")]

    def devices_of_tiles(self):
        with h5py.File(self.path("a.h5"), "r") as file:
            return {name.decode() for name in file["tiles"]["device"]}

    def rank(self, rank=0):
        self.assertFalse(os.path.exists(self.path("reports")))
        return self.read_json("r.json")["ranks"][rank]

    def assert_whole(self, code, said):
        self.assertEqual(code, 0, said)
        self.assertEqual(self.pixels(), self.true_pixels())


class HasDearImages(Late):
    """A deep image, said to be dear for the cores, is left to a GPU that is there before its first tile."""
    DEEP = ("--view", "islands", "--size", "64x40", "--fields", "iterations,smooth")

    def render_dear(self, machine=""):
        """Again, if the GPU was not open within seconds, as may happen on a busy machine."""
        for _ in range(4):
            run = self.start_on(machine, "render", *self.DEEP, "--device", "auto", "--output", "a.h5", "--overwrite",
                                "--report", "r.json", faults=("render.dear@1",), hold=0)
            code, said = self.finish(run)
            self.assertEqual(code, 0, said)
            rank = self.rank()
            if rank["device"] == "cuda:0" or rank["lost"]:
                break
        self.assert_done("render", *self.DEEP, "--device", "cpu", "--output", "truth.h5", "--overwrite", "--quiet")
        self.assertEqual(self.pixels(), self.pixels("truth.h5"))
        return said

    def test_the_gpu_has_them_alone(self):
        self.render_dear()
        self.assertEqual(self.rank()["device"], "cuda:0")
        self.assertEqual(self.devices_of_tiles(), {"cuda:0"})

    def test_the_cores_take_over_when_it_fails(self):
        said = self.render_dear("fail=kernel:1:719:sticky:later")
        self.assertIn("cpu takes over", said)
        self.assertEqual([one["device"] for one in self.rank()["lost"]], ["cuda:0"])
        self.assertEqual(self.devices_of_tiles(), {"cpu"})


class Joins(Late):
    def test_a_gpu_joins_when_it_is_open(self):
        for slow in (None, "cudaGetDeviceCount:1:0:slow=300", "cudaSetDevice:1:0:slow=2000"):
            with self.subTest(slow=slow):
                run = self.render_held(f"fail={slow}" if slow else "")
                said = self.release_at(run, "joined")
                self.assertRegex(said, r"rank 0 on \S+: cuda:0 \(CUDA runtime for tests\) joined after \d")
                self.assert_whole(*self.finish(run))
                rank = self.rank()
                self.assertEqual(rank["device"], "cpu+cuda:0")
                opening, = rank["openings"]
                self.assertEqual((opening["device"], opening["outcome"], opening["cause"]), ("cuda:0", "joined", None))
                self.assertLessEqual({"process_s", "driver_s", "list_s", "context_s", "memory_s"}, set(opening))
                self.assertEqual(self.devices_of_tiles(), {"cpu", "cuda:0"})

    def test_the_ranks_of_a_node_share_the_gpus_first(self):
        run = self.render_held("devices=1", ranks=2)
        self.release_at(run, "joined")
        self.assert_whole(*self.finish(run))
        self.assertEqual([self.rank(rank)["device"] for rank in (0, 1)], ["cpu+cuda:0", "cpu"])
        self.assertEqual(self.rank(1)["openings"], [])

    def test_a_gpu_that_fails_later_leaves_its_tiles_to_the_cores(self):
        run = self.render_held("fail=kernel:2:719:sticky:later")
        self.release_at(run, "joined")
        self.assert_whole(*self.finish(run))
        for lost in self.rank()["lost"]:
            self.assertEqual(lost["device"], "cuda:0")

    def test_a_reduction_of_what_the_gpu_generates(self):
        self.assert_done(*REDUCTION, "--device", "cpu", "--quiet")
        truth = self.read_json("r.json")["results"]
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                run = self.start_on("", *REDUCTION, "--device", "auto", ranks=ranks)
                self.assert_held(run)
                self.release_at(run, "joined")
                self.finish_well(run)
                self.assertEqual(self.read_json("r.json")["results"], truth)
                self.assertEqual(self.rank()["device"], "cpu+cuda:0")
                self.assertEqual(self.rank()["openings"][0]["outcome"], "joined")


class DoesNotJoin(Late):
    def test_a_run_does_not_wait_for_an_opening_that_hangs(self):
        """It would never end: the list of devices, the context, the first stream, the memory of the third."""
        for call, device in (("cudaGetDeviceCount:1", None), ("cudaSetDevice:1", "cuda:0"),
                             ("cudaStreamCreateWithFlags:1", "cuda:0"), ("cudaMallocAsync:3", "cuda:0")):
            for job in (("render", *JOB, "--output", "a.h5", "--overwrite", "--report", "r.json"), REDUCTION):
                with self.subTest(call=call, job=job):
                    hangs = self.path(f"hangs {job[0]} {call}".replace(":", " "))
                    run = self.start_on(f"fail={call}:0:once={hangs}", *job, "--device", "auto", "--quiet")
                    self.assert_held(run)
                    self.assert_reaches(run, "the call that hangs", lambda path=hangs: os.path.exists(path))
                    self.release()
                    self.assertEqual(self.finish(run), (0, ""))
                    rank = self.rank()
                    self.assertEqual((rank["device"], rank["lost"]), ("cpu", []))
                    opening, = rank["openings"]
                    self.assertEqual((opening["device"], opening["outcome"]), (device, "not needed"))
                    wait_until("its process ends", lambda: not self.processes())
        self.assertEqual(self.pixels(), self.true_pixels())

    def test_a_small_run_neither(self):
        for arguments in (("render", *JOB, "--output", "a.h5"), ("render", *JOB, "--png", "a.png"), REDUCTION,
                          ("verify", "a.h5"), ("render", *JOB[:4], "--frames", "3", "--output", "z.h5")):
            for machine in (HANGS, "fail=cudaStreamCreateWithFlags:1:0"):
                with self.subTest(arguments=arguments, machine=machine):
                    overwrite = ["--overwrite"] if arguments[0] == "render" else []
                    done = self.run_on(machine, *arguments, *overwrite, "--device", "auto", "--quiet")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_stop_neither(self):
        run = self.render_held(HANGS)
        run.send_signal(signal.SIGTERM)
        code, said = self.finish(run)
        self.assertEqual(code, 75, said)
        run = self.start_on("", "render", *JOB, "--device", "auto", "--output", "a.h5", "--report", "r.json")
        self.assert_held(run)
        self.release_at(run, "joined")
        self.assert_whole(*self.finish(run))

    def test_a_gpu_that_cannot_be_opened_is_named(self):
        run = self.render_held("fail=cudaSetDevice:1:46")
        self.assertIn("cuda:0: CUDA runtime for tests cannot be used now", self.release_at(run, "takes its cores instead"))
        self.assert_whole(*self.finish(run))
        opening, = self.rank()["openings"]
        self.assertEqual((opening["device"], opening["outcome"]), ("cuda:0", "failed"))
        self.assertIn("busy or unavailable", opening["cause"])

    def test_a_driver_that_crashes_is_named(self):
        with unittest.mock.patch.dict(os.environ, TESSERA_FAULT="device.list.crash@1"):
            run = self.render_held("")
            said = self.release_at(run, "asked its driver for devices")
        self.assertIn("cuda: a process that", said)
        self.assert_whole(*self.finish(run))

    def test_a_machine_without_a_gpu_is_not_worth_a_word(self):
        done = self.run_on("devices=0", "render", *JOB, "--device", "auto", "--output", "a.h5", "--report", "r.json")
        self.assert_whole(done.returncode, done.stderr)
        self.assertEqual([line for line in lines_of(done.stderr) if "%" not in line], [])
        for opening in self.rank()["openings"]:  # of a run that ended before that was known
            self.assertEqual((opening["device"], opening["outcome"]), (None, "not needed"))

    def test_a_gpu_for_which_memory_has_no_room_is_refused(self):
        job = ("render", *JOB[:-1], "1024", "--output", "b.h5", "--report", "r.json", "--quiet")
        needed, = re.findall(r"need (\d+)", self.run_program(*job, "--device", "cpu", "--memory", "16M").stderr)
        done = self.run_on(HANGS, *job, "--device", "auto", "--memory", f"{int(needed) + 1}M")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        opening, = self.rank()["openings"]
        self.assertEqual((opening["outcome"], opening["cause"]), ("refused", "--memory has no room for its tiles"))

    def test_in_the_rank_itself_it_is_opened_before_the_work(self):
        done = self.run_on("", "render", *JOB, "--device", "auto", "--isolate", "off", "--output", "a.h5", "--report",
                           "r.json", "--quiet")
        self.assert_whole(done.returncode, done.stderr)
        self.assertEqual(self.rank()["device"], "cuda:0")
        self.assertEqual(self.rank()["openings"][0]["outcome"], "opened")


if __name__ == "__main__":
    main()
