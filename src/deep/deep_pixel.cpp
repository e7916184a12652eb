#include "deep/deep_pixel.hpp"

#include <limits>
#include <optional>

#include "base/fma_clones.hpp"
#include "deep/scaled_phase.hpp"

namespace tessera::deep {

using kernels::ScaledReal;
using kernels::TsDeepPixel;

namespace {

/// The numbers of an image in f64, for ScaledPhase.
struct FastTier {
  using Number = double;
  using Pixel = TsDeepPixel;

  kernels::ScaledComplex<double> z(std::int64_t m) const { return rounded(image.orbit.at(m)); }

  std::optional<ScaledEntry<double>> find(std::int64_t m, const ScaledReal& size) const {
    if (const auto* entry = image.table.scaled.find(m, size)) return *entry;
    const kernels::TsJumpNode& node = image.table.nodes[static_cast<std::size_t>(m)];
    const ScaledReal size2 = size * size;
    for (std::uint32_t level = node.levels; level-- > 0;) {
      const kernels::TsJumpEntry& e = image.table.entries[node.first + level];
      if (!(size2 < ScaledReal(e.radius2))) continue;
      return ScaledEntry<double>{{},
                                 kernels::normalized(e.a_re, e.a_im, 0),
                                 kernels::normalized(e.q_re, e.q_im, 0),
                                 kernels::normalized(e.b_re, e.b_im, 0),
                                 static_cast<std::int64_t>(e.length)};
    }
    return std::nullopt;
  }

  const DeepImage& image;
  const kernels::TsDeepLimits& limits;
  std::int64_t unit_exponent;
  double rounding = TS_DEEP_ROUNDING;
};

}  // namespace

TsDeepPixel start_pixel(const DeepImage& image, std::int64_t column, std::int64_t row) {
  TsDeepPixel pixel{};
  pixel.c_re = column_offset(image, column) * image.unit_step.hi;
  pixel.c_im = row_offset(image, row) * image.unit_step.hi;
  pixel.plain_re = kernels::part_value(pixel.c_re, image.unit_exponent);
  pixel.plain_im = kernels::part_value(pixel.c_im, image.unit_exponent);
  pixel.count = image.limits.limit;
  // No z equals NaN.
  pixel.saved_x = std::numeric_limits<double>::quiet_NaN();
  pixel.saved_next = 1;
  return pixel;
}

bool scaled_phase(const DeepImage& image, TsDeepPixel& pixel) {
  return ScaledPhase(FastTier{image, image.limits, image.unit_exponent}, pixel).run();
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t advance_pixel(const DeepImage& image,
                                                         TsDeepPixel& pixel) {
  return kernels::ts_deep_advance(image.limits, image.table.nodes.data(),
                                  image.table.entries.data(), &pixel);
}

double smooth_of(const DeepImage& image, std::uint32_t count, std::uint32_t m, double radius2) {
  return count == image.limits.limit ? count : kernels::ts_smooth_of(2, m, radius2);
}

}  // namespace tessera::deep
