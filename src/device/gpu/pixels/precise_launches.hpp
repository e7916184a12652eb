// The launches that compute listed pixels of a deep image again, in 106 bits or with 190.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "deep/deep_image.hpp"
#include "device/gpu/pixels/launch_pacer.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

/// Pixel memory for so many listed pixels: their list, then results, then the orbits that a launch
/// continues, and those that it keeps.
template <class Orbit>
struct ListedLayout {
  std::size_t pixels = 0;

  static constexpr std::size_t kOrbitBytes = sizeof(Orbit);
  static constexpr std::size_t kPixelBytes =
      sizeof(std::uint32_t) + sizeof(kernels::TsDeepResult) + 2 * kOrbitBytes;
  static constexpr std::size_t kAlignment = 64;

  std::size_t results_byte() const { return aligned(pixels * sizeof(std::uint32_t)); }
  std::size_t orbits_byte() const {
    return aligned(results_byte() + pixels * sizeof(kernels::TsDeepResult));
  }
  std::size_t kept_byte() const { return orbits_byte() + pixels * kOrbitBytes; }
  std::size_t memory_bytes() const { return kept_byte() + pixels * kOrbitBytes; }
  /// The largest one within `capacity` bytes.
  static ListedLayout within(std::size_t capacity) {
    return {(capacity - 2 * kAlignment) / kPixelBytes};
  }

 private:
  static std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
};

using PreciseLayout = ListedLayout<kernels::PrecisePixel>;
using WideLayout = ListedLayout<kernels::TsWidePixel>;

/// Advances pixels of a block, given by their indices row by row, in this tier of 106 bits. The
/// stream uses its table. `list` is memory of Stream::make_host_buffer() for as many indices.
/// Throws Interrupted as BandLaunches does.
std::vector<kernels::TsDeepResult> advance_precise(Stream& stream, LaunchPacer& pacer,
                                                   const std::function<bool()>& unwanted,
                                                   const deep::DeepImage& deep,
                                                   const base::PixelRect& block, std::size_t tier,
                                                   std::span<const std::uint32_t> pixels,
                                                   std::span<std::byte> list);

/// The same with 190 bits. `list` has as many TsWidePixel.
std::vector<kernels::TsDeepResult> advance_wide(Stream& stream, LaunchPacer& pacer,
                                                const std::function<bool()>& unwanted,
                                                const deep::DeepImage& deep,
                                                const base::PixelRect& block,
                                                std::span<const std::uint32_t> pixels,
                                                std::span<std::byte> list);

}  // namespace tessera::device::gpu
