// Copies elements between two layouts in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/array_pieces.hpp"

namespace tessera::store {

/// Strides in bytes of elements that lie one behind the other, in C or in Fortran order.
plan::Shape packed_strides(const plan::Shape& extent, std::size_t element_bytes,
                           plan::StorageOrder order = plan::StorageOrder::last_dimension_fastest);

/// Bytes from the element at `from` to that at `to`; strides in bytes.
std::int64_t distance(const plan::Shape& from, const plan::Shape& to, const plan::Shape& strides);

/// Copies `count` elements, each `from_stride` bytes behind the one before, to packed ones.
void copy_row(const std::byte* from, std::int64_t from_stride, std::int64_t count,
              std::size_t element_bytes, std::byte* to);

/// Copies the elements of a box; strides in bytes. Goes along the smallest strides of both sides at
/// the same time, in tiles, so that each cache line is read and written once.
void copy_box(const std::byte* from, const plan::Shape& from_strides, std::byte* to,
              const plan::Shape& to_strides, const plan::Shape& extent, std::size_t element_bytes);

}  // namespace tessera::store
