"""tessera devices --check: the bits of each device, its rates, and what is said where it fails. Needs a build with
TESSERA_FAULT_POINTS=ON and a device of OpenCL."""

import json
import os

from program import ProgramTest, main, why_missing

RATES = ("iterations_per_s", "memory_bytes_per_s")
COPIES = ("to_device_bytes_per_s", "from_device_bytes_per_s")


class DevicesCheck(ProgramTest):
    def checks(self, *options, ranks=0):
        report = json.loads(self.assert_done("devices", "--check", "--json", *options, ranks=ranks))
        return [{device["name"]: device["check"] for device in rank["devices"]} for rank in report["ranks"]]

    def test_what_is_used_is_checked(self):
        for device in ("cpu", "opencl"):
            with self.subTest(device=device):
                checks, = self.checks("--device", device)
                checked = {name: check for name, check in checks.items() if check}
                self.assertEqual([name.split(":")[0] for name in checked], [device])
                check, = checked.values()
                self.assertEqual((check["problems"], check["compared"]), ([], 7))
                for rate in RATES:
                    self.assertGreater(check[rate], 0)
                self.assertGreater(check["wall_s"], check["open_s"])

    def test_the_table_says_so(self):
        said = self.assert_done("devices", "--check", "--device", "cpu", env={**os.environ, "COLUMNS": "200"})
        self.assertRegex(said, r"  cpu: right, 7 results compared with the reference, f64 [0-9.]+ [GT] iterations/s, "
                               r"memory [0-9.]+ [GT]B/s; opened in ")

    def test_one_rank_of_a_node_checks(self):
        first, second = self.checks("--device", "cpu", ranks=2)
        self.assertIsNotNone(first["cpu"])
        self.assertIsNone(second["cpu"])

    def test_without_it_nothing_is_opened(self):
        report = json.loads(self.assert_done("devices", "--json"))
        self.assertEqual({device["check"] for rank in report["ranks"] for device in rank["devices"]}, {None})

    def test_a_device_that_fails_is_told(self):
        done = self.run_program("devices", "--check", "--device", "opencl",
                                env={**os.environ, "COLUMNS": "200", "TESSERA_FAULT": "device.kernel.gpu@1+"})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stdout, r"  opencl:0.0: WRONG OR BROKEN; opened in .*\n  opencl:0.0: it failed: ")


if __name__ == "__main__":
    main(skipped="" if "TESSERA_REQUIRE_OPENCL" in os.environ else why_missing("opencl"))
