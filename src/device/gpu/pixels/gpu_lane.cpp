#include "device/gpu/pixels/gpu_lane.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "base/saturated_sum.hpp"
#include "deep/prepared.hpp"
#include "device/check_block.hpp"
#include "device/deep_block.hpp"
#include "device/gpu/pixels/band_launches.hpp"
#include "device/gpu/pixels/block_proof.hpp"
#include "device/gpu/pixels/deep_upload.hpp"
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
    sums.counts += {joined_halves(slot.iterations), joined_halves(slot.executed)};
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

/// Sets an element of a field, byte by byte in planes.
void put_value(std::span<const std::byte> value, const BlockBuffers& out, std::byte* field,
               std::size_t element) {
  const auto plane = static_cast<std::size_t>(out.plane_px);
  for (std::size_t b = 0; b < value.size(); ++b) {
    field[plane != 0 ? b * plane + element : element * value.size() + b] = value[b];
  }
}

/// Fills `band`, whose first row is row `first_row` of the buffers. Tells the value instead, if the
/// band is all that they hold.
void set_all(std::uint64_t count, const job::ImageSpec& image, const base::PixelRect& band,
             const BlockBuffers& out, std::int64_t first_row, BlockCounts& counts) {
  if (band.width == out.stride_px && band.pixels() == out.plane_px) {
    counts.uniform = count;
    return;
  }
  const auto smooth = static_cast<float>(count);
  const float distance = 0;
  const auto iterations = std::as_bytes(std::span(&count, 1))  // all machines are little-endian
                              .first(base::element_bytes(job::iterations_type(image)));
  for (std::int64_t row = first_row; row < first_row + band.height; ++row) {
    fill_row(iterations, out, out.iterations, row, band.width);
    for (const auto& [value, field] : {std::pair(&smooth, out.smooth), {&distance, out.distance}}) {
      if (field == nullptr) continue;
      fill_row(std::as_bytes(std::span(value, 1)), out, reinterpret_cast<std::byte*>(field), row,
               band.width);
    }
  }
}

std::uint64_t saturated_product(std::uint64_t count, std::int64_t pixels) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto times = static_cast<std::uint64_t>(pixels);
  return count > kMost / times ? kMost : count * times;
}

/// Of the counts of 8 bytes in `band`, whose first row is row `first_row` of the buffers.
std::uint64_t sum_of_wide_counts(const base::PixelRect& band, const BlockBuffers& out,
                                 std::int64_t first_row) {
  const auto plane = static_cast<std::size_t>(out.plane_px);
  std::uint64_t sum = 0;
  for (std::int64_t row = first_row; row < first_row + band.height; ++row) {
    const auto first = static_cast<std::size_t>(row * out.stride_px);
    for (std::size_t at = first; at < first + static_cast<std::size_t>(band.width); ++at) {
      std::array<std::byte, sizeof(std::uint64_t)> bytes;
      for (std::size_t b = 0; b < bytes.size(); ++b) {
        bytes[b] = out.iterations[plane != 0 ? b * plane + at : at * bytes.size() + b];
      }
      sum = base::saturated_sum(sum, std::bit_cast<std::uint64_t>(bytes));
    }
  }
  return sum;
}

}  // namespace

/// Layout of a band in pixel memory: first iterations, then smooth and distance, then the list of
/// uncertain pixels, then the orbits that a launch continues, and those that it keeps. Rows have no
/// gaps, or the stride of the chunk if whole planes are copied out at once.
struct GpuLane::Layout {
  bool shuffled = false;
  job::MoreFields fields;
  std::int64_t stride_px = 0;
  std::size_t iterations_bytes = 2;  ///< per pixel
  std::size_t listed_bytes = 0;      ///< per pixel, of the list of uncertain ones
  std::size_t orbit_bytes = 0;       ///< per pixel, if orbits are cut

  Layout(const job::ImageSpec& image, const base::PixelRect& block, const BlockBuffers& out)
      : Layout(image, out.plane_px != 0 ? out.stride_px : block.width, out.fields()) {
    shuffled = out.plane_px != 0;
  }
  Layout(const job::ImageSpec& image, std::int64_t row_px, const job::MoreFields& more_fields)
      : fields(more_fields),
        stride_px(row_px),
        iterations_bytes(base::element_bytes(job::iterations_type(image))),
        listed_bytes(image.deep() ? sizeof(std::uint32_t) : 0),
        orbit_bytes(2 * one_orbit_bytes(image)) {}

