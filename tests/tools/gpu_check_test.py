"""tools/gpu-check at small sizes on the CUDA runtime for tests. What no such runtime has (nvidia-smi, the rates of a GPU)
comes from programs that only say what such programs would."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S

SCRIPT, TESSERA, PARITY, DRIVER = (os.path.abspath(sys.argv.pop(1)) for _ in range(4))

VIEWS = ("whole_set", "seahorse", "elephant")
H200 = {"name": "cuda:0", "detail": "NVIDIA H200", "driver": "CUDA 13.0", "is_gpu": True, "reason": ""}
GPU_BENCH = f"""
import json, sys
names = ["cuda:0"]
if "--list" in sys.argv:
    print(json.dumps([{H200!r}]))
else:
    print(json.dumps({{"context": {{"executable": "gpu_bench"}}, "benchmarks": [
        {{"name": f"{{view}}/cuda:0/{{mode}}/iterations:1/real_time", "items_per_second": 3e12, "executed": 2e12,
          "pixels": 1e10, "mean": 170.0}} for view in {VIEWS!r} for mode in ("plain", "shortcuts")]}}))
"""
GPU_REDUCE_BENCH = """
import json
print(json.dumps({"pinned_bytes_per_s": 5e10, "cases": [
    {"name": "f64", "right": True, "exact_bytes_per_s": 3e12, "cub_bytes_per_s": 4e12}]}))
"""
NVIDIA_SMI = """
import sys, time
print("100" if "memory.used" in " ".join(sys.argv) else "an H200", flush=True)
while any("--loop-ms" in argument for argument in sys.argv):
    print("110", flush=True)
    time.sleep(0.02)
"""
SLEEPER = "import time\ntime.sleep(1000)\n"
# Another iteration limit for what a GPU renders: other pixels.
WRONG_PIXELS = f"""
import os, sys
arguments = sys.argv[1:]
if "render" in arguments and "cuda:0" in arguments:
    at = arguments.index("--iterations") + 1
    arguments[at] = str(int(arguments[at]) - 1)
