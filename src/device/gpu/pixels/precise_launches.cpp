#include "device/gpu/pixels/precise_launches.hpp"

#include <algorithm>
#include <cstring>

#include "device/gpu/pixels/band_launches.hpp"
#include "device/gpu/pixels/deep_upload.hpp"

namespace tessera::device::gpu {

std::vector<kernels::TsDeepResult> advance_precise(Stream& stream, LaunchPacer& pacer,
                                                   const std::function<bool()>& unwanted,
                                                   const deep::DeepImage& deep,
                                                   const base::PixelRect& block, std::size_t tier,
                                                   std::span<const std::uint32_t> pixels,
                                                   std::span<std::byte> list) {
  const std::size_t most = std::min(pixels.size(), PreciseLayout::within(stream.capacity()).pixels);
  std::vector<kernels::TsDeepResult> results(pixels.size());
  for (std::size_t first = 0; first < pixels.size(); first += most) {
    const PreciseLayout layout{std::min(most, pixels.size() - first)};
    const std::span<const std::byte> some = std::as_bytes(pixels.subspan(first, layout.pixels));
    std::memcpy(list.data(), some.data(), some.size());
    stream.copy_in(list.first(some.size()), 0);
    Tile tile{};
    tile.half_width_px = static_cast<double>(deep.place.size_px.width) / 2;
    tile.half_height_px = static_cast<double>(deep.place.size_px.height) / 2;
    set_pixels(tile, block.x, block.y, block.width, block.height);
    tile.results_byte = layout.results_byte();
    tile.orbits_byte = layout.orbits_byte();
    tile.kept_byte = layout.kept_byte();
    tile.flags = TS_DEEP;
    tile.listed = static_cast<std::uint32_t>(layout.pixels);
    tile.table = number_of_table(tier);
    BandLaunches(stream, pacer, unwanted).run(tile);
    stream.copy_out(tile.results_byte,
                    std::as_writable_bytes(std::span(results).subspan(first, layout.pixels)));
    stream.wait();
  }
  return results;
}

}  // namespace tessera::device::gpu
