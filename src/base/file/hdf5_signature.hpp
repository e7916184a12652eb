// Knows HDF5 files by their beginning, whatever their names.
#pragma once

#include <istream>
#include <string>

namespace tessera::base {

/// Looks at the start and after a user block of 512 bytes, 1 KiB, 2 KiB, ...
bool has_hdf5_signature(std::istream& file);
/// False if there is no such file, or if it cannot be read.
bool has_hdf5_signature(const std::string& path);

}  // namespace tessera::base
