// Pixels of a deep image that `tessera verify` computes by their definition: with MPFR, without
// reference orbits, jumps and error bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"

namespace tessera::post {

/// Most pixels of a sampled tile.
inline constexpr std::int64_t kDefinedPixels = 64;

/// A place in an image.
struct PixelPlace {
  std::int64_t column = 0, row = 0;
};
/// The pixel that has the image's centre, the nearest one to the reference orbit.
constexpr PixelPlace middle_pixel(const base::ImageSize& size) {
  return {size.width / 2, size.height / 2};
}

struct DefinedPixel {
  std::int64_t column = 0, row = 0;  ///< in the image
  std::uint64_t stored = 0;          ///< its count
};

/// Whether the counts of this image are claimed to be those of the definition.
bool has_defined_counts(const job::ImageSpec& image);

/// Random pixels of `block`, evenly spread, and the middle one if the block has it. Their number is
/// kDefinedPixels, or less if that takes more than about a second, but at least one. A pixel that
/// would take minutes is left out.
/// `counts` has the elements of /iterations in rows of `stride_px`.
std::vector<DefinedPixel> choose_defined(const job::ImageSpec& image, const base::PixelRect& block,
                                         std::span<const std::byte> counts, std::int64_t stride_px,
                                         std::uint64_t seed);

/// Returns a description of the difference, or "". Thread-safe.
std::string compare_defined(const job::ImageSpec& image, const DefinedPixel& pixel);

}  // namespace tessera::post
