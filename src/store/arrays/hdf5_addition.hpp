// Puts arrays into an HDF5 file that others are in, without a moment at which one of them is at
// risk: the file is copied, the copy gets the arrays, and a rename gives it the name.
#pragma once

#include <string>
#include <vector>

#include "base/file/file_stamp.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::store {

/// Whether `path` is a file with other contents that the arrays would join. Throws a usage error if
/// it is no HDF5 file, or if an array would replace a group or lie in a dataset.
bool joins_others(const std::string& path, const std::vector<WrittenArray>& arrays);

/// Copies the file `there` to the existing, empty file `copy`, and the arrays from the file `part`
/// into that. Its attributes become theirs. Returns the stamp of what was copied. Throws
/// base::Error (failed) if `there` changes meanwhile.
base::FileStamp join_others(const std::string& there, const std::string& part,
                            const std::vector<WrittenArray>& arrays, const std::string& copy);

}  // namespace tessera::store
