// Reads chunks as they are stored; the caller inflates them. Private to this folder.
#pragma once

#include <memory>

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Null if the dataset has no chunk_filters(), or if its chunks are too large to be held whole.
/// `data` is then unchanged.
std::unique_ptr<ArraySource> open_hdf5_chunks(Hdf5Dataset& data);

}  // namespace tessera::store
