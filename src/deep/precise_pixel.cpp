#include "deep/precise_pixel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fma_clones.hpp"
#include "deep/deep_image.hpp"
#include "deep/scaled_phase.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledReal;

namespace {

struct PreciseComplex {
  DoubleDouble re, im;
};

PreciseComplex operator+(const PreciseComplex& a, const PreciseComplex& b) {
  return {a.re + b.re, a.im + b.im};
}
PreciseComplex operator*(const PreciseComplex& a, const PreciseComplex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
double size2(const PreciseComplex& a) {
  return std::fma(a.re.hi, a.re.hi, a.im.hi * a.im.hi);
}
double sum_of_parts(const PreciseComplex& a) {
  return std::abs(a.re.hi) + std::abs(a.im.hi);
}

struct PrecisePixel {
  DoubleDouble x, y;
  double error = 0;
  DoubleDouble c_re, c_im;  ///< in the unit of the table
  PreciseComplex plain_c;
  PreciseComplex saved{{std::numeric_limits<double>::quiet_NaN()}, {}};
  std::uint64_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t rebases = 0;
  std::uint32_t saved_next = 1;
  std::uint32_t count = 0;
  std::uint32_t scaled_steps = 0;
  std::uint32_t smooth_m = 0;
  double smooth_radius2 = 0;
};

struct PreciseTier {
  using Number = DoubleDouble;
  using Pixel = PrecisePixel;

  kernels::ScaledComplex<DoubleDouble> z(std::int64_t m) const { return orbit.at(m); }

  std::optional<ScaledEntry<DoubleDouble>> find(std::int64_t m, const ScaledReal& size) const {
    if (const auto* entry = table.scaled.find(m, size)) return *entry;
    const PreciseTable::Node& node = table.nodes[static_cast<std::size_t>(m)];
    const ScaledReal squared = size * size;
    for (std::uint32_t level = node.levels; level-- > 0;) {
      const PreciseTable::Entry& e = table.entries[node.first + level];
      if (!(squared < ScaledReal(e.radius2))) continue;
      return ScaledEntry<DoubleDouble>{{},
                                       kernels::normalized(e.a_re, e.a_im, 0),
                                       kernels::normalized(e.q_re, e.q_im, 0),
                                       kernels::normalized(e.b_re, e.b_im, 0),
                                       static_cast<std::int64_t>(e.length)};
    }
    return std::nullopt;
  }

  const ReferenceOrbit& orbit;
  const PreciseTable& table;
  const kernels::TsDeepLimits& limits;
  std::int64_t unit_exponent;
  double rounding;  ///< of a step, with the terms that a jump drops
};

/// |z|^2 - R^2, also where f64 cannot tell.
double above_bailout(const PreciseComplex& z, double radius2, double bailout2) {
  const double rough = radius2 - bailout2;
  if (std::abs(rough) > 1e-9 * bailout2) return rough;
  return (z.re * z.re + z.im * z.im - DoubleDouble{bailout2}).hi;
}

/// kernels/deep/advance.h with 106 bits.
class PreciseLoop {
 public:
  PreciseLoop(const PreciseTier& tier, PrecisePixel& pixel)
      : tier_(tier), limits_(tier.limits), pixel_(pixel), z_{pixel.x, pixel.y} {}

  TESSERA_WITH_AND_WITHOUT_FMA [[gnu::flatten]] std::uint32_t run() {
    while (true) {
      if (!step()) return TS_DEEP_DONE;
      if (const auto state = test()) return *state;
      if (std::abs(z_.re.hi) < TS_DEEP_SMALL_Z && std::abs(z_.im.hi) < TS_DEEP_SMALL_Z) {
        pixel_.x = z_.re;
        pixel_.y = z_.im;
        return TS_DEEP_SMALL;
      }
    }
  }

 private:
  bool escaped() const { return pixel_.count != limits_.limit; }

  /// False if no step remains to be tested before the limit.
  bool step() {
    const PreciseComplex reference = reference_at(pixel_.m);
    const PreciseComplex w{reference.re + reference.re + z_.re,
                           reference.im + reference.im + z_.im};
    const PreciseComplex t = z_ * w;
    const double t2 = size2(t);
    double growth2 = size2(w + z_);
    PreciseComplex bc = pixel_.plain_c;
    const PreciseTable::Node& node = tier_.table.nodes[pixel_.m];
    std::uint64_t length = 1;
    if (t2 < node.radius2) {
      const PreciseTable::Entry* e = &tier_.table.entries[node.first + node.levels - 1];
      while (!(t2 < e->radius2)) --e;
      if (e->length >= limits_.limit - pixel_.n) return false;
      const PreciseComplex qt = PreciseComplex{e->q_re, e->q_im} * t;
      const PreciseComplex f = PreciseComplex{e->a_re, e->a_im} + qt;
      growth2 *= size2(f + qt);
      bc = PreciseComplex{e->b_re, e->b_im} * PreciseComplex{pixel_.c_re, pixel_.c_im};
      z_ = t * f + bc;
      length = e->length;
    } else {
      z_ = t + bc;
    }
    pixel_.m += length;
    pixel_.n += static_cast<std::uint32_t>(length);
    pixel_.error = std::fma(std::sqrt(growth2), pixel_.error,
                            tier_.rounding * (sum_of_parts(z_) + sum_of_parts(bc)));
    return escaped() || pixel_.n < limits_.limit;
  }

  std::optional<std::uint32_t> test() {
    const PreciseComplex full = reference_at(pixel_.m) + z_;
    const double radius2 = size2(full);
    if (pixel_.smooth_m == 0 && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
      pixel_.smooth_m = pixel_.n;
      pixel_.smooth_radius2 = radius2;
    }
    if (!escaped()) {
      const double size = sum_of_parts(full);
      const double safe = TS_DEEP_SAFETY * pixel_.error;
      const double above = above_bailout(full, radius2, limits_.bailout2);
      if (safe > TS_DEEP_LARGEST_ERROR * (1 + size) ||
          std::abs(above) <= safe * (size + limits_.bailout)) {
        return TS_DEEP_UNCERTAIN;
      }
      if (above > 0) pixel_.count = pixel_.n;
    }
    if (escaped() && (limits_.want_smooth == 0 || pixel_.smooth_m != 0)) return TS_DEEP_DONE;
    if (radius2 < size2(z_) || pixel_.m >= limits_.last) return rebase(full);
    return std::nullopt;
  }

  std::optional<std::uint32_t> rebase(const PreciseComplex& full) {
    z_ = full;
    pixel_.m = 0;
    if (escaped()) return std::nullopt;
    if (z_.re == pixel_.saved.re && z_.im == pixel_.saved.im) return TS_DEEP_DONE;
    if (++pixel_.rebases >= pixel_.saved_next) {
      pixel_.saved = z_;
      pixel_.saved_next = 2 * pixel_.rebases;
    }
    return std::nullopt;
  }

  PreciseComplex reference_at(std::uint64_t m) const {
    const ReferenceOrbit& orbit = tier_.orbit;
    return {{orbit.re[m], orbit.re_low[m]}, {orbit.im[m], orbit.im_low[m]}};
  }

  const PreciseTier& tier_;
  const kernels::TsDeepLimits& limits_;
  PrecisePixel& pixel_;
  PreciseComplex z_;
};

PrecisePixel precise_start(const DeepImage& image, std::int64_t column, std::int64_t row) {
  PrecisePixel pixel;
  pixel.c_re = image.unit_step * column_offset(image, column);
  pixel.c_im = image.unit_step * row_offset(image, row);
  pixel.plain_c = {kernels::part_value(pixel.c_re, image.unit_exponent),
                   kernels::part_value(pixel.c_im, image.unit_exponent)};
  pixel.count = image.limits.limit;
  return pixel;
}

std::optional<CountedPixel> precise_pixel(const PreciseTier& tier, PrecisePixel pixel) {
  std::uint32_t state = TS_DEEP_SMALL;
  while (state == TS_DEEP_SMALL && ScaledPhase(tier, pixel).run())
    state = PreciseLoop(tier, pixel).run();
  if (state == TS_DEEP_UNCERTAIN) return std::nullopt;
  return CountedPixel{pixel.count, pixel.smooth_m, pixel.smooth_radius2};
}

/// The centre plus an offset of the pixel, with the bits of the orbit.
BigReal coordinate(const std::string& center, const std::string& width, std::int64_t pixels,
                   double offset, std::int64_t bits) {
  BigReal step(width, bits);
  mpfr_div_ui(step.get(), step.get(), static_cast<unsigned long>(pixels), MPFR_RNDN);
  mpfr_mul_d(step.get(), step.get(), offset, MPFR_RNDN);
  BigReal sum(center, bits);
  mpfr_add(sum.get(), sum.get(), step.get(), MPFR_RNDN);
  return sum;
}

}  // namespace

const PreciseTable& PrecisePixels::table(const DeepImage& image, std::size_t tier) const {
  const LazyTable& lazy = tables_[tier];
  std::call_once(lazy.once, [&] {
    lazy.table = build_precise_table(image.orbit, {.unit_exponent = image.unit_exponent,
                                                   .radius = std::min(2.0, image.limits.bailout),
                                                   .epsilon = kEpsilons[tier]});
  });
  return lazy.table;
}

CountedPixel PrecisePixels::compute(const DeepImage& image, std::int64_t column,
                                    std::int64_t row) const {
  const PrecisePixel start = precise_start(image, column, row);
  for (std::size_t tier = 0; tier < std::size(kEpsilons); ++tier) {
    const double rounding = 4 * std::max(kEpsilons[tier], 0x1p-100);
    const PreciseTier numbers{image.orbit, table(image, tier), image.limits, image.unit_exponent,
                              rounding};
    if (const auto pixel = precise_pixel(numbers, start)) return *pixel;
  }
  return by_definition(image, column, row);
}

CountedPixel PrecisePixels::by_definition(const DeepImage& image, std::int64_t column,
                                          std::int64_t row) {
  const Place& place = image.place;
  const std::int64_t bits = orbit_bits(step_of(place), place.iterations) + 64;
  const BigComplex c{
      coordinate(place.center_re, place.width, place.size_px.width, column_offset(image, column),
                 bits),
      coordinate(place.center_im, place.width, place.size_px.width, row_offset(image, row), bits)};
  return count_iterations(c, place.iterations, place.bailout, place.smooth);
}

}  // namespace tessera::deep
