// The array of a job, read or made.
#pragma once

#include <memory>
#include <span>

#include "store/array_source.hpp"

namespace tessera::run {

/// As store::open_arrays(); what is made is an array alone. `piece_bytes`: of a piece, where that
/// is free.
std::unique_ptr<store::ArraySource> open_input(std::span<const job::ArrayInput> inputs,
                                               std::int64_t piece_bytes);

}  // namespace tessera::run
