#include "deep/scaled_phase.hpp"
#include "deep/tiers.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::deep {

using kernels::ScaledReal;
using kernels::TsDeepPixel;

std::optional<ScaledEntry<double>> FastTier::find(std::int64_t m, const ScaledReal& size) const {
  if (const auto* entry = table.scaled.find(m, size)) return *entry;
  return find_entry<double>(table, m, size);
}

TsDeepPixel start_pixel(const FastTier& tier, std::int64_t column, std::int64_t row) {
  const DeepImage& image = tier.image;
  TsDeepPixel pixel{};
  pixel.c_re = column_offset(image.place, column) * image.unit_step.hi;
  pixel.c_im = row_offset(image.place, row) * image.unit_step.hi;
  pixel.plain_re = kernels::part_value(pixel.c_re, image.unit_exponent);
  pixel.plain_im = kernels::part_value(pixel.c_im, image.unit_exponent);
  pixel.count = image.limits.limit;
  // No z equals NaN.
  pixel.saved_x = std::numeric_limits<double>::quiet_NaN();
  pixel.saved_next = 1;
  return pixel;
}

bool scaled_phase(const FastTier& tier, TsDeepPixel& pixel) {
  return ScaledPhase(tier, pixel).run();
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t advance_pixel(const FastTier& tier, TsDeepPixel& pixel) {
  return kernels::ts_deep_advance(tier.limits, tier.table.nodes.data(), tier.table.entries.data(),
                                  &pixel);
}

}  // namespace tessera::deep
