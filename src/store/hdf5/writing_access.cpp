#include "store/hdf5/writing_access.hpp"

#include <cstddef>

namespace tessera::store {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Enlarges the cache for the chunk index. Tiles come in any order, and with HDF5's default of 2
/// MiB, a million of them in random order takes five times as long. This is an upper bound: a file
/// with a small index uses no more memory than that index.
void set_metadata_cache(const CheckedCall& h5, const Handle& access) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  h5("H5Pget_mdc_config", H5Pget_mdc_config, access.id(), &cache);
  cache.set_initial_size = true;
  cache.initial_size = 64 * kMebibyte;
  cache.min_size = 64 * kMebibyte;
  cache.max_size = 128 * kMebibyte;
  cache.decr_mode = H5C_decr__off;
  h5("H5Pset_mdc_config", H5Pset_mdc_config, access.id(), &cache);
}

}  // namespace

Handle writing_access(const CheckedCall& h5, bool ignore_open_marks) {
  Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  // The newest format that HDF5 1.10 reads. It has the fixed-array index and SWMR.
  h5("H5Pset_libver_bounds", H5Pset_libver_bounds, access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  // A reader's lock must not keep the run from finishing, and some cluster file systems have no
  // locks. base::FileLock keeps two writers apart; each creates its own file.
  h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
  // Each chunk is then appended to the file, so the log of an image knows its address.
  h5("H5Pset_small_data_block_size", H5Pset_small_data_block_size, access.id(), hsize_t{0});
  if (ignore_open_marks) {
    const hbool_t yes = true;
    h5("H5Pset", H5Pset, access.id(), "clear_status_flags", &yes);
  }
  // Nobody else changes the file, so damaged metadata are not read repeatedly.
  h5("H5Pset_metadata_read_attempts", H5Pset_metadata_read_attempts, access.id(), 1U);
  set_metadata_cache(h5, access);
  return access;
}

}  // namespace tessera::store
