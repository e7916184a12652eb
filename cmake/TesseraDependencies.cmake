# Every library of the project, found once. tools/packages.sh lists the packages that hold them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
find_package(Boost 1.74 REQUIRED) # headers: Multiprecision, Beast
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)
find_package(TIFF 4.5 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_library(TESSERA_AEC_LIBRARY aec REQUIRED) # Debian's has no .pc file
if(BUILD_TESTING) # what tests encode with
  pkg_check_modules(BLOSC REQUIRED IMPORTED_TARGET blosc)
  find_library(TESSERA_SZ_LIBRARY sz REQUIRED)
endif()
pkg_check_modules(TOMLPP REQUIRED IMPORTED_TARGET tomlplusplus)

# A distribution's shared HDF5 reads from web servers too, and so brings libcurl, Kerberos and LDAP along:
# thirty libraries that no picture needs. Its archive, of which only what is used is linked, brings libsz.
option(TESSERA_STATIC_HDF5 "Link HDF5's archive instead of its shared library (tools/bundle does)" OFF)
if(TESSERA_STATIC_HDF5)
  find_library(TESSERA_HDF5_ARCHIVE libhdf5.a HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
  find_library(TESSERA_SZ_LIBRARY sz REQUIRED)
  set_property(
    TARGET PkgConfig::HDF5
    PROPERTY INTERFACE_LINK_LIBRARIES ${TESSERA_HDF5_ARCHIVE} ${TESSERA_SZ_LIBRARY} ZLIB::ZLIB
             ${CMAKE_DL_LIBS} m)
endif()
