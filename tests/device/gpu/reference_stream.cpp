#include "tests/device/gpu/reference_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::device::gpu {

void ReferenceStream::launch(const Tile& tile) {
  if (static_cast<int>(log_.launched_px.size()) == log_.fail_at_launch) {
    throw DeviceError("launch of the render kernel: out of luck");
  }
  log_.launched_px.push_back({tile.width, tile.height});
  const base::PixelRect rect{static_cast<std::int64_t>(tile.x), static_cast<std::int64_t>(tile.y),
                             tile.width, tile.height};
  const bool smooth = (tile.flags & TS_SMOOTH) != 0;
  const RenderedBlock block = render_block("reference", image_, rect, {.smooth = smooth});
  if (tile.cut == 0) {
    for (std::uint32_t pixel = 0; pixel < rect.pixels(); ++pixel) put(tile, block, pixel);
    return;
  }
  log_.left.push_back(tile.left);
  std::vector<kernels::TsOrbit> orbits(kernels::orbits_of(tile));
  if (tile.left == 0) {
    for (std::uint32_t pixel = 0; pixel < orbits.size(); ++pixel) orbits[pixel].pixel = pixel;
  } else {
    std::memcpy(orbits.data(), &memory_.at(tile.orbits_byte), orbits.size() * sizeof(orbits[0]));
  }
  std::vector<kernels::TsOrbit> kept;
  for (kernels::TsOrbit& orbit : orbits) {
    orbit.n += tile.cut;
    if (count_of(tile, block, orbit.pixel) < orbit.n) {
      put(tile, block, orbit.pixel);
    } else {
      kept.push_back(orbit);
    }
  }
  EXPECT_EQ(tile.kept_before, slots_[0].kept);
  slots_[0].kept += static_cast<std::uint32_t>(kept.size());
  ASSERT_LE(tile.kept_byte + orbits.size() * sizeof(orbits[0]), memory_.size());
  std::reverse(kept.begin(), kept.end());  // any order will do
  if (!kept.empty()) {
    std::memcpy(&memory_.at(tile.kept_byte), kept.data(), kept.size() * sizeof(kept[0]));
  }
}

std::uint32_t ReferenceStream::count_of(const Tile& tile, const RenderedBlock& block,
                                        std::uint64_t pixel) {
  std::uint32_t count = 0;
  std::memcpy(&count, &block.iterations[pixel * tile.iterations_bytes], tile.iterations_bytes);
  return count;
}

void ReferenceStream::put(const Tile& tile, const RenderedBlock& block, std::uint64_t pixel) {
  const std::uint64_t at = tile.first + pixel / tile.width * tile.stride_px + pixel % tile.width;
  for (std::uint64_t b = 0; b < tile.iterations_bytes; ++b) {
    memory_.at(tile.iterations_byte + at * tile.iterations_pixel_step +
               b * tile.iterations_byte_step) = block.iterations[pixel * tile.iterations_bytes + b];
  }
  for (std::uint64_t b = 0; !block.smooth.empty() && b < sizeof(float); ++b) {
    memory_.at(tile.value_byte[kernels::TS_OF_SMOOTH] + at * tile.value_pixel_step +
               b * tile.value_byte_step) =
        std::as_bytes(std::span(block.smooth))[pixel * sizeof(float) + b];
  }
  const std::uint32_t count = count_of(tile, block, pixel);
  kernels::TsStats& slot = slots_.at(pixel % slots_.size());
  slot.iterations[0] += count;
  slot.least = std::min(slot.least, count);
  slot.most = std::max(slot.most, count);
}

}  // namespace tessera::device::gpu
