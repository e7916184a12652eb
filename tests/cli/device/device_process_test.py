"""What a user sees and keeps when the process that drives a device ends or hangs in mid-run. Needs a build with
TESSERA_FAULT_POINTS=ON and a device of OpenCL."""

import contextlib
import json
import os
import signal

import numpy as np  # which h5py brings along

from images import h5py, read_image
from program import HANG_S, lines_of, main, why_missing
from runs import RunTest, wait_until

JOB = ("--view", "seahorse", "--size", "700x500", "--iterations", "700", "--tile", "64",
       "--fields", "iterations,smooth", "--quiet")
LONG_JOB = ("--view", "seahorse", "--size", "1200x900", "--iterations", "20000", "--tile", "64", "--quiet")


def read(path):
    """The text of a file of /proc; "" of a process that is gone."""
    try:
        with open(path, "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class DeviceProcess(RunTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.assert_no_process_left)

    def processes(self):
        """Those that drive a device for a run in this folder, dead ones left out."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if " device-process " not in read(f"/proc/{pid}/cmdline"):
                continue
            try:
                if os.readlink(f"/proc/{pid}/cwd") == self.folder:
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def settled_processes(self):
        """Those that have closed what they inherited and arranged for their own end: these have a name."""
        return [pid for pid in self.processes() if read(f"/proc/{pid}/comm").strip() == "tessera-device"]

    def assert_no_process_left(self):
        wait_until("the processes of devices end with the run", lambda: not self.processes())

    def render(self, output, *options, fault="", ranks=0):
        return self.run_program("render", *JOB, "--output", output, "--report", "report.json", *options,
                                ranks=ranks, env={**os.environ, "TESSERA_FAULT": fault})

    def start(self, output, *options):
        run = self.start_program("render", *LONG_JOB, "--output", output, "--report", "report.json", *options, hold=3)
        self.addCleanup(self.kill_processes)
        wait_until("it renders", lambda: self.settled_processes() and os.path.exists(self.path(output + ".part")))
        return run

    def kill_processes(self):
        """Whatever has gone wrong, nothing holds the pipes that are read from."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def report(self, rank=0):
        return self.read_json("report.json")["ranks"][rank]

    def assert_same(self, output, done_code, stderr, *truth_options):
        self.assertEqual(done_code, 0, stderr)
        if not os.path.exists(self.path("truth.h5")):
            report = read(self.path("report.json"))
            self.assert_done("render", *truth_options, "--output", "truth.h5", "--device", "cpu")
            self.assertEqual(report, read(self.path("report.json")))
        self.assertEqual(*(read_image(self.path(name))[0] for name in (output, "truth.h5")))

    def assert_whole_and_the_same(self, done):
        self.assert_same("a.h5", done.returncode, done.stderr, *JOB)

    def test_a_process_that_ends_once_is_started_again(self):
        for way, name in (("crash", "was ended by SIGSEGV"), ("abort", "was ended by SIGABRT"),
                          ("leave", "left with exit code 3"),
                          ("context", "has been killed: .* the context is lost")):
            with self.subTest(way=way):
                done = self.render("a.h5", "--overwrite", "--device", "opencl", fault=f"device.process.{way}@3")
                self.assert_whole_and_the_same(done)
                said = lines_of(done.stderr)
                self.assertEqual(len(said), 1, done.stderr)
                # A sanitizer's handler makes an exit of a crash.
                self.assertRegex(said[0], rf"opencl.*: its process ({name}|left with exit code).*; "
                                          "it has been started again$")
                self.assertEqual(self.report()["lost"], [])
                self.assertEqual(len(self.report()["restarted"]), 1)
                self.assertIn("its process", self.report()["restarted"][0]["cause"])

    def test_a_context_may_be_lost_more_than_once(self):
        done = self.render("a.h5", "--device", "opencl", fault="device.process.context@5,device.process.context@40")
        self.assert_whole_and_the_same(done)
        self.assertEqual(self.report()["lost"], [])
        self.assertEqual(len(self.report()["restarted"]), 2)

    def test_a_new_process_waits_for_a_device_that_is_still_busy(self):
        done = self.render("a.h5", "--device", "opencl", fault="device.process.context@3,device.open.busy@2")
        self.assert_whole_and_the_same(done)
        self.assertEqual(self.report()["lost"], [])
        self.assertEqual(len(self.report()["restarted"]), 1)

    def test_a_busy_device_leaves_its_work_to_the_others_from_the_start(self):
        done = self.render("a.h5", "--device", "opencl,cpu", fault="device.open.busy@1")
        self.assert_whole_and_the_same(done)
        self.assertRegex(done.stderr, r"^tessera: rank 0 on \S+: opencl:\d\.\d is out of the run: a fault point says "
                                      r"that the device is busy; its tiles go to the others\n$")
        self.assertEqual([lost["device"].split(":")[0] for lost in self.report()["lost"]], ["opencl"])
        self.assertEqual(self.report()["device"], "cpu")
        os.remove(self.path("a.h5"))
        done = self.render("a.h5", "--device", "opencl", fault="device.open.busy@1")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(len(lines_of(done.stderr)), 1)
        self.assertIn("the device is busy", done.stderr)

    def test_a_process_that_ends_again_and_again_leaves_its_tiles_to_the_cores(self):
        for call in (1, 20):
            for way, name in (("crash", "SIGSEGV"), ("abort", "SIGABRT")):
                with self.subTest(way=way, call=call):
                    done = self.render("a.h5", "--overwrite", "--device", "opencl,cpu", "--threads", "1",
                                       fault=f"device.process.{way}@{call}+")
                    self.assert_whole_and_the_same(done)
                    lost = self.report()["lost"]
                    if not lost and call > 1:
                        continue  # the cores were so quick that it never came to that
                    self.assertEqual(len(lost), 1)
                    self.assertRegex(lost[0]["cause"], rf"its process (was ended by {name}|left with exit code)")
                    self.assertLessEqual(len(self.report()["restarted"]), 3)
                    self.assertRegex(done.stderr, r"opencl:\d\.\d is out of the run: its process ")

    def test_a_process_that_hangs_is_killed_and_its_tiles_go_to_the_cores(self):
        done = self.render("a.h5", "--device", "opencl,cpu", "--threads", "1", "--device-timeout", "3",
                           fault="device.process.hang@2")
        self.assert_whole_and_the_same(done)
        self.assertEqual(len(self.report()["lost"]), 1, done.stderr)
        self.assertRegex(self.report()["lost"][0]["cause"], "its process was silent for .* and has been killed")
        self.assertEqual(self.report()["restarted"], [])

    def test_a_driver_that_crashes_when_it_is_asked_for_devices_takes_no_rank_along(self):
        # `auto`: the rank has its cores.
        done = self.render("a.h5", fault="device.list.crash@1+", ranks=2)
        self.assert_whole_and_the_same(done)
        self.assertRegex(done.stderr, r"rank 1 on \S+: opencl: a process that asked its driver for devices "
                                      r"(was ended by SIGSEGV|left with exit code)")
        done = self.render("b.h5", "--device", "opencl", fault="device.list.crash@1")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--device opencl: no such device (opencl: a process that asked", done.stderr)
        self.assertFalse(os.path.exists(self.path("b.h5.part")))

    def test_one_that_hangs_then_is_killed(self):
        done = self.render("a.h5", "--device-timeout", "1", fault="device.list.hang@1+", ranks=2)
        self.assert_whole_and_the_same(done)
        self.assertIn("was silent for 5.0 s and has been killed", done.stderr)

    def test_the_table_of_devices_says_which_driver_crashed_and_has_the_others(self):
        done = self.run_program("devices", "--json", env={**os.environ, "TESSERA_FAULT": "device.list.crash@1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        devices = json.loads(done.stdout)["ranks"][0]["devices"]
        crashed = [device["name"] for device in devices if "asked its driver for devices" in (device["reason"] or "")]
        self.assertEqual(len(crashed), 1, devices)
        # Another process asks those behind it.
        if crashed == ["cuda"]:
            self.assertTrue([device for device in devices if device["name"].startswith("opencl:")], devices)
        self.assertTrue([device for device in devices if device["name"] == "cpu" and device["used"]], devices)

    def test_without_another_device_the_run_fails_with_the_cause(self):
        done = self.render("a.h5", "--device", "opencl", fault="device.process.crash@1+")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(lines_of(done.stderr)[-1],
                         r"^tessera: no device is left: .*opencl.*its process (was ended by SIGSEGV|left with)")
        self.assertFalse(os.path.exists(self.path("a.h5")))

    def test_a_process_killed_from_outside_is_replaced(self):
        run = self.start("b.h5", "--device", "opencl")
        first = self.processes()
        os.kill(first[0], signal.SIGKILL)
        self.release()
        wait_until("another one is started", lambda: set(self.settled_processes()) - set(first))
        with contextlib.suppress(FileNotFoundError):  # of a descriptor that has been closed meanwhile
            for link in os.scandir(f"/proc/{self.settled_processes()[0]}/fd"):
                self.assertNotIn(".part", os.readlink(link.path))
        code, stderr = self.finish(run)
        self.assert_same("b.h5", code, stderr, *LONG_JOB)
        self.assertIn("was ended by SIGKILL", stderr)
        self.assertEqual(len(self.report()["restarted"]), 1)

    def test_a_process_stopped_from_outside_is_given_up(self):
        run = self.start("b.h5", "--device", "opencl,cpu", "--device-timeout", "3")
        os.kill(self.processes()[0], signal.SIGSTOP)
        self.release()
        code, stderr = self.finish(run)
        self.assert_same("b.h5", code, stderr, *LONG_JOB)
        for lost in self.report()["lost"]:  # none if the cores were so quick that nobody waited for it
            self.assertIn("was silent for", lost["cause"])

    def test_no_process_outlives_a_killed_rank(self):
        for stopped in (False, True):
            with self.subTest(stopped=stopped):
                run = self.start("b.h5", "--device", "opencl", "--overwrite")
                if stopped:
                    os.kill(self.processes()[0], signal.SIGSTOP)
                self.kill(run)
                self.assert_no_process_left()

    def test_a_signal_to_the_whole_group_leaves_the_last_tiles_to_the_rank(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                run = self.start("b.h5", "--device", "opencl", "--overwrite")
                os.killpg(run.pid, number)
                code, stderr = self.finish(run)
                self.assertEqual(code, 75, stderr)
                self.assertNotIn("its process", stderr)

    def test_ranks_under_mpirun_carry_on(self):
        done = self.render("a.h5", "--device", "opencl", ranks=2, fault="rank1:device.process.crash@2+")
        self.assert_whole_and_the_same(done)
        self.assertEqual(self.report(0)["lost"], [])
        done = self.render("a.h5", "--device", "opencl,cpu", "--threads", "1", "--overwrite", ranks=2,
                           fault="device.process.crash@1+")
        self.assert_whole_and_the_same(done)
        for rank in (0, 1):
            for lost in self.report(rank)["lost"]:
                self.assertTrue(lost["device"].startswith("opencl"), lost)

    def test_in_the_rank_itself_there_is_no_process(self):
        done = self.render("a.h5", "--device", "opencl", "--isolate", "off", fault="device.process.crash@1+")
        self.assert_whole_and_the_same(done)
        self.assertEqual(done.stderr, "")
        self.assert_refused(("plan", "--isolate", "perhaps"), 2, "--isolate", "neither on nor off")

    def test_verification_carries_on(self):
        self.render("a.h5", "--device", "cpu")
        done = self.run_program("verify", "a.h5", "--device", "opencl,cpu",
                                env={**os.environ, "TESSERA_FAULT": "device.process.crash@1+"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_reductions_carry_on_without_the_device(self):
        source = ("reduce", "random:normal?count=3000001", "--op", "sum,minmax,argmax,histogram=7,-3,3", "--slice", "1M",
                  "--quiet", "--report", "report.json")
        self.assert_done(*source, "--device", "cpu")
        truth = self.read_json("report.json")["results"]
        for fault, options in (("", ()), ("device.process.crash@2+", ()), ("", ("--isolate", "off")),
                               ("device.process.hang@5", ("--device-timeout", "3"))):
            with self.subTest(fault=fault, options=options):
                done = self.run_program(*source, "--device", "opencl,cpu", "--threads", "1", *options,
                                        env={**os.environ, "TESSERA_FAULT": fault}, timeout=HANG_S)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.read_json("report.json")["results"], truth)
                for lost in self.report()["lost"]:
                    self.assertIn("its process", lost["cause"])
                if "crash" in fault:
                    self.assertEqual(len(self.report()["lost"]), 1)

    def test_a_reduction_goes_on_in_a_new_process(self):
        np.save(self.path("x.npy"), np.random.default_rng(4).standard_normal((300, 800)))
        reductions = (("x.npy", "--op", "sum,prod,argmax,histogram=7"), ("x.npy", "--op", "dot", "--with", "x.npy"),
                      ("x.npy", "--op", "sum,max,histogram=5,-3,3", "--axis", "0", "--output", "o.h5", "--overwrite"),
                      ("x.npy", "--op", "sum,histogram=5,-3,3", "--axis", "1", "--output", "o.h5", "--overwrite"),
                      ("random:normal?count=3000001", "--op", "sum,argmin,histogram=7"))
        for reduction in reductions:
            job = ("reduce", *reduction, "--slice", "64K", "--quiet", "--report", "report.json")
            self.assert_done(*job, "--device", "cpu")
            truth = self.reduced(reduction)
            for fault in ("crash@3", "context@1", "context@5"):
                with self.subTest(reduction=reduction, fault=fault):
                    self.assert_done(*job, "--device", "opencl",
                                     env={**os.environ, "TESSERA_FAULT": f"device.process.{fault}"})
                    self.assertEqual(self.reduced(reduction), truth)
                    self.assertEqual(self.report()["lost"], [])
                    self.assertEqual(len(self.report()["restarted"]), 1)

    def reduced(self, reduction):
        if "--axis" not in reduction:
            return self.read_json("report.json")["results"]
        with h5py.File(self.path("o.h5"), "r") as file:
            return {name: file[name][()].tobytes() for name in file}

    def test_reductions_along_axes_carry_on_without_the_device(self):
        np.save(self.path("x.npy"), np.random.default_rng(3).standard_normal((300, 400)))
        reduce = ("reduce", "x.npy", "--op", "sum,max", "--axis", "0", "--slice", "128K", "--quiet", "--overwrite")
        self.assert_done(*reduce, "--device", "cpu", "--output", "truth.h5")
        for fault in ("", "device.process.crash@2+"):
            with self.subTest(fault=fault):
                self.assert_done(*reduce, "--device", "opencl,cpu", "--output", "a.h5",
                                 env={**os.environ, "TESSERA_FAULT": fault})
                with h5py.File(self.path("truth.h5"), "r") as truth, h5py.File(self.path("a.h5"), "r") as made:
                    for name in truth:
                        self.assertEqual(made[name][()].tobytes(), truth[name][()].tobytes())


if __name__ == "__main__":
    main(skipped="" if "TESSERA_REQUIRE_OPENCL" in os.environ else why_missing("opencl"))
