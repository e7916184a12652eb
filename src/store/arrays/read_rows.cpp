#include "store/arrays/read_rows.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::store {

namespace {

/// A gap of this size costs as much to read as the extra call that would skip it.
// crossed by: AcrossSmallGapsTheyAreReadTogether, ThatFillAWindowExactly
constexpr std::uint64_t kSmallGapBytes = 4096;
/// Short rows are read through a window of this size, which stays in the L2 cache.
// crossed by: AcrossSmallGapsTheyAreReadTogether, ThatFillAWindowExactly
constexpr std::uint64_t kWindowBytes = std::uint64_t{256} << 10;

/// Reads the rows of one group through a window that is read whole.
void read_group_together(std::uint64_t first, std::uint64_t rows, std::uint64_t row_bytes,
                         std::uint64_t stride_bytes, const ReadStretch& read,
                         std::vector<std::byte>& window, std::byte* to) {
  const std::uint64_t per_window =
      std::max<std::uint64_t>(1, (kWindowBytes - row_bytes) / stride_bytes + 1);
  for (std::uint64_t r = 0; r < rows; r += per_window) {
    const std::uint64_t count = std::min(per_window, rows - r);
    window.resize((count - 1) * stride_bytes + row_bytes);
    read(first + r * stride_bytes, window);
    for (std::uint64_t i = 0; i < count; ++i, to += row_bytes) {
      std::memcpy(to, window.data() + i * stride_bytes, row_bytes);
    }
  }
}

/// Copies one element. Sizes known at compile time are faster.
template <std::size_t kBytes>
struct Copy {
  // NOLINTNEXTLINE(readability-identifier-naming): as in CopyAny
  static constexpr std::int64_t bytes = kBytes;
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, kBytes); }
};
struct CopyAny {
  std::int64_t bytes;
  void operator()(std::byte* to, const std::byte* from) const {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
};

/// to(c, r) = from(r, c), in blocks whose cache lines stay in the cache.
template <class CopyOne>
void transpose(const std::byte* from, std::int64_t from_stride, std::byte* to,
               std::int64_t to_stride, std::int64_t rows, std::int64_t columns,
               const CopyOne& copy) {
  // crossed by: OfSidesAroundItsBlocks
  constexpr std::int64_t kSide = 32;
  for (std::int64_t r0 = 0; r0 < rows; r0 += kSide) {
    const std::int64_t r1 = std::min(r0 + kSide, rows);
    for (std::int64_t c0 = 0; c0 < columns; c0 += kSide) {
      const std::int64_t c1 = std::min(c0 + kSide, columns);
      for (std::int64_t c = c0; c < c1; ++c) {
        for (std::int64_t r = r0; r < r1; ++r) {
          copy(to + (c * to_stride + r) * copy.bytes, from + (r * from_stride + c) * copy.bytes);
        }
      }
    }
  }
}

template <class CopyOne>
void turn(const std::byte* turned, const plan::Shape& extent, std::byte* elements,
          const CopyOne& copy) {
  const std::int64_t all = plan::element_count(extent);
  const std::int64_t to_stride = all / extent.front();   // of the first dimension
  const std::int64_t from_stride = all / extent.back();  // of the last one, in `turned`
  const plan::Shape between(extent.begin() + 1, extent.end() - 1);
  for (std::int64_t m = 0; m < plan::element_count(between); ++m) {
    // Offsets of the middle dimensions' coordinates in both orders.
    std::int64_t rest = m;
    std::int64_t to = 0;
    std::int64_t from = 0;
    std::int64_t step_to = extent.back();
    std::int64_t step_from = from_stride;
    for (std::size_t d = between.size(); d-- > 0;) {
      step_from /= between[d];
      to += rest % between[d] * step_to;
      from += rest % between[d] * step_from;
      step_to *= between[d];
      rest /= between[d];
    }
    transpose(turned + from * copy.bytes, from_stride, elements + to * copy.bytes, to_stride,
              extent.back(), extent.front(), copy);
  }
}

}  // namespace

void read_rows(const plan::BoxRows& rows, std::size_t element_bytes, const ReadStretch& read,
               std::span<std::byte> elements) {
  const auto row_bytes = static_cast<std::uint64_t>(rows.row()) * element_bytes;
  const auto stride_bytes = static_cast<std::uint64_t>(rows.stride()) * element_bytes;
  const auto count = static_cast<std::uint64_t>(rows.rows());
  const bool together =
      count > 1 && row_bytes < kWindowBytes / 4 && stride_bytes - row_bytes <= kSmallGapBytes;
  std::vector<std::byte> window;
  std::byte* to = elements.data();
  for (std::int64_t group = 0; group < rows.groups(); ++group) {
    const std::uint64_t first = static_cast<std::uint64_t>(rows.first(group)) * element_bytes;
    if (together) {
      read_group_together(first, count, row_bytes, stride_bytes, read, window, to);
    } else {
      for (std::uint64_t r = 0; r < count; ++r) {
        read(first + r * stride_bytes, {to + r * row_bytes, row_bytes});
      }
    }
    to += count * row_bytes;
  }
}

void transpose_order(std::span<const std::byte> turned, const plan::Shape& extent,
                     std::size_t element_bytes, std::span<std::byte> elements) {
  if (elements.empty()) return;
  if (extent.size() < 2) {
    std::memcpy(elements.data(), turned.data(), elements.size());
    return;
  }
  switch (element_bytes) {
    case 1:
      return turn(turned.data(), extent, elements.data(), Copy<1>());
    case 2:
      return turn(turned.data(), extent, elements.data(), Copy<2>());
    case 4:
      return turn(turned.data(), extent, elements.data(), Copy<4>());
    case 8:
      return turn(turned.data(), extent, elements.data(), Copy<8>());
    default:
      return turn(turned.data(), extent, elements.data(),
                  CopyAny{static_cast<std::int64_t>(element_bytes)});
  }
}

}  // namespace tessera::store
