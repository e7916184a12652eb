"""The rows gpu and gpu-job of tools/bench, on programs that only say what such programs would."""

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
from measure import BenchError, Finished, Skipped

NO_CUDA = {"name": "cuda", "detail": "", "driver": "", "is_gpu": True, "reason": "no NVIDIA driver"}
POCL = {"name": "opencl:0.0", "detail": "cpu", "driver": "PoCL", "is_gpu": False, "reason": ""}
H200 = {"name": "cuda:0", "detail": "NVIDIA H200", "driver": "CUDA 13.0", "is_gpu": True, "reason": ""}
H200_OPENCL = {**H200, "name": "opencl:1.0", "driver": "NVIDIA CUDA"}
A_MIG_INSTANCE = {**H200, "detail": "NVIDIA H200 MIG 1g.18gb"}
RATES = {"cuda:0": 3e12, "opencl:1.0": 2.4e12, "opencl:0.0": 1e9}


class Programs:
    """Answers run() for gpu_bench, tessera and the CuPy script; `sums` are of the jobs, one after the other."""

    def __init__(self, devices, cupy_mean=170.0, sums=()):
        self.devices, self.cupy_mean, self.sums, self.rendered_by = devices, cupy_mean, list(sums), []

    def cases(self):
        return [{"name": f"{view}/{device['name']}/{mode}/iterations:1/real_time", "mean": 170.0, "pixels": 1e10,
                 "items_per_second": RATES[device["name"]], "executed": 1e9, "of_fp64_limit": 0.72}
                for device in self.devices if not device["reason"]
                for view in gpu.H200_GOALS for mode in ("plain", "shortcuts")]

    def run(self, command, report=None, optional=False):
        command = [str(part) for part in command]
        if "--list" in command:
            return Finished(command, 1.0, json.dumps(self.devices))
        if "cupy" in command[1]:
            if not self.cupy_mean:
                raise Skipped("no CuPy")
            said = {f"{view}/{mode}": {"iterations_per_s": 1.5e12, "mean": self.cupy_mean}
                    for view in gpu.H200_GOALS for mode in ("plain", "blocks")}
            return Finished(command, 1.0, json.dumps(said))
        if "render" in command:
            self.rendered_by.append(command[command.index("--device") + 1])
            Path(command[command.index("--output") + 1]).write_text("stored")
            rank = {"pixels": 16384**2, "iterations": self.sums.pop(0), "uncertain_pixels": 512,
                    "threads": [{"stages": {"open_s": 0.005}}, {"stages": {"open_s": 0.0}}]}
            return Finished(command, 0.5, "", report={"wall_s": 0.02, "ranks": [rank]})
        return Finished(command, 1.0, json.dumps({"context": {"executable": "gpu_bench"}, "benchmarks": self.cases()}))


class GpuRows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera bench ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("tessera", "gpu_bench"):
            (self.folder / name).touch()

    def row(self, row, programs):
        settings = SimpleNamespace(bin=self.folder, folder=self.folder, repeats=1, quick=True,
                                   px=lambda side: side // 8)
        with mock.patch.object(gpu, "run", programs.run):
            result = row(settings)
        return {line["what"]: line for line in result["lines"]}, result["notes"]

    def test_without_a_device_both_rows_are_skipped_with_the_reasons(self):
        for row, devices in ((gpu.gpu, [NO_CUDA]), (gpu.gpu_job, [NO_CUDA, POCL]), (gpu.gpu_deep, [NO_CUDA])):
            with self.assertRaisesRegex(Skipped, "no NVIDIA driver"):
                self.row(row, Programs(devices))

    def test_a_cpu_behind_opencl_is_reported_without_goals(self):
        lines, notes = self.row(gpu.gpu, Programs([NO_CUDA, POCL]))
        self.assertIn("whole_set/opencl:0.0/plain", lines)
        self.assertEqual({line["goal"] for line in lines.values()}, {None})
        self.assertIn("no GPU", notes[-1])

    def test_an_h200_has_goals_and_opencl_is_held_against_cuda(self):
        lines, notes = self.row(gpu.gpu, Programs([H200, H200_OPENCL, POCL]))
        self.assertEqual([lines[f"{view}/cuda:0/plain"]["goal"] for view in gpu.H200_GOALS], [2.9, 1.8, 3.3])
        self.assertIsNone(lines["whole_set/cuda:0/shortcuts"]["goal"])
        self.assertIsNone(lines["whole_set/opencl:1.0/plain"]["goal"])
        ratio = lines["whole_set: opencl:1.0 : cuda:0"]
        self.assertAlmostEqual(ratio["value"], 0.8)
        self.assertEqual(ratio["goal"], 0.9)
        self.assertAlmostEqual(lines["whole_set: Tessera : CuPy's better"]["value"], 2.0)
        self.assertIn("NVIDIA H200", notes[0])

    def test_a_part_of_an_h200_has_no_goals(self):
        lines, _ = self.row(gpu.gpu, Programs([A_MIG_INSTANCE], cupy_mean=None))
        self.assertIsNone(lines["whole_set/cuda:0/plain"]["goal"])

    def test_without_cupy_the_row_says_so(self):
        lines, notes = self.row(gpu.gpu, Programs([H200], cupy_mean=None))
        self.assertIn("without CuPy: no CuPy", notes)
        self.assertFalse([what for what in lines if "CuPy" in what])

    def test_cupy_must_come_to_the_same_counts(self):
        with self.assertRaisesRegex(BenchError, "mean count"):
            self.row(gpu.gpu, Programs([H200], cupy_mean=171.0))

    def test_the_job_runs_on_one_gpu_of_each_backend(self):
        programs = Programs([H200, {**H200, "name": "cuda:1"}, H200_OPENCL, POCL], sums=[7, 7])
        lines, _ = self.row(gpu.gpu_job, programs)
        self.assertEqual(programs.rendered_by, ["cuda:0", "opencl:1.0"])
        self.assertEqual(lines["render 16384² by cuda:0"]["goal"], 20.0)
        self.assertIsNone(lines["render 16384² by opencl:1.0"]["goal"])

    def test_a_deep_image_is_measured_on_every_gpu_and_on_the_cores(self):
        programs = Programs([H200, H200_OPENCL, POCL], sums=[7, 7, 7])
        lines, _ = self.row(gpu.gpu_deep, programs)
        self.assertEqual(programs.rendered_by, ["cuda:0", "opencl:1.0", "cpu"])
        self.assertAlmostEqual(lines["e50 512² by cuda:0, pixels"]["value"], 0.015)
        self.assertEqual(lines["e50 512² by cuda:0, pixels"]["goal"], 0.5)
        self.assertIsNone(lines["e50 512² by cpu, pixels"]["goal"])
        self.assertAlmostEqual(lines["e50: cpu : cuda:0"]["value"], 1.0)
        with self.assertRaisesRegex(BenchError, "different sums"):
            self.row(gpu.gpu_deep, Programs([H200], sums=[7, 8]))

    def test_different_counts_are_an_error(self):
        with self.assertRaisesRegex(BenchError, "different sums"):
            self.row(gpu.gpu_job, Programs([H200, H200_OPENCL], sums=[7, 8]))


if __name__ == "__main__":
    unittest.main()
