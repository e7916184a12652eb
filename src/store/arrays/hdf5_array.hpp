// Datasets of HDF5 files, each read in the fastest way that it allows. Private to store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/array_source.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::store {

/// A contiguous dataset is read without HDF5. Chunks that are stored plain, or with shuffle and
/// deflate, are returned as stored. Everything else is read by H5Dread, one thread at a time.
std::unique_ptr<ArraySource> open_hdf5_array(const job::ArrayInput& input,
                                             std::int64_t piece_bytes);

/// As ArrayFiles::create: one dataset for each array, and the attributes at the root.
std::vector<std::uint64_t> create_hdf5_arrays(const std::string& path,
                                              const std::vector<WrittenArray>& arrays,
                                              const Attributes& attributes);

}  // namespace tessera::store
