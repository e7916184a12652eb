// Datasets of an HDF5 file in chunks, written as their stored bytes. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/arrays/written_array.hpp"
#include "store/arrays/written_chunks.hpp"

namespace tessera::store {

/// Opens `part`, which create_hdf5_arrays() made, also after its writer was killed. The file is in
/// SWMR mode, so that a killed run leaves one that the next run can open. Any thread may call every
/// member. Members throw base::Error (failed) naming the file.
std::unique_ptr<WrittenChunks> open_chunked_arrays(const std::string& part,
                                                   const std::vector<WrittenArray>& arrays);

}  // namespace tessera::store