  std::size_t pixels(std::int64_t rows) const { return static_cast<std::size_t>(rows * stride_px); }
  std::size_t pixel_bytes() const {
    return iterations_bytes + (fields.smooth ? sizeof(float) : 0) +
           (fields.distance ? sizeof(float) : 0);
  }
  std::size_t bytes(std::int64_t rows) const { return pixels(rows) * pixel_bytes(); }
  std::size_t smooth_byte(std::int64_t rows) const { return pixels(rows) * iterations_bytes; }
  std::size_t distance_byte(std::int64_t rows) const {
    return smooth_byte(rows) + (fields.smooth ? pixels(rows) * sizeof(float) : 0);
  }
  /// Calls use(buffer, first byte in the memory, bytes of an element) for each field.
  void for_each_field(const BlockBuffers& out, std::int64_t rows, const auto& use) const {
    use(out.iterations, std::size_t{0}, iterations_bytes);
    if (fields.smooth) {
      use(reinterpret_cast<std::byte*>(out.smooth), smooth_byte(rows), sizeof(float));
    }
    if (fields.distance) {
      use(reinterpret_cast<std::byte*>(out.distance), distance_byte(rows), sizeof(float));
    }
  }
  std::size_t list_byte(std::int64_t rows) const { return aligned(bytes(rows)); }
  std::size_t orbits_byte(std::int64_t rows) const {
    return aligned(list_byte(rows) + pixels(rows) * listed_bytes);
  }
  /// With the orbits of all pixels.
  std::size_t memory_bytes(std::int64_t rows) const {
    return orbit_bytes == 0 ? bytes(rows) : orbits_byte(rows) + pixels(rows) * orbit_bytes;
  }
  /// Rows that fit into `capacity` bytes. A single one may have room for some of its orbits only.
  std::int64_t rows_within(std::size_t capacity) const {
    const std::size_t row = memory_bytes(1);
    if (capacity >= row) return static_cast<std::int64_t>(capacity / row);
    const bool some = orbit_bytes != 0 && capacity >= orbits_byte(1) + kLeastOrbits * orbit_bytes;
    return some ? 1 : 0;
  }
  /// Orbits for which there is room beside `rows` rows.
  std::int64_t orbits(std::int64_t rows, std::size_t capacity) const {
    return static_cast<std::int64_t>((capacity - orbits_byte(rows)) / orbit_bytes);
  }
  Tile tile(const job::ImageSpec& image, std::int64_t rows) const;

  /// Of the orbit of a pixel that a launch keeps; 0 if all are whole.
  static std::size_t one_orbit_bytes(const job::ImageSpec& image) {
    if (image.deep()) return sizeof(kernels::TsDeepPixel);
    return LaunchPacer::cuts(image.plain_iterations()) ? sizeof(kernels::TsOrbit) : 0;
  }
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
  tile.distance_byte = distance_byte(rows);
  tile.distance_byte_step = tile.smooth_byte_step;
  tile.distance_pixel_step = tile.smooth_pixel_step;
  tile.stride_px = static_cast<std::uint64_t>(stride_px);
  tile.orbits_byte = orbits_byte(rows);
  tile.uncertain_byte = list_byte(rows);
  tile.constant_re = image.formula.constant_re;
  tile.constant_im = image.formula.constant_im;
  tile.formula = static_cast<std::uint32_t>(image.formula.id);
  tile.degree = static_cast<std::uint32_t>(image.formula.degree);
  tile.iterations = image.plain_iterations();
  tile.iterations_bytes = static_cast<std::uint32_t>(iterations_bytes);
  tile.flags = (fields.smooth ? TS_SMOOTH : 0U) | (fields.distance ? TS_DISTANCE : 0U) |
               (needs_care(image) ? TS_CAREFUL : 0U) | (image.deep() ? TS_DEEP : 0U) |
               (image.interior == job::Interior::derivative ? TS_INTERIOR : 0U);
  return tile;
}

std::uint64_t GpuLane::memory_bytes(const job::ImageSpec& image, const base::ImageSize& tile_px,
                                    const job::MoreFields& fields, std::size_t most_bytes) {
  const Layout layout(image, tile_px.width, fields);
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
  if (!options_.shortcuts || image.deep()) return std::nullopt;
  const auto count = proven_count(image, block);
  // Where a small derivative decides, an orbit that escapes may have another count.
  if (image.interior == job::Interior::derivative && count != image.iterations) return std::nullopt;
  const bool one_value = count && (!out.fields().any() || *count == image.iterations);
  if (!one_value) return std::nullopt;
  BlockCounts counts{static_cast<std::uint64_t>(block.pixels()) * *count, 0, {}};
  set_all(*count, image, block, out, 0, counts);
  return counts;
}

BlockCounts GpuLane::render_block(const job::ImageSpec& image, const base::PixelRect& block,
                                  const BlockBuffers& out) {
  const Layout layout(image, block, out);
  const DeepImage deep = image.deep() ? deep::prepared(deep_place(image, out.fields())) : nullptr;
  const TableTurns::Turn turn(shared_->turns, deep ? deep->number : 0);
  if (deep) hold_table(*deep);
  const std::int64_t rows = rows_in_memory(layout, block.height);
  BlockCounts counts;
  for (std::int64_t row = 0; row < block.height; row += rows) {
    const base::PixelRect band{block.x, block.y + row, block.width,
                               std::min(rows, block.height - row)};
    const BlockCounts done = render_band(image, band, layout, out, row, deep);
    counts += done;
    counts.uniform = done.uniform;  // set only if the band is the whole buffer
  }
  return counts;
}

