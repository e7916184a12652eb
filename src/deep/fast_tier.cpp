#include <limits>

#include "deep/tiers.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::deep {

using kernels::TsDeepPixel;

TsDeepPixel start_pixel(const FastTier& tier, std::int64_t column, std::int64_t row) {
  const DeepImage& image = tier.image;
  TsDeepPixel pixel{};
  kernels::ts_deep_start(&tier.limits, image.unit_step.hi, image.unit_step.lo, image.unit_exponent,
                         column_offset(image.place, column), row_offset(image.place, row), &pixel);
  return pixel;
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t scaled_phase(const FastTier& tier, TsDeepPixel& pixel) {
  const auto jumps = tier.table.jumps();
  return kernels::ts_scaled_phase(&tier.limits, &jumps, tier.image.unit_exponent, tier.rounding,
                                  &pixel);
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t advance_pixel(const FastTier& tier, TsDeepPixel& pixel) {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  const auto jumps = tier.table.jumps();
  return tier.limits.jumps != 0
             ? kernels::ts_deep_advance(1, tier.limits, jumps, tier.rounding, kNever, &pixel)
             : kernels::ts_deep_advance(0, tier.limits, jumps, tier.rounding, kNever, &pixel);
}

bool accept_uncertain(const FastTier& tier, TsDeepPixel& pixel) {
  const kernels::TsJumpNode& node = tier.table.nodes[pixel.m];
  const double x = node.re + pixel.x;
  const double y = node.im + pixel.y;
  const double radius2 = std::fma(x, x, y * y);
  pixel.error = 0;
  if (!(radius2 <= tier.limits.bailout2)) pixel.count = pixel.n;
  const bool has_all = tier.limits.want_smooth == 0 || pixel.smooth_radius2 != 0;
  if (pixel.count != tier.limits.limit && has_all) return true;
  if (radius2 < std::fma(pixel.x, pixel.x, pixel.y * pixel.y) ||
      kernels::ts_orbit_ends(tier.limits, pixel.m) != 0) {
    pixel.x = x;
    pixel.y = y;
    pixel.m = 0;
  }
  return false;
}

}  // namespace tessera::deep
