// How files that are read are opened. Private to this room.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// One line about a file that HDF5 need not even be asked about: missing error if it is not there,
/// usage error if it cannot be read or is not HDF5.
void check_readable_hdf5(const std::string& path);

/// A finished file opens plainly; one that is being written, or whose writer was killed, only as a
/// concurrent reader; one whose writer was killed in the middle of finish() only if the mark "open
/// for writing" is ignored. None of the three writes to the file. Usage
/// error if none of them does it.
Handle open_hdf5(const CheckedCall& h5);

/// The same for a file that nobody is writing: what is damaged is not read again and again.
Handle open_settled_hdf5(const CheckedCall& h5);

}  // namespace tessera::store
