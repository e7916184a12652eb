// Advances pixels of a deep image with the vectors of one instruction set.
#pragma once

#include <cstdint>

#include "deep/deep_block.hpp"

namespace tessera::device::cpu {

/// Specialised in deep_lanes.cpp.
template <std::int64_t target>
deep::Advance deep_advance();

}  // namespace tessera::device::cpu
