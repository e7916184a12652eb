#include "device/cpu/pixels/scalar_orbit.hpp"

#include "device/pixels/check_block.hpp"
#include "device/pixels/exact_block.hpp"
#include "device/pixels/stored_values.hpp"
#include "kernels/fma_clones.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::device::cpu {

namespace {

using Orbit = kernels::TsPixel (*)(double re, double im, const kernels::TsOrbitLimits& limits);

#define TS_ROW(id, name, parameter, surely_inside, fold)                                    \
  TESSERA_WITH_AND_WITHOUT_FMA                                                              \
  kernels::TsPixel orbit_##id(double re, double im, const kernels::TsOrbitLimits& limits) { \
    return kernels::ts_orbit(kernels::TS_FORMULA_##id, re, im, limits);                     \
  }
TS_FORMULAS(TS_ROW)
#undef TS_ROW

/// Indexed by kernels::TsFormula.
constexpr Orbit kOrbits[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) &orbit_##id,
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

void write(const PixelValue& value, const Band& band, std::ptrdiff_t at) {
  put_count(value.iterations, band.image, band.out, static_cast<std::size_t>(at));
  put_values(value.more, band.out, static_cast<std::size_t>(at));
}

}  // namespace

OrbitLimits orbit_limits(const Band& band) {
  const job::ImageSpec& image = band.image;
  return {.iterations = image.short_iterations(),
          .bailout2 = image.bailout * image.bailout,
          .smooth = band.fields().finds_m(),
          .shortcuts = band.shortcuts,
          .careful = needs_care(image),
          .constant_re = image.formula.constant_re,
          .constant_im = image.formula.constant_im,
          .measures = band.fields().measures(),
          .step = image.step(),
          .turned = !image.matrix.is_identity(),
          .turn = image.turn(),
          .interior = image.interior == job::Interior::derivative,
          .fraction = band.fields().fraction,
          .derives = band.fields().derives(),
          .gradient = band.fields().gradient_x || band.fields().gradient_y,
          .phase = band.fields().phase};
}

PixelValue scalar_orbit(const job::Formula& formula, double re, double im,
                        const OrbitLimits& limits) {
  const std::uint32_t flags =
      (limits.shortcuts ? TS_SHORTCUTS : 0U) | (limits.smooth ? TS_SMOOTH : 0U) |
      (limits.careful ? TS_CAREFUL : 0U) | (limits.derives ? TS_DISTANCE : 0U) |
      (limits.interior ? TS_INTERIOR : 0U) | (limits.fraction ? TS_FRACTION : 0U) |
      (limits.gradient ? TS_GRADIENT : 0U) | (limits.phase ? TS_ANGLE : 0U) |
      (limits.turned ? TS_TURNED : 0U);
  const kernels::TsPixel pixel = kOrbits[formula.id](re, im,
                                                     {.bailout2 = limits.bailout2,
                                                      .constant_re = limits.constant_re,
                                                      .constant_im = limits.constant_im,
                                                      .limit = limits.iterations,
                                                      .flags = flags,
                                                      .degree = formula.degree,
                                                      .step = limits.step,
                                                      .turn = limits.turn});
  return {pixel.iterations,
          {pixel.smooth, pixel.distance, pixel.fraction, pixel.gradient_x, pixel.gradient_y,
           pixel.phase},
          pixel.executed};
}

BlockCounts render_scalar(const Band& band) {
  if (!band.open.pixels.empty()) {
    return finish_exact({band.image, *band.open.exact, band.open.fields, band.shortcuts}, band.rect,
                        band.open.pixels, {});
  }
  if (band.image.bounded()) {
    return render_exact_block(band.image, band.rect, band.out, band.shortcuts);
  }
  const OrbitLimits limits = orbit_limits(band);
  const base::ImageSize size_px = band.image.size_px;
  const double half_width = static_cast<double>(size_px.width) / 2;
  const double half_height = static_cast<double>(size_px.height) / 2;
  const job::ImageSpec& image = band.image;
  const double right_re = image.right_re(), right_im = image.right_im();
  const double up_re = image.up_re(), up_im = image.up_im();
  BlockCounts counts;
  for (std::int64_t row = 0; row < band.rect.height; ++row) {
    const double v = kernels::ts_row_offset(static_cast<double>(band.rect.y + row), half_height);
    for (std::int64_t column = 0; column < band.rect.width; ++column) {
      const double u =
          kernels::ts_column_offset(static_cast<double>(band.rect.x + column), half_width);
      const double re = kernels::ts_coordinate(u, right_re, v, up_re, image.center_re);
      const double im = kernels::ts_coordinate(u, right_im, v, up_im, image.center_im);
      const PixelValue value = scalar_orbit(band.image.formula, re, im, limits);
      write(value, band, row * band.out.stride_px + column);
      counts += {value.iterations, value.executed};
    }
  }
  return counts;
}

}  // namespace tessera::device::cpu