os.execv({TESSERA!r}, [{TESSERA!r}, *arguments])
"""
# What only a GPU or its driver has. Everything else has to pass.
MAY_BE_SKIPPED = {"opencl": "OpenCL does not list this GPU"}


def running(words):
    """Processes whose command line has these words."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", errors="replace") as file, open(f"/proc/{pid}/stat") as state:
                if words in file.read() and state.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(pid)
        except OSError:
            continue
    return found


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera gpu-check ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(self.path("bin"))
        os.symlink(TESSERA, self.path("bin", "tessera"))
        os.symlink(PARITY, self.path("bin", "gpu_parity_test"))
        self.program("gpu_bench", GPU_BENCH)
        self.program("gpu_reduce_bench", GPU_REDUCE_BENCH)
        self.program("nvidia-smi", NVIDIA_SMI)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name, text):
        path = self.path("bin", name)
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "w") as file:
            file.write(f"#!{sys.executable}\n{text}")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def command(self, *arguments):
        return [SCRIPT, "--bin", self.path("bin"), "--out", self.path("out"), "--quick", *arguments]

    def environment(self, machine="schedule=eager"):
        beside = os.environ.get("LD_LIBRARY_PATH")
        return {**os.environ, "TESSERA_CUDA_RUNTIME": machine, "TESSERA_PYTHON": sys.executable,
                "PATH": f"{self.path('bin')}:{os.environ['PATH']}",
                "LD_LIBRARY_PATH": ":".join(filter(None, [os.path.dirname(DRIVER), beside]))}

    def check(self, *arguments, code=0, machine="schedule=eager"):
        """Its steps by name."""
        done = subprocess.run(self.command(*arguments), cwd=self.folder, env=self.environment(machine), text=True,
                              capture_output=True, timeout=HANG_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return {step["step"]: step for step in self.found()["steps"]}

    def found(self):
        with open(self.path("out", "gpu-check.json")) as file:
            return json.load(file)

    def page(self):
        with open(self.path("out", "gpu-check.md")) as file:
            return file.read()

    def assert_page_has(self, *words):
        page = self.page()
        for word in words:
            self.assertIn(word, page)

    def test_every_step_passes_or_says_why_it_is_skipped(self):
        steps = self.check()
        for name, step in steps.items():
            reason = step["reason"] or "; ".join(check["said"] for check in step["checks"])
            wanted = "skipped" if name in MAY_BE_SKIPPED else "passed"
            self.assertEqual(step["outcome"], wanted, f"{name}: {reason}")
            self.assertIn(MAY_BE_SKIPPED.get(name, ""), reason)
            for check in step["checks"]:
                self.assertIn(check["outcome"], ("passed", "skipped"), check)
                self.assertEqual(bool(check["said"]), check["outcome"] == "skipped", check)
            self.assertTrue(step["commands"] or step["outcome"] == "skipped", name)
        self.assert_the_page_is_whole(steps)

    def assert_the_page_is_whole(self, steps):
        page = self.page()
        self.assertNotIn("Not finished", page)
        self.assertIn("not on a GPU", page)
        short = page[page.index("## Fell short"):page.index("## Steps")]
        for words in ("render 512² by cuda:0", "≥ 20 Gpx/s", "whole_set/cuda:0/plain", "cub::DeviceReduce::Sum | 0.75 ×"):
            self.assertEqual(words in short, words != "whole_set/cuda:0/plain", short)
        for step in steps:
            self.assertIn(f"| {step} | ", page)
        for private in (self.folder, os.path.dirname(TESSERA), os.uname().nodename + ":"):
            self.assertNotIn(private, page + json.dumps(self.found()))
        self.assertEqual(os.listdir(self.path("out", "files")), [])

    def test_a_kernel_that_fails_is_on_top_of_the_page(self):
        steps = self.check("renders", "together", code=4, machine="fail=kernel:2:719:sticky:later")
        self.assertEqual([step["outcome"] for step in steps.values()], ["failed", "failed"])
        self.assert_page_has("failed: exit 4<br>tessera: ", "| renders | galaxies 101x75 |", "2 failed")

    def test_wrong_pixels_are_a_failure(self):
        self.program("tessera", WRONG_PIXELS)
        steps = self.check("renders", code=4)
        self.assertEqual([check["outcome"] for check in steps["renders"]["checks"]], ["failed"] * 5 + ["passed"])
        self.assert_page_has("pixels that differ from the reference")

    def test_a_gpu_without_room_passes_where_the_run_says_so(self):
        self.check("limits", machine="memory=1000")
        self.assert_page_has("exit 4: tessera: ", "memory filler: holds")

    def test_without_a_gpu_the_page_says_why(self):
        self.check("machine", "renders", code=4, machine="driver=0")
        self.assert_page_has("no NVIDIA driver", "no CUDA device")

    def test_a_step_that_hangs_is_ended_and_the_next_one_done(self):
        self.program("gpu_parity_test", SLEEPER)
        steps = self.check("--limit", "10", "--only", "parity", "rates", code=4)
        self.assertEqual([step["outcome"] for step in steps.values()], ["timed out", "passed"])
        self.assertIn("ViewsParity", steps["parity"]["reason"])
        self.assertEqual(running(self.path("bin", "gpu_parity_test")), [])

    def test_a_step_that_crashes_takes_nothing_else_along(self):
        self.program("gpu_parity_test", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n")
        steps = self.check("parity", "machine", code=4)
        self.assertEqual([steps[name]["outcome"] for name in ("machine", "parity")], ["passed", "failed"])
        self.assertIn("ended with -9, in: ViewsParity", steps["parity"]["reason"])

    def test_steps_are_skipped_aloud_when_time_is_short(self):
        steps = self.check("--minutes", "0.1", "crossover", "machine")
        self.assertEqual([step["outcome"] for step in steps.values()], ["skipped", "skipped"])
        self.assert_page_has("no time was left")

    def test_without_gpu_parity_whole_runs_are_compared_first(self):
        os.unlink(self.path("bin", "gpu_parity_test"))
        steps = self.check("--minutes", "0.1")
        self.assertEqual(list(steps)[:5], ["machine", "parity", "renders", "arrays", "starts"])

    def test_killed_in_a_step_it_leaves_a_page_that_says_so(self):
        self.program("gpu_parity_test", SLEEPER)
        for number in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=number):
                self.kill_in_step("parity", number)
                self.assert_page_has("**Not finished.** gpu-check was in step `parity`", "Steps after it: starts, rates, ",
                                     "| machine | ", "CUDA runtime for tests")

    def kill_in_step(self, step, number):
        with subprocess.Popen(self.command(), cwd=self.folder, env=self.environment(), stderr=subprocess.DEVNULL) as process:
            self.wait_until(lambda: running(self.path("bin", "gpu_parity_test")))
            self.assertEqual(self.found()["running"], step)
            process.send_signal(number)
        self.assertNotEqual(process.returncode, 0)
        self.wait_until(lambda: not running(self.path("bin", "gpu_parity_test")))

    def wait_until(self, holds, limit_s=HANG_S):
        deadline = time.monotonic() + limit_s
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_wrong_usage_is_refused(self):
        for arguments, words in ((("--only", "nonsense"), "no step 'nonsense'"), (("--minutes", "0"), "--minutes"),
                                 (("--bin", self.path("out")), "no tessera")):
            done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=HANG_S)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
