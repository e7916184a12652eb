// Datasets of HDF5 files, each read in the fastest way that it allows. Private to this room.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::store {

/// What lies in one stretch is read past HDF5; chunks with shuffle and deflate, or neither, come as
/// they are stored; everything else, whatever it is, through H5Dread by one thread at a time.
std::unique_ptr<ArraySource> open_hdf5_array(const job::ArrayInput& input,
                                             std::int64_t piece_bytes);

}  // namespace tessera::store
