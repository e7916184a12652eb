// Chunks as they are stored, for others to inflate. Private to this room.
#pragma once

#include <memory>

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Null if the dataset has no chunk_pipeline(), or its chunks are too large to be held whole: then
/// it is left as it was.
std::unique_ptr<ArraySource> open_hdf5_chunks(Hdf5Dataset& data);

}  // namespace tessera::store
