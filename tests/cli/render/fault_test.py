"""What a user sees and keeps when devices fail in mid-run. Needs a build with TESSERA_FAULT_POINTS=ON."""

import os

from images import read_image
from program import ProgramTest, lines_of, main

JOB = ("--view", "seahorse", "--size", "700x500", "--iterations", "700", "--tile", "64",
       "--fields", "iterations,smooth", "--quiet")
TILES = 11 * 8


class Fault(ProgramTest):
    def render(self, output, *options, fault="", ranks=0):
        if "--device" not in options:
            options = ("--device", "cpu", *options)
        return self.run_program("render", *JOB, "--output", output, "--report", "report.json", *options,
                                ranks=ranks, env={**os.environ, "TESSERA_FAULT": fault})

    def values(self, name):
        return read_image(self.path(name))

    def report(self):
        return self.read_json("report.json")

    def assert_whole(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.values("a.h5")[0], self.truth)

    def assert_whole_and_the_same(self, done):
        """The file, the report's sums and the picture are as if nothing had happened."""
        self.assert_whole(done)
        total = self.report()["total"]
        for key in ("tiles", "pixels", "iterations"):
            self.assertEqual(total[key], self.total[key], key)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "report.json", "truth.h5"])

    def need_opencl(self):
        if "TESSERA_REQUIRE_OPENCL" in os.environ:
            return
        probe = self.render("probe.h5", "--device", "opencl")
        if probe.returncode == 3:
            self.skipTest(probe.stderr)
        os.remove(self.path("probe.h5"))

    def setUp(self):
        super().setUp()
        done = self.render("truth.h5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.truth, _ = self.values("truth.h5")
        self.total = self.report()["total"]
        self.assertEqual(self.total["tiles"], TILES)

    def test_a_rank_that_loses_its_device_leaves_its_tiles_to_the_others(self):
        # From the preview on; in the preview; in the middle of the tiles.
        for call in (1, 5, 150):
            with self.subTest(call=call):
                done = self.render("a.h5", "--overwrite", "--threads", "2", ranks=2,
                                   fault=f"rank1:device.kernel@{call}+")
                self.assert_whole_and_the_same(done)
                said = lines_of(done.stderr)
                lost = self.report()["ranks"][1]["lost"]
                self.assertEqual(self.report()["ranks"][0]["lost"], [])
                if not said and call > 1:
                    self.assertEqual(lost, [])  # rank 0 was so quick that it never came to that
                    continue
                self.assertEqual(len(said), 1, done.stderr)
                self.assertRegex(said[0], r"^tessera: rank 1 on \S+: cpu is out of the run: .*fault point")
                self.assertTrue(said[0].endswith("; its tiles go to the others"), said[0])
                self.assertEqual([entry["device"] for entry in lost], ["cpu"])
                self.assertIn("fault point", lost[0]["cause"])

    def test_the_gather_rank_can_lose_its_device_too(self):
        done = self.render("a.h5", ranks=3, fault="rank0:device.kernel@3+")
        self.assert_whole_and_the_same(done)
        self.assertIn("tessera: rank 0 on ", done.stderr)
        self.assertTrue((self.values("a.h5")[1]["rank"] > 0).all())

    def test_a_rank_goes_on_with_the_device_that_is_left(self):
        done = self.render("a.h5", "--device", "reference,cpu", "--threads", "2",
                           fault="device.kernel.reference@1+")
        self.assert_whole_and_the_same(done)
        self.assertIn("reference is out of the run", done.stderr)
        self.assertEqual([lost["device"] for lost in self.report()["ranks"][0]["lost"]], ["reference"])
        devices = {bytes(name).rstrip(b"\0").decode() for name in self.values("a.h5")[1]["device"]}
        self.assertEqual(devices, {"cpu"})

    def test_a_gpu_that_fails_leaves_its_tiles_to_the_cores(self):
        self.need_opencl()
        done = self.render("a.h5", "--device", "opencl,cpu", "--threads", "1",
                           fault="device.kernel.gpu@1+")
        self.assert_whole_and_the_same(done)
        self.assertRegex(done.stderr, r"opencl:\d\.\d is out of the run: .*fault point")

    def test_a_device_without_room_has_a_smaller_ring_or_is_missing_from_the_start(self):
        self.need_opencl()
        done = self.render("a.h5", "--device", "opencl", fault="device.memory@2+")
        self.assert_whole_and_the_same(done)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.report()["ranks"][0]["workers"], 1)
        os.remove(self.path("a.h5"))
        done = self.render("a.h5", "--device", "opencl", fault="device.memory@1+")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(lines_of(done.stderr)[0], r"^tessera: opencl:\d\.\d: .*memory is full")
        self.assertNotIn("a.h5", os.listdir(self.folder))
        done = self.render("a.h5", "--device", "opencl,cpu", fault="device.memory@1+")
        self.assert_whole_and_the_same(done)
        self.assertRegex(done.stderr, r"opencl:\d\.\d is out of the run: .*memory is full.*; its tiles go to the others")
        self.assertEqual(len(self.report()["ranks"][0]["lost"]), 1)

    def test_the_cores_take_over_from_the_only_device_that_auto_chose(self):
        self.need_opencl()
        for ranks, call in ((0, 3), (0, 1), (2, 3)):
            with self.subTest(ranks=ranks, call=call):
                done = self.render("a.h5", "--overwrite", "--device", "auto", "--isolate", "off", ranks=ranks,
                                   fault=f"device.opencl.gpu@1+,device.kernel.gpu@{call}+")
                self.assert_whole_and_the_same(done)
                self.assertRegex(done.stderr, r"rank 0 on \S+: (cuda:\d|opencl:\d\.\d) is out of the run: .*fault point.*; "
                                              r"cpu takes over\n")
                first = self.report()["ranks"][0]
                self.assertRegex(first["device"], r"^(cuda:\d|opencl:\d\.\d)\+cpu$")
                self.assertEqual(len(first["lost"]), 1)

    def test_the_cores_that_nobody_needs_are_not_in_the_report(self):
        self.need_opencl()
        done = self.render("a.h5", "--device", "auto", "--isolate", "off", fault="device.opencl.gpu@1+")
        self.assert_whole_and_the_same(done)
        self.assertRegex(self.report()["ranks"][0]["device"], r"^(cuda:\d|opencl:\d\.\d)$")

    def test_one_failed_kernel_is_enough_to_lose_a_device(self):
        done = self.render("a.h5", "--device", "reference,cpu", "--threads", "1",
                           fault="device.kernel.cpu@40")
        self.assert_whole_and_the_same(done)
        self.assertIn("cpu is out of the run", done.stderr)

    def test_without_any_device_left_the_run_fails_and_leaves_nothing(self):
        for ranks in (0, 2):
            for call in (1, 60):
                with self.subTest(ranks=ranks, call=call):
                    before = sorted(os.listdir(self.folder))
                    done = self.render("a.h5", ranks=ranks, fault=f"device.kernel@{call}+")
                    self.assertEqual(done.returncode, 4, done.stderr)
                    said = lines_of(done.stderr)
                    self.assertEqual(len(said), max(1, ranks) + 1, done.stderr)
                    # The ranks' lines come in any order.
                    last = [line for line in said if line.startswith("tessera: no device is left: ")]
                    self.assertEqual(len(last), 1, done.stderr)
                    self.assertRegex(last[0], "cpu: .*fault point")
                    self.assertEqual(done.stdout, "")
                    self.assertNotIn("a.h5", os.listdir(self.folder))
                    for name in set(os.listdir(self.folder)) - set(before):
                        os.remove(self.path(name))

    def test_a_run_that_goes_on_computes_nothing_of_what_is_stored(self):
        for share in ("1/2", "2/2"):
            self.assertEqual(self.render("a.h5", "--share", share).returncode, 0)
        # All tiles are there; even the preview would fail.
        done = self.render("a.h5", fault="device.kernel@1+")
        self.assert_whole(done)

    def test_other_commands_carry_on_as_well(self):
        for command in (("verify", "truth.h5", "--device", "reference,cpu"), ("plan", *JOB[:-1])):
            done = self.run_program(*command, ranks=2, env={
                **os.environ, "TESSERA_FAULT": "rank1:device.kernel@1+"})
            self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")

    def test_an_order_that_cannot_be_read_is_bad_usage(self):
        for ranks in (0, 2):
            done = self.run_program("views", ranks=ranks, env={**os.environ, "TESSERA_FAULT": "kernel"})
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(len(lines_of(done.stderr)), 1, done.stderr)
            self.assertIn("TESSERA_FAULT: kernel", done.stderr)


if __name__ == "__main__":
    main()
