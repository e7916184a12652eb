// The kind of a file that a command cannot use, by its first bytes.
#pragma once

#include <string>

namespace tessera::store {

/// The fault of a file that is not HDF5, and a remedy, for a message behind its name: "is a PNG
/// that is cut off, ...", or `otherwise`.
std::string what_else(const std::string& path, const std::string& otherwise = "not an HDF5 file");
/// The same of a file that holds no array of a known format.
std::string array_fault(const std::string& path);

}  // namespace tessera::store
