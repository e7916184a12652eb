// The memory that deep images take.
#pragma once

#include <cstdint>

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// Least memory for an orbit of that place with so many elements, and its table of jumps.
std::uint64_t min_bytes(const Place& place, std::uint64_t elements);
/// Most memory: as many jumps as an orbit can have, and all tables.
std::uint64_t max_bytes(std::uint64_t elements);

/// Memory of an orbit and its table, while that is made. Jumps are counted if more than `most`
/// bytes could be needed otherwise.
std::uint64_t table_bytes(const Place& place, const ReferenceOrbit& orbit, std::uint64_t most);

/// Bytes that the image holds, without those of its tables of more bits.
std::uint64_t held_bytes(const DeepImage& image);

/// Memory of a table for pixels that are uncertain in f64, while it is made: 0 if the image never
/// has it.
std::uint64_t precise_bytes(const DeepImage& image);
std::uint64_t wide_bytes(const DeepImage& image);

/// The tables of more bits that there is room for.
enum class MoreBits { none, precise, all };
std::uint64_t bytes_of(const DeepImage& image, MoreBits tables);

}  // namespace tessera::deep
