#include "device/gpu/gpu_lane.hpp"

#include <algorithm>
#include <cstring>

#include "device/check_block.hpp"
#include "device/gpu/band_launches.hpp"
#include "device/gpu/block_proof.hpp"
#include "device/kernel_fault.hpp"

namespace tessera::device::gpu {
namespace {

/// Orbits of the smallest launch that continues them.
constexpr std::size_t kLeastOrbits = TS_GROUP_SIZE;

struct Sums {
  BlockCounts counts;
  std::uint32_t least = kNoPixels.least;
  std::uint32_t most = kNoPixels.most;
};

Sums sums_of(const StatsSlots& slots) {
  Sums sums;
  for (const kernels::TsStats& slot : slots) {
    sums.counts += {joined_halves(slot.iterations), joined_halves(slot.executed), {}};
    sums.least = std::min(sums.least, slot.least);
    sums.most = std::max(sums.most, slot.most);
  }
  return sums;
}

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

/// Fills `band`, whose first row is row `first_row` of the buffers. Tells the value instead, if the
/// band is all that they hold.
void set_all(std::uint32_t count, const job::ImageSpec& image, const base::PixelRect& band,
             const BlockBuffers& out, std::int64_t first_row, BlockCounts& counts) {
  if (band.width == out.stride_px && band.pixels() == out.plane_px) {
    counts.uniform = count;
    return;
  }
  const auto smooth = static_cast<float>(count);
  const auto iterations = std::as_bytes(std::span(&count, 1))  // all machines are little-endian
                              .first(base::element_bytes(job::iterations_type(image)));
  for (std::int64_t row = first_row; row < first_row + band.height; ++row) {
    fill_row(iterations, out, out.iterations, row, band.width);
    if (out.smooth == nullptr) continue;
    fill_row(std::as_bytes(std::span(&smooth, 1)), out, reinterpret_cast<std::byte*>(out.smooth),
             row, band.width);
  }
}

}  // namespace

/// Layout of a band in pixel memory: first iterations, then smooth, then the orbits that a launch
/// continues, and those that it keeps. Rows have no gaps, or the stride of the chunk if whole
/// planes are copied out at once.
struct GpuLane::Layout {
  bool shuffled = false;
  bool smooth = false;
  std::int64_t stride_px = 0;
  std::size_t iterations_bytes = 2;  ///< per pixel
  std::size_t orbit_bytes = 0;       ///< per pixel, if orbits are cut

  Layout(const job::ImageSpec& image, const base::PixelRect& block, const BlockBuffers& out)
      : Layout(image, out.plane_px != 0 ? out.stride_px : block.width, out.smooth != nullptr) {
    shuffled = out.plane_px != 0;
  }
  Layout(const job::ImageSpec& image, std::int64_t row_px, bool with_smooth)
      : smooth(with_smooth),
        stride_px(row_px),
        iterations_bytes(base::element_bytes(job::iterations_type(image))),
        orbit_bytes(LaunchPacer::cuts(image.iterations) ? 2 * sizeof(kernels::TsOrbit) : 0) {}

