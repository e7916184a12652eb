# Every library of the project, found once. docs/install.md, "Libraries", says what each is for; tools/packages.sh lists
# Debian's packages that hold them.
include(TesseraFind)
# What may be left out: AUTO takes it if it is there, ON insists on it, OFF does not look.
foreach(switch TESSERA_ZSTD TESSERA_LZ4 TESSERA_AEC TESSERA_TIFF TESSERA_EXR TESSERA_OPENCL TESSERA_PAGES)
  set(${switch} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE ${switch} PROPERTY STRINGS AUTO ON OFF)
endforeach()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
tessera_package(MPI 3.1 COMPONENTS C)
tessera_package(Boost 1.74) # headers: Multiprecision, Beast
tessera_package(fmt 9)
tessera_package(CLI11 2.1)
tessera_package(nlohmann_json 3.9)
tessera_package(PNG 1.6)
tessera_package(ZLIB 1.2)
tessera_find(TOMLPP LEAST 3.3 PACKAGE tomlplusplus TARGET tomlplusplus::tomlplusplus HEADER toml++/toml.h)
tessera_find(HWLOC LEAST 2.4 PC hwloc HEADER hwloc.h LIBRARY hwloc)
tessera_find(MPFR LEAST 4.1 PC mpfr HEADER mpfr.h LIBRARY mpfr)
tessera_find(HWY LEAST 1.0.3 PC libhwy HEADER hwy/highway.h LIBRARY hwy)
tessera_find(ISAL LEAST 2.30 PC libisal HEADER isa-l/igzip_lib.h LIBRARY isal)
tessera_find(DEFLATE LEAST 1.7 PC libdeflate HEADER libdeflate.h LIBRARY deflate)
include(TesseraHdf5)

tessera_find(ZSTD LEAST 1.4 PC libzstd HEADER zstd.h LIBRARY zstd WITHOUT "reading zstd")
tessera_find(LZ4 LEAST 1.9 PC liblz4 HEADER lz4.h LIBRARY lz4 WITHOUT "reading LZ4")
tessera_find(AEC LEAST 1.0 HEADER libaec.h LIBRARY aec WITHOUT "reading szip")
tessera_find(TIFF LEAST 4.5 PACKAGE TIFF TARGET TIFF::TIFF HEADER tiffio.h LIBRARY tiff WITHOUT "TIFF")
# Debian's CMake package of OpenEXR wants a package of Python, too.
tessera_find(EXR LEAST 3.1 PC OpenEXR PACKAGE OpenEXR TARGET OpenEXR::OpenEXR HEADER OpenEXR/ImfOutputFile.h LIBRARY OpenEXR
             WITHOUT "writing EXR")
tessera_find(OPENCL LEAST 2.0 HEADER CL/cl.h WITHOUT "the OpenCL backend")

# Leaflet, of which the pages are made, in a folder with leaflet.js: LEAFLET_DIR, Debian's, or npm's.
set(folders "")
foreach(prefix IN LISTS CMAKE_PREFIX_PATH CMAKE_SYSTEM_PREFIX_PATH)
  foreach(folder share/javascript/leaflet share/leaflet lib/node_modules/leaflet/dist node_modules/leaflet/dist package/dist)
    list(APPEND folders ${prefix}/${folder})
  endforeach()
endforeach()
find_path(LEAFLET_DIR NAMES leaflet.css PATHS ${folders} NO_DEFAULT_PATH DOC "Folder with leaflet.js (npm's package: dist)")
set(TESSERA_HAS_PAGES FALSE)
if(LEAFLET_DIR AND NOT TESSERA_PAGES STREQUAL "OFF")
  # Debian keeps the small one under another name; npm's leaflet.js is small.
  find_file(LEAFLET_SCRIPT NAMES leaflet.min.js leaflet.js PATHS ${LEAFLET_DIR} NO_DEFAULT_PATH)
  find_file(LEAFLET_LICENCE NAMES LICENSE copyright PATHS ${LEAFLET_DIR} ${LEAFLET_DIR}/.. ${LEAFLET_DIR}/../../doc/libjs-leaflet
            NO_DEFAULT_PATH)
  mark_as_advanced(LEAFLET_SCRIPT LEAFLET_LICENCE)
  if(LEAFLET_SCRIPT)
    set(TESSERA_HAS_PAGES TRUE)
  endif()
endif()
if(NOT TESSERA_HAS_PAGES)
  tessera_leave_out(PAGES "web pages")
endif()

if(BUILD_TESTING) # what tests encode with
  tessera_find(BLOSC LEAST 1.20 PC blosc HEADER blosc.h LIBRARY blosc)
  tessera_find(SZ LEAST 2 HEADER szlib.h LIBRARY sz)
endif()
tessera_check_found()

# One set of vectors on ARM, that of the compiler: GCC gives the constructors that it makes for structs no set of their own, so
# that those of a better one cannot be called there. Every server has the instructions for AES that Highway's NEON includes.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_compile_definitions(lib::HWY INTERFACE HWY_COMPILE_ONLY_STATIC)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-m(arch|cpu)=")
    target_compile_options(lib::HWY INTERFACE -march=armv8-a+crypto)
  endif()
endif()

# How tests start ranks: more than there are cores, and none bound to one of them.
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE tessera_mpiexec ERROR_VARIABLE tessera_mpiexec)
set(TESSERA_MPIEXEC_OPTIONS "")
if(tessera_mpiexec MATCHES "Open MPI|OpenRTE|prte")
  set(TESSERA_MPIEXEC_OPTIONS --oversubscribe --bind-to none)
endif()
