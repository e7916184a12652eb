// An array that a function of the calling program reads as a source of elements.
#pragma once

#include <cstdint>
#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::store {

/// An input of Format::reader. Its pieces are its chunks, or runs of `piece_bytes` without them.
/// Throws a usage error if a chunk does not have a side for each dimension.
std::unique_ptr<ArraySource> open_reader(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
