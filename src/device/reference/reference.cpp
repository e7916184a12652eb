#include "device/reference/reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/host/cpu_threads.hpp"
#include "device/kernel_fault.hpp"
#include "device/pixels/check_block.hpp"
#include "device/pixels/deep_block.hpp"
#include "device/pixels/exact_block.hpp"
#include "device/pixels/stored_values.hpp"
#include "kernels/fma_clones.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::device::reference {

namespace {

struct Pixel {
  std::uint64_t iterations = 0;
  float smooth = 0;
  float fraction = 0;
  float distance = 0, gradient_x = 0, gradient_y = 0, phase = 0;
  std::uint64_t executed = 0;
};

struct Point {
  double x = 0;
  double y = 0;
};

double radius2(Point z) {
  return std::fma(z.x, z.x, z.y * z.y);
}

Point square(Point z) {
  return {std::fma(-z.y, z.y, z.x * z.x), (z.x + z.x) * z.y};
}

Point times(Point w, Point z) {
  return {std::fma(-w.y, z.y, w.x * z.x), std::fma(w.x, z.y, w.y * z.x)};
}

/// z^2 + c.
Point square_plus(Point z, Point c) {
  return {std::fma(z.x, z.x, std::fma(-z.y, z.y, c.x)), std::fma(z.x + z.x, z.y, c.y)};
}

/// wz + c.
Point times_plus(Point w, Point z, Point c) {
  return {std::fma(w.x, z.x, std::fma(-w.y, z.y, c.x)),
          std::fma(w.x, z.y, std::fma(w.y, z.x, c.y))};
}

/// z^degree + c, as docs/formulas.md lists it.
Point power_plus(Point z, int degree, Point c) {
  switch (degree) {
    case 3:
      return times_plus(square(z), z, c);
    case 4:
      return square_plus(square(z), c);
    case 5:
      return times_plus(square(square(z)), z, c);
    case 6:
      return square_plus(times(square(z), z), c);
    case 7:
      return times_plus(square(times(square(z), z)), z, c);
    default:
      return square_plus(square(square(z)), c);
  }
}

/// One step, as docs/formulas.md writes it.
Point step(const job::Formula& formula, Point z, Point c) {
  switch (formula.id) {
    case kernels::TS_FORMULA_burning_ship:
      return {std::fma(z.x, z.x, std::fma(-z.y, z.y, c.x)),
              std::fma(std::fabs(z.x + z.x), std::fabs(z.y), c.y)};
    case kernels::TS_FORMULA_tricorn:
      return {std::fma(z.x, z.x, std::fma(-z.y, z.y, c.x)), std::fma(-(z.x + z.x), z.y, c.y)};
    case kernels::TS_FORMULA_multibrot:
      return power_plus(z, formula.degree, c);
    default:
      return square_plus(z, c);
  }
}

/// z^exponent, by squaring from the second binary digit down.
Point power(Point z, int exponent) {
  Point w = z;
  for (int digit = exponent >= 4 ? 2 : 1; digit > 0; digit /= 2) {
    w = square(w);
    if ((exponent & digit) != 0) w = times(w, z);
  }
  return w;
}

/// How step() changes if z changes by t and c by `own`, as docs/formulas.md writes it.
Point tangent(const job::Formula& formula, Point z, Point t, Point own) {
  const Point twice{z.x + z.x, z.y + z.y};
  switch (formula.id) {
    case kernels::TS_FORMULA_burning_ship: {
      const double change = std::fma(twice.x, t.y, twice.y * t.x);
      const bool mirrored = std::signbit(z.x) != std::signbit(z.y);
      return {std::fma(twice.x, t.x, std::fma(-twice.y, t.y, own.x)),
              (mirrored ? -change : change) + own.y};
    }
    case kernels::TS_FORMULA_tricorn:
      return {std::fma(twice.x, t.x, std::fma(-twice.y, t.y, own.x)),
              std::fma(-twice.x, t.y, std::fma(-twice.y, t.x, own.y))};
    case kernels::TS_FORMULA_multibrot: {
      const Point w = power(z, formula.degree - 1);
      return times_plus({formula.degree * w.x, formula.degree * w.y}, t, own);
    }
    default:
      return times_plus(twice, t, own);
  }
}

/// Whether the derivative of a step is the same in all directions.
bool analytic(const job::Formula& formula) {
  return formula.id != kernels::TS_FORMULA_burning_ship &&
         formula.id != kernels::TS_FORMULA_tricorn;
}

float stored(double measured) {
  return std::isnan(measured) ? 0 : static_cast<float>(measured);
}

/// Sets the distance of a pixel that escapes from the set and the gradient, in pixels, and the
/// phase.
[[gnu::flatten]] TESSERA_WITH_AND_WITHOUT_FMA void measure(Point at, const job::ImageSpec& image,
                                                           Pixel& pixel) {
  const bool julia = image.formula.id == kernels::TS_FORMULA_julia;
  const Point c = julia ? Point{image.formula.constant_re, image.formula.constant_im} : at;
  const double width = image.step();
  const double own = julia ? 0 : width;
  Point z = at;  // z_1 = c, or z_0 of a Julia set
  Point right{width, 0};
  Point up{0, width};
  while (radius2(z) <= 256.0 * 256.0) {
    right = tangent(image.formula, z, right, {own, 0});
    up = tangent(image.formula, z, up, {0, own});
    z = step(image.formula, z, c);
  }
  const bool is_analytic = analytic(image.formula);
  const plane::Matrix& m = image.matrix;
  Point slopes{std::fma(z.x, right.x, z.y * right.y), std::fma(z.x, up.x, z.y * up.y)};
  if (is_analytic) slopes.y = std::fma(-z.x, right.y, z.y * right.x);
  if (!m.is_identity()) {
    slopes = {std::fma(m.a, slopes.x, m.c * slopes.y), std::fma(m.b, slopes.x, m.d * slopes.y)};
  }
  const double slope2 =
      is_analytic && m.is_identity() ? radius2(right) : radius2(slopes) / radius2(z);
  const double distance = kernels::ts_distance_of(radius2(z), slope2);
  const double scale = distance / std::sqrt(radius2(slopes));
  pixel.distance = stored(distance);
  pixel.gradient_x = stored(slopes.x * scale);
  pixel.gradient_y = stored(slopes.y * scale);
  pixel.phase = static_cast<float>(kernels::ts_angle(z.x, z.y));
}

/// The orbit of one pixel exactly as docs/numerics.md and docs/formulas.md write it.
[[gnu::flatten]] TESSERA_WITH_AND_WITHOUT_FMA Pixel compute_pixel(Point at,
                                                                  const job::ImageSpec& image,
                                                                  bool want_smooth) {
  const bool julia = image.formula.id == kernels::TS_FORMULA_julia;
  const Point c = julia ? Point{image.formula.constant_re, image.formula.constant_im} : at;
  const double bailout2 = image.bailout * image.bailout;
  const std::uint64_t limit = image.iterations;
  Point z = julia ? at : Point{};
  Pixel pixel{limit, static_cast<float>(limit)};
  const auto resume = [&] {
    z = step(image.formula, z, c);
    ++pixel.executed;
  };

  const bool derivative = image.interior == job::Interior::derivative;
  Point right{1, 0};
  Point up{0, 1};
  bool was_beyond = false;
  /// The derivative's test at z_n. Then follows how z changes with z_1, or z_0 of a Julia set.
  const auto contracts = [&](std::uint64_t n) {
    was_beyond = was_beyond || radius2(z) > 256.0 * 256.0;
    const double slope2 = analytic(image.formula) ? radius2(right) : radius2(right) + radius2(up);
    if (n >= 32 && n % 16 == 0 && !was_beyond && slope2 < 0x1p-20) return true;
    if (n >= 1 || julia) {
      right = tangent(image.formula, z, right, {});
      up = tangent(image.formula, z, up, {});
    }
    return false;
  };

  bool smooth_found = false;
  double smooth_m = 0, smooth_radius2 = 0;
  const auto look_for_smooth = [&](std::uint64_t m) {
    if (smooth_found || !(radius2(z) > 256.0 * 256.0)) return;
    smooth_found = true;
    smooth_m = static_cast<double>(m);
    smooth_radius2 = radius2(z);
  };
  const auto smooth_above = [&](double n) {
    return static_cast<float>(
        kernels::ts_smooth_of(image.formula.degree, smooth_m - n, smooth_radius2));
  };

  for (std::uint64_t n = 0; n < limit; ++n) {
    if (want_smooth) look_for_smooth(n);
    if (!(radius2(z) <= bailout2)) {  // NaN, after an overflow, is outside too
      pixel.iterations = n;
      std::uint64_t m = n;
      while (want_smooth && !smooth_found) {
        resume();
        look_for_smooth(++m);
      }
      if (want_smooth) {
        pixel.smooth = smooth_above(0);
        pixel.fraction = smooth_above(static_cast<double>(n));
      }
      return pixel;
    }
    if (derivative && contracts(n)) break;
    resume();
  }
  return pixel;
}

class ReferenceLane : public Lane {
 public:
  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override {
    check_request(image, block, out);
    fail_if_ordered("device.kernel.reference");
    if (image.deep()) return render_deep_block(image, block, out);
    if (image.bounded()) return render_exact_block(image, block, out, false);
    const double half_width = static_cast<double>(image.size_px.width) / 2;
    const double half_height = static_cast<double>(image.size_px.height) / 2;
    const job::MoreFields fields = out.fields();
    BlockCounts counts;
    for (std::int64_t row = 0; row < block.height; ++row) {
      const double i = static_cast<double>(block.y + row);
      const double v = half_height - (i + 0.5);
      for (std::int64_t column = 0; column < block.width; ++column) {
        const double j = static_cast<double>(block.x + column);
        const double u = j + 0.5 - half_width;
        const plane::Matrix& m = image.matrix;
        const double step = image.step();
        const double re = std::fma(u, m.a * step, std::fma(v, m.b * step, image.center_re));
        const double im = std::fma(u, m.c * step, std::fma(v, m.d * step, image.center_im));
        Pixel pixel = compute_pixel({re, im}, image, fields.finds_m());
        if (fields.measures() && pixel.iterations != image.iterations) {
          measure({re, im}, image, pixel);
        }
        store(pixel, image, row * out.stride_px + column, out);
        counts += {pixel.iterations, pixel.executed};
      }
    }
    return counts;
  }

