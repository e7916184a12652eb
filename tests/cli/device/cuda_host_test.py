"""Whole runs on the CUDA runtime for tests (tests/cuda_runtime): several devices, every schedule of streams, faults.
Results are those of the reference, or the run ends with its exit code and one line. No misuse of CUDA is reported."""

import itertools
import json
import os
import random
import unittest.mock

import numpy as np

from images import h5py
from program import lines_of, main, seed, times
from runs import RunTest

FIELDS = ("iterations", "smooth")
JOB = ("--view", "galaxies", "--size", "403x301", "--iterations", "700", "--fields", ",".join(FIELDS))
OPERATIONS = "sum,norm2,minmax,argmax,count_nonzero,histogram=9,-3,3"
CALLS = ("cudaSetDevice", "cudaMalloc", "cudaHostAlloc", "cudaHostRegister", "cudaStreamCreateWithFlags",
         "cudaEventCreateWithFlags", "cudaMemcpyAsync", "cudaMemsetAsync", "cudaLaunchKernel", "cudaEventRecord",
         "cudaEventSynchronize", "kernel", "copy")
CODES = (2, 46, 700, 719)


class OnHost(RunTest):
    def run_on(self, machine, *arguments, visible=None, **options):
        """Runs the program on such a machine, and fails where it misuses CUDA."""
        reports = self.path("reports")
        environment = {**os.environ, "TESSERA_CUDA_RUNTIME": f"reports={reports},{machine}"}
        if visible is not None:
            environment["CUDA_VISIBLE_DEVICES"] = visible
        done = self.run_program(*arguments, env=environment, **options)
        if os.path.exists(reports):
            with open(reports) as file:
                said = file.read()
            os.remove(reports)
            self.fail(f"{machine} {arguments}: {said}")
        return done

    def refused_on(self, machine, device, code, *words, visible=None):
        done = self.run_on(machine, "render", *JOB, "--device", device, "--output", "no.h5", visible=visible)
        self.assertEqual(done.returncode, code, done.stderr)
        said = lines_of(done.stderr)
        self.assertEqual(len(said), 1, done.stderr)
        for word in words:
            self.assertIn(word, said[0])
        self.assertFalse(os.path.exists(self.path("no.h5")))

    def render_on(self, machine, device, *options, **run_options):
        return self.run_on(machine, "render", *JOB, "--device", device, "--output", "a.h5", "--overwrite", "--quiet",
                           *options, **run_options)

    def pixels(self):
        with h5py.File(self.path("a.h5"), "r") as file:
            return [file[field][()].tobytes() for field in FIELDS]

    def true_pixels(self):
        self.assertEqual(self.render_on("", "reference").returncode, 0)
        return self.pixels()


