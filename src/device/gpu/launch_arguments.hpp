// What launches are told, from what the host calls it.
#pragma once

#include <cstdint>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

/// TS_WANT_SUM, ...
std::uint32_t flags_of(const statistics::ReductionSpec& spec);

inline std::uint32_t type_of(base::ElementType type) {
  return static_cast<std::uint32_t>(type);
}

/// Elements [first, first + count) of those that are to be made, to the front of the memory.
kernels::TsMake describe_part(const statistics::GeneratedElements& generated, std::int64_t first,
                              std::int64_t count);

/// Bins per unit of the numbers; 0 where the range is so narrow that it has fewer numbers than
/// bins.
double bins_per_unit(std::span<const double> edges);

}  // namespace tessera::device::gpu
