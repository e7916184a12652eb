#include "device/pixels/long_orbits.hpp"

#include "base/saturated_sum.hpp"
#include "device/device_error.hpp"
#include "device/pixels/check_block.hpp"
#include "device/pixels/stored_values.hpp"
#include "kernels/fma_clones.hpp"
#include "kernels/pixel/long_scalar.hpp"

namespace tessera::device {

namespace {

namespace kernel = kernels::long_orbits;

/// Iterations between two questions whether the pixel is still requested.
// crossed by: end_when_nobody_wants_them
constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;

/// ts_advance() or ts_measure() of a formula.
using Continue = int (*)(double re, double im, const kernel::TsOrbitLimits& limits,
                         std::uint64_t pause, kernel::TsOrbit& orbit, kernel::TsPixel& pixel);
struct Loops {
  Continue advance, measure;
};

#define TS_ROW(id, name, parameter, surely_inside, fold)                                           \
  TESSERA_WITH_AND_WITHOUT_FMA                                                                     \
  int advance_##id(double re, double im, const kernel::TsOrbitLimits& limits, std::uint64_t pause, \
                   kernel::TsOrbit& orbit, kernel::TsPixel& pixel) {                               \
    return kernel::ts_advance(kernels::TS_FORMULA_##id, re, im, limits, pause, &orbit, &pixel);    \
  }                                                                                                \
  TESSERA_WITH_AND_WITHOUT_FMA                                                                     \
  int measure_##id(double re, double im, const kernel::TsOrbitLimits& limits, std::uint64_t pause, \
                   kernel::TsOrbit& orbit, kernel::TsPixel& pixel) {                               \
    return kernel::ts_measure(kernels::TS_FORMULA_##id, re, im, limits, pause, &orbit, &pixel);    \
  }
TS_FORMULAS(TS_ROW)
#undef TS_ROW

/// Indexed by kernels::TsFormula.
constexpr Loops kLoops[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) {&advance_##id, &measure_##id},
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

class LongOrbits {
 public:
  LongOrbits(const job::ImageSpec& image, const BlockBuffers& out, const LongOrbitOptions& options)
      : image_(image),
        options_(options),
        limits_{.bailout2 = image.bailout * image.bailout,
                .constant_re = image.formula.constant_re,
                .constant_im = image.formula.constant_im,
                .limit = image.iterations,
                .flags = (options.shortcuts ? TS_SHORTCUTS : 0U) |
                         (out.smooth != nullptr ? TS_SMOOTH : 0U) |
                         (out.fraction != nullptr ? TS_FRACTION : 0U) |
                         (out.distance != nullptr ? TS_DISTANCE : 0U) |
                         (out.gradient_x != nullptr ? TS_GRADIENT_X : 0U) |
                         (out.gradient_y != nullptr ? TS_GRADIENT_Y : 0U) |
                         (out.phase != nullptr ? TS_ANGLE : 0U) |
                         (needs_care(image) ? TS_CAREFUL : 0U) |
                         (image.interior == job::Interior::derivative ? TS_INTERIOR : 0U) |
                         (image.matrix.is_identity() ? 0U : TS_TURNED),
                .degree = image.formula.degree,
                .step = image.step(),
                .turn = image.turn()} {}

  kernel::TsPixel pixel(std::int64_t column, std::int64_t row) const {
    const double u = kernel::ts_column_offset(static_cast<double>(column),
                                              static_cast<double>(image_.size_px.width) / 2);
    const double v = kernel::ts_row_offset(static_cast<double>(row),
                                           static_cast<double>(image_.size_px.height) / 2);
    const double re =
        kernel::ts_coordinate(u, image_.right_re(), v, image_.up_re(), image_.center_re);
    const double im =
        kernel::ts_coordinate(u, image_.right_im(), v, image_.up_im(), image_.center_im);
    const auto id = static_cast<int>(image_.formula.id);
    kernel::TsOrbit orbit;
    kernel::TsPixel pixel;
    pixel.distance = pixel.gradient_x = pixel.gradient_y = pixel.phase = 0;
    if (kernel::ts_begin(id, re, im, limits_, &orbit, &pixel)) return pixel;
    std::uint64_t executed = continued(kLoops[id].advance, re, im, orbit, pixel);
    if ((limits_.flags & TS_MEASURES) != 0 && pixel.iterations != limits_.limit) {
      kernel::ts_begin_measure(id, re, im, limits_.step, &orbit);
      executed += continued(kLoops[id].measure, re, im, orbit, pixel);
    }
    pixel.executed = executed;
    return pixel;
  }

 private:
  /// To the end, piece by piece. Returns the steps.
  std::uint64_t continued(Continue loop, double re, double im, kernel::TsOrbit& orbit,
                          kernel::TsPixel& pixel) const {
    std::uint64_t executed = 0;
    for (bool done = false; !done; executed += pixel.executed) {
      if (options_.unwanted && options_.unwanted()) throw Interrupted();
      done = loop(re, im, limits_, orbit.n + kPiece, orbit, pixel) != 0;
    }
    return executed;
  }

  const job::ImageSpec& image_;
  const LongOrbitOptions& options_;
  kernel::TsOrbitLimits limits_;
};

}  // namespace

void finish_long_orbits(const job::ImageSpec& image, const base::PixelRect& block,
                        const BlockBuffers& out, std::uint64_t known,
                        const LongOrbitOptions& options, BlockCounts& counts) {
  const LongOrbits orbits(image, out, options);
  const std::size_t bytes = base::element_bytes(job::iterations_type(image));
  counts.iterations = 0;
  for (std::int64_t row = 0; row < block.height; ++row) {
    for (std::int64_t column = 0; column < block.width; ++column) {
      const auto at = static_cast<std::size_t>(row * out.stride_px + column);
      std::uint64_t count = count_at(out, bytes, at);
      if (count == known) {
        const kernel::TsPixel pixel = orbits.pixel(block.x + column, block.y + row);
        count = pixel.iterations;
        put_count(count, image, out, at);
        put_values({pixel.smooth, pixel.distance, pixel.fraction, pixel.gradient_x,
                    pixel.gradient_y, pixel.phase},
                   out, at);
        counts.executed += pixel.executed;
      }
      counts.iterations = base::saturated_sum(counts.iterations, count);
    }
  }
}

}  // namespace tessera::device
