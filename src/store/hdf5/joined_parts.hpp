// Parts that an image joins (store/image/parts.hpp), when it is read like any virtual dataset.
// Private to this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// Throws a run error if the file `joined` is an image in parts, and the file `source` at `path` is
/// not that part of it which its name says. HDF5 would take any file of that name, also one in the
/// current folder.
void check_part(const CheckedCall& h5, const Handle& joined, const Handle& source,
                const std::string& path);

}  // namespace tessera::store
