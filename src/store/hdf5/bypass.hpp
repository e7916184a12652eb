// Decides which datasets are read without HDF5. This is a list of known cases; H5Dread reads
// everything else. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>

#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// The offset of a contiguous dataset in its file; nothing if H5Dread must read it.
std::optional<std::uint64_t> stretch_offset(const Hdf5Dataset& data);

/// Positions of the two filters in the pipeline; -1 = not in it.
struct Pipeline {
  int shuffle = -1;
  int deflate = -1;
};

/// The filters of a dataset whose chunks can be fetched one by one; nothing if H5Dread must read
/// it.
std::optional<Pipeline> chunk_pipeline(const Hdf5Dataset& data);

}  // namespace tessera::store
