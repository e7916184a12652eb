// Arrays that are made, not read: the same values everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "job/arrays/array_input.hpp"

namespace tessera::statistics {

/// Elements from `first` on, as many as there is room for in `elements`, of the array that `input`,
/// one of the generated formats, describes.
void generate(const job::ArrayInput& input, std::int64_t first, std::span<std::byte> elements);

}  // namespace tessera::statistics
