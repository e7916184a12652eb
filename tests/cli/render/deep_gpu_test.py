"""Deep images on a GPU: the pixels of the reference, however the work is cut and whatever fails. Needs a build with
TESSERA_FAULT_POINTS=ON and a device of OpenCL."""

import json
import os

from deep_test import Place
from images import h5py, read_image, stored_tiles
from program import lines_of, main, why_missing
from runs import RunTest

SIZE = ("--size", "50x34", "--fields", "iterations,smooth,distance")
E50 = (*Place("e50").options, *SIZE)
# All pixels are uncertain.
UNCERTAIN = ("--formula", "burning-ship", "--center=-2.000000100000000000000000000000000000,0", "--width", "1e-30",
             "--iterations", "1000", "--bailout", "3.2266966781002475", "--size", "96x64", "--fields",
             "iterations,smooth,distance")
SPIRALS = ("--center=-0.743643887037151,0.131825904205330", "--width", "3.85e-11", "--iterations", "14000",
           "--size", "128x96")
# Its table has 7.3 MiB on a device.
LARGE_TABLE = ("--view", "e50", "--size", "16x9", "--quiet")


class DeepOnGpu(RunTest):
    def fields(self, name):
        return read_image(self.path(name))[0]

    def render(self, *options, fault="", ranks=0):
        return self.run_program("render", *options, "--output", "a.h5", "--overwrite", "--report", "r.json",
                                ranks=ranks, env={**os.environ, "TESSERA_FAULT": fault})

    def assert_has(self, wanted, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.fields("a.h5") == wanted)

    def wanted(self, *job):
        self.assert_done("render", *job, "--device", "reference", "--output", "truth.h5", "--overwrite", "--quiet")
        return self.fields("truth.h5")

    def rank(self):
        return self.read_json("r.json")["ranks"][0]

    def test_pixels_are_those_of_the_reference(self):
        ship = ("--formula", "burning-ship", "--center=-2,1e-21", "--width", "3e-20", "--iterations", "1000", *SIZE)
        for job in (E50, ("--view", "e533", *SIZE), ship):
            wanted = self.wanted(*job)
            for options, ranks in ((("opencl", "--tile", "16"), 0), (("opencl", "--isolate", "off", "--tile", "7"), 0),
                                   (("opencl,cpu", "--threads", "1", "--tile", "9"), 0),
                                   (("opencl", "--tile", "13", "--threads", "1"), 2)):
                with self.subTest(job=job, options=options):
                    self.assert_has(wanted, self.render(*job, "--quiet", "--device", *options, ranks=ranks))

    def test_pixels_that_f64_leaves_uncertain_are_counted(self):
        job = ("--center=-0.743643887037151,0.131825904205330", "--width", "3.85e-11", "--iterations", "14000",
               "--size", "64x48", "--quiet")
        counts = []
        for device in ("reference", "opencl"):
            self.assertEqual(self.render(*job, "--device", device).returncode, 0)
            with h5py.File(self.path("a.h5"), "r") as file:
                counts.append((int(file.attrs["uncertain_pixels"]), file["iterations"][()].tobytes()))
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0][0], 0)

    def again_on_gpu(self):
        return self.read_json("r.json")["total"]["uncertain_on_gpu"]

    def test_uncertain_pixels_are_computed_again_on_the_gpu(self):
        wanted = self.wanted(*UNCERTAIN)
        for options in (("--isolate", "on"), ("--isolate", "off"), ("--tile", "64", "--threads", "3"),
                        ("--device-memory", "4M")):
            with self.subTest(options=options):
                done = self.render(*UNCERTAIN, "--device", "opencl", *options)
                self.assert_has(wanted, done)
                self.assertEqual(self.again_on_gpu(), 96 * 64)
                self.assertIn("; 6,144 recomputed on GPUs", done.stdout + done.stderr)

    def test_a_gpu_without_room_for_the_table_of_106_bits_leaves_them_to_the_cores(self):
        wanted = self.wanted(*UNCERTAIN)
        for options, fault in (((), "device.precise_table@1+"), (("--exact", "off"), "")):
            with self.subTest(options=options):
                done = self.render(*UNCERTAIN, "--device", "opencl", *options, fault=fault)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.again_on_gpu(), 0)
                if fault:
                    self.assertTrue(self.fields("a.h5") == wanted)

    def test_little_device_memory_leaves_uncertain_pixels_to_the_cores(self):
        wanted = self.wanted(*SPIRALS)
        for limit, on_gpu in ((2137152, False), (4 << 20, True)):  # the table of f64 and a lane have 2.03 MiB
            with self.subTest(limit=limit):
                self.assert_has(wanted, self.render(*SPIRALS, "--device", "opencl", "--device-memory", str(limit)))
                self.assertEqual(self.again_on_gpu() > 0, on_gpu)
                self.assertLessEqual(self.rank()["device_memory"][0]["peak_bytes"], limit)

    def test_a_process_that_ends_gets_the_table_of_106_bits_again(self):
        wanted = self.wanted(*UNCERTAIN)
        for fault in ("device.process.crash@2", "device.process.crash@3", "device.process.context@3"):
            with self.subTest(fault=fault):
                done = self.render(*UNCERTAIN, "--tile", "32", "--threads", "1", "--device", "opencl", fault=fault)
                self.assert_has(wanted, done)
                self.assertEqual(len(self.rank()["restarted"]), 1)
                self.assertEqual(self.again_on_gpu(), 96 * 64)

    def test_a_killed_run_resumes_and_is_verified(self):
        job = (*Place("e50").options, "--size", "160x120", "--tile", "16")
        process = self.start_program("render", *job, "--output", "a.h5", "--device", "opencl", "--quiet", hold=6)
        self.assert_reaches(process, "some tiles", lambda: stored_tiles(self.path("a.h5")) >= 3)
        self.kill(process)
        done = self.run_program("render", *job, "--output", "a.h5", "--device", "opencl")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("render: resuming", done.stderr)
        self.assertIn("the same bits", self.assert_done("verify", "a.h5", "--sample", "4", "--device", "opencl"))
        self.assertIn("the same bits", self.assert_done("verify", "a.h5", "--sample", "4", "--device", "cpu"))

    def test_a_process_that_ends_gets_the_table_again(self):
        wanted = self.wanted(*E50)
        for fault in ("device.process.crash@1", "device.process.crash@3", "device.process.context@2"):
            with self.subTest(fault=fault):
                done = self.render(*E50, "--tile", "16", "--quiet", "--device", "opencl", fault=fault)
                self.assert_has(wanted, done)
                self.assertIn("it has been started again", done.stderr)
                self.assertEqual(len(self.rank()["restarted"]), 1)

    def test_the_cores_finish_what_a_lost_gpu_began(self):
        job = (*Place("e50").options, "--size", "160x120", "--tile", "16", "--quiet")
        wanted = self.wanted(*job)
        done = self.render(*job, "--device", "opencl,cpu", "--threads", "1", fault="device.kernel.gpu@1+")
        self.assert_has(wanted, done)
        self.assertIn("is out of the run", done.stderr)

    def test_device_memory_is_a_limit_for_the_table_too(self):
        little = (*LARGE_TABLE, "--device", "opencl", "--device-memory", "4M")
        self.assert_refused(["plan", *little], 2, "--device-memory 4.0 MiB", "jump table of this image")
        self.assertEqual(self.render(*little).returncode, 2)
        wanted = self.wanted(*LARGE_TABLE)
        done = self.render(*LARGE_TABLE, "--device", "opencl", "--device-memory", "80M")
        self.assert_has(wanted, done)
        used = self.rank()["device_memory"][0]["peak_bytes"]
        self.assertLessEqual(used, 80 << 20)
        said = self.run_program("plan", *LARGE_TABLE[:-1], "--device", "opencl", "--device-memory", "80M", "--json")
        self.assertEqual(said.returncode, 0, said.stderr)
        plan = json.loads(said.stdout)["device_memory"][0]
        self.assertGreater(plan["table_bytes"], 3 << 20)
        self.assertLessEqual(plan["table_bytes"], used)
        self.assertLessEqual(plan["most_bytes"], 80 << 20)

    def test_a_device_without_room_for_the_table_says_so(self):
        done = self.render(*E50, "--quiet", "--device", "opencl", fault="device.table@1+")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("no room for the jump table of this image", lines_of(done.stderr)[-1])


if __name__ == "__main__":
    main(skipped="" if "TESSERA_REQUIRE_OPENCL" in os.environ else why_missing("opencl"))
