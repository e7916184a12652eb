#include "store/hdf5/open_file.hpp"

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/file/hdf5_signature.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/user_path.hpp"
#include "store/file_kind.hpp"

namespace tessera::store {

namespace {

/// A concurrent reader may find half-written metadata; HDF5 then tries again after 1 ns, 2 ns, 4
/// ns, ... With its default of 100 attempts, a damaged file would never return; 28 attempts take an
/// eighth of a second.
constexpr unsigned kReadAttempts = 28;
constexpr unsigned kOneAttempt = 1;

Handle open_with(const CheckedCall& h5, unsigned flags, const Handle& access) {
  return Handle(h5("H5Fopen", H5Fopen, h5.file().c_str(), flags, access.id()));
}

/// A file that this process has open already is opened with the same locks, usually HDF5's own.
/// Some cluster file systems have no locks, and a writer's lock need not keep readers away.
Handle open_as(const CheckedCall& h5, unsigned flags, bool ignore_open_marks, unsigned attempts) {
  const Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  h5("H5Pset_metadata_read_attempts", H5Pset_metadata_read_attempts, access.id(), attempts);
  if (ignore_open_marks) {
    const hbool_t yes = true;
    h5("H5Pset", H5Pset, access.id(), "clear_status_flags", &yes);
  }
  try {
    return open_with(h5, flags, access);
  } catch (const base::Error& error) {
    if (std::string_view(error.what()).find("lock") == std::string_view::npos) throw;
    h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
    return open_with(h5, flags, access);
  }
}

Handle open_somehow(const CheckedCall& h5, unsigned attempts) {
  try {
    return open_as(h5, H5F_ACC_RDONLY, false, attempts);
  } catch (const base::Error& plain) {
    for (const bool ignore_marks : {false, true}) {
      try {
        const unsigned flags = ignore_marks ? H5F_ACC_RDONLY : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
        return open_as(h5, flags, ignore_marks, attempts);
      } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): try the next way
      }
    }
    throw base::usage_error("{}", plain.what());
  }
}

}  // namespace

void check_readable_hdf5(const std::string& path) {
  if (!base::exists(path)) {
    if (base::is_url(path)) throw base::url_error(path);
    throw base::no_such_file(path);
  }
  if (!base::is_regular(path)) throw base::usage_error("{}: is not a file", path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw base::usage_error("{}: cannot be read: {}", path, std::generic_category().message(errno));
  }
  if (!base::has_hdf5_signature(file)) throw base::usage_error("{}: {}", path, what_else(path));
}

Handle open_as_hdf5_would(const CheckedCall& h5, const Handle& from) {
  unsigned intent = 0;
  h5("H5Fget_intent", H5Fget_intent, from.id(), &intent);
  const Handle access(h5("H5Fget_access_plist", H5Fget_access_plist, from.id()));
  return Handle(h5("H5Fopen", H5Fopen, h5.file().c_str(), intent, access.id()));
}

Handle open_hdf5(const CheckedCall& h5) {
  return open_somehow(h5, kReadAttempts);
}

Handle open_settled_hdf5(const CheckedCall& h5) {
  return open_somehow(h5, kOneAttempt);
}

}  // namespace tessera::store