 private:
  static void store(const Pixel& pixel, const job::ImageSpec& image, std::ptrdiff_t at,
                    const BlockBuffers& out) {
    const auto element = static_cast<std::size_t>(at);
    put_count(pixel.iterations, image, out, element);
    put_values({pixel.smooth, pixel.distance, pixel.fraction, pixel.gradient_x, pixel.gradient_y,
                pixel.phase},
               out, element);
  }
};

class ReferenceDevice : public Device {
 public:
  explicit ReferenceDevice(int threads)
      : info_{"reference", "scalar, " + base::count_of(threads, "thread"), ""}, threads_(threads) {}
  const DeviceInfo& info() const override { return info_; }
  int lanes() const override { return threads_; }
  int rows_per_call(std::int64_t) const override { return 1; }
  /// There are no shortcuts to switch off.
  std::unique_ptr<Lane> open_lane(const LaneOptions&) const override {
    return std::make_unique<ReferenceLane>();
  }
  std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec& spec) const override {
    return make_reducer(spec);
  }
  std::unique_ptr<AxisReducer> open_axis_reducer(
      const statistics::OutputSpec& output_spec) const override {
    return make_axis_reducer(output_spec);
  }
  std::unique_ptr<GroupReducer> open_group_reducer(
      const statistics::GroupSpec& group_spec) const override {
    return make_group_reducer(group_spec);
  }

 private:
  DeviceInfo info_;
  int threads_;
};

}  // namespace

std::vector<DeviceInfo> list(const Placement& placement) {
  return {ReferenceDevice(cpu_threads(placement, count_cores())).info()};
}

std::unique_ptr<Device> open(std::string_view selector, const Placement& placement) {
  if (!selector.empty()) {
    throw base::usage_error("--device reference:{}: reference takes no selector", selector);
  }
  return std::make_unique<ReferenceDevice>(cpu_threads(placement, count_cores()));
}

}  // namespace tessera::device::reference
