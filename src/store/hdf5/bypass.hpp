// Decides which datasets are read without HDF5. This is a list of known cases; H5Dread reads
// everything else. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>

#include "codec/chunk.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// The offset of a contiguous dataset in its file; nothing if H5Dread must read it.
std::optional<std::uint64_t> stretch_offset(const Hdf5Dataset& data);

/// The filters of a dataset whose chunks can be fetched one by one; nothing if H5Dread must read
/// it.
std::optional<codec::Filters> chunk_filters(const Hdf5Dataset& data);

}  // namespace tessera::store
