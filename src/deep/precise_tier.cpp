#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "deep/tiers.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;

namespace {

struct PreciseComplex {
  DoubleDouble re, im;
};

/// A complex number of f64.
struct Leading {
  double re, im;
};

Leading leading(const PreciseComplex& a) {
  return {a.re.hi, a.im.hi};
}

// Their errors are relative to the sizes of a and b, as those of the bound.
PreciseComplex operator+(const PreciseComplex& a, const PreciseComplex& b) {
  return {kernels::quick_plus(a.re, b.re), kernels::quick_plus(a.im, b.im)};
}
PreciseComplex operator*(const PreciseComplex& a, const PreciseComplex& b) {
  return {sum_of_products(a.re, b.re, -a.im, b.im), sum_of_products(a.re, b.im, a.im, b.re)};
}
PreciseComplex twice_plus(const PreciseComplex& a, const PreciseComplex& b) {
  return {twice_plus(a.re, b.re), twice_plus(a.im, b.im)};
}
double size2(const Leading& a) {
  return std::fma(a.re, a.re, a.im * a.im);
}
double size2(const PreciseComplex& a) {
  return size2(leading(a));
}
Leading times_plus(const Leading& a, const Leading& b, const Leading& c) {
  return {std::fma(a.re, b.re, std::fma(-a.im, b.im, c.re)),
          std::fma(a.re, b.im, std::fma(a.im, b.re, c.im))};
}
/// Right to 104 bits even where a and b cancel, as they do where an orbit comes near 0.
PreciseComplex accurate_sum(const PreciseComplex& a, const PreciseComplex& b) {
  return {a.re + b.re, a.im + b.im};
}
double sum_of_parts(const PreciseComplex& a) {
  return std::abs(a.re.hi) + std::abs(a.im.hi);
}

/// Relative error of |Z + z|^2 with 106 bits.
constexpr double kNear = 0x1p-98;

/// |z|^2 - R^2, also where f64 cannot tell.
double above_bailout(const PreciseComplex& z, double radius2, double bailout2) {
  const double rough = radius2 - bailout2;
  if (std::abs(rough) > 1e-9 * bailout2) return rough;
  return (z.re * z.re + z.im * z.im - DoubleDouble{bailout2}).hi;
}

struct PreciseDifference {
  PreciseComplex t;
  double growth = 0, spread = 0;
};

/// kernels/deep/difference.h with 106 bits.
PreciseDifference difference(const kernels::TsDeepLimits& limits, PreciseComplex reference,
                             PreciseComplex z) {
  const double one_norm = sum_of_parts(z);
  if (limits.fold == kernels::TS_FOLD_ABSOLUTE) {
    z = {kernels::ts_absolute_difference(reference.re, z.re),
         kernels::ts_absolute_difference(reference.im, z.im)};
    reference = {kernels::ts_absolute(reference.re), kernels::ts_absolute(reference.im)};
  } else if (limits.fold == kernels::TS_FOLD_CONJUGATE) {
    z.im = -z.im;
    reference.im = -reference.im;
  }
  if (limits.degree == 2) {
    const PreciseComplex s = twice_plus(reference, z);
    return {z * s, std::sqrt(size2(s + z)), one_norm * sum_of_parts(s)};
  }
  const PreciseComplex w = reference + z;
  const double size = std::sqrt(size2(w));
  const double ref_size = std::sqrt(size2(reference));
  const double most = size < ref_size ? ref_size : size;
  const auto degree = static_cast<double>(limits.degree);
  PreciseComplex s = w + reference;
  PreciseComplex p = reference;
  PreciseDifference result{{}, degree * size, 2 * degree * (degree - 1) * one_norm * most};
  for (std::uint32_t k = 2; k < limits.degree; ++k) {
    p = p * reference;
    s = s * w + p;
    result.growth *= size;
    result.spread *= most;
  }
  result.t = z * s;
  return result;
}

/// kernels/deep/advance.h with 106 bits.
class PreciseLoop {
 public:
  PreciseLoop(const PreciseTier& tier, PrecisePixel& pixel)
      : tier_(tier), limits_(tier.limits), pixel_(pixel), z_{pixel.x, pixel.y} {}

