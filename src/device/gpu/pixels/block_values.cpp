#include "device/gpu/pixels/block_values.hpp"

#include <algorithm>

#include "base/saturated_sum.hpp"
#include "device/pixels/stored_values.hpp"

namespace tessera::device::gpu {
namespace {

/// Sets `columns` elements of a row of one value, byte by byte in planes. In planes, zeros follow
/// to the end of the row.
void fill_row(std::span<const std::byte> value, const BlockBuffers& out, std::byte* field,
              std::int64_t row, std::int64_t columns) {
  const auto first = static_cast<std::size_t>(row * out.stride_px);
  const auto count = static_cast<std::size_t>(columns);
  for (std::size_t b = 0; b < value.size(); ++b) {
    if (out.plane_px != 0) {
      std::byte* const to = field + b * static_cast<std::size_t>(out.plane_px) + first;
      std::fill_n(to, count, value[b]);
      std::fill(to + count, to + out.stride_px, std::byte{0});
    } else {
      for (std::size_t i = 0; i < count; ++i) field[(first + i) * value.size() + b] = value[b];
    }
  }
}

}  // namespace

void set_all(std::uint64_t count, const job::ImageSpec& image, const base::PixelRect& band,
             const BlockBuffers& out, std::int64_t first_row, BlockCounts& counts) {
  if (band.width == out.stride_px && band.pixels() == out.plane_px) {
    counts.uniform = count;
    return;
  }
  const job::PerField<float> more{.smooth = static_cast<float>(count)};
  const auto iterations = std::as_bytes(std::span(&count, 1))  // all machines are little-endian
                              .first(base::element_bytes(job::iterations_type(image)));
  for (std::int64_t row = first_row; row < first_row + band.height; ++row) {
    fill_row(iterations, out, out.iterations, row, band.width);
    for (const job::Field field : job::kMoreFields) {
      float* const to = out.more()[field];
      if (to == nullptr) continue;
      fill_row(std::as_bytes(std::span(&more[field], 1)), out, reinterpret_cast<std::byte*>(to),
               row, band.width);
    }
  }
}

std::uint64_t sum_of_wide_counts(const base::PixelRect& band, const BlockBuffers& out,
                                 std::int64_t first_row) {
  std::uint64_t sum = 0;
  for (std::int64_t row = first_row; row < first_row + band.height; ++row) {
    const auto first = static_cast<std::size_t>(row * out.stride_px);
    for (std::size_t at = first; at < first + static_cast<std::size_t>(band.width); ++at) {
      sum = base::saturated_sum(sum, count_at(out, sizeof(std::uint64_t), at));
    }
  }
  return sum;
}

}  // namespace tessera::device::gpu
