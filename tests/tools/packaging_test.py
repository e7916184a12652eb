"""packaging/: the recipes are of this version, and want the libraries that CMake wants.

usage: packaging_test.py SOURCE_FOLDER"""

import re
import sys
import types
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))
# CMake's names, as Spack and EasyBuild have them.
SPACK = {"MPI": "mpi", "Boost": "boost", "fmt": "fmt", "CLI11": "cli11", "nlohmann_json": "nlohmann-json", "PNG": "libpng",
         "ZLIB": "zlib-api", "TOMLPP": "tomlplusplus", "HWLOC": "hwloc", "MPFR": "mpfr", "HWY": "highway", "ISAL": "isa-l",
         "DEFLATE": "libdeflate", "HDF5": "hdf5", "ZSTD": "zstd", "LZ4": "lz4", "AEC": "libaec", "TIFF": "libtiff", "EXR": "openexr",
         "OPENCL": "opencl-c-headers"}
EASYBUILD = {"Boost": "Boost", "fmt": "fmt", "CLI11": "CLI11", "nlohmann_json": "nlohmann_json", "PNG": "libpng", "ZLIB": "zlib",
             "TOMLPP": "tomlplusplus", "HWLOC": "hwloc", "MPFR": "MPFR", "HWY": "Highway", "ISAL": "ISA-L",
             "DEFLATE": "libdeflate", "HDF5": "HDF5", "ZSTD": "zstd", "LZ4": "lz4", "AEC": "libaec", "TIFF": "LibTIFF",
             "EXR": "OpenEXR"}
# What CMake takes without a version, and versions that only count for others.
ANY_VERSION = {"mpi", "zlib-api", "opencl-c-headers"}


def wanted():
    """Library to least version, as CMake has them."""
    lists = (SOURCE / "cmake/TesseraDependencies.cmake").read_text() + (SOURCE / "cmake/TesseraHdf5.cmake").read_text()
    lists = lists.partition("if(BUILD_TESTING)")[0] + lists.partition("tessera_check_found()")[2]
    found = dict(re.findall(r"tessera_package\((\w+) ([0-9.]+)", lists))
    found.update(re.findall(r"tessera_find\((\w+) LEAST ([0-9.]+)", lists))
    found.update(re.findall(r"find_package\((HDF5) ([0-9.]+)", lists))
    return found


def numbers(version):
    return [int(part) for part in version.split(".")]


def version():
    return re.search(r"project\(tessera VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def spack_recipe():
    """What the recipe's directives were called with."""
    said = {}

    def directive(name):
        return lambda *arguments, **options: said.setdefault(name, []).append((arguments, options))

    names = {name: directive(name) for name in ("license", "version", "variant", "resource", "depends_on", "conflicts", "generator")}
    text = (SOURCE / "packaging/spack/packages/tessera/package.py").read_text()
    exec(compile(text.replace("from spack.package import *", ""), "package.py", "exec"),
         {**names, **{base: types.new_class(base) for base in ("CMakePackage", "CudaPackage")}})
    return said


def easybuild_recipe():
    [file] = (SOURCE / "packaging/easybuild").glob("*.eb")
    recipe = {}
    exec(compile(file.read_text(), file.name, "exec"), recipe)
    return file.name, recipe


class Packaging(unittest.TestCase):
    def test_spack_wants_what_cmake_wants(self):
        said = spack_recipe()
        self.assertEqual([arguments[0] for arguments, _ in said["version"]], [version()])
        found = dict(re.fullmatch(r"([\w-]+)(?:@([0-9.]+):)?", arguments[0]).groups() for arguments, _ in said["depends_on"])
        for name, least in wanted().items():
            self.assertIn(SPACK[name], found)
            if SPACK[name] not in ANY_VERSION:
                self.assertEqual(found[SPACK[name]], least, name)

    def test_easybuild_has_what_cmake_wants(self):
        name, recipe = easybuild_recipe()
        chain = recipe["toolchain"]
        self.assertEqual(name, f"Tessera-{version()}-{chain['name']}-{chain['version']}.eb")
        self.assertEqual(recipe["version"], version())
        found = dict(recipe["dependencies"] + recipe["builddependencies"])
        for library, least in wanted().items():
            if library in EASYBUILD:
                self.assertGreaterEqual(numbers(found[EASYBUILD[library]]), numbers(least), library)
        self.assertEqual(len(recipe["sources"]), len(recipe["checksums"]))

    def test_both_take_the_same_leaflet(self):
        [(_, resource)] = spack_recipe()["resource"]
        _, recipe = easybuild_recipe()
        self.assertTrue(resource["url"].endswith(recipe["sources"][1]["filename"]))
        self.assertEqual(resource["sha256"], recipe["checksums"][1])

    def test_options_of_the_recipes_exist(self):
        lists = "".join(path.read_text() for path in (*SOURCE.glob("cmake/*.cmake"), SOURCE / "CMakeLists.txt",
                                                      SOURCE / "python/CMakeLists.txt"))
        texts = "".join(path.read_text() for path in (SOURCE / "packaging").rglob("*") if path.is_file())
        for option in set(re.findall(r"\bTESSERA_[A-Z_]+", texts)):
            self.assertRegex(lists, rf"\b{option}\b")

    def test_containers_copy_and_run_what_is_there(self):
        for file in ("container/Containerfile", "apptainer/tessera.def"):
            text = (SOURCE / "packaging" / file).read_text()
            for tool in set(re.findall(r"\btools/[\w-]+", text)):
                self.assertTrue((SOURCE / tool).exists(), tool)


if __name__ == "__main__":
    unittest.main()
