// GpuLane's members that compute pixels again whose counts f64 has left open.
#include <algorithm>
#include <tuple>

#include "base/saturated_sum.hpp"
#include "device/gpu/pixels/gpu_lane.hpp"
#include "device/gpu/pixels/precise_launches.hpp"
#include "device/kernel_fault.hpp"
#include "device/pixels/deep_block.hpp"
#include "device/pixels/exact_block.hpp"
#include "device/pixels/stored_values.hpp"

namespace tessera::device::gpu {
namespace {

/// Sorts places in a block, row by row, so that neighbours stay together: their orbits have similar
/// lengths.
void sort_by_squares(std::vector<std::uint32_t>& places, std::uint32_t width) {
  constexpr std::uint32_t kSide = 32;
  std::ranges::sort(places, {}, [&](std::uint32_t at) {
    return std::tuple(at / width / kSide, at % width / kSide, at);
  });
}

/// Where the buffers have a pixel of a block that is so wide.
std::size_t element_of(std::uint32_t at, std::size_t width, const BlockBuffers& out) {
  return at / width * static_cast<std::size_t>(out.stride_px) + at % width;
}

}  // namespace

/// The same with a table of more bits, for which other lanes end their blocks and give memory back.
/// False if there is no room beside them.
bool GpuLane::hold_table_of_more_bits(const deep::DeepImage& deep, const MoreBitsTable& table) {
  const std::scoped_lock lock(shared_->table_mutex);
  const auto on_stream = [&](const auto& work) {
    const std::scoped_lock stream_lock(stream_mutex_);
    return settled(*stream_, work);
  };
  if (on_stream([&] { return stream_->use_deep(deep.number, table.number); })) return true;
  if (shared_->without_room == deep.number) return false;
  const std::uint64_t all = table_bytes(deep) + shared_->more_bits_bytes + table.bytes;
  bool held = has_room_for_table(shared_->memory, all);
  if (held && shared_->memory.limit_bytes != 0) {
    for (GpuLane* lane : shared_->open) {
      lane->limit_memory(bytes_beside_table(shared_->memory, all));
    }
  }
  held = held && on_stream([&] { return table.use(*stream_); });
  held ? shared_->more_bits_bytes += table.bytes : shared_->without_room = deep.number;
  return held;
}

BlockCounts GpuLane::recompute(const deep::DeepImage& deep, const base::PixelRect& block,
                               const BandLayout& layout, const BlockBuffers& out,
                               std::vector<std::uint32_t> uncertain) {
  sort_by_squares(uncertain, static_cast<std::uint32_t>(block.width));
  static const deep::Advance one_at_a_time;
  const deep::DeepBlock again = deep::recompute(
      deep, block, uncertain, options_.advance != nullptr ? *options_.advance : one_at_a_time,
      {.precise =
           [&](const deep::PreciseTable& table, std::size_t tier,
               std::span<const std::uint32_t> pixels) {
             return advance_precise(deep, block, table, tier, pixels);
           },
       .wide =
           [&](const deep::WideTier& wide, std::span<const std::uint32_t> pixels) {
             return advance_wide(deep, block, wide, pixels);
           }});

  BlockCounts counts{.executed = again.executed,
                     .uncertain = again.uncertain,
                     .uncertain_on_gpu = again.on_device,
                     .uncertain_with_more = again.with_more_bits,
                     .undecided = again.undecided};
  const auto width = static_cast<std::size_t>(block.width);
  for (std::size_t i = 0; i < uncertain.size(); ++i) {
    const std::size_t element = element_of(uncertain[i], width, out);
    const auto value = [i](const std::vector<float>& of) { return of.empty() ? 0 : of[i]; };
    put_pixel(again.counts[i],
              {value(again.smooth), value(again.distance), value(again.fraction),
               value(again.gradient_x), value(again.gradient_y), value(again.phase)},
              layout.iterations_bytes, out, element);
    counts.iterations = base::saturated_sum(counts.iterations, again.counts[i]);
  }
  return counts;
}

/// Follows the listed pixels of a band, which f64 has given up, with 106 bits.
void GpuLane::launch_open(const base::PixelRect& band, Tile tile, BandLaunches& launches) {
  set_pixels(tile, band.x, band.y, band.width, band.height);
  tile.first = 0;
  const std::uint32_t all = launches.stats().uncertain;
  for (std::uint32_t first = 0; first < all; first += tile.listed) {
    const std::int64_t fitting = shared_->open_pacer.launch_pixels(tile.iterations);
    tile.listed = static_cast<std::uint32_t>(
        std::min<std::int64_t>(std::max<std::int64_t>(fitting, TS_BLOCK_SIZE), all - first));
    launches.run_listed(tile, shared_->open_pacer);
    tile.uncertain_byte += tile.listed * sizeof(std::uint32_t);
  }
}

/// Computes the pixels that the device has left open. It has stored where f64 has given them up.
BlockCounts GpuLane::finish(const job::ImageSpec& image, const base::PixelRect& block,
                            const BandLayout& layout, const BlockBuffers& out,
                            UncertainPlaces uncertain) {
  const auto width = static_cast<std::size_t>(block.width);
  std::ranges::sort(uncertain.after_f64);
  std::vector<OpenPixel> pixels;
  for (const std::uint32_t at : uncertain.after_f64) {
    pixels.push_back({at, count_at(out, layout.iterations_bytes, element_of(at, width, out))});
  }
  const ExactWork work{image, exact_.of(image), out.fields(), options_.shortcuts};
  const FinishExact all = options_.finish != nullptr ? options_.finish : finish_exact;
  BlockCounts counts = all(work, block, pixels, cancelled_);
  const auto put = [&](std::uint32_t at, const ExactValue& value) {
    put_pixel(value.count, value.more, layout.iterations_bytes, out, element_of(at, width, out));
    counts.iterations = base::saturated_sum(counts.iterations, value.count);
  };
  for (const auto& [at, open_at, value] : pixels) put(at, value);
  for (const std::uint32_t at : uncertain.after_106_bits) {
    if (cancelled_ && cancelled_()) throw Interrupted();
    const ExactValue value =
        defined_value(work, block.x + at % block.width, block.y + at / block.width);
    counts.undecided += value.certain ? 0 : 1;
    put(at, value);
  }
  return counts;
}

/// Does `work` on the stream, with pixel memory for so many bytes.
template <class Work>
std::vector<kernels::TsDeepResult> GpuLane::with_memory(std::size_t bytes, const Work& work) {
  const std::scoped_lock lock(stream_mutex_);
  return settled(*stream_, [&] {
    fail_if_ordered("device.kernel.gpu");
    grow_towards(bytes);
    return work();
  });
}

/// A few pixels are done by the cores before a launch has begun.
std::vector<kernels::TsDeepResult> GpuLane::advance_precise(const deep::DeepImage& deep,
                                                            const base::PixelRect& block,
                                                            const deep::PreciseTable& table,
                                                            std::size_t tier,
                                                            std::span<const std::uint32_t> pixels) {
  if (pixels.size() < kFewestPrecise ||
      !hold_table_of_more_bits(deep, table_of_106_bits(deep, table, tier))) {
    return {};
  }
  return with_memory(PreciseLayout{pixels.size()}.memory_bytes(), [&] {
    return gpu::advance_precise(*stream_, shared_->precise_pacer, cancelled_, deep, block, tier,
                                pixels, list(pixels.size_bytes()));
  });
}

std::vector<kernels::TsDeepResult> GpuLane::advance_wide(const deep::DeepImage& deep,
                                                         const base::PixelRect& block,
                                                         const deep::WideTier& wide,
                                                         std::span<const std::uint32_t> pixels) {
  if (pixels.size() < kFewestWide ||
      !hold_table_of_more_bits(deep, table_of_190_bits(deep, wide))) {
    return {};
  }
  return with_memory(WideLayout{pixels.size()}.memory_bytes(), [&] {
    return gpu::advance_wide(*stream_, shared_->wide_pacer, cancelled_, deep, block, pixels,
                             list(pixels.size() * sizeof(kernels::TsWidePixel)));
  });
}

}  // namespace tessera::device::gpu