class Machines(OnHost):
    def test_a_machine_without_a_device_or_driver_says_why(self):
        self.refused_on("devices=0", "cuda", 3, "CUDA_VISIBLE_DEVICES")
        self.refused_on("devices=2", "cuda", 3, "CUDA_VISIBLE_DEVICES", visible="")
        self.refused_on("driver=0", "cuda", 3, "no NVIDIA driver")
        self.refused_on("driver=12040", "cuda", 3, "driver")
        self.refused_on("prohibited=1", "cuda", 3, "compute mode")
        self.refused_on("major=5", "cuda", 3, "compute capability 5.0")
        self.refused_on("devices=2", "cuda:1", 3, "this process sees 1 CUDA device", visible="1")

    def test_visible_devices_are_those_of_the_environment(self):
        said = self.run_on("devices=2", "devices", visible="1").stdout
        self.assertIn("cuda:0", said)
        self.assertNotIn("cuda:1", said)

    def test_the_list_of_devices_makes_no_context(self):
        done = self.run_on("fail=cudaSetDevice:1:2,fail=cudaMalloc:1:2", "devices", "--device", "cuda", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rank = json.loads(done.stdout)["ranks"][0]
        self.assertEqual((rank["uses"], rank["problem"]), (["cuda:0"], None))
        done = self.run_on("", "devices", "--device", "cuda:1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("but: --device cuda:1: there is no such device", done.stdout)

    def test_a_report_has_the_parts_of_the_opening(self):
        for device, listed in (("cuda", True), ("cuda:0", False)):
            done = self.render_on("", device, "--report", "r.json", "--trace", "t.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            opening, = self.read_json("r.json")["ranks"][0]["openings"]
            self.assertEqual([opening.pop(key) for key in ("device", "outcome", "cause")], ["cuda:0", "opened", None])
            self.assertGreater(opening.pop("after_s"), 0)
            # The process that drives the device is the one that listed it.
            parts = ["process_s", "driver_s", *["list_s"] * listed, "context_s", "kernels_s", "memory_s"]
            self.assertEqual(sorted(opening), sorted(parts))
            self.assertTrue(all(seconds >= 0 for seconds in opening.values()), opening)
            events = self.read_json("t.json")["traceEvents"]
            line, = [event["tid"] for event in events if event.get("args") == {"name": "opening cuda:0"}]
            spans = [event for event in events if event["ph"] == "X" and event["tid"] == line]
            self.assertEqual({span["name"] + "_s" for span in spans}, set(parts))
            starts = [span["ts"] for span in spans]
            self.assertEqual(starts, sorted(starts))

    def test_opencl_is_asked_only_if_it_could_be_chosen(self):
        for machine, device, ranks, asked in (("devices=2", "auto", 2, False), ("devices=1", "auto", 2, True), ("", "gpu", 0, False),
                                              ("devices=0", "auto", 2, True), ("", "gpu,opencl", 0, True)):
            with self.subTest(machine=machine, device=device):
                with unittest.mock.patch.dict(os.environ, TESSERA_FAULT="device.list.crash@2"):
                    done = self.render_on(machine, device, ranks=ranks)
                self.assertEqual("opencl: a process that asked its driver" in done.stderr, asked, done.stderr)

    def test_instances_of_one_gpu_are_devices_of_their_own(self):
        truth = self.true_pixels()
        done = self.render_on("devices=2,mig=1", "cuda:0,cuda:1", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.pixels(), truth)
        self.assertIn("cuda:1", self.read_json("r.json")["ranks"][0]["device"])


class Renders(OnHost):
    def test_pixels_are_those_of_the_reference_whatever_streams_do(self):
        truth = self.true_pixels()
        machines = ("schedule=late", "schedule=random,delay_us=3000", "schedule=eager")
        devices = ("cuda", "cuda:1", "cuda:0,cuda:1", "cuda:1,cpu")
        cases = list(itertools.product(machines, devices, ("64", "256"), ("on", "off"), (0, 2, 3)))
        for case in random.Random(seed()).sample(cases, min(len(cases), 10 * times())):
            machine, device, tile, isolate, ranks = case
            with self.subTest(case=case):
                done = self.render_on(f"devices=2,seed={seed()},{machine}", device, "--tile", tile, "--isolate", isolate,
                                      ranks=ranks)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.pixels(), truth)

    def test_machines_without_page_locked_memory_or_pools(self):
        truth = self.true_pixels()
        for machine, isolate in itertools.product(("page_lock=0", "pools=0"), ("on", "off")):
            with self.subTest(machine=machine, isolate=isolate):
                done = self.render_on(machine, "cuda", "--isolate", isolate)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.pixels(), truth)

    def test_a_device_that_has_little_memory(self):
        truth = self.true_pixels()
        done = self.render_on("memory=3000000", "cuda", "--tile", "512")
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        if done.returncode == 0:
            self.assertEqual(self.pixels(), truth)


class Reductions(OnHost):
    def answers(self, machine, device, *options, ranks=0):
        done = self.run_on(machine, "reduce", "a.npy", "--op", OPERATIONS, "--device", device, "--quiet", "--report",
                           "r.json", *options, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read_json("r.json")["results"]

    def test_answers_are_those_of_the_reference_on_two_devices(self):
        numbers = np.random.default_rng(seed()).standard_normal(400_003)
        np.save(self.path("a.npy"), numbers * 2.0 ** np.arange(-200, 200).repeat(1001)[:400_003])
        truth = self.answers("", "reference")
        for schedule, isolate, ranks in (("late", "off", 0), ("random", "on", 2), ("late", "on", 0)):
            with self.subTest(schedule=schedule, isolate=isolate, ranks=ranks):
                got = self.answers(f"devices=2,schedule={schedule}", "cuda:0,cuda:1", "--isolate", isolate, "--slice",
                                   "64K", ranks=ranks)
                self.assertEqual(got, truth)

    def test_expressions_are_those_of_the_reference_on_two_devices(self):
        numbers = np.random.default_rng(seed())
        np.save(self.path("a.npy"), numbers.standard_normal((401, 503)) * 2.0 ** numbers.integers(-200, 200, (401, 503)))
        np.save(self.path("b.npy"), numbers.integers(-100, 100, (401, 503)).astype("i2"))
        for text in ("a*b + 1", "where(b > 3, f4(a), cbrt(b)) - index1", "a // 3 + b ** 2 % 7"):
            options = ("b.npy", "--map", text)
            truth = self.answers("", "reference", *options)
            for schedule, isolate, ranks in (("late", "off", 0), ("random", "on", 2)):
                with self.subTest(text=text, schedule=schedule, isolate=isolate, ranks=ranks):
                    got = self.answers(f"devices=2,schedule={schedule}", "cuda:0,cuda:1", "--isolate", isolate, "--slice", "64K",
                                       *options, ranks=ranks)
                    self.assertEqual(got, truth)
            # A kernel that fails: the arrays of the expression are read again by the cores.
            got = self.answers("fail=kernel:2:719:sticky:later", "cuda,cpu", "--isolate", "off", "--slice", "64K", *options)
            self.assertEqual(got, truth)

    def test_expressions_that_are_written_survive_a_kernel_that_fails(self):
        numbers = np.random.default_rng(seed()).standard_normal(400_003)
        np.save(self.path("a.npy"), numbers)
        for machine, device, isolate in (("devices=2,schedule=late", "cuda:0,cuda:1", "off"), ("devices=2,schedule=random", "cuda:0,cuda:1", "on"),
                                         ("fail=kernel:2:719:sticky:later", "cuda,cpu", "off")):
            with self.subTest(machine=machine, isolate=isolate):
                done = self.run_on(machine, "map", "c = a*a; d = a + index", "a.npy", "--output", "c=c.npy", "--output", "d=d.raw",
                                   "--device", device, "--isolate", isolate, "--slice", "64K", "--quiet", "--overwrite")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(np.load(self.path("c.npy")).tobytes(), (numbers * numbers).tobytes())
                self.assertEqual(np.fromfile(self.path("d.raw")).tobytes(), (numbers + np.arange(400_003)).tobytes())
        done = self.run_on("fail=kernel:2:719:sticky:later", "map", "a + 1", "a.npy", "--output", "e.npy", "--device", "cuda",
                           "--isolate", "off", "--quiet")
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_an_expression_is_evaluated_by_the_device(self):
        """Its kernel is the second one that is launched."""
        np.save(self.path("a.npy"), np.arange(1000.0))
        for options, code in (((), 0), (("--map", "a + 1"), 4), (("--map", "+".join(["a"] * 300)), 0)):
            done = self.run_on("fail=kernel:2:719:sticky:later", "reduce", "a.npy", "--op", "sum", "--device", "cuda", "--isolate",
                               "off", "--quiet", *options)
            self.assertEqual(done.returncode, code, (options, done.stderr))


class AutomaticReductions(OnHost):
    """Of files, `auto` opens a GPU beside the cores if the files are large, as a fault point says that they are."""
    def reduce_on(self, machine, *options, ranks=0):
        environment = {"TESSERA_FAULT": "reduce.worth_a_gpu@1+"}
        with unittest.mock.patch.dict(os.environ, environment):
            done = self.run_on(machine, "reduce", "a.npy", "--device", "auto", "--slice", "64K", "--quiet", "--overwrite",
                               "--report", "r.json", *options, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read_json("r.json")

    def test_a_gpu_and_the_cores_together_have_the_same_answers(self):
        numbers = np.random.default_rng(seed()).standard_normal((2003, 400))
        np.save(self.path("a.npy"), numbers)
        whole, along = ("--op", OPERATIONS), ("--op", "sum", "--axis", "0", "--output", "o.npy")
        self.assertEqual(self.run_program("reduce", "a.npy", *whole, "--device", "reference", "--report", "t.json").returncode, 0)
        truth = self.read_json("t.json")["results"]
        for ranks, isolate in ((0, "on"), (0, "off"), (2, "on")):
            with self.subTest(ranks=ranks, isolate=isolate):
                report = self.reduce_on("", *whole, "--isolate", isolate, ranks=ranks)
                self.assertEqual(report["results"], truth)
                self.assertEqual([rank["device"] for rank in report["ranks"]], ["cuda:0+cpu", "cpu"][:max(ranks, 1)])
        self.assertEqual(self.reduce_on("", *along)["ranks"][0]["device"], "cuda:0+cpu")
        self.assertEqual(self.run_program("reduce", "a.npy", *along[:-1], "t.npy", "--device", "cpu").returncode, 0)
        self.assertEqual(np.load(self.path("o.npy")).tobytes(), np.load(self.path("t.npy")).tobytes())

    def test_cores_go_on_without_the_gpu(self):
        np.save(self.path("a.npy"), np.arange(1e6))
        for machine, device in (("fail=kernel:3:719:sticky:later", "cpu"), ("memory=1000", "cpu"), ("devices=0", "cpu")):
            with self.subTest(machine=machine):
                report = self.reduce_on(machine, "--op", "sum", "--isolate", "off")
                self.assertEqual(report["results"][0]["values"][0]["value"], 499999500000.0)
                self.assertIn(device, report["ranks"][0]["device"])

    def test_small_files_are_left_to_the_cores(self):
        np.save(self.path("a.npy"), np.arange(1e6))
        done = self.run_on("", "reduce", "a.npy", "--op", "sum", "--quiet", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_json("r.json")["ranks"][0]["device"], "cpu")


class DeepImages(OnHost):
    JOB = ("--view", "e113", "--size", "41x27", "--fields", ",".join(FIELDS), "--quiet", "--output", "a.h5", "--overwrite")

    def deep_pixels(self, machine, *options, **run_options):
        done = self.run_on(machine, "render", *self.JOB, *options, **run_options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.pixels(), done.stderr

    def test_pixels_are_those_of_the_reference(self):
        truth, _ = self.deep_pixels("", "--device", "reference")
        for machine, options, ranks in (("schedule=late", ("cuda", "--tile", "16"), 0),
                                        ("schedule=random,delay_us=1000", ("cuda:0,cuda:1", "--tile", "9"), 0),
                                        ("schedule=late", ("cuda:1,cpu", "--isolate", "off", "--tile", "16"), 0),
                                        ("schedule=late,pools=0", ("cuda", "--tile", "20"), 2)):
            with self.subTest(machine=machine, options=options):
                got, _ = self.deep_pixels(f"devices=2,{machine}", "--device", *options, ranks=ranks)
                self.assertEqual(got, truth)

    def test_a_device_without_memory_for_the_table_leaves_the_run(self):
        truth, _ = self.deep_pixels("", "--device", "reference")
        got, said = self.deep_pixels("pools=1,fail=cudaMalloc:1:2", "--device", "auto", "--isolate", "off")
        self.assertEqual(got, truth)
        self.assertIn("no room for the jump table of this image", said)

    def test_the_table_is_part_of_device_memory(self):
        truth, _ = self.deep_pixels("", "--device", "reference")
        got, _ = self.deep_pixels(f"schedule=late,most={12 << 20}", "--device", "cuda", "--device-memory", "12M", "--report",
                                  "r.json")
        self.assertEqual(got, truth)
        self.assertLessEqual(self.read_json("r.json")["ranks"][0]["device_memory"][0]["peak_bytes"], 12 << 20)
        done = self.run_on("", "render", *self.JOB, "--device", "cuda", "--device-memory", "2M")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "--device-memory 2.0 MiB: the jump table of this image and 1 lane need")


class DeviceMemory(OnHost):
    """What the runtime counts is never more than --device-memory. With it, lanes are fewer and buffers smaller."""
    JOB = ("--size", "1024x512", "--iterations", "300", "--tile", "512", "--fields", "iterations,smooth")

    def run_within(self, limit, *arguments, machine="schedule=late"):
        done = self.run_on(f"{machine},most={limit}", *arguments, "--device-memory", str(limit))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def check_report(self, limit):
        memory = self.read_json("r.json")["ranks"][0]["device_memory"]
        self.assertEqual([each["device"] for each in memory], ["cuda:0"])
        self.assertGreater(memory[0]["peak_bytes"], 1 << 20)
        self.assertLessEqual(memory[0]["peak_bytes"], limit)

    def test_a_render_keeps_within_it(self):
        self.assertEqual(self.run_program("render", *self.JOB, "--device", "cpu", "--output", "a.h5").returncode, 0)
        truth = self.pixels()
        for limit, isolate, pools in ((1_200_000, "on", 1), (1_200_000, "off", 0), (3_000_000, "off", 1), (40_000_000, "on", 0)):
            with self.subTest(limit=limit, isolate=isolate, pools=pools):
                self.run_within(limit, "render", *self.JOB, "--device", "cuda", "--isolate", isolate, "--output", "a.h5",
                                "--overwrite", "--quiet", "--report", "r.json", machine=f"schedule=late,pools={pools}")
                self.assertEqual(self.pixels(), truth)
                self.check_report(limit)

    def test_a_reduction_keeps_within_it(self):
        np.save(self.path("a.npy"), np.random.default_rng(seed()).standard_normal((3000, 500)))
        for options in (("--op", OPERATIONS), ("--op", "prod"), ("--op", "median,quantile=0.9,topk=5"),
                        ("--op", "sum,histogram=4,-2,2", "--axis", "0", "--output", "o.h5")):
            truth = self.results("cpu", options)
            for limit in (4_000_000, 30_000_000):
                with self.subTest(options=options, limit=limit):
                    self.run_within(limit, *self.reduction("cuda", options))
                    self.assertEqual(self.answers(options), truth)
                    self.check_report(limit)

    def reduction(self, device, options):
        return ("reduce", "a.npy", *options, "--device", device, "--quiet", "--overwrite", "--slice", "1M", "--report", "r.json")

    def results(self, device, options):
        self.assertEqual(self.run_program(*self.reduction(device, options)).returncode, 0)
        return self.answers(options)

    def answers(self, options):
        if "--axis" not in options:
            return self.read_json("r.json")["results"]
        with h5py.File(self.path("o.h5"), "r") as file:
            return [(name, file[name][()].tobytes()) for name in sorted(file)]

    def test_too_little_says_what_is_needed(self):
        np.save(self.path("a.npy"), np.arange(1000.0))
        for device, isolate in itertools.product(("cuda", "cuda,cpu"), ("on", "off")):
            for command in (("render", *self.JOB, "--output", "no.h5"), ("reduce", "a.npy", "--op", "sum"),
                            ("plan", *self.JOB)):
                with self.subTest(device=device, isolate=isolate, command=command):
                    done = self.run_on("", *command, "--device", device, "--isolate", isolate, "--device-memory", "500K")
                    self.assertEqual(done.returncode, 2, done.stderr)
                    said = lines_of(done.stderr)
                    self.assertEqual(len(said), 1, done.stderr)
                    self.assertRegex(said[0], r"--device-memory 500 KiB: one lane of cuda:0 needs 1\.\d MiB")

    def test_bench_leaves_out_what_does_not_fit(self):
        self.run_within(3_000_000, "bench", "--sizes", "64", "--iterations", "20", "--elements", "1000,400000", "--repeats",
                        "1", "--device", "cuda", "--quiet", "--report", "r.json")
        report = self.read_json("r.json")
        self.assertEqual({array["elements"] for array in report["arrays"]}, {1000})
        self.assertTrue(any("--device-memory" in line for line in report["left_out"]), report["left_out"])

    def test_plan_says_what_a_render_takes(self):
        said = self.run_on("", "plan", *self.JOB, "--device", "cuda", "--device-memory", "20M").stdout
        self.assertRegex(said, r"cuda:0 +3\.1 MiB at most \(--device-memory 20\.0 MiB\): 2 lanes of 1\.5 MiB")


class Faults(OnHost):
    def test_whatever_call_fails_the_image_is_right_or_the_run_says_so(self):
        truth = self.true_pixels()
        cases = list(itertools.product(CALLS, (1, 2, 6, 30), CODES, ("on", "off"), ("cuda", "cuda:0,cpu")))
        for case in random.Random(seed()).sample(cases, min(len(cases), 16 * times())):
            call, number, code, isolate, device = case
            sticky = ":sticky" if code >= 700 else ""
            with self.subTest(case=case):
                done = self.render_on(f"fail={call}:{number}:{code}{sticky}", device, "--tile", "64", "--isolate", isolate)
                self.assertIn(done.returncode, (0, 3, 4), done.stderr)
                if done.returncode == 0:
                    self.assertEqual(self.pixels(), truth)
                else:
                    self.assertTrue(lines_of(done.stderr), done)

    def test_a_copy_that_fails_leaves_none_in_flight_in_memory_that_is_freed(self):
        truth = self.true_pixels()
        for isolate, number in itertools.product(("off", "on"), range(2, 20)):
            if times() == 1 and number % 2 == (isolate == "on"):
                continue  # each number once
            with self.subTest(isolate=isolate, number=number):
                done = self.render_on(f"schedule=late,fail=cudaMemcpyAsync:{number}:1", "cuda,cpu", "--tile", "64",
                                      "--isolate", isolate)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.pixels(), truth)

    def test_the_others_finish_where_a_kernel_never_ends(self):
        truth = self.true_pixels()
        done = self.render_on("fail=kernel:3:0", "cuda,cpu", "--tile", "64", "--device-timeout", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("silent", done.stderr)
        self.assertEqual(self.pixels(), truth)

    def test_cores_go_on_where_the_gpu_falls_off_the_bus(self):
        truth = self.true_pixels()
        done = self.render_on("fail=kernel:3:719:sticky:later", "cuda,cpu", "--tile", "64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.pixels(), truth)

    def test_a_gpu_whose_context_is_lost_gets_a_new_process(self):
        truth = self.true_pixels()
        for i, (call, code) in enumerate((("kernel", 700), ("copy", 719), ("cudaLaunchKernel", 702), ("kernel", 214))):
            with self.subTest(call=call, code=code):
                once = self.path(f"lost {i}")
                done = self.render_on(f"fail={call}:5:{code}:sticky:once={once}", "cuda", "--tile", "64")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("again", done.stderr)
                self.assertEqual(self.pixels(), truth)

    def test_a_new_process_waits_for_the_old_context_to_go(self):
        truth = self.true_pixels()
        for i, code in enumerate((2, 46)):
            with self.subTest(code=code):
                lost, retried = self.path(f"lost {i}"), self.path(f"retried {i}")
                again = f"fail=cudaStreamCreateWithFlags:1:{code}:once={retried}:after={lost}"
                done = self.render_on(f"fail=kernel:5:719:sticky:once={lost},{again}", "cuda", "--tile", "64")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(os.path.exists(retried))
                self.assertEqual(self.pixels(), truth)

    def test_a_gpu_without_room_leaves_the_work_to_the_cores(self):
        truth = self.true_pixels()
        for machine in ("memory=1000", "fail=cudaMallocAsync:1:2:later,fail=cudaMalloc:1:2:later"):
            for device, isolate in itertools.product(("cuda,cpu", "auto"), ("on", "off")):
                with self.subTest(machine=machine, device=device, isolate=isolate):
                    done = self.render_on(machine, device, "--tile", "64", "--isolate", isolate)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.pixels(), truth)
        self.refused_on("memory=1000", "cuda", 4, "cuda:0")

    def test_under_auto_cores_go_on_for_a_gpu_that_is_lost(self):
        truth = self.true_pixels()
        for ranks, isolate in ((0, "on"), (2, "on"), (0, "off")):
            with self.subTest(ranks=ranks, isolate=isolate):
                done = self.render_on("fail=kernel:3:719:sticky:later", "auto", "--tile", "64", "--isolate", isolate,
                                      ranks=ranks)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.pixels(), truth)


if __name__ == "__main__":
    main()
