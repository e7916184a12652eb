// Which datasets are read past HDF5. A list of what is allowed: whatever is not on it goes through
// H5Dread, which knows best. Private to this room.
#pragma once

#include <cstdint>
#include <optional>

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// Where a contiguous dataset lies in its file; nothing if it must be read through H5Dread.
std::optional<std::uint64_t> stretch_offset(const Hdf5Dataset& data);

/// Places of the two filters in the pipeline; -1 = not in it.
struct Pipeline {
  int shuffle = -1;
  int deflate = -1;
};

/// The filters of a dataset whose single chunks can be asked for; nothing if it must be read
/// through H5Dread.
std::optional<Pipeline> chunk_pipeline(const Hdf5Dataset& data);

}  // namespace tessera::store
