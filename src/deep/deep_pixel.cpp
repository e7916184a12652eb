#include "deep/deep_pixel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/fma_clones.hpp"

namespace tessera::deep {

using kernels::ScaledComplex;
using kernels::ScaledReal;
using kernels::TsDeepPixel;

namespace {

using Complex = ScaledComplex<double>;

/// The loop of kernels/deep/advance.h while |z| is below f64's range. A few steps of each pixel.
class ScaledPhase {
 public:
  ScaledPhase(const DeepImage& image, TsDeepPixel& pixel, Complex z, ScaledReal error)
      : image_(image),
        pixel_(pixel),
        z_(z),
        error_(error),
        c_(kernels::normalized(pixel.c_re, pixel.c_im, unit())) {}

  /// False when the pixel is done; otherwise z is within f64's range.
  bool run(std::uint32_t& steps) {
    while (true) {
      const double x = kernels::part_value(z_.re, z_.e);
      const double y = kernels::part_value(z_.im, z_.e);
      if (std::abs(x) >= TS_DEEP_SMALL_Z || std::abs(y) >= TS_DEEP_SMALL_Z) {
        pixel_.x = x;
        pixel_.y = y;
        pixel_.error = error_.value();
        return true;
      }
      if (!step()) return false;
      ++steps;
    }
  }

 private:
  std::int64_t unit() const { return image_.unit_exponent; }

  bool step() {
    const auto m = static_cast<std::int64_t>(pixel_.m);
    const Complex z = rounded(image_.orbit.at(m));
    const Complex w = twice(z) + z_;
    const Complex t = z_ * w;
    ScaledReal growth = magnitude(w + z_);
    const ScaledReal size = magnitude(t);
    Complex bc = c_;
    std::int64_t length = 1;
    Complex next;
    if (const auto entry = find(m, size)) {
      const Complex qt = entry->q * t;
      const Complex f = entry->a + qt;
      growth = growth * magnitude(f + qt);
      Complex c = c_;
      c.e -= unit();
      bc = entry->b * c;
      next = t * f + bc;
      length = entry->length;
    } else {
      next = t + bc;
    }
    if (length >= static_cast<std::int64_t>(image_.limits.limit - pixel_.n)) return false;
    z_ = next;
    error_ = growth * error_ +
             ScaledReal(TS_DEEP_ROUNDING) * ScaledReal(2.0) * (magnitude(z_) + magnitude(bc));
    pixel_.m += static_cast<std::uint64_t>(length);
    pixel_.n += static_cast<std::uint32_t>(length);
    return test();
  }

  /// A small z neither escapes, unless the reference does, nor is there an error that counts.
  bool test() {
    const Complex full = rounded(image_.orbit.at(static_cast<std::int64_t>(pixel_.m))) + z_;
    const double x = kernels::part_value(full.re, full.e);
    const double y = kernels::part_value(full.im, full.e);
    if (std::fma(x, x, y * y) > image_.limits.bailout2) {
      pixel_.count = pixel_.n;
      return false;
    }
    if (pixel_.n >= image_.limits.limit) return false;
    if (magnitude(full) < magnitude(z_) || pixel_.m >= image_.limits.last) {
      z_ = full;
      pixel_.m = 0;
    }
    return true;
  }

  std::optional<ScaledEntry> find(std::int64_t m, const ScaledReal& size) const {
    if (const auto* node = image_.table.scaled_node(m)) {
      for (std::uint32_t level = node->levels; level-- > 0;) {
        const ScaledEntry& entry = image_.table.scaled_entries[node->first + level];
        if (size < entry.radius) return entry;
      }
    }
    const kernels::TsJumpNode& node = image_.table.nodes[static_cast<std::size_t>(m)];
    for (std::uint32_t level = node.levels; level-- > 0;) {
      const kernels::TsJumpEntry& entry = image_.table.entries[node.first + level];
      if (size * size < ScaledReal(entry.radius2)) {
        return ScaledEntry{{},
                           kernels::normalized(entry.a_re, entry.a_im, 0),
                           kernels::normalized(entry.q_re, entry.q_im, 0),
                           kernels::normalized(entry.b_re, entry.b_im, 0),
                           static_cast<std::int64_t>(entry.length)};
      }
    }
    return std::nullopt;
  }

  const DeepImage& image_;
  TsDeepPixel& pixel_;
  Complex z_;
  ScaledReal error_;
  Complex c_;
};

TsDeepPixel start(const DeepImage& image, std::int64_t column, std::int64_t row) {
  TsDeepPixel pixel{};
  pixel.c_re =
      ((static_cast<double>(column) + 0.5) - static_cast<double>(image.size_px.width) / 2) *
      image.unit_step;
  pixel.c_im = (static_cast<double>(image.size_px.height) / 2 - (static_cast<double>(row) + 0.5)) *
               image.unit_step;
  pixel.plain_re = kernels::part_value(pixel.c_re, image.unit_exponent);
  pixel.plain_im = kernels::part_value(pixel.c_im, image.unit_exponent);
  pixel.count = image.limits.limit;
  // No z equals NaN.
  pixel.saved_x = std::numeric_limits<double>::quiet_NaN();
  pixel.saved_next = 1;
  return pixel;
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t advance(const DeepImage& image, TsDeepPixel& pixel) {
  return kernels::ts_deep_advance(image.limits, image.table.nodes.data(),
                                  image.table.entries.data(), &pixel);
}

double smooth_of(const DeepImage& image, const TsDeepPixel& pixel) {
  if (pixel.count == image.limits.limit) return pixel.count;
  return kernels::ts_smooth_of(2, pixel.smooth_m, pixel.smooth_radius2);
}

}  // namespace

kernels::TsDeepPixel start_pixel(const DeepImage& image, std::int64_t column, std::int64_t row) {
  return start(image, column, row);
}

std::uint32_t scaled_phase(const DeepImage& image, kernels::TsDeepPixel& pixel) {
  Complex z = kernels::normalized(pixel.x, pixel.y, 0);
  return ScaledPhase(image, pixel, z, ScaledReal(pixel.error)).run(pixel.scaled_steps) ? TS_DEEP_SMALL : TS_DEEP_DONE;
}

DeepResult deep_pixel(const DeepImage& image, std::int64_t column, std::int64_t row) {
  TsDeepPixel pixel = start(image, column, row);
  std::uint32_t state = TS_DEEP_SMALL;
  while (state == TS_DEEP_SMALL && scaled_phase(image, pixel) != TS_DEEP_DONE) state = advance(image, pixel);
  DeepResult result{.count = pixel.count,
                    .certain = state != TS_DEEP_UNCERTAIN,
                    .steps = pixel.steps,
                    .scaled_steps = pixel.scaled_steps};
  if (image.limits.want_smooth != 0) result.smooth = smooth_of(image, pixel);
  return result;
}

}  // namespace tessera::deep
