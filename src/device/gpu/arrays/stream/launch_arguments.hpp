// Converts host types to the kernels' argument structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/gpu/expression_arguments.hpp"
#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/elements.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

/// The flags TS_WANT_SUM, ...
std::uint32_t flags_of(const statistics::ReductionSpec& spec);

inline std::uint32_t type_of(base::ElementType type) {
  return static_cast<std::uint32_t>(type);
}

/// Describes generated elements, to be written from byte `at_byte` of the memory on, a multiple of
/// TS_VECTOR_BYTES.
kernels::TsMake make_of(const statistics::GeneratedElements& generated, std::size_t at_byte);

/// Evaluates elements of that type to byte `at_byte` of the memory, from arrays that are to be put
/// behind byte `end_byte`. Both are multiples of TS_VECTOR_BYTES. The elements of each of several
/// expressions have a type of their own, and begin at the next such multiple.
kernels::TsMap map_of(const statistics::MappedElements& elements, base::ElementType type,
                      std::size_t at_byte, std::size_t end_byte);

/// Bins per unit of the element values; 0 if the range is so narrow that it contains fewer numbers
/// than bins.
double bins_per_unit(std::span<const double> edges);

}  // namespace tessera::device::gpu
