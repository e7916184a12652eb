#!/usr/bin/env bash
# The one list of Debian and Ubuntu packages that Tessera needs, by what they are needed for, and the
# way to get the missing ones. Names hold for Debian 12, Debian 13 and Ubuntu 24.04.
#
#   source tools/packages.sh; ensure_packages build tests
#   tools/packages.sh list|missing|install GROUP...        GROUP: build quick tests mpich cluster bundle package aarch64 clean_root peers

packages_build=(
  cmake ninja-build g++ pkg-config git ca-certificates python3
  libopenmpi-dev openmpi-bin libhdf5-dev libpng-dev libtiff-dev libopenexr-dev zlib1g-dev libisal-dev libdeflate-dev libhwy-dev
  liblz4-dev libzstd-dev libaec-dev
  libhwloc-dev libmpfr-dev libboost-dev libcli11-dev libtomlplusplus-dev libfmt-dev nlohmann-json3-dev opencl-c-headers
  libjs-leaflet
  pybind11-dev python3-dev # the Python package
  libgtest-dev libbenchmark-dev libblosc-dev
)
packages_quick=( # tools/test --fast
  clang libclang-rt-dev # the sanitizers that tell unsigned overflow
  libboost-context-dev # the fibers of the CUDA runtime for tests
  ocl-icd-libopencl1 pocl-opencl-icd # OpenCL on CPU cores: how the backend is tested everywhere
)
packages_tests=(
  "${packages_quick[@]}"
  python3-numpy python3-h5py python3-pil python3-tifffile openexr ffmpeg hdf5-tools pngcheck clang-tidy patchelf procps
  shellcheck
  python3-mpi4py # communicators for the Python package
  python3-websocket # the page of tessera serve, in a browser
)
# Of one version, because versions lay code out differently. Debian 13 lacks it.
if ! grep -qs '^VERSION_CODENAME=trixie' /etc/os-release; then packages_tests+=(clang-format-14); fi
# Ubuntu's browsers are snaps; without one the tests of the page in it are skipped.
if grep -qs '^ID=debian' /etc/os-release; then packages_tests+=(chromium firefox-esr); fi
packages_mpich=(mpich libmpich-dev) # the test mpi.mpich, beside Open MPI, which stays the default
packages_cluster=(slurm-wlm munge iproute2 procps) # tools/minicluster
packages_bundle=(patchelf)
packages_package=(dpkg-dev file)
packages_aarch64=(g++-aarch64-linux-gnu qemu-user-static python3-h5py python3-numpy) # tools/cross-aarch64
packages_clean_root=(mmdebstrap) # the test of the package
packages_peers=(
  python3-numpy python3-h5py python3-pandas python3-dask python3-distributed python3-numba python3-mpi4py python3-numexpr python3-joblib
  hdf5-filter-plugin bitshuffle hdf5-filter-plugin-blosc-serial # HDF5 by its own filters
)

# Names of the packages of the given groups, one a line.
packages_of() {
  local group
  for group in "$@"; do
    case $group in
      build) printf '%s\n' "${packages_build[@]}" ;;
      quick) printf '%s\n' "${packages_quick[@]}" ;;
      tests) printf '%s\n' "${packages_tests[@]}" ;;
      mpich) printf '%s\n' "${packages_mpich[@]}" ;;
      cluster) printf '%s\n' "${packages_cluster[@]}" ;;
      bundle) printf '%s\n' "${packages_bundle[@]}" ;;
      package) printf '%s\n' "${packages_package[@]}" ;;
      aarch64) printf '%s\n' "${packages_aarch64[@]}" ;;
      clean_root) printf '%s\n' "${packages_clean_root[@]}" ;;
      peers) printf '%s\n' "${packages_peers[@]}" ;;
      *)
        echo "packages.sh: no package group '$group' (there are: build quick tests mpich cluster bundle package aarch64 clean_root peers)" >&2
        return 2
        ;;
    esac
  done
}

# Those of them that are not installed, one a line.
missing_packages() {
  local wanted
  wanted=$(packages_of "$@") || return
  # dpkg-query fails when it knows nothing of a name; what it does not list as installed is missing.
  # shellcheck disable=SC2086,SC2016  # a name has no blanks; dpkg-query expands the ${...} itself
  comm -13 <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p' | sort -u) <(sort -u <<<"$wanted")
}

# Returns with everything of the groups in place, or 3 after saying what to do about it. Calls apt-get
# only when something is missing, so it needs neither root nor network on a machine that has it all.
ensure_packages() {
  local names missing
  names=$(packages_of "$@") || return
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    {
      echo "This machine has no apt-get. Please install what these Debian packages hold,"
      echo "then run: cmake --preset release && cmake --build --preset release"
      sort -u <<<"$names" | paste -sd ' ' | fold -s -w 96 | sed 's/^/  /'
    } >&2
    return 3
  fi
  missing=$(missing_packages "$@") || return
  [ -n "$missing" ] || return 0
  missing=${missing//$'\n'/ }
  if [ "$(id -u)" != 0 ]; then
    echo "Packages are missing. Please run this line, then the same command again:" >&2
    echo "sudo apt-get install --no-install-recommends $missing" >&2
    return 3
  fi
  echo "== installing: $missing"
  # shellcheck disable=SC2086
  if ! apt_get update -qq || ! apt_get install -y -qq --no-install-recommends $missing; then
    echo "apt-get could not install: $missing" >&2
    return 3
  fi
}

# Waits for another apt rather than failing beside it, and asks no questions.
apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  command=${1:-}
  shift || true
  case $command in
    list) packages_of "$@" | sort -u ;;
    missing) missing_packages "$@" ;;
    install) ensure_packages "$@" ;;
    *)
      sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
fi
