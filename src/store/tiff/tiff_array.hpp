// The pages of a TIFF file as an array. Private to store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/array_source.hpp"
#include "store/formats/path_head.hpp"

namespace tessera::store {

/// TIFF and BigTIFF.
bool is_tiff(const PathHead& head);
/// Pages x rows x columns x samples, without pages or samples where there is one; planes of samples
/// lie before the rows. FILE.tif:/3 is one page. Every thread decodes by a handle of its own.
std::unique_ptr<ArraySource> open_tiff(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
