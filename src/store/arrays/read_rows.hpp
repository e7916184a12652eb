// Reads the rows of a box from a file in few reads. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "plan/box_rows.hpp"

namespace tessera::store {

/// Reads the bytes at `offset` into `bytes`.
using ReadStretch = std::function<void(std::uint64_t offset, std::span<std::byte> bytes)>;

/// Reads the box, row after row, into `elements`. Offset 0 is the first element of the array. Long
/// rows are read directly into place. Short rows that are close together are read together with the
/// bytes between them, which are then dropped.
void read_rows(const plan::BoxRows& rows, std::size_t element_bytes, const ReadStretch& read,
               std::span<std::byte> elements);

/// Reorders the elements of a box from first dimension fastest to last dimension fastest. `turned`
/// is the box of the transposed array, whose dimensions are in reverse order.
void transpose_order(std::span<const std::byte> turned, const plan::Shape& extent,
                     std::size_t element_bytes, std::span<std::byte> elements);

}  // namespace tessera::store
