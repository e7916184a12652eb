"""The configure step: libraries that are missing, left out, or found in another way than on the machine of the build.

usage: configure_test.py SOURCE_FOLDER"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = os.path.abspath(sys.argv.pop(1))
OPTIONAL = {"ZSTD": "reading zstd", "LZ4": "reading LZ4", "AEC": "reading szip", "TIFF": "TIFF", "EXR": "writing EXR",
            "OPENCL": "the OpenCL backend", "PAGES": "web pages"}
# With an empty PKG_CONFIG_LIBDIR: forgets what pkg-config found.
NO_PC = ("-UTESSERA_PC_*", "-U*pkg_config_checked*")
REQUIRED = ("fmt", "CLI11", "nlohmann_json", "PNG", "ZLIB", "Boost")


class Configure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tessera configure ")
        cls.addClassCleanup(scratch.cleanup)
        cls.build = Path(scratch.name, "build")
        cls.empty = Path(scratch.name, "empty")
        cls.empty.mkdir()
        done = cls.configure("-DBUILD_TESTING=OFF", "-DTESSERA_BENCHMARKS=OFF", "-DTESSERA_CUDA=OFF",
                             "-DTESSERA_PYTHON_PACKAGE=OFF", "-DCMAKE_BUILD_TYPE=Release")
        assert done.returncode == 0, done.stderr
        cls.cache = (cls.build / "CMakeCache.txt").read_bytes()

    def setUp(self):
        (self.build / "CMakeCache.txt").write_bytes(self.cache)

    @classmethod
    def configure(cls, *options, **environment):
        return subprocess.run(["cmake", "-S", SOURCE, "-B", cls.build, "-G", "Ninja", *options], capture_output=True, text=True,
                              env={**os.environ, **environment})

    def ninja(self):
        return (self.build / "build.ninja").read_text()

    def test_each_optional_library_may_be_left_out(self):
        done = self.configure(*[f"-DTESSERA_{name}=OFF" for name in OPTIONAL])
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, what in OPTIONAL.items():
            self.assertIn(f"Left out: {what} (TESSERA_{name}=OFF)", done.stdout)
        made = self.ninja()
        for source in ("codec/absent/zstd.cpp", "codec/absent/lz4.cpp", "codec/absent/szip.cpp", "tiff/absent/tiff_file.cpp",
                       "tiff/absent/tiff_picture.cpp", "exr/absent/exr_picture.cpp"):
            self.assertIn(source, made)
        for trace in ("device_opencl", "leaflet", "-lzstd", "libzstd", "liblz4", "libaec", "libtiff", "OpenEXR"):
            self.assertNotIn(trace, made)

    def test_one_that_is_missing_is_no_error_unless_it_is_insisted_on(self):
        hidden = ["-DTESSERA_OPENCL_HEADERS=OFF", "-DTESSERA_AEC_HEADERS=OFF", "-DLEAFLET_DIR=OFF"]
        done = self.configure(*hidden)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("OPENCL", "AEC", "PAGES"):
            self.assertIn(f"{name} was not found", done.stdout)
        done = self.configure(*hidden, "-DTESSERA_OPENCL=ON", "-DTESSERA_PAGES=ON")
        self.assertEqual(done.returncode, 1)
        self.assertIn("TESSERA_OPENCL=ON insists on that", done.stderr)
        self.assertIn("TESSERA_PAGES=ON insists on that", done.stderr)

    def test_all_that_are_missing_are_named_at_once(self):
        done = self.configure(*[f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=TRUE" for name in REQUIRED],
                              "-DTESSERA_MPFR_HEADERS=OFF", *NO_PC, PKG_CONFIG_LIBDIR=str(self.empty))
        self.assertEqual(done.returncode, 1)
        for name in (*REQUIRED, "MPFR"):
            self.assertRegex(done.stderr, rf"\n +{name} [0-9.]+: no ")
        self.assertIn("docs/install.md", done.stderr)

    def test_without_pc_files_headers_and_libraries_do(self):
        done = self.configure(*NO_PC, PKG_CONFIG_LIBDIR=str(self.empty))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Left out", done.stdout)
        self.assertIn("HDF5 1.", done.stdout)
        self.assertIn("TESSERA_HWLOC_LIBRARY:FILEPATH=/", (self.build / "CMakeCache.txt").read_text())

    def test_leaflet_under_the_name_of_its_authors(self):
        package = self.empty / "package" / "dist"
        package.mkdir(parents=True)
        for name in ("leaflet.js", "leaflet.css"):
            (package / name).write_text("/* */")
        (self.empty / "package" / "LICENSE").write_text("BSD")
        done = self.configure("-ULEAFLET_*", f"-DLEAFLET_DIR={package}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(str(package / "leaflet.js").replace(" ", "$ "), self.ninja())

    def test_tests_want_all_libraries(self):
        done = self.configure("-DBUILD_TESTING=ON", "-DTESSERA_LZ4=OFF")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Left out: reading LZ4 (TESSERA_LZ4=OFF), and the tests use that", done.stderr)


if __name__ == "__main__":
    unittest.main()
