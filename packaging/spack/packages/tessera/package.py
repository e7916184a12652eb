# From a checkout: spack repo add packaging/spack; spack dev-build tessera@0.3.0
from spack.package import *


class Tessera(CMakePackage, CudaPackage):
    """Renders escape-time fractals of any size, and reduces arrays of any size exactly, on cores, GPUs and clusters. Every
    device computes the same bits, and a run that was stopped resumes."""

    license("Apache-2.0")

    version("0.3.0")

    variant("opencl", default=True, description="OpenCL backend; its loader is opened when the program runs")
    variant("pages", default=True, description="serve, explore and --serve: web pages, which contain Leaflet")
    variant("tiff", default=True, description="Read and write TIFF")
    variant("exr", default=True, description="Write EXR")
    variant("python", default=False, description="The package tessera for Python")

    resource(
        name="leaflet",
        url="https://registry.npmjs.org/leaflet/-/leaflet-1.9.4.tgz",
        sha256="84c65a256e50657896f54c33bd857b6849ebe94c817803be818bf32a3dde0b77",
        placement="leaflet",
        when="+pages",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("boost@1.74:")
    depends_on("fmt@9:")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.9:")
    depends_on("tomlplusplus@3.3:")
    depends_on("highway@1.0.3:")
    depends_on("hwloc@2.4:")
    depends_on("mpfr@4.1:")
    depends_on("isa-l@2.30:")
    depends_on("libdeflate@1.7:")
    depends_on("hdf5@1.10.5:")
    depends_on("libpng@1.6:")
    depends_on("zlib-api")
    depends_on("zstd@1.4:")
    depends_on("lz4@1.9:")
    depends_on("libaec@1.0:")
    depends_on("libtiff@4.5:", when="+tiff")
    depends_on("openexr@3.1:", when="+exr")
    depends_on("opencl-c-headers", when="+opencl")
    depends_on("python@3.11:", when="+python")
    depends_on("py-pybind11", when="+python", type="build")
    depends_on("py-numpy", when="+python", type=("build", "run"))

    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define("TESSERA_BENCHMARKS", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("TESSERA_CUDA", "ON" if "+cuda" in self.spec else "OFF"),
            self.define("TESSERA_OPENCL", "ON" if "+opencl" in self.spec else "OFF"),
            self.define("TESSERA_TIFF", "ON" if "+tiff" in self.spec else "OFF"),
            self.define("TESSERA_EXR", "ON" if "+exr" in self.spec else "OFF"),
            self.define("TESSERA_PAGES", "ON" if "+pages" in self.spec else "OFF"),
            self.define("TESSERA_PYTHON_PACKAGE", "ON" if "+python" in self.spec else "OFF"),
        ]
        if "+pages" in self.spec:
            args.append(self.define("LEAFLET_DIR", join_path(self.stage.source_path, "leaflet", "package", "dist")))
        if "+cuda" in self.spec and "none" not in self.spec.variants["cuda_arch"].value:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
