"""What the compiler says of the CUDA kernels for compute capability 9.0: registers, and none spilled.

usage: registers_test.py NVCC REPOSITORY. Registers decide how many threads a multiprocessor runs at once; a change that
costs some is seen here, on machines without a GPU."""

import re
import subprocess
import sys
import tempfile
import unittest

from surroundings import HANG_S

NVCC, REPOSITORY = sys.argv[1:3]
# Of a thread. 64 of 65536 let a multiprocessor run 1024 threads of a kernel, 40 let it run 1536, and 32 all of its 2048.
MOST_REGISTERS = {"counts": 32, "shortcuts": 38, "smooth": 40, "bounded": 64, "open": 80}
MOST_OF_KERNELS = {"ts_render_deep": 128, "ts_render_deep_steps": 128, "ts_sum_f32": 51, "ts_sum_f64": 51, "ts_order_f32": 64,
                   "ts_order_f64": 64}
# Bytes that a kernel may spill.
SPILLED = {"ts_render_tricorn_bounded": 4, "ts_render_burning_ship_bounded": 4, "ts_render_wide": 16, "ts_reduce_f16": 16,
           "ts_reduce_f32": 16, "ts_reduce_f64": 16, "ts_render_multibrot_open": 20}


def compiled(source):
    """Of each kernel: its registers and the bytes that it spills."""
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([NVCC, "-std=c++17", "-arch=sm_90", "-fmad=false", f"-I{REPOSITORY}", "-Xptxas=-v", "-cubin",
                               "-o", f"{folder}/kernels.cubin", f"{REPOSITORY}/kernels/cuda/{source}"],
                              text=True, capture_output=True, timeout=HANG_S, check=True).stderr
    found = {}
    for text in said.split("Compiling entry function")[1:]:
        name = re.search(r"\d(ts_[a-z0-9_]*?)E[A-Z0-9]", text)[1]
        found[name] = (int(re.search(r"Used (\d+) registers", text)[1]),
                       int(re.search(r"(\d+) bytes spill stores", text)[1]))
    return found


class RegistersTest(unittest.TestCase):
    def assert_none_spills(self, kernels):
        for name, (_, spilled) in kernels.items():
            self.assertLessEqual(spilled, SPILLED.get(name, 0), name)

    def assert_has_at_most(self, kernels, name, most):
        self.assertIn(name, kernels)
        self.assertLessEqual(kernels[name][0], most, name)

    def test_pixels(self):
        kernels = compiled("pixels.cu")
        self.assert_none_spills(kernels)
        for kind, most in MOST_REGISTERS.items():
            self.assert_has_at_most(kernels, f"ts_render_mandelbrot_{kind}", most)
        for name in ("ts_render_deep", "ts_render_deep_steps"):
            self.assert_has_at_most(kernels, name, MOST_OF_KERNELS[name])

    def test_deep_pixels_in_106_bits(self):
        kernels = compiled("deep_precise.cu")
        self.assertEqual(sorted(kernels), ["ts_render_precise", "ts_render_precise_steps"])
        self.assert_none_spills(kernels)

    def test_deep_pixels_in_190_bits(self):
        kernels = compiled("deep_wide.cu")
        self.assertEqual(sorted(kernels), ["ts_render_wide"])
        self.assert_none_spills(kernels)

    def test_reductions(self):
        kernels = compiled("reduce.cu")
        self.assert_none_spills(kernels)
        for name in ("ts_sum_f32", "ts_sum_f64", "ts_order_f32", "ts_order_f64"):
            self.assert_has_at_most(kernels, name, MOST_OF_KERNELS[name])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
