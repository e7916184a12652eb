"""tools/wheel: the wheel has every library that it needs, and works where the package's own ones are.

usage: wheel_test.py WHEEL_TOOL BUILD_FOLDER"""

import base64
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
SCRIPT = """
import tessera, numpy
assert tessera.sum([0.1] * 10) == 1.0
assert tessera.median(numpy.arange(1e6)) == 499999.5
assert tessera.render("seahorse", size=(64, 64), device="cpu").shape == (64, 64)
maps = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for name in ("libtessera.so", "libmpi.so", "libmpfr.so", "libhwloc.so"):
    at = [path for path in maps if name in path]
    assert at and all("/tessera/libraries/" in path for path in at), (name, at)
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tessera_wheel_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        done = subprocess.run([TOOL, cls.folder, "--build-dir", BUILD], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.wheel = done.stdout.strip()

    def test_its_record_is_right(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            self.assertEqual({row[0] for row in rows}, set(names))
            for name, digest, size in rows:
                if name != record:
                    data = archive.read(name)
                    expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), (f"sha256={expected}", str(len(data))), name)
            tag = os.path.basename(self.wheel).removesuffix(".whl").split("-", 2)[2]
            self.assertIn(f"Tag: {tag}\n", archive.read(record.replace("RECORD", "WHEEL")).decode())

    def test_it_works_with_its_own_libraries_alone(self):
        # A folder just below that of temporary files: the package finds no program above it, however near the root is.
        with tempfile.TemporaryDirectory(prefix="tessera_wheel_") as target:
            with zipfile.ZipFile(self.wheel) as archive:
                archive.extractall(target)
            done = subprocess.run([PYTHON, "-c", SCRIPT], capture_output=True, text=True,
                                  env={"PYTHONPATH": target, "PATH": "/usr/bin:/bin"})
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    TOOL, BUILD = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