  [[gnu::flatten]] TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t run() {
    while (true) {
      if (!(limits_.jumps != 0 ? step() : plain_step())) return TS_DEEP_DONE;
      if (const auto state = test()) return *state;
      if (std::abs(z_.re.hi) < limits_.small && std::abs(z_.im.hi) < limits_.small) {
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
    const PreciseComplex w = twice_plus(reference, z_);
    const PreciseComplex t = z_ * w;
    const double t2 = size2(t);
    const Leading v{w.re.hi + z_.re.hi, w.im.hi + z_.im.hi};
    double growth2 = size2(v);
    PreciseComplex bc{pixel_.plain_re, pixel_.plain_im};
    const kernels::PreciseNode node = tier_.jumps.nodes[pixel_.m];
    std::uint64_t length = 1;
    if (t2 < node.radius2) {
      const kernels::PreciseEntry* e =
          &tier_.table.entries[node.first + kernels::ts_levels(node.levels_and_error) - 1];
      while (!(t2 < e->radius2[tier_.number])) --e;
      if (e->length >= limits_.limit - pixel_.n) return false;
      const PreciseComplex q{e->q_re, e->q_im};
      const PreciseComplex f = q * t + PreciseComplex{e->a_re, e->a_im};
      const Leading g = times_plus(leading(q), leading(t), leading(f));
      follow(g, v, {e->b_re.hi * limits_.slope_step, e->b_im.hi * limits_.slope_step});
      growth2 *= size2(g);
      bc = PreciseComplex{e->b_re, e->b_im} * PreciseComplex{pixel_.c_re, pixel_.c_im};
      z_ = t * f + bc;
      length = e->length;
    } else {
      follow({1, 0}, v, {limits_.plain_slope, 0});
      z_ = t + bc;
    }
    if (limits_.want_interior != 0) pixel_.slope.contraction *= std::sqrt(growth2);
    pixel_.m += length;
    pixel_.n += length;
    pixel_.error = std::fma(std::sqrt(growth2), pixel_.error,
                            tier_.rounding * (sum_of_parts(z_) + sum_of_parts(bc)));
    return escaped() || pixel_.n < limits_.limit;
  }

  /// The derivative takes f64.
  void follow(const Leading& g, const Leading& v, const Leading& add) {
    if (limits_.want_distance == 0) return;
    kernels::ts_deep_follow(g.re, g.im, v.re, v.im, add.re, add.im, &pixel_.slope);
  }

  /// As step(), for formulas without jumps.
  bool plain_step() {
    pixel_.steps += 1;
    const PreciseComplex c{pixel_.plain_re, pixel_.plain_im};
    const PreciseComplex reference = reference_at(pixel_.m);
    const PreciseDifference d = difference(limits_, reference, z_);
    if (limits_.want_distance != 0) {
      const PreciseComplex full = reference + z_;
      kernels::ts_follow_step(limits_, full.re.hi, full.im.hi, limits_.plain_slope, &pixel_.slope);
    }
    z_ = d.t + c;
    pixel_.m += 1;
    pixel_.n += 1;
    pixel_.error = std::fma(d.growth, pixel_.error,
                            tier_.rounding * (d.spread + (sum_of_parts(z_) + sum_of_parts(c))));
    return escaped() || pixel_.n < limits_.limit;
  }

  std::optional<std::uint32_t> test() {
    const PreciseComplex full = accurate_sum(reference_at(pixel_.m), z_);
    const double radius2 = size2(full);
    if (pixel_.smooth_radius2 == 0 && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
      pixel_.smooth_m = pixel_.n;
      pixel_.smooth_radius2 = radius2;
      pixel_.smooth_slope2 =
          kernels::ts_slope2(limits_, full.re.hi, full.im.hi, radius2, pixel_.slope);
    }
    if (!escaped()) {
      const double size = sum_of_parts(full);
      const double safe = TS_DEEP_SAFETY * pixel_.error;
      const double above = above_bailout(full, radius2, limits_.bailout2);
      if (safe > TS_DEEP_LARGEST_ERROR * size ||
          std::abs(above) <= safe * (size + limits_.bailout) ||
          std::abs(above) <= kNear * limits_.bailout2) {
        return TS_DEEP_UNCERTAIN;
      }
      if (above > 0) {
        pixel_.count = pixel_.n;
      } else if (pixel_.slope.contraction < limits_.inside) {
        return TS_DEEP_DONE;
      }
    }
    if (escaped() && (limits_.want_smooth == 0 || pixel_.smooth_radius2 != 0)) return TS_DEEP_DONE;
    if (radius2 < size2(z_) || kernels::ts_orbit_ends(limits_, pixel_.m) != 0) return rebase(full);
    return std::nullopt;
  }

  std::optional<std::uint32_t> rebase(const PreciseComplex& full) {
    z_ = full;
    pixel_.error = std::fma(tier_.rounding, sum_of_parts(full), pixel_.error) +
                   kernels::ts_element_error(tier_.jumps.nodes[pixel_.m].levels_and_error);
    pixel_.m = 0;
    if (escaped()) return std::nullopt;
    if (z_.re == pixel_.saved_x && z_.im == pixel_.saved_y &&
        pixel_.error <= TS_DEEP_SAME_ERROR * pixel_.saved_error) {
      return TS_DEEP_DONE;
    }
    if (++pixel_.rebases >= pixel_.saved_next) {
      pixel_.saved_x = z_.re;
      pixel_.saved_y = z_.im;
      pixel_.saved_error = pixel_.error;
      pixel_.saved_next = 2 * pixel_.rebases;
    }
    return std::nullopt;
  }

  PreciseComplex reference_at(std::uint64_t m) const {
    const kernels::PreciseNode node = tier_.jumps.nodes[m];
    return {{node.re, node.re_low}, {node.im, node.im_low}};
  }

  const PreciseTier& tier_;
  const kernels::TsDeepLimits& limits_;
  PrecisePixel& pixel_;
  PreciseComplex z_;
};

}  // namespace

PreciseTier::PreciseTier(const DeepImage& of_image, const PreciseTable& of_table,
                         std::size_t of_number)
    : image(of_image),
      limits(of_image.limits),
      table(of_table),
      number(of_number),
      jumps(of_table.jumps(*of_image.orbit, of_image.table, of_number)),
      rounding(4 * std::max(PreciseTable::kEpsilons[of_number], 0x1p-100)) {}

PrecisePixel start_pixel(const PreciseTier& tier, std::int64_t column, std::int64_t row) {
  const DeepImage& image = tier.image;
  PrecisePixel pixel;
  kernels::ts_deep_start(&tier.limits, image.unit_step, image.unit_exponent,
                         column_offset(image.place, column), row_offset(image.place, row), &pixel);
  return pixel;
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t scaled_phase(const PreciseTier& tier,
                                                        PrecisePixel& pixel) {
  return kernels::ts_scaled_phase(&tier.limits, &tier.jumps, tier.image.unit_exponent,
                                  tier.rounding, &pixel);
}

std::uint32_t advance_pixel(const PreciseTier& tier, PrecisePixel& pixel) {
  return PreciseLoop(tier, pixel).run();
}

}  // namespace tessera::deep
