// The two tiers of arithmetic that advance pixels: f64, and numbers of 106 bits where f64 leaves
// the count uncertain.
#pragma once

#include <cstdint>
#include <vector>

#include "deep/deep_image.hpp"
#include "kernels/deep/scalar.hpp"

namespace tessera::deep {

using PrecisePixel = kernels::PrecisePixel;

struct FastTier {
  using Number = double;
  using Pixel = kernels::TsDeepPixel;

  explicit FastTier(const DeepImage& of_image)
      : image(of_image), limits(of_image.limits), table(of_image.table) {}

  const DeepImage& image;
  const kernels::TsDeepLimits& limits;
  const JumpTable& table;
  double rounding = TS_DEEP_ROUNDING;  ///< rounding of a step, relative to its result
};

struct PreciseTier {
  using Number = kernels::DoubleDouble;
  using Pixel = PrecisePixel;

  PreciseTier(const DeepImage& of_image, const PreciseTable& of_table, std::size_t of_number);
  static double rounding_of(std::size_t tier);

  const DeepImage& image;
  const kernels::TsDeepLimits& limits;
  const PreciseTable& table;
  std::size_t number;  ///< number of the tier in the table
  kernels::TsJumps<Number> jumps;
  double rounding;
};

/// A pixel before its first iteration; rows count from the top.
kernels::TsDeepPixel start_pixel(const FastTier& tier, std::int64_t column, std::int64_t row);
PrecisePixel start_pixel(const PreciseTier& tier, std::int64_t column, std::int64_t row);

/// Advances a pixel while |z| is below f64's range: TS_DEEP_DONE, TS_DEEP_UNCERTAIN, or
/// TS_DEEP_SMALL if advance_pixel() continues.
std::uint32_t scaled_phase(const FastTier& tier, kernels::TsDeepPixel& pixel);
std::uint32_t scaled_phase(const PreciseTier& tier, PrecisePixel& pixel);

/// kernels::ts_deep_advance(): TS_DEEP_DONE, TS_DEEP_UNCERTAIN or TS_DEEP_SMALL.
std::uint32_t advance_pixel(const FastTier& tier, kernels::TsDeepPixel& pixel);
std::uint32_t advance_pixel(const PreciseTier& tier, PrecisePixel& pixel);

/// Takes the decision of f64 in the step at which advance_pixel() returned TS_DEEP_UNCERTAIN, and
/// its z as exact. True when the pixel is done.
bool accept_uncertain(const FastTier& tier, kernels::TsDeepPixel& pixel);

/// advance_pixel() of each pixel: states[i] is what it returns for pixels[i].
template <class Tier>
using AdvanceAll = void (*)(const Tier& tier, std::vector<typename Tier::Pixel>& pixels,
                            std::vector<std::uint32_t>& states);

template <class Tier>
void advance_each(const Tier& tier, std::vector<typename Tier::Pixel>& pixels,
                  std::vector<std::uint32_t>& states) {
  for (std::size_t i = 0; i < pixels.size(); ++i) states[i] = advance_pixel(tier, pixels[i]);
}

/// How an instruction set advances pixels; always with the same bits.
struct Advance {
  AdvanceAll<FastTier> fast = advance_each<FastTier>;
  AdvanceAll<PreciseTier> precise = advance_each<PreciseTier>;
};

}  // namespace tessera::deep
