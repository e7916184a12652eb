// A slice of an array as a source of elements. Only what it touches is read.
#pragma once

#include <cstdint>
#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::store {

/// `array` itself if the slice takes all of it. `name`: of the slice in messages. Throws a usage
/// error for a slice that does not fit.
std::unique_ptr<ArraySource> slice_array(std::unique_ptr<ArraySource> array,
                                         const job::ArraySlice& slice, const std::string& name,
                                         std::int64_t piece_bytes);

}  // namespace tessera::store
