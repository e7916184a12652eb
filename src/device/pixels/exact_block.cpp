#include "device/pixels/exact_block.hpp"

#include "deep/definition.hpp"
#include "device/pixels/check_block.hpp"
#include "device/pixels/deep_block.hpp"
#include "device/pixels/fixed_orbit.hpp"
#include "device/pixels/stored_values.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::device {

namespace {

/// As plain images have it: the distance, the gradient and the phase of an orbit whose count f64
/// has.
template <int kFormula>
[[gnu::always_inline]] inline void measure_along(const ExactWork& work, double re, double im,
                                                 ExactPixel& pixel) {
  const job::ImageSpec& image = work.image;
  const bool constant = kernels::ts_starts_at_pixel(kFormula) != 0;
  const double c_re = constant ? image.formula.constant_re : re;
  const double c_im = constant ? image.formula.constant_im : im;
  kernels::TsMoving z = kernels::ts_moving(re, im, image.step());
  while (kernels::ts_radius2(z.x, z.y) <= TS_SMOOTH_RADIUS2) {
    kernels::ts_move(kFormula, image.formula.degree, &z, c_re, c_im, image.step());
  }
  set_measured<kFormula>(image, z, kernels::ts_radius2(z.x, z.y), pixel);
}

using Measure = void (*)(const ExactWork& work, double re, double im, ExactPixel& pixel);

#define TS_ROW(id, name, parameter, surely_inside, fold)                                      \
  TESSERA_WITH_AND_WITHOUT_FMA void measure_##id(const ExactWork& work, double re, double im, \
                                                 ExactPixel& pixel) {                         \
    measure_along<kernels::TS_FORMULA_##id>(work, re, im, pixel);                             \
  }
TS_FORMULAS(TS_ROW)
#undef TS_ROW

/// Indexed by kernels::TsFormula.
constexpr Measure kMeasures[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) &measure_##id,
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

/// Of an orbit of 20,000 chaotic steps, or more.
// not crossed: such an orbit takes minutes
constexpr std::int64_t kMostBits = 1 << 15;

/// Sets the values that depend on the first z_m beyond the smooth radius alone.
void set_smooth(const ExactWork& work, std::uint64_t m, double radius2, ExactValue& value) {
  const auto above = [&](std::uint64_t n) {
    const double steps = static_cast<double>(m) - static_cast<double>(n);
    return static_cast<float>(kernels::ts_smooth_of(work.image.formula.degree, steps, radius2));
  };
  if (work.fields.smooth) value.more.smooth = above(0);
  if (work.fields.fraction) value.more.fraction = above(value.count);
}

/// Sets the values that depend on its parts or its derivative.
void set_measured(double distance, const kernels::TsSlopes& gradient, double phase,
                  ExactValue& value) {
  value.more.distance = kernels::ts_stored_distance(distance);
  value.more.gradient_x = kernels::ts_stored_distance(gradient.right);
  value.more.gradient_y = kernels::ts_stored_distance(gradient.up);
  value.more.phase = static_cast<float>(phase);
}

ExactValue inside(std::uint64_t count) {
  return {.count = count, .more = {.smooth = static_cast<float>(count)}};
}

/// The value of a pixel that f64 has given up at `open_at`.
ExactValue open_value(const ExactWork& work, std::int64_t column, std::int64_t row,
                      std::uint64_t open_at, BlockCounts& counts) {
  ++counts.uncertain;
  const ExactPixel pixel = open_orbit(work, exact_coordinates(work, column, row), open_at);
  counts.executed += pixel.executed;
  if (pixel.certainty == Certainty::counted) return value_of(work, pixel);
  ++counts.uncertain_with_more;
  const ExactValue value = defined_value(work, column, row);
  counts.undecided += value.certain ? 0 : 1;
  return value;
}

ExactValue compute(const ExactWork& work, std::int64_t column, std::int64_t row,
                   BlockCounts& counts) {
  const kernels::TsLongPoint at = exact_coordinates(work, column, row);
  ExactPixel pixel = bounded_orbit(work, at);
  counts.executed += pixel.executed;
  if (pixel.certainty != Certainty::counted) {
    return open_value(work, column, row, pixel.open_at, counts);
  }
  if (work.fields.measures() && pixel.count < work.image.iterations) {
    kMeasures[work.image.formula.id](work, at.re.hi, at.im.hi, pixel);
  }
  return value_of(work, pixel);
}

}  // namespace

ExactValue value_of(const ExactWork& work, const ExactPixel& pixel) {
  if (pixel.count == work.image.iterations) return inside(pixel.count);
  ExactValue value{.count = pixel.count};
  set_smooth(work, pixel.m, pixel.radius2, value);
  if (work.fields.measures()) set_measured(pixel.distance, pixel.gradient, pixel.phase, value);
  return value;
}

ExactValue defined_value(const ExactWork& work, std::int64_t column, std::int64_t row) {
  if (const auto pixel = fixed_orbit(work, column, row)) return value_of(work, *pixel);
  const auto [pixel, certain] =
      deep::pixel_with_bits(deep_place(work.image, work.fields), column, row, kMostBits);
  ExactValue value = inside(pixel.count);
  value.certain = certain;
  if (pixel.count == work.image.iterations) return value;
  set_smooth(work, pixel.smooth_m, pixel.smooth_radius2, value);
  if (work.fields.measures()) {
    const double distance = kernels::ts_distance_of(pixel.smooth_radius2, pixel.smooth_slope2);
    set_measured(distance, kernels::ts_gradient_of(distance, {pixel.smooth_right, pixel.smooth_up}),
                 kernels::ts_angle(pixel.smooth_x, pixel.smooth_y), value);
  }
  return value;
}

BlockCounts finish_exact(const ExactWork& work, const base::PixelRect& block,
                         std::span<OpenPixel> pixels, const std::function<bool()>& unwanted) {
  BlockCounts counts;
  for (OpenPixel& pixel : pixels) {
    if (unwanted && unwanted()) throw Interrupted();
    const auto at = static_cast<std::int64_t>(pixel.at);
    pixel.value = open_value(work, block.x + at % block.width, block.y + at / block.width,
                             pixel.open_at, counts);
  }
  return counts;
}

BlockCounts render_exact_block(const job::ImageSpec& image, const base::PixelRect& block,
                               const BlockBuffers& out, bool shortcuts,
                               const std::function<bool()>& unwanted) {
  check_request(image, block, out);
  const ExactImage exact = exact_image(image);
  const ExactWork work{image, exact, out.fields(), shortcuts};
  const std::size_t count_bytes = base::element_bytes(job::iterations_type(image));
  BlockCounts counts;
  for (std::int64_t row = 0; row < block.height; ++row) {
    for (std::int64_t column = 0; column < block.width; ++column) {
      if (unwanted && unwanted()) throw Interrupted();
      const ExactValue value = compute(work, block.x + column, block.y + row, counts);
      put_pixel(value.count, value.more, count_bytes, out,
                static_cast<std::size_t>(row * out.stride_px + column));
      counts += {.iterations = value.count};
    }
  }
  return counts;
}

}  // namespace tessera::device
