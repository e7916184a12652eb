"""tools/bundle: a folder that runs wherever it is put, and what the script leaves alone."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S

SCRIPT, BUILD = (os.path.abspath(path) for path in (sys.argv.pop(1), sys.argv.pop(1)))


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tessera bundle ")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_in_scratch(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)

    def make(self, name, *options):
        return self.run_in_scratch(SCRIPT, name, "--build-dir", BUILD, *options)

    def test_it_runs_from_where_it_was_moved_to(self):
        done = self.make("first place")
        self.assertEqual(done.returncode, 0, done.stderr)
        os.rename(self.path("first place"), self.path("second place"))
        program = self.path("second place", "bin", "tessera")
        done = self.run_in_scratch(program, "render", "--size", "64x48", "--output", "a.h5", "--png", "a.png",
                                   "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        needed = self.run_in_scratch("ldd", program).stdout
        for line in needed.splitlines():
            if line.split()[0] in os.listdir(self.path("second place", "lib")):
                self.assertIn(self.path("second place"), line)
        self.assertIn("libisal.so.2 => " + self.path("second place"), needed)
        self.assertNotIn("libmpi.so.40", os.listdir(self.path("second place", "lib")))
        with open(self.path("second place", "README.txt")) as file:
            said = file.read()
        for word in ("libmpi.so.40", "glibc", "libisal.so.2", "NVIDIA driver"):
            self.assertIn(word, said)

    def test_with_benchmarks_it_checks_a_gpu(self):
        done = self.make("first bench", "--bench")
        self.assertEqual(done.returncode, 0, done.stderr)
        os.rename(self.path("first bench"), self.path("bench"))
        with open(self.path("bench", "README.txt")) as file:
            self.assertIn("tools/gpu-check", file.read())
        script = self.path("bench", "tools", "gpu-check")
        done = self.run_in_scratch(script, "--quick", "--only", "machine", "parity", "cub")
        self.assertIn(done.returncode, (0, 4), done.stderr)  # 4 where there is no GPU
        with open(self.path("out", "gpu-check", "gpu-check.md")) as file:
            page = file.read()
        self.assertIn("gpu_parity, ViewsParity: ", page)
        self.assertNotIn("is not beside tessera", page)
        self.assertNotIn(self.folder, page)

    def test_made_again_it_replaces_the_one_before(self):
        for _ in range(2):
            done = self.make("again")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(self.path("again"))), ["README.txt", "bin", "lib", "share"])
            open(self.path("again", "left over"), "w").close()
        self.assertEqual([name for name in os.listdir(self.folder) if ".making" in name], [])

    def test_a_folder_that_is_no_bundle_is_left_alone(self):
        os.mkdir(self.path("mine"))
        with open(self.path("mine", "README.txt"), "w") as file:
            file.write("dear to me\n")
        done = self.make("mine")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is no bundle", done.stderr)
        self.assertEqual(os.listdir(self.path("mine")), ["README.txt"])

    def test_the_newest_symbol_of_the_c_library_is_named(self):
        done = self.make("named")
        self.assertRegex(done.stdout, r"for glibc 2\.\d+ or newer")
        number = done.stdout.split("for glibc ")[1].split()[0]
        with open(self.path("named", "README.txt")) as file:
            self.assertIn(f"glibc     {number} or newer, with libstdc++", file.read())
        asked = self.run_in_scratch("readelf", "--version-info", "--wide", "named/bin/tessera").stdout
        for version in re.findall(r"Name: GLIBC_([0-9.]+)", asked):
            self.assertLessEqual([int(part) for part in version.split(".")[:2]], [int(part) for part in number.split(".")])

    def test_a_build_of_its_own_takes_no_other(self):
        for options in (("--build-dir", BUILD), ("--arch", "90"), ("--bench",)):
            done = self.run_in_scratch(SCRIPT, "oldest", "--oldest", *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--oldest makes a build of its own", done.stderr)

    def test_a_build_without_the_program_leaves_nothing_behind(self):
        os.mkdir(self.path("no build"))
        done = self.run_in_scratch(SCRIPT, "made of nothing", "--build-dir", "no build")
        self.assertEqual(done.returncode, 3)
        self.assertIn("is not built", done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("made of")], [])


if __name__ == "__main__":
    if not shutil.which("patchelf"):
        print("skipped: patchelf is missing: tools/packages.sh install tests")
        sys.exit(77)
    unittest.main()
