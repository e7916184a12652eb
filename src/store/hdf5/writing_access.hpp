// How HDF5 files are opened that a later run resumes with. Private to this folder.
#pragma once

#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// The access properties for writing. `ignore_open_marks`: also opens files that a killed writer
/// left.
Handle writing_access(const CheckedCall& h5, bool ignore_open_marks);

}  // namespace tessera::store
