#include "device/gpu/pixels/gpu_lane.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/saturated_sum.hpp"
#include "deep/prepared.hpp"
#include "device/gpu/pixels/band_launches.hpp"
#include "device/gpu/pixels/block_values.hpp"
#include "device/gpu/pixels/deep_upload.hpp"
#include "device/kernel_fault.hpp"
#include "device/pixels/block_proof.hpp"
#include "device/pixels/check_block.hpp"
#include "device/pixels/deep_block.hpp"
#include "device/pixels/exact_block.hpp"
#include "device/pixels/long_orbits.hpp"

namespace tessera::device::gpu {

GpuLane::GpuLane(std::unique_ptr<Stream> stream, std::shared_ptr<SharedByLanes> shared,
                 const LaneOptions& options, std::size_t max_bytes)
    : OnQueue(std::move(stream), std::min(max_bytes, kMaxBytes)),
      shared_(std::move(shared)),
      options_(options),
      opened_with_bytes_(max_bytes_) {
  const std::scoped_lock lock(shared_->table_mutex);
  shared_->open.push_back(this);
}

GpuLane::~GpuLane() {
  const std::scoped_lock lock(shared_->table_mutex);
  std::erase(shared_->open, this);
}

std::unique_ptr<HostBuffer> GpuLane::make_host_buffer(std::size_t bytes) {
  const std::scoped_lock lock(stream_mutex_);
  return OnQueue::make_host_buffer(bytes);
}

std::uint64_t GpuLane::peak_memory_bytes() {
  const std::scoped_lock lock(stream_mutex_);
  return OnQueue::peak_memory_bytes();
}

std::uint64_t GpuLane::memory_bytes(const job::ImageSpec& image, const base::ImageSize& tile_px,
                                    const job::MoreFields& fields, std::size_t max_bytes) {
  const BandLayout layout(image, tile_px.width, fields);
  const std::size_t most = std::min(max_bytes, kMaxBytes);
  return sizeof(StatsSlots) +
         std::clamp(layout.memory_bytes(tile_px.height), Stream::kMinBytes, most);
}

/// Repeats the block once in a new process. A block with which two processes ended is probably the
/// cause.
BlockCounts GpuLane::render(const job::ImageSpec& image, const base::PixelRect& block,
                            const BlockBuffers& out) {
  check_request(image, block, out);
  if (const auto counts = proven(image, block, out)) return *counts;
  try {
    return render_block(image, block, out);
  } catch (const DeviceError&) {
    const std::scoped_lock lock(stream_mutex_);
    if (!stream_->revive()) throw;
    no_room_for_bytes_ = 0;
  }
  return render_block(image, block, out);
}

/// The block without the device, if all its pixels have the same values for a provable reason.
std::optional<BlockCounts> GpuLane::proven(const job::ImageSpec& image,
                                           const base::PixelRect& block,
                                           const BlockBuffers& out) const {
  // A step costs the host about as much as so many pixels may cost the GPU.
  constexpr std::int64_t kPixelsPerStep = 64;
  if (!options_.shortcuts) return std::nullopt;
  const auto count = proven_value(image, out.fields(), block, block.pixels() / kPixelsPerStep);
  if (!count) return std::nullopt;
  BlockCounts counts{
      base::saturated_product(*count, static_cast<std::uint64_t>(block.pixels())), 0, {}};
  set_all(*count, image, block, out, 0, counts);
  return counts;
}

BlockCounts GpuLane::render_block(const job::ImageSpec& image, const base::PixelRect& block,
                                  const BlockBuffers& out) {
  if (image.bounded() && !has_blocks({image, exact_.of(image), out.fields()})) {
    return render_on_host(image, block, out);
  }
  const BandLayout layout(image, block, out);
  const DeepImage deep = image.deep() ? deep::prepared(deep_place(image, out.fields())) : nullptr;
  const TableTurns::Turn turn(shared_->turns, deep ? deep->number : 0);
  if (deep) hold_table(*deep);
  BlockCounts counts;
  UncertainPlaces uncertain;
  const auto render_bands = [&] {
    const std::int64_t rows = rows_in_memory(layout, block.height);
    for (std::int64_t row = 0; row < block.height; row += rows) {
      const base::PixelRect band{block.x, block.y + row, block.width,
                                 std::min(rows, block.height - row)};
      const BlockCounts done = render_band(image, band, layout, out, row, uncertain);
      counts += done;
      counts.uniform = done.uniform;  // set only if the band is the whole buffer
    }
  };
  {
    const std::scoped_lock lock(stream_mutex_);
    settled(*stream_, render_bands);
  }
  if (!uncertain.after_f64.empty() || !uncertain.after_106_bits.empty()) {
    counts += deep ? recompute(*deep, block, layout, out, std::move(uncertain.after_f64))
                   : finish(image, block, layout, out, std::move(uncertain));
  }
  // The device's sum has 64 bits without a carry.
  const bool wide = layout.iterations_bytes > sizeof(std::uint32_t);
  if (deep && wide && !counts.uniform) counts.iterations = sum_of_wide_counts(block, out, 0);
  if (image.has_long_orbits()) {
    finish_long_orbits(image, block, out, image.short_iterations(),
                       {options_.shortcuts, cancelled_}, counts);
  }
  return counts;
}

/// A new table needs room, which lanes without work may have.
void GpuLane::hold_table(const deep::DeepImage& deep) {
  const std::scoped_lock lock(shared_->table_mutex);
  settled(*stream_, [&] {
    const bool held = stream_->use_deep(deep.number, 0);
    if (!held) shared_->more_bits_bytes = 0;
    if (shared_->memory.limit_bytes != 0) {
      const std::size_t beside =
          bytes_beside_table(shared_->memory, table_bytes(deep) + shared_->more_bits_bytes);
      for (GpuLane* lane : shared_->open) {
        if (lane == this || !held) lane->limit_memory(beside);
      }
    }
    if (!held) use_table(*stream_, deep);
  });
}

/// Lanes that together want more than is left would take it from each other.
void GpuLane::limit_memory(std::size_t max_bytes) {
  const std::scoped_lock lock(stream_mutex_);
  const std::size_t most = std::min(opened_with_bytes_, max_bytes);
  if (most == max_bytes_) return;
  max_bytes_ = most;
  no_room_for_bytes_ = 0;
  try {
    if (stream_->capacity() > most) stream_->grow(most);
  } catch (const DeviceError&) {  // the lane fails when it is used
  }
}

/// Rows per band. Grows the pixel memory towards the whole block first.
std::int64_t GpuLane::rows_in_memory(const BandLayout& layout, std::int64_t height) {
  grow_towards(layout.memory_bytes(height));
  const std::int64_t fitting = layout.rows_within(stream_->capacity());
  if (fitting == 0) {
    throw DeviceError(fmt::format("no room for a row of {} pixels: it has {} bytes for them",
                                  layout.stride_px, stream_->capacity()));
  }
  return std::min(fitting, height);
}

BlockCounts GpuLane::render_band(const job::ImageSpec& image, const base::PixelRect& band,
                                 const BandLayout& layout, const BlockBuffers& out,
                                 std::int64_t first_row, UncertainPlaces& uncertain) {
  fail_if_ordered("device.kernel.gpu");
  // Beyond the columns of an edge tile, the chunk holds zeros.
  if (band.width < layout.stride_px) stream_->clear(layout.bytes(band.height));
  if (image.bounded()) send_exact(image, layout.exact_byte(band.height));
  const BandStats stats = launch_all(image, band, layout);
  BlockCounts counts{stats.iterations, stats.executed, {}};
  const bool wide = layout.iterations_bytes > sizeof(std::uint32_t);

  const std::uint64_t most = wide ? image.iterations : stats.most;
  if (stats.uncertain == 0 && stats.least == stats.most &&
      (!layout.fields.any() || most == image.iterations)) {
    if (wide)
      counts.iterations = base::saturated_product(most, static_cast<std::uint64_t>(band.pixels()));
    set_all(most, image, band, out, first_row, counts);
    return counts;
  }
  layout.shuffled ? copy_planes(layout, band, out, first_row)
                  : copy_rows(layout, band, out, first_row);
  const bool followed = follows_open(image, stats.uncertain);
  if (followed) {
    counts.uncertain = stats.uncertain;
    counts.uncertain_with_more = stats.kept;
    counts.uncertain_on_gpu = stats.uncertain - stats.kept;
  }
  if (stats.uncertain > 0) {
    read_uncertain(band, layout, first_row, stats.uncertain,
                   followed ? uncertain.after_106_bits : uncertain.after_f64);
  }
  return counts;
}

/// Usually one launch. If there are several, each one is awaited, and its speed determines the size
/// of the next one.
BandStats GpuLane::launch_all(const job::ImageSpec& image, const base::PixelRect& band,
                              const BandLayout& layout) {
  Tile tile = layout.tile(image, band.height);
  tile.flags |= options_.shortcuts ? TS_SHORTCUTS : 0U;
  BandLaunches launches(*stream_, image.deep() ? shared_->deep_pacer : shared_->pacer, cancelled_);
  base::ImageSize size;
  for (std::int64_t row = 0; row < band.height; row += size.height) {
    for (std::int64_t column = 0; column < band.width; column += size.width) {
      const std::int64_t rows_left = column == 0 ? band.height - row : size.height;
      size = launch_px({band.width - column, rows_left}, image, band, layout);
      set_pixels(tile, band.x + column, band.y + row, size.width, size.height);
      tile.first = static_cast<std::uint64_t>(row * layout.stride_px + column);
      tile.kept_byte =
          tile.orbits_byte + static_cast<std::uint64_t>(size.pixels()) * layout.orbit_bytes / 2;
      launches.run(tile);
    }
  }
  if (follows_open(image, launches.stats().uncertain)) launch_open(band, tile, launches);
  return launches.stats();
}

/// Columns and rows of the next launch. Cut orbits take as many as there is room for.
base::ImageSize GpuLane::launch_px(const base::ImageSize& left, const job::ImageSpec& image,
                                   const base::PixelRect& band, const BandLayout& layout) const {
  if (layout.orbit_bytes == 0) return shared_->pacer.launch_px(left, image.short_iterations());
  const std::int64_t orbits = layout.orbits(band.height, stream_->capacity());
  if (orbits < left.width) return {orbits, 1};
  return {left.width, std::min(orbits / left.width, left.height)};
}

/// The rows of a band are contiguous in a plane, both on the device and in the chunk. Successive
/// bands fill the plane.
void GpuLane::copy_planes(const BandLayout& layout, const base::PixelRect& band,
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

void GpuLane::copy_rows(const BandLayout& layout, const base::PixelRect& band,
                        const BlockBuffers& out, std::int64_t first_row) {
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

void GpuLane::read_uncertain(const base::PixelRect& band, const BandLayout& layout,
                             std::int64_t first_row, std::size_t count,
                             std::vector<std::uint32_t>& uncertain) {
  const std::size_t before = uncertain.size();
  uncertain.resize(before + count);
  stream_->copy_out(layout.list_byte(band.height),
                    std::as_writable_bytes(std::span(uncertain).subspan(before)));
  stream_->wait();
  std::erase(uncertain, TS_NOT_OPEN);
  // Rows on the device may be longer than the band's.
  const auto stride = static_cast<std::uint32_t>(layout.stride_px);
  const auto width = static_cast<std::uint32_t>(band.width);
  const auto row = static_cast<std::uint32_t>(first_row);
  for (std::uint32_t& at : std::span(uncertain).subspan(before))
    at = (row + at / stride) * width + at % stride;
}

/// An exact image whose orbits have no blocks.
BlockCounts GpuLane::render_on_host(const job::ImageSpec& image, const base::PixelRect& block,
                                    const BlockBuffers& out) const {
  BlockCounts ends;
  if (block.width < out.stride_px) set_all(0, image, block, out, 0, ends);
  return render_exact_block(image, block, out, options_.shortcuts, cancelled_);
}

/// What launches read of an exact image.
void GpuLane::send_exact(const job::ImageSpec& image, std::size_t to) {
  const std::span<std::byte> staged = list(sizeof(ExactImage));
  std::memcpy(staged.data(), &exact_.of(image), sizeof(ExactImage));
  stream_->copy_in(staged, to);
}

/// The queue's own memory, from which it copies: not what OnQueue has instead if there is none.
std::span<std::byte> GpuLane::list(std::size_t bytes) {
  if (!list_ || list_->bytes().size() < bytes) {
    list_.reset();
    list_ = stream_->make_host_buffer(bytes);
  }
  return list_->bytes().first(bytes);
}

std::span<std::byte> GpuLane::staging(std::size_t bytes) {
  if (!staging_ || staging_->bytes().size() < bytes) {
    staging_.reset();
    staging_ = OnQueue::make_host_buffer(bytes);
  }
  return staging_->bytes().first(bytes);
}

}  // namespace tessera::device::gpu
