// Finds the indices of extremes if the elements' indices are not increasing.
#pragma once

#include <cstddef>
#include <span>

#include "device/gpu/arrays/elements/block_records.hpp"

namespace tessera::device::gpu {

/// `found` holds the keys of the extremes, which the device has computed. Searches all elements
/// with these keys for the lowest index.
LaunchIndices places_by_index(std::span<const std::byte> elements, base::ElementType type,
                              const LaunchIndices& found, const statistics::Indexing& indexing);

}  // namespace tessera::device::gpu