  std::size_t pixels(std::int64_t rows) const { return static_cast<std::size_t>(rows * stride_px); }
  std::size_t pixel_bytes() const { return iterations_bytes + (smooth ? sizeof(float) : 0); }
  std::size_t bytes(std::int64_t rows) const { return pixels(rows) * pixel_bytes(); }
  std::size_t smooth_byte(std::int64_t rows) const { return pixels(rows) * iterations_bytes; }
  /// With the orbits of all pixels.
  std::size_t memory_bytes(std::int64_t rows) const {
    return orbit_bytes == 0 ? bytes(rows) : aligned(bytes(rows)) + pixels(rows) * orbit_bytes;
  }
  /// Rows that fit into `capacity` bytes. A single one may have room for some of its orbits only.
  std::int64_t rows_within(std::size_t capacity) const {
    const std::size_t row = memory_bytes(1);
    if (capacity >= row) return static_cast<std::int64_t>(capacity / row);
    const bool some =
        orbit_bytes != 0 && capacity >= aligned(bytes(1)) + kLeastOrbits * orbit_bytes;
    return some ? 1 : 0;
  }
  /// Orbits for which there is room beside `rows` rows.
  std::int64_t orbits(std::int64_t rows, std::size_t capacity) const {
    return static_cast<std::int64_t>((capacity - aligned(bytes(rows))) / orbit_bytes);
  }
  Tile tile(const job::ImageSpec& image, std::int64_t rows) const;
};

/// The arguments that all launches of a band of `rows` rows share.
Tile GpuLane::Layout::tile(const job::ImageSpec& image, std::int64_t rows) const {
  const std::uint64_t plane = pixels(rows);
  Tile tile{};
  tile.center_re = image.center_re;
  tile.center_im = image.center_im;
  tile.step = image.step();
  tile.half_width_px = static_cast<double>(image.size_px.width) / 2;
  tile.half_height_px = static_cast<double>(image.size_px.height) / 2;
  tile.bailout2 = image.bailout * image.bailout;
  tile.iterations_byte_step = shuffled ? plane : 1;
  tile.iterations_pixel_step = shuffled ? 1 : iterations_bytes;
  tile.smooth_byte = smooth_byte(rows);
  tile.smooth_byte_step = shuffled ? plane : 1;
  tile.smooth_pixel_step = shuffled ? 1 : sizeof(float);
  tile.stride_px = static_cast<std::uint64_t>(stride_px);
  tile.orbits_byte = aligned(bytes(rows));
  tile.constant_re = image.formula.constant_re;
  tile.constant_im = image.formula.constant_im;
  tile.formula = static_cast<std::uint32_t>(image.formula.id);
  tile.degree = static_cast<std::uint32_t>(image.formula.degree);
  tile.iterations = image.iterations;
  tile.iterations_bytes = static_cast<std::uint32_t>(iterations_bytes);
  tile.flags = (smooth ? TS_SMOOTH : 0U) | (needs_care(image) ? TS_CAREFUL : 0U);
  return tile;
}

std::uint64_t GpuLane::memory_bytes(const job::ImageSpec& image, const base::ImageSize& tile_px,
                                    bool smooth, std::size_t most_bytes) {
  const Layout layout(image, tile_px.width, smooth);
  const std::size_t most = std::min(most_bytes, kMostBytes);
  return sizeof(StatsSlots) +
         std::clamp(layout.memory_bytes(tile_px.height), Stream::kLeastBytes, most);
}

/// Repeats the block once in a new process. A block with which two processes ended is probably the
/// cause.
BlockCounts GpuLane::render(const job::ImageSpec& image, const base::PixelRect& block,
                            const BlockBuffers& out) {
  check_request(image, block, out);
  if (const auto counts = proven(image, block, out)) return *counts;
  const auto render_it = [&] {
    return settled(*stream_, [&] { return render_block(image, block, out); });
  };
  try {
    return render_it();
  } catch (const DeviceError&) {
    if (!stream_->revive()) throw;
  }
  no_room_for_bytes_ = 0;
  return render_it();
}

/// The block without the device, if all its pixels have the same values for a provable reason.
std::optional<BlockCounts> GpuLane::proven(const job::ImageSpec& image,
                                           const base::PixelRect& block,
                                           const BlockBuffers& out) const {
  if (!options_.shortcuts) return std::nullopt;
  const auto count = proven_count(image, block);
  const bool one_value = count && (out.smooth == nullptr || *count == image.iterations);
  if (!one_value) return std::nullopt;
  BlockCounts counts{static_cast<std::uint64_t>(block.pixels()) * *count, 0, {}};
  set_all(*count, image, block, out, 0, counts);
  return counts;
}

BlockCounts GpuLane::render_block(const job::ImageSpec& image, const base::PixelRect& block,
                                  const BlockBuffers& out) {
  const Layout layout(image, block, out);
  const std::int64_t rows = rows_in_memory(layout, block.height);
  BlockCounts counts;
  for (std::int64_t row = 0; row < block.height; row += rows) {
    const base::PixelRect band{block.x, block.y + row, block.width,
                               std::min(rows, block.height - row)};
    const BlockCounts done = render_band(image, band, layout, out, row);
    counts += done;
    counts.uniform = done.uniform;  // set only if the band is the whole buffer
  }
  return counts;
}

/// Rows per band. Grows the pixel memory towards the whole block first.
std::int64_t GpuLane::rows_in_memory(const Layout& layout, std::int64_t height) {
  grow_towards(layout.memory_bytes(height));
  const std::int64_t fitting = layout.rows_within(stream_->capacity());
  if (fitting == 0) {
    throw DeviceError(fmt::format("no room for a row of {} pixels: it has {} bytes for them",
                                  layout.stride_px, stream_->capacity()));
  }
  return std::min(fitting, height);
}

BlockCounts GpuLane::render_band(const job::ImageSpec& image, const base::PixelRect& band,
                                 const Layout& layout, const BlockBuffers& out,
                                 std::int64_t first_row) {
  fail_if_ordered("device.kernel.gpu");
  // Beyond the columns of an edge tile, the chunk holds zeros.
  if (band.width < layout.stride_px) stream_->clear(layout.bytes(band.height));
  Sums sums = sums_of(launch_all(image, band, layout));

  if (sums.least == sums.most && (!layout.smooth || sums.most == image.iterations)) {
    set_all(sums.most, image, band, out, first_row, sums.counts);
    return sums.counts;
  }
  layout.shuffled ? copy_planes(layout, band, out, first_row)
                  : copy_rows(layout, band, out, first_row);
  return sums.counts;
}

/// Usually one launch. If there are several, each one is awaited, and its speed determines the size
/// of the next one.
StatsSlots GpuLane::launch_all(const job::ImageSpec& image, const base::PixelRect& band,
                               const Layout& layout) {
  Tile tile = layout.tile(image, band.height);
  tile.flags |= options_.shortcuts ? TS_SHORTCUTS : 0U;
  BandLaunches launches(*stream_, *pacer_);
  base::ImageSize size;
  for (std::int64_t row = 0; row < band.height; row += size.height) {
    for (std::int64_t column = 0; column < band.width; column += size.width) {
      const std::int64_t rows_left = column == 0 ? band.height - row : size.height;
      size = launch_px({band.width - column, rows_left}, image, band, layout);
      tile.x = static_cast<std::uint64_t>(band.x + column);
      tile.y = static_cast<std::uint64_t>(band.y + row);
      tile.first = static_cast<std::uint64_t>(row * layout.stride_px + column);
      tile.width = static_cast<std::uint32_t>(size.width);
      tile.height = static_cast<std::uint32_t>(size.height);
      tile.kept_byte =
          tile.orbits_byte + static_cast<std::uint64_t>(size.pixels()) * sizeof(kernels::TsOrbit);
      launches.run(tile);
    }
  }
  return launches.slots();
}

/// Columns and rows of the next launch. Cut orbits take as many as there is room for.
base::ImageSize GpuLane::launch_px(const base::ImageSize& left, const job::ImageSpec& image,
                                   const base::PixelRect& band, const Layout& layout) const {
  if (layout.orbit_bytes == 0) return pacer_->launch_px(left, image.iterations);
  const std::int64_t orbits = layout.orbits(band.height, stream_->capacity());
  if (orbits < left.width) return {orbits, 1};
  return {left.width, std::min(orbits / left.width, left.height)};
}

/// The rows of a band are contiguous in a plane, both on the device and in the chunk. Successive
/// bands fill the plane.
void GpuLane::copy_planes(const Layout& layout, const base::PixelRect& band,
                          const BlockBuffers& out, std::int64_t first_row) {
  const std::size_t plane = layout.pixels(band.height);
  const auto chunk_plane = static_cast<std::size_t>(out.plane_px);
  const auto copy = [&](std::byte* field, std::size_t from, std::size_t planes) {
    for (std::size_t b = 0; b < planes; ++b) {
      std::byte* const to = field + b * chunk_plane + layout.pixels(first_row);
      stream_->copy_out(from + b * plane, {to, plane});
    }
  };
  copy(out.iterations, 0, layout.iterations_bytes);
  if (layout.smooth) {
    copy(reinterpret_cast<std::byte*>(out.smooth), layout.smooth_byte(band.height), sizeof(float));
  }
  stream_->wait();
}

void GpuLane::copy_rows(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                        std::int64_t first_row) {
  if (out.stride_px == layout.stride_px) {
    const auto copy = [&](std::byte* field, std::size_t from, std::size_t element) {
      stream_->copy_out(
          from, {field + layout.pixels(first_row) * element, layout.pixels(band.height) * element});
    };
    copy(out.iterations, 0, layout.iterations_bytes);
    if (layout.smooth) {
      copy(reinterpret_cast<std::byte*>(out.smooth), layout.smooth_byte(band.height),
           sizeof(float));
    }
    stream_->wait();
    return;
  }
  const std::span<std::byte> rows = staging(layout.bytes(band.height));
  stream_->copy_out(0, rows);
  stream_->wait();
  const auto place = [&](std::byte* field, std::size_t from, std::size_t element) {
    const std::size_t row_bytes = layout.pixels(1) * element;
    const std::size_t stride_bytes = static_cast<std::size_t>(out.stride_px) * element;
    for (std::int64_t row = 0; row < band.height; ++row) {
      std::memcpy(field + static_cast<std::size_t>(first_row + row) * stride_bytes,
                  rows.data() + from + static_cast<std::size_t>(row) * row_bytes, row_bytes);
    }
  };
  place(out.iterations, 0, layout.iterations_bytes);
  if (layout.smooth) {
    place(reinterpret_cast<std::byte*>(out.smooth), layout.smooth_byte(band.height), sizeof(float));
  }
}

std::span<std::byte> GpuLane::staging(std::size_t bytes) {
  if (!staging_ || staging_->bytes().size() < bytes) {
    staging_.reset();
    staging_ = make_host_buffer(bytes);
  }
  return staging_->bytes().first(bytes);
}

}  // namespace tessera::device::gpu
