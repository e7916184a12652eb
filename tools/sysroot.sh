# shellcheck shell=bash
# Other systems to compile for, as folders: source tools/sysroot.sh. Takes mmdebstrap and a mirror of Debian.
#
#   make_sysroot ROOT SUITE ARCHITECTURE PACKAGE...   unpacks packages, and runs nothing of theirs
#   write_toolchain ROOT PROCESSOR TRIPLET C++COMPILER [LINE...]   ROOT/toolchain.cmake
#   use_sysroot ROOT TRIPLET                          pkg-config finds what is in ROOT

# shellcheck disable=SC2034  # for those who source this
# What Tessera is compiled with, but for headers that older releases lack.
sysroot_packages=(
  libc6-dev libopenmpi-dev libpng-dev zlib1g-dev libisal-dev libdeflate-dev liblz4-dev libzstd-dev libaec-dev libhwloc-dev libmpfr-dev
  libboost-dev opencl-c-headers libjs-leaflet
)

make_sysroot() {
  local root=$1 suite=$2 architecture=$3 link to packages
  shift 3
  [ ! -e "$root/packages" ] || [ "$(cat "$root/packages")" != "$*" ] || return 0
  command -v mmdebstrap >/dev/null || { echo "sysroot: mmdebstrap is missing: tools/packages.sh install clean_root" >&2; return 3; }
  echo "== $suite, $architecture, as a folder: $root"
  rm -rf "$root"
  packages=$*
  if ! mmdebstrap --quiet --variant=extract --architectures="$architecture" --include="${packages// /,}" "$suite" "$root"; then
    echo "sysroot: no $suite of $architecture here" >&2
    return 3
  fi
  # Absolute links lead out of the folder.
  find "$root" -type l -lname '/*' | while read -r link; do
    to=$(readlink "$link")
    ln -sfnr "$root$to" "$link"
  done
  echo "$*" >"$root/packages"
}

write_toolchain() {
  local root=$1 processor=$2 triplet=$3 cxx=$4
  shift 4
  cat >"$root/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $processor)
set(CMAKE_C_COMPILER ${cxx/g++/gcc})
set(CMAKE_CXX_COMPILER $cxx)
set(CMAKE_SYSROOT $root)
set(CMAKE_LIBRARY_ARCHITECTURE $triplet)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Open MPI's own names for its folders: its mpicc is a program of that system.
set(MPI_C_SKIP_MPICXX ON)
set(MPI_SKIP_COMPILER_WRAPPER ON)
set(MPI_C_HEADER_DIR $root/usr/lib/$triplet/openmpi/include CACHE PATH "")
set(MPI_C_LIB_NAMES mpi CACHE STRING "")
set(MPI_mpi_LIBRARY $root/usr/lib/$triplet/openmpi/lib/libmpi.so CACHE FILEPATH "")
$(printf '%s\n' "$@")
END
}

use_sysroot() {
  export PKG_CONFIG_SYSROOT_DIR=$1 PKG_CONFIG_LIBDIR=$1/usr/lib/$2/pkgconfig:$1/usr/share/pkgconfig
}
