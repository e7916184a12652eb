#include <algorithm>
#include <limits>

#include "deep/tiers.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::deep {

PreciseTier::PreciseTier(const DeepImage& of_image, const PreciseTable& of_table,
                         std::size_t of_number)
    : image(of_image),
      limits(of_image.limits),
      table(of_table),
      number(of_number),
      jumps(of_table.jumps(*of_image.orbit, of_image.table, of_number)),
      rounding(rounding_of(of_number)) {}

double PreciseTier::rounding_of(std::size_t tier) {
  return 4 * std::max(PreciseTable::kEpsilons[tier], 0x1p-100);
}

PrecisePixel start_pixel(const PreciseTier& tier, std::int64_t column, std::int64_t row) {
  const DeepImage& image = tier.image;
  PrecisePixel pixel{};
  kernels::ts_deep_start(&tier.limits, image.unit_step.hi, image.unit_step.lo, image.unit_exponent,
                         column_offset(image.place, column), row_offset(image.place, row), &pixel);
  return pixel;
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t scaled_phase(const PreciseTier& tier,
                                                        PrecisePixel& pixel) {
  return kernels::ts_scaled_phase(&tier.limits, &tier.jumps, tier.image.unit_exponent,
                                  tier.rounding, &pixel);
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t advance_pixel(const PreciseTier& tier,
                                                         PrecisePixel& pixel) {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  return tier.limits.jumps != 0
             ? kernels::ts_deep_advance(1, tier.limits, tier.jumps, tier.rounding, kNever, &pixel)
             : kernels::ts_deep_advance(0, tier.limits, tier.jumps, tier.rounding, kNever, &pixel);
}

}  // namespace tessera::deep
