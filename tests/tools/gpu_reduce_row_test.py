"""The row gpu-reduce of tools/bench, on programs that only say what such programs would."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, os.path.abspath(sys.argv.pop(1)))
import gpu
import gpu_reduce
from measure import BenchError, Finished, Skipped

NO_CUDA = {"name": "cuda", "detail": "", "driver": "", "is_gpu": True, "reason": "no NVIDIA driver"}
H200 = {"name": "cuda:0", "detail": "NVIDIA H200", "driver": "CUDA 13.0", "is_gpu": True, "reason": ""}
RATES = {"cuda:0": 50e9, "cpu": 40e9}


class Programs:
    def __init__(self, devices, right=True, gpu_sum="0x1p0"):
        self.devices, self.right, self.gpu_sum = devices, right, gpu_sum

    def run(self, command, report=None, optional=False):
        command = [str(part) for part in command]
        if "--list" in command:
            return Finished(command, 1.0, json.dumps(self.devices))
        if "reduce" in command:
            device = command[command.index("--device") + 1]
            said = self.gpu_sum if device == "cuda:0" else "0x1p0"
            if "--output" in command:
                Path(command[command.index("--output") + 1]).write_text(said)
            return Finished(command, 1.0, "", report={"bytes_per_s": RATES[device],
                                                      "results": [{"values": [{"hex": said}]}]})
        cases = [{"name": name, "right": self.right, "exact_bytes_per_s": 4.2e12, "cub_bytes_per_s": 4.5e12,
                  "spilled": False} for name in ("f32/normal", "f64/normal", "f64/any bits")]
        return Finished(command, 1.0, json.dumps({"cases": cases, "pinned_bytes_per_s": 55e9}))


class GpuReduceRow(unittest.TestCase):
    def row(self, programs):
        with tempfile.TemporaryDirectory(prefix="tessera bench ") as folder:
            for name in ("tessera", "gpu_bench", "gpu_reduce_bench"):
                (Path(folder) / name).touch()
            settings = SimpleNamespace(bin=Path(folder), folder=Path(folder), repeats=1, quick=True)
            with mock.patch.object(gpu, "run", programs.run), mock.patch.object(gpu_reduce, "run", programs.run):
                result = gpu_reduce.gpu_reduce(settings)
            self.assertFalse({"gpu-reduce.raw", "gpu-reduce.npy"} & set(os.listdir(folder)))
        return {line["what"]: line for line in result["lines"]}

    def test_is_skipped_without_a_gpu(self):
        with self.assertRaisesRegex(Skipped, "no NVIDIA driver"):
            self.row(Programs([NO_CUDA]))

    def test_compares_with_cub_and_with_what_bounds_a_file(self):
        lines = self.row(Programs([H200]))
        resident = lines["f64/normal on the device: exact sum : cub::DeviceReduce::Sum"]
        self.assertAlmostEqual(resident["value"], 4.2 / 4.5)
        self.assertEqual(resident["goal"], 0.9)
        self.assertIsNone(lines["f64/any bits on the device: exact sum : cub::DeviceReduce::Sum"]["goal"])
        of_file = [line for what, line in lines.items() if "whichever" in what]
        self.assertAlmostEqual(of_file[0]["value"], 50 / 40)
        self.assertEqual(of_file[0]["goal"], 0.8)

    def test_compares_products_and_axes_with_the_cores(self):
        lines = self.row(Programs([H200]))
        for name in ("dot of two files", "prod of a file", "sum of a file along axis 0", "sum of a file along axis 1",
                     "median of a file", "sum of a file by 65536 keys",
                     "prod of random:normal", "dot of random:normal twice"):
            self.assertAlmostEqual(lines[f"{name} by cuda:0 : by the cores"]["value"], 50 / 40)

    def test_a_part_of_a_gpu_has_no_goals(self):
        lines = self.row(Programs([{**H200, "detail": "NVIDIA H200 MIG 1g.18gb"}]))
        self.assertEqual({line["goal"] for line in lines.values()}, {None})

    def test_wrong_sums_are_errors(self):
        with self.assertRaisesRegex(BenchError, "wrong sum"):
            self.row(Programs([H200], right=False))
        with self.assertRaisesRegex(BenchError, "different answers"):
            self.row(Programs([H200], gpu_sum="0x1p1"))


if __name__ == "__main__":
    unittest.main()