void GpuLane::hold_table(const deep::DeepImage& deep) {
  const std::scoped_lock lock(shared_->table_mutex);
  use_table(*stream_, deep);
  // Lanes that together want more than is left would take it from each other.
  most_bytes_ = std::min(most_bytes_, bytes_beside_table(shared_->memory, table_bytes(deep)));
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
                                 std::int64_t first_row, const DeepImage& deep) {
  fail_if_ordered("device.kernel.gpu");
  // Beyond the columns of an edge tile, the chunk holds zeros.
  if (band.width < layout.stride_px) stream_->clear(layout.bytes(band.height));
  const StatsSlots slots = launch_all(image, band, layout);
  const std::size_t uncertain = slots[0].uncertain;
  Sums sums = sums_of(slots);
  const bool wide = layout.iterations_bytes > sizeof(std::uint32_t);

  const std::uint64_t most = wide ? image.iterations : sums.most;
  if (uncertain == 0 && sums.least == sums.most &&
      (!layout.fields.any() || most == image.iterations)) {
    if (wide) sums.counts.iterations = saturated_product(most, band.pixels());
    set_all(most, image, band, out, first_row, sums.counts);
    return sums.counts;
  }
  layout.shuffled ? copy_planes(layout, band, out, first_row)
                  : copy_rows(layout, band, out, first_row);
  if (uncertain > 0) {
    sums.counts += recompute(deep, band, layout, out, first_row, uncertain);
  }
  // The device's sum has 64 bits without a carry.
  if (wide) sums.counts.iterations = sum_of_wide_counts(band, out, first_row);
  return sums.counts;
}

/// Usually one launch. If there are several, each one is awaited, and its speed determines the size
/// of the next one.
StatsSlots GpuLane::launch_all(const job::ImageSpec& image, const base::PixelRect& band,
                               const Layout& layout) {
  Tile tile = layout.tile(image, band.height);
  tile.flags |= options_.shortcuts ? TS_SHORTCUTS : 0U;
  BandLaunches launches(*stream_, image.deep() ? shared_->deep_pacer : shared_->pacer, unwanted_);
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
          tile.orbits_byte + static_cast<std::uint64_t>(size.pixels()) * layout.orbit_bytes / 2;
      launches.run(tile);
    }
  }
  return launches.slots();
}

/// Columns and rows of the next launch. Cut orbits take as many as there is room for.
base::ImageSize GpuLane::launch_px(const base::ImageSize& left, const job::ImageSpec& image,
                                   const base::PixelRect& band, const Layout& layout) const {
  if (layout.orbit_bytes == 0) return shared_->pacer.launch_px(left, image.plain_iterations());
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
  layout.for_each_field(out, band.height, copy);
  stream_->wait();
}

void GpuLane::copy_rows(const Layout& layout, const base::PixelRect& band, const BlockBuffers& out,
                        std::int64_t first_row) {
  if (out.stride_px == layout.stride_px) {
    const auto copy = [&](std::byte* field, std::size_t from, std::size_t element) {
      stream_->copy_out(
          from, {field + layout.pixels(first_row) * element, layout.pixels(band.height) * element});
    };
    layout.for_each_field(out, band.height, copy);
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
  layout.for_each_field(out, band.height, place);
}

BlockCounts GpuLane::recompute(const DeepImage& deep, const base::PixelRect& band,
                               const Layout& layout, const BlockBuffers& out,
                               std::int64_t first_row, std::size_t uncertain) {
  std::vector<std::uint32_t> pixels(uncertain);
  stream_->copy_out(layout.list_byte(band.height), std::as_writable_bytes(std::span(pixels)));
  stream_->wait();
  // Rows on the device may be longer than the band's.
  const auto stride = static_cast<std::uint32_t>(layout.stride_px);
  const auto width = static_cast<std::uint32_t>(band.width);
  for (std::uint32_t& at : pixels) at = at / stride * width + at % stride;
  std::ranges::sort(pixels);
  static const deep::Advance one_at_a_time;
  const deep::DeepBlock block = deep::recompute(
      *deep, band, pixels, options_.advance != nullptr ? *options_.advance : one_at_a_time);

  BlockCounts counts{0, block.executed, block.uncertain};
  for (const std::uint32_t at : pixels) {
    const auto row = static_cast<std::size_t>(first_row + at / width);
    const std::size_t element = row * static_cast<std::size_t>(out.stride_px) + at % width;
    put_value(std::as_bytes(std::span(&block.counts[at], 1)).first(layout.iterations_bytes), out,
              out.iterations, element);
    counts.iterations = base::saturated_sum(counts.iterations, block.counts[at]);
    for (const auto& [values, field] :
         {std::pair(&block.smooth, out.smooth), {&block.distance, out.distance}}) {
      if (field == nullptr) continue;
      put_value(std::as_bytes(std::span(&(*values)[at], 1)), out,
                reinterpret_cast<std::byte*>(field), element);
    }
  }
  return counts;
}

std::span<std::byte> GpuLane::staging(std::size_t bytes) {
  if (!staging_ || staging_->bytes().size() < bytes) {
    staging_.reset();
    staging_ = make_host_buffer(bytes);
  }
  return staging_->bytes().first(bytes);
}

}  // namespace tessera::device::gpu
