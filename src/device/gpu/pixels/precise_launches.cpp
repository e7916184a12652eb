#include "device/gpu/pixels/precise_launches.hpp"

#include <algorithm>
#include <cstring>

#include "device/gpu/pixels/band_launches.hpp"
#include "device/gpu/pixels/deep_upload.hpp"

namespace tessera::device::gpu {
namespace {

/// The launches that advance some pixels of a list.
class ListedLaunches {
 public:
  ListedLaunches(Stream& stream, LaunchPacer& pacer, const std::function<bool()>& unwanted,
                 std::vector<kernels::TsDeepResult>& results)
      : stream_(stream), pacer_(pacer), unwanted_(unwanted), results_(results) {}

  /// Those from `first` on, of which `begun` is what the device needs, at byte `at`.
  template <class Orbit>
  void run(Tile tile, const ListedLayout<Orbit>& layout, std::size_t first,
           std::span<const std::byte> begun, std::size_t at) {
    stream_.copy_in(begun, at);
    tile.results_byte = layout.results_byte();
    tile.orbits_byte = layout.orbits_byte();
    tile.kept_byte = layout.kept_byte();
    tile.flags = TS_DEEP;
    BandLaunches(stream_, pacer_, unwanted_).run(tile);
    stream_.copy_out(tile.results_byte,
                     std::as_writable_bytes(std::span(results_).subspan(first, layout.pixels)));
    stream_.wait();
  }

 private:
  Stream& stream_;
  LaunchPacer& pacer_;
  const std::function<bool()>& unwanted_;
  std::vector<kernels::TsDeepResult>& results_;
};

/// Calls run(first, layout) for as many pixels as have room, until all have been.
template <class Layout, class Run>
void for_all_with_room(const Stream& stream, std::size_t pixels, const Run& run) {
  const std::size_t most = Layout::within(stream.capacity()).pixels;
  for (std::size_t first = 0; first < pixels; first += most) {
    run(first, Layout{std::min(most, pixels - first)});
  }
}

}  // namespace

std::vector<kernels::TsDeepResult> advance_precise(Stream& stream, LaunchPacer& pacer,
                                                   const std::function<bool()>& unwanted,
                                                   const deep::DeepImage& deep,
                                                   const base::PixelRect& block, std::size_t tier,
                                                   std::span<const std::uint32_t> pixels,
                                                   std::span<std::byte> list) {
  std::vector<kernels::TsDeepResult> results(pixels.size());
  ListedLaunches launches(stream, pacer, unwanted, results);
  for_all_with_room<PreciseLayout>(stream, pixels.size(), [&](std::size_t first, auto layout) {
    const std::span<const std::byte> some = std::as_bytes(pixels.subspan(first, layout.pixels));
    std::memcpy(list.data(), some.data(), some.size());
    Tile tile{};
    tile.half_width_px = static_cast<double>(deep.place.size_px.width) / 2;
    tile.half_height_px = static_cast<double>(deep.place.size_px.height) / 2;
    set_pixels(tile, block.x, block.y, block.width, block.height);
    tile.listed = static_cast<std::uint32_t>(layout.pixels);
    tile.table = number_of_table(tier);
    launches.run(tile, layout, first, list.first(some.size()), 0);
  });
  return results;
}

/// The host begins the pixels: it has their offsets with all bits.
std::vector<kernels::TsDeepResult> advance_wide(Stream& stream, LaunchPacer& pacer,
                                                const std::function<bool()>& unwanted,
                                                const deep::DeepImage& deep,
                                                const base::PixelRect& block,
                                                std::span<const std::uint32_t> pixels,
                                                std::span<std::byte> list) {
  std::vector<kernels::TsDeepResult> results(pixels.size());
  ListedLaunches launches(stream, pacer, unwanted, results);
  for_all_with_room<WideLayout>(stream, pixels.size(), [&](std::size_t first, auto layout) {
    for (std::size_t i = 0; i < layout.pixels; ++i) {
      const std::uint32_t at = pixels[first + i];
      kernels::TsWidePixel pixel =
          deep::start_wide_pixel(deep, block.x + at % block.width, block.y + at / block.width);
      pixel.pixel = static_cast<std::uint32_t>(i);
      std::memcpy(list.data() + i * sizeof(pixel), &pixel, sizeof(pixel));
    }
    Tile tile{};
    tile.left = static_cast<std::uint32_t>(layout.pixels);
    tile.table = kWideTable;
    launches.run(tile, layout, first, list.first(layout.pixels * sizeof(kernels::TsWidePixel)),
                 layout.orbits_byte());
  });
  return results;
}

}  // namespace tessera::device::gpu
