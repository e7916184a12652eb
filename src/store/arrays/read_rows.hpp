// Rows of a box from a file in few reads. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "plan/box_rows.hpp"

namespace tessera::store {

/// Fills bytes with those of the stretch from `offset` on.
using ReadStretch = std::function<void(std::uint64_t offset, std::span<std::byte> bytes)>;

/// The box, row behind row, into `elements`; offset 0 is that of the array's first element. Long
/// rows are read into place; of short ones that lie close together, what is between them is read
/// with them and thrown away.
void read_rows(const plan::BoxRows& rows, std::size_t element_bytes, const ReadStretch& read,
               std::span<std::byte> elements);

/// Elements as a box of the turned array has them (the dimensions in reverse) to the order in which
/// the box has them: what is stored first dimension fastest to last dimension fastest.
void turn_order(std::span<const std::byte> turned, const plan::Shape& extent,
                std::size_t element_bytes, std::span<std::byte> elements);

}  // namespace tessera::store
