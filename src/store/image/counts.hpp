// Sums of iteration counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/element.hpp"
#include "base/geometry.hpp"

namespace tessera::store {

/// The base::saturated_sum() of a tile's iteration counts. `chunk` holds its decoded elements, u16,
/// u32 or u64, in rows of `stride_px`; the padding beyond `tile_px` does not count.
std::uint64_t sum_of_counts(std::span<const std::byte> chunk, base::ElementType type,
                            std::int64_t stride_px, const base::ImageSize& tile_px);

/// Element `at` of such a chunk.
std::uint64_t count_at(std::span<const std::byte> chunk, base::ElementType type, std::int64_t at);

}  // namespace tessera::store
