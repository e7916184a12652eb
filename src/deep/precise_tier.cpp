#include <algorithm>
#include <cmath>

#include "deep/scaled_phase.hpp"
#include "deep/tiers.hpp"
#include "kernels/fma_clones.hpp"

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
    pixel_.steps += 1;
    const PreciseComplex reference = reference_at(pixel_.m);
    const PreciseComplex w{reference.re + reference.re + z_.re,
                           reference.im + reference.im + z_.im};
    const PreciseComplex t = z_ * w;
    const double t2 = size2(t);
    double growth2 = size2(w + z_);
    PreciseComplex bc{pixel_.plain_re, pixel_.plain_im};
    const PreciseTable::Node& node = tier_.table.nodes[pixel_.m];
    std::uint64_t length = 1;
    if (t2 < node.radius2) {
      const PreciseTable::Entry* e = &tier_.table.entries[node.first + node.levels - 1];
      while (!(t2 < e->radius2)) --e;
      if (e->length >= limits_.limit - pixel_.n) return false;
      const PreciseComplex qt = PreciseComplex{e->q_re, e->q_im} * t;
      const PreciseComplex f = qt + PreciseComplex{e->a_re, e->a_im};
      growth2 *= size2(qt + f);
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
    if (z_.re == pixel_.saved_x && z_.im == pixel_.saved_y) return TS_DEEP_DONE;
    if (++pixel_.rebases >= pixel_.saved_next) {
      pixel_.saved_x = z_.re;
      pixel_.saved_y = z_.im;
      pixel_.saved_next = 2 * pixel_.rebases;
    }
    return std::nullopt;
  }

  PreciseComplex reference_at(std::uint64_t m) const {
    const PreciseTable::Node& node = tier_.table.nodes[m];
    return {{node.re, node.re_low}, {node.im, node.im_low}};
  }

  const PreciseTier& tier_;
  const kernels::TsDeepLimits& limits_;
  PrecisePixel& pixel_;
  PreciseComplex z_;
};

}  // namespace

PreciseTier::PreciseTier(const DeepImage& of_image, const PreciseTable& of_table, double epsilon)
    : image(of_image),
      limits(of_image.limits),
      table(of_table),
      rounding(4 * std::max(epsilon, 0x1p-100)) {}

std::optional<ScaledEntry<DoubleDouble>> PreciseTier::find(std::int64_t m,
                                                           const ScaledReal& size) const {
  if (const auto* entry = table.scaled.find(m, size)) return *entry;
  return find_entry<DoubleDouble>(table, m, size);
}

PrecisePixel start_pixel(const PreciseTier& tier, std::int64_t column, std::int64_t row) {
  const DeepImage& image = tier.image;
  PrecisePixel pixel;
  pixel.c_re = image.unit_step * column_offset(image.place, column);
  pixel.c_im = image.unit_step * row_offset(image.place, row);
  pixel.plain_re = kernels::part_value(pixel.c_re, image.unit_exponent);
  pixel.plain_im = kernels::part_value(pixel.c_im, image.unit_exponent);
  pixel.count = image.limits.limit;
  return pixel;
}

bool scaled_phase(const PreciseTier& tier, PrecisePixel& pixel) {
  return ScaledPhase(tier, pixel).run();
}

std::uint32_t advance_pixel(const PreciseTier& tier, PrecisePixel& pixel) {
  return PreciseLoop(tier, pixel).run();
}

}  // namespace tessera::deep
