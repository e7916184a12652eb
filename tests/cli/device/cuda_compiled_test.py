"""Expressions of generated arrays that CUDA compiles, on the CUDA runtime for tests and its NVRTC: the bits are those of the
reference, and whatever is wrong with the compiler, its programs or their cache, the kernel that executes steps does the work."""

import os
import unittest.mock

from cuda_host_test import OnHost
from program import main

NVRTC = os.environ["TESSERA_NVRTC"]
COMPILATION, INVALID_IMAGE, NO_IMAGE, NO_SYMBOL, NO_MEMORY, ILLEGAL_ADDRESS = 6, 200, 209, 500, 2, 700
EXPRESSION = "sqrt(a*a + b*b) - exp(b) * index"
ARRAYS = ("a=random:normal?count=3001", "b=random:uniform?count=3001&dtype=f4&seed=3")
OPERATIONS = "sum,var,minmax,argmax,count_nonzero,histogram=9,-3,3"


class Compiled(OnHost):
    """The fault point makes arrays of any size worth a compilation."""

    def setUp(self):
        super().setUp()
        self.environment(TESSERA_NVRTC=NVRTC, TESSERA_FAULT="device.compile.few@1+", XDG_CACHE_HOME=self.path("cache"))

    def environment(self, **variables):
        patch = unittest.mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def reduce(self, machine, device, *options, arrays=ARRAYS, **run_options):
        done = self.run_on(machine, "reduce", *arrays, "--map", EXPRESSION, "--op", OPERATIONS, "--device", device, "--quiet",
                           "--report", "r.json", *options, **run_options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def launches(self):
        """How all ranks evaluated: (name of the compiler, launches of compiled kernels, launches for steps)."""
        used = [on for rank in self.read_json("r.json")["ranks"] for on in rank.get("expressions", [])]
        self.assertNotEqual(used, [])
        return used[0]["compiler"], sum(on["compiled_launches"] for on in used), sum(on["step_launches"] for on in used)

    def assert_compiled(self, machine="", *options):
        truth = self.reduce("", "reference")
        self.assertEqual(self.reduce(machine, "cuda", *options), truth)
        compiler, compiled, steps = self.launches()
        self.assertEqual((compiler, steps), ("NVRTC 0.1", 0))
        self.assertGreater(compiled, 0)

    def assert_by_steps(self, machine, *words, arrays=ARRAYS):
        truth = self.reduce("", "reference", arrays=arrays)
        self.assertEqual(self.reduce(machine, "cuda", arrays=arrays), truth)
        compiler, compiled, steps = self.launches()
        self.assertEqual(compiled, 0)
        self.assertGreater(steps, 0)
        for word in words:
            self.assertIn(word, compiler)

    def programs(self):
        folder = self.path("cache/tessera")
        return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []


class Ways(Compiled):
    def test_in_a_process_of_its_own_or_in_the_rank(self):
        self.assert_compiled()
        self.assert_compiled("", "--isolate", "off")
        self.assert_compiled("schedule=late", "--isolate", "off", "--slice", "4K", "--device-memory", "8M")

    def test_on_two_devices_and_two_ranks(self):
        truth = self.reduce("", "reference")
        self.assertEqual(self.reduce("devices=2", "cuda:0,cuda:1", "--slice", "4K"), truth)
        self.assertGreater(self.launches()[1], 0)
        self.assertEqual(self.reduce("devices=2", "cuda", "--slice", "4K", ranks=2), truth)
        self.assertGreater(self.launches()[1], 0)

    def test_along_an_axis_and_of_written_arrays(self):
        for command in (("reduce", *ARRAYS, "--map", EXPRESSION, "--op", "mean", "--axis", "0"),
                        ("map", EXPRESSION, *ARRAYS), ("map", "c = a + b; d = a < b", *ARRAYS)):
            written = []
            for device in ("reference", "cuda"):
                output = "o.npy" if ";" not in command[1] else "o.h5"
                done = self.run_on("", *command, "--device", device, "--output", output, "--overwrite", "--quiet", "--report",
                                   "r.json")
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(self.path(output), "rb") as file:
                    written.append(file.read() if output == "o.npy" else self.datasets(output))
            self.assertEqual(*written)
            self.assertEqual(self.launches()[2], 0)

    def datasets(self, name):
        from images import h5py
        with h5py.File(self.path(name)) as file:
            return {key: file[key][()].tobytes() for key in file}

    def test_few_elements_and_those_of_files_are_not_worth_it(self):
        with unittest.mock.patch.dict(os.environ, TESSERA_FAULT=""):
            self.assert_by_steps("", "NVRTC 0.1")
        self.write("a.raw", "x" * 8 * 3001)
        self.assert_by_steps("", "NVRTC 0.1", arrays=("a=a.raw?dtype=f8&shape=3001", ARRAYS[1]))
        self.assertEqual(self.programs(), [])


class Faults(Compiled):
    def test_without_a_library(self):
        for library, words in (("off", "is off"), ("/no/libnvrtc.so", "/no/libnvrtc.so is not an NVRTC"),
                               ("libz.so.1", "libz.so.1 is not an NVRTC")):
            with unittest.mock.patch.dict(os.environ, TESSERA_NVRTC=library):
                self.assert_by_steps("", "none: ", words)

    def test_a_compiler_that_fails(self):
        self.assert_by_steps(f"fail=nvrtcCompileProgram:1:{COMPILATION}:later", "nvrtcCompileProgram: NVRTC_ERROR_COMPILATION",
                             "expression.cu(1): error")
        self.assert_by_steps("fail=nvrtcGetCUBINSize:1:5:later", "nvrtcGetCUBINSize")
        self.assert_by_steps("fail=nvrtcVersion:1:5:later", "none: ", "is not an NVRTC")
        self.assertEqual(self.programs(), [])

    def test_a_program_that_the_driver_refuses(self):
        for call, code in (("cudaLibraryLoadData", INVALID_IMAGE), ("cudaLibraryLoadData", NO_IMAGE),
                           ("cudaLibraryLoadData", NO_MEMORY), ("cudaLibraryGetKernel", NO_SYMBOL)):
            self.assert_by_steps(f"fail={call}:1:{code}:later", call)
        self.assertEqual(self.programs(), [])

    def test_a_cached_program_that_the_driver_refuses_is_compiled_again(self):
        self.assert_compiled()
        self.assert_compiled(f"fail=cudaLibraryLoadData:1:{INVALID_IMAGE}")

    def test_a_context_that_is_lost_while_a_program_is_loaded(self):
        truth = self.reduce("", "reference")
        fault = f"fail=cudaLibraryLoadData:1:{ILLEGAL_ADDRESS}:sticky:once={self.path('once')}"
        self.assertEqual(self.reduce(fault, "cuda,cpu", "--slice", "4K"), truth)
        self.assertTrue(os.path.exists(self.path("once")))
        self.assertNotEqual(self.read_json("r.json")["ranks"][0]["restarted"], [])

    def test_a_cache(self):
        self.assert_compiled()
        [program] = self.programs()
        never = f"fail=nvrtcCompileProgram:1:{COMPILATION}:later"
        self.assert_compiled(never)
        with open(program, "r+b") as file:
            file.seek(-100, os.SEEK_END)
            file.write(b"damaged")
        self.assert_by_steps(never)
        self.assert_compiled()
        self.assert_compiled(never)

    def test_a_cache_that_cannot_be_written(self):
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME="/dev/null"):
            self.assert_compiled()

    def test_a_program_for_another_architecture_is_another_program(self):
        self.assert_compiled()
        self.assert_compiled("major=8")
        self.assertEqual(len(self.programs()), 2)


if __name__ == "__main__":
    main()
