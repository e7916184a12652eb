// What a file is that is not what a command needs, by its first bytes.
#pragma once

#include <string>

namespace tessera::store {

/// What is wrong with a file that is not HDF5, and what would be right, for a message behind its
/// name: "is a PNG that is cut off, ...", or "not an HDF5 file".
std::string what_else(const std::string& path);

}  // namespace tessera::store
