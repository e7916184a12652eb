// Places of extremes among elements whose indices do not grow.
#pragma once

#include <cstddef>
#include <span>

#include "device/gpu/group_partials.hpp"

namespace tessera::device::gpu {

/// The device has said which keys are the extremes; of those all have to be looked at.
LaunchIndices places_by_index(std::span<const std::byte> elements, base::ElementType type,
                              const LaunchIndices& found, const statistics::Indexing& indexing);

}  // namespace tessera::device::gpu
