// An array in memory as a source of elements, with any strides: those of NumPy's arrays.
#pragma once

#include <cstdint>
#include <memory>

#include "store/arrays/array_source.hpp"

namespace tessera::store {

/// An input of Format::memory. Elements that lie one behind the other in any order of the
/// dimensions are not copied. Throws a usage error if an element is outside of the memory.
std::unique_ptr<ArraySource> open_memory(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
