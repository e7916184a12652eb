// The two tiers of arithmetic that advance pixels: f64, and numbers of 106 bits where f64 leaves
// the count uncertain.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "deep/deep_image.hpp"
#include "kernels/deep/scalar.hpp"

namespace tessera::deep {

/// As kernels::TsDeepPixel, with 106 bits.
struct PrecisePixel {
  using Number = kernels::DoubleDouble;

  Number x, y;
  double error = 0;
  Number c_re, c_im;  ///< in the unit of the table
  Number plain_re, plain_im;
  Number saved_x{std::numeric_limits<double>::quiet_NaN()};
  Number saved_y;
  std::uint64_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t rebases = 0;
  std::uint32_t saved_next = 1;
  double smooth_radius2 = 0;
  std::uint32_t smooth_m = 0;
  std::uint32_t count = 0;
  std::uint32_t steps = 0;
  std::uint32_t scaled_steps = 0;
};

struct FastTier {
  using Number = double;
  using Pixel = kernels::TsDeepPixel;

  explicit FastTier(const DeepImage& of_image)
      : image(of_image), limits(of_image.limits), table(of_image.table) {}

  kernels::ScaledComplex<Number> z(std::int64_t m) const { return rounded(image.orbit.at(m)); }
  /// The longest jump from m with |t| = size.
  std::optional<ScaledEntry<Number>> find(std::int64_t m, const kernels::ScaledReal& size) const;

  const DeepImage& image;
  const kernels::TsDeepLimits& limits;
  const JumpTable& table;
  double rounding = TS_DEEP_ROUNDING;  ///< of a step, relative to its result
};

struct PreciseTier {
  using Number = kernels::DoubleDouble;
  using Pixel = PrecisePixel;

  /// Terms below `epsilon`, relative to those that remain, are dropped from jumps.
  PreciseTier(const DeepImage& of_image, const PreciseTable& of_table, double epsilon);

  kernels::ScaledComplex<Number> z(std::int64_t m) const { return image.orbit.at(m); }
  std::optional<ScaledEntry<Number>> find(std::int64_t m, const kernels::ScaledReal& size) const;

  const DeepImage& image;
  const kernels::TsDeepLimits& limits;
  const PreciseTable& table;
  double rounding;
};

/// A pixel before its first iteration; rows count from the top.
kernels::TsDeepPixel start_pixel(const FastTier& tier, std::int64_t column, std::int64_t row);
PrecisePixel start_pixel(const PreciseTier& tier, std::int64_t column, std::int64_t row);

/// Advances a pixel while |z| is below f64's range. False when it is done; otherwise
/// advance_pixel() continues.
bool scaled_phase(const FastTier& tier, kernels::TsDeepPixel& pixel);
bool scaled_phase(const PreciseTier& tier, PrecisePixel& pixel);

/// kernels::ts_deep_advance(): TS_DEEP_DONE, TS_DEEP_UNCERTAIN or TS_DEEP_SMALL.
std::uint32_t advance_pixel(const FastTier& tier, kernels::TsDeepPixel& pixel);
std::uint32_t advance_pixel(const PreciseTier& tier, PrecisePixel& pixel);

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
