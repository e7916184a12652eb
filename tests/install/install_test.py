"""The library as others link it: a project that finds it where it is installed, and the Python package there.

usage: install_test.py BUILD_FOLDER MPIRUN
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).parent / "project"


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = Path(cls.folder.name, "prefix")
        for component in ("Runtime", "Development", "Python"):
            run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", component)
        cls.built = Path(cls.folder.name, "built")
        run("cmake", "-S", PROJECT, "-B", cls.built, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            "-DCMAKE_BUILD_TYPE=Debug")
        run("cmake", "--build", cls.built)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_reduction_with_a_source_of_its_own(self):
        # The exact sum of the elements as f64 has them, rounded once.
        self.assertIn("sum 14.392726722865724\n", run(self.built / "custom_source"))

    def test_an_image_in_memory(self):
        out = run(self.built / "image_in_memory")
        self.assertIn(" of 57600 pixels escaped, ", out)
        self.assertIn("2: view: there is no view 'seahorze'; did you mean 'seahorse'?", out)

    def test_a_communicator_of_its_own(self):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        out = run(MPIRUN, "-n", "4", "--oversubscribe", "--bind-to", "none", self.built / "own_communicator",
                  env=environment)
        self.assertEqual(out.count("mean "), 1, out)

    def test_only_what_is_public_is_visible(self):
        library = next(self.prefix.rglob("libtessera.so"))
        names = run("nm", "-D", "-C", "--defined-only", library).splitlines()
        ours = [name for name in names if "tessera::" in name and "tessera::v0::" not in name]
        self.assertEqual(ours, [])
        for other in ("fmt::", "hwy::", "H5"):
            self.assertFalse([name for name in names if f" {other}" in name], other)
        headers = {path.name for path in self.prefix.rglob("*.hpp")}
        self.assertIn("tessera.hpp", headers)

    def test_the_python_package_finds_the_library(self):
        packages = next(self.prefix.rglob("tessera/__init__.py"), None)
        if packages is None:
            self.skipTest("this build has no Python package")
        out = run(sys.executable, "-c", "import tessera; print(tessera.sum([1, 2]), tessera.__file__)",
                  env=dict(os.environ, PYTHONPATH=str(packages.parent.parent)))
        self.assertEqual(out.split()[0], "3")
        self.assertIn(str(self.prefix), out)


if __name__ == "__main__":
    BUILD, MPIRUN = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
