// Groups of Zarr version 3 that are written. Private to store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/written_array.hpp"
#include "store/arrays/written_chunks.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// As ArrayFiles has them. `folder` is there; what has no elements and no chunks of its own is
/// complete with it. Throws a usage error for a name that no array of Zarr can have.
std::vector<std::uint64_t> create_zarr_arrays(const std::string& folder,
                                              const std::vector<WrittenArray>& arrays,
                                              const Attributes& attributes);
std::string zarr_element_file(const std::string& folder, const WrittenArray& array);
std::uint32_t checksum_zarr_head(const std::string& folder,
                                 const std::vector<WrittenArray>& arrays);
std::unique_ptr<WrittenChunks> open_zarr_chunks(const std::string& folder,
                                                const std::vector<WrittenArray>& arrays);

}  // namespace tessera::store
