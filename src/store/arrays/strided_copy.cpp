#include "store/arrays/strided_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tessera::store {

namespace {

/// Calls work(integral constant) with the bytes of an element, so that copies are single moves.
template <class Work>
void with_size(std::size_t element_bytes, const Work& work) {
  switch (element_bytes) {
    case 1:
      return work(std::integral_constant<std::size_t, 1>());
    case 2:
      return work(std::integral_constant<std::size_t, 2>());
    case 4:
      return work(std::integral_constant<std::size_t, 4>());
    default:
      return work(std::integral_constant<std::size_t, 8>());
  }
}

/// Two dimensions of a copy.
struct Plane {
  std::int64_t rows, columns;
  std::int64_t from_row, from_column, to_row, to_column;  ///< strides
};

template <std::size_t kBytes>
void copy_plane(const std::byte* from, std::byte* to, const Plane& plane) {
  constexpr std::int64_t kTile = 32;
  if (plane.from_column == kBytes && plane.to_column == kBytes) {
    for (std::int64_t r = 0; r < plane.rows; ++r) {
      std::memcpy(to + r * plane.to_row, from + r * plane.from_row,
                  static_cast<std::size_t>(plane.columns) * kBytes);
    }
    return;
  }
  for (std::int64_t r0 = 0; r0 < plane.rows; r0 += kTile) {
    const std::int64_t r1 = std::min(r0 + kTile, plane.rows);
    for (std::int64_t c0 = 0; c0 < plane.columns; c0 += kTile) {
      const std::int64_t c1 = std::min(c0 + kTile, plane.columns);
      for (std::int64_t r = r0; r < r1; ++r) {
        for (std::int64_t c = c0; c < c1; ++c) {
          std::memcpy(to + r * plane.to_row + c * plane.to_column,
                      from + r * plane.from_row + c * plane.from_column, kBytes);
        }
      }
    }
  }
}

/// The dimension with the smallest stride among those that are longer than 1.
std::size_t fastest(const plan::Shape& strides, const plan::Shape& extent) {
  std::size_t best = extent.size() - 1;
  const auto cost = [&](std::size_t d) {
    return extent[d] > 1 ? std::abs(strides[d]) : std::numeric_limits<std::int64_t>::max();
  };
  for (std::size_t d = extent.size(); d-- > 0;) {
    if (cost(d) < cost(best)) best = d;
  }
  return best;
}

}  // namespace

plan::Shape packed_strides(const plan::Shape& extent, std::size_t element_bytes,
                           plan::StorageOrder order) {
  plan::Shape strides(extent.size());
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const std::size_t d =
        order == plan::StorageOrder::first_dimension_fastest ? i : extent.size() - 1 - i;
    strides[d] = stride;
    stride *= extent[d];
  }
  return strides;
}

std::int64_t distance(const plan::Shape& from, const plan::Shape& to, const plan::Shape& strides) {
  std::int64_t bytes = 0;
  for (std::size_t d = 0; d < from.size(); ++d) bytes += (to[d] - from[d]) * strides[d];
  return bytes;
}

void copy_row(const std::byte* from, std::int64_t from_stride, std::int64_t count,
              std::size_t element_bytes, std::byte* to) {
  if (from_stride == static_cast<std::int64_t>(element_bytes)) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * element_bytes);
    return;
  }
  with_size(element_bytes, [&](auto bytes) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + static_cast<std::size_t>(i) * bytes, from + i * from_stride, bytes);
    }
  });
}

void copy_box(const std::byte* from, const plan::Shape& from_strides, std::byte* to,
              const plan::Shape& to_strides, const plan::Shape& extent, std::size_t element_bytes) {
  if (plan::element_count(extent) == 0) return;
  if (extent.empty()) {
    std::memcpy(to, from, element_bytes);
    return;
  }
  const std::size_t column = fastest(to_strides, extent);
  std::size_t row = fastest(from_strides, extent);
  // Where both go along the same dimension, any other one is the rows.
  if (row == column) row = column == 0 ? extent.size() - 1 : column - 1;
  const bool one = row == column;
  const Plane plane{one ? 1 : extent[row],       extent[column],
                    one ? 0 : from_strides[row], from_strides[column],
                    one ? 0 : to_strides[row],   to_strides[column]};
  plan::Shape outer = extent;
  outer[row] = outer[column] = 1;
  const std::int64_t planes = plan::element_count(outer);
  for (std::int64_t p = 0; p < planes; ++p) {
    std::int64_t rest = p, from_offset = 0, to_offset = 0;
    for (std::size_t d = outer.size(); d-- > 0; rest /= outer[d]) {
      from_offset += rest % outer[d] * from_strides[d];
      to_offset += rest % outer[d] * to_strides[d];
    }
    with_size(element_bytes,
              [&](auto bytes) { copy_plane<bytes()>(from + from_offset, to + to_offset, plane); });
  }
}

}  // namespace tessera::store
