// Converts host types to the kernels' argument structs.
#pragma once

#include <cstdint>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

/// The flags TS_WANT_SUM, ...
std::uint32_t flags_of(const statistics::ReductionSpec& spec);

inline std::uint32_t type_of(base::ElementType type) {
  return static_cast<std::uint32_t>(type);
}

/// Describes elements [first, first + count) of a generated array, to be written to the start of
/// the memory.
kernels::TsMake describe_part(const statistics::GeneratedElements& generated, std::int64_t first,
                              std::int64_t count);

/// Bins per unit of the element values; 0 if the range is so narrow that it contains fewer numbers
/// than bins.
double bins_per_unit(std::span<const double> edges);

}  // namespace tessera::device::gpu
