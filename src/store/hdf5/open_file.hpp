// Opens HDF5 files for reading. Private to this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// Checks a file without HDF5, for a one-line error: missing error if it does not exist, usage
/// error if it cannot be read or is not HDF5.
void check_readable_hdf5(const std::string& path);

/// Opens a file for reading and never writes to it. A finished file opens normally. A file that is
/// being written, or whose writer was killed, opens only in SWMR read mode. A file whose writer was
/// killed within finish() opens only if the mark "open for writing" is ignored. Throws a usage
/// error if all three fail.
Handle open_hdf5(const CheckedCall& h5);

/// The same for a file that nobody is writing: damaged metadata are not read repeatedly.
Handle open_settled_hdf5(const CheckedCall& h5);

/// Opens a file as HDF5 itself opens the files that `from` refers to.
Handle open_as_hdf5_would(const CheckedCall& h5, const Handle& from);

}  // namespace tessera::store
