#include "device/pixels/fixed_orbit.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "device/pixels/deep_block.hpp"

namespace tessera::device {

namespace {

constexpr std::size_t kMaxLimbs = 16;
constexpr std::array<std::size_t, 3> kLimbs = {4, 8, kMaxLimbs};
static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));

/// Errors in units of the last place: two products and their difference, and c.
constexpr double kRounding = 8;
/// Above the rounding errors of bounds, and of |z| in f64.
constexpr double kAboveErrors = 1 + 0x1p-40;
/// |z| beyond which the parts of the next z might not fit.
constexpr double kMaxSize = 0x1p30;

/// A number of two's complement with one limb before the point, the last one.
using Fixed = std::array<mp_limb_t, kMaxLimbs>;

bool is_negative(const Fixed& a, std::size_t limbs) {
  return static_cast<std::int64_t>(a[limbs - 1]) < 0;
}

void negate(Fixed& a, std::size_t limbs) {
  mpn_neg(a.data(), a.data(), static_cast<mp_size_t>(limbs));
}

Fixed absolute(Fixed a, std::size_t limbs) {
  if (is_negative(a, limbs)) negate(a, limbs);
  return a;
}

double leading(const Fixed& a, std::size_t limbs) {
  const Fixed size = absolute(a, limbs);
  double value = 0;
  int exponent = 0;
  for (std::size_t i = limbs; i-- > 0; exponent -= 64) {
    value += std::ldexp(static_cast<double>(size[i]), exponent);
    if (size[i] != 0 && i + 1 < limbs) break;
  }
  return is_negative(a, limbs) ? -value : value;
}

Fixed fixed_of(deep::BigReal value, std::size_t limbs) {
  const auto bits = static_cast<long>(64 * (limbs - 1));
  mpfr_mul_2si(value.get(), value.get(), bits, MPFR_RNDN);
  mpz_t whole;
  mpz_init(whole);
  mpfr_get_z(whole, value.get(), MPFR_RNDN);
  Fixed fixed{};
  const auto size = std::min(mpz_size(whole), limbs);
  std::copy_n(mpz_limbs_read(whole), size, fixed.begin());
  if (mpz_sgn(whole) < 0) negate(fixed, limbs);
  mpz_clear(whole);
  return fixed;
}

/// The middle of a product of two numbers above 0.
class Product {
 public:
  explicit Product(std::size_t limbs) : limbs_(limbs) {}

  Fixed square(const Fixed& a) {
    mpn_sqr(all_.data(), a.data(), static_cast<mp_size_t>(limbs_));
    return middle();
  }
  Fixed times(const Fixed& a, const Fixed& b) {
    mpn_mul_n(all_.data(), a.data(), b.data(), static_cast<mp_size_t>(limbs_));
    return middle();
  }

 private:
  Fixed middle() const {
    Fixed part;
    std::copy_n(all_.begin() + static_cast<std::ptrdiff_t>(limbs_) - 1, limbs_, part.begin());
    return part;
  }

  std::size_t limbs_;
  std::array<mp_limb_t, 2 * kMaxLimbs> all_{};
};

struct FixedPoint {
  Fixed re, im;
};

/// The orbit with so many limbs.
class FixedOrbit {
 public:
  FixedOrbit(const ExactWork& work, std::size_t limbs, const FixedPoint& at)
      : work_(work),
        fold_(kernels::kFormulas[work.image.formula.id].fold),
        limbs_(limbs),
        product_(limbs),
        unit_(std::ldexp(1.0, -64 * static_cast<int>(limbs - 1))),
        z_(at),
        c_(at) {
    if (work.image.formula.id == kernels::TS_FORMULA_julia) {
      const auto bits = static_cast<std::int64_t>(64 * limbs + 64);
      const auto part = [&](const std::string& text) {
        return fixed_of(deep::BigReal(text, bits), limbs);
      };
      c_ = {part(work.image.formula.constant_re_text), part(work.image.formula.constant_im_text)};
      n_ = 0;
    }
  }

  std::optional<ExactPixel> run() {
    const std::uint64_t last = work_.image.iterations - 1;
    const double bailout = work_.image.bailout;
    bool was_within = true;
    for (;;) {
      const double x = leading(z_.re, limbs_);
      const double y = leading(z_.im, limbs_);
      const double size = std::hypot(x, y);
      const double error = error_ * unit_;
      look_for_smooth(x, y);
      const bool within = size * kAboveErrors + error <= bailout;
      if (size > (bailout + error) * kAboveErrors && was_within && error * 64 <= size) return beyond();
      if (size > bailout || (work_.exact.limits.careful && !within) || error > 1 + size / 2) {
        return std::nullopt;
      }
      if (n_ >= last) return within ? std::optional(counted(last + 1)) : std::nullopt;
      was_within = within;
      error_ = ((2 * size + error) * error_ + kRounding) * kAboveErrors;
      step();
    }
  }

 private:
  ExactPixel counted(std::uint64_t count) {
    pixel_.certainty = Certainty::counted;
    pixel_.count = count;
    return pixel_;
  }

  std::optional<ExactPixel> beyond() {
    const std::uint64_t count = n_;
    while (work_.fields.any() && pixel_.radius2 == 0) {
      step();
      look_for_smooth(leading(z_.re, limbs_), leading(z_.im, limbs_));
    }
    return counted(count);
  }

  void look_for_smooth(double x, double y) {
    const double radius2 = kernels::ts_radius2(x, y);
    if (pixel_.radius2 != 0 || !(radius2 > TS_SMOOTH_RADIUS2)) return;
    pixel_.m = n_;
    pixel_.radius2 = radius2;
  }

  void step() {
    const auto limbs = static_cast<mp_size_t>(limbs_);
    const bool differ = is_negative(z_.re, limbs_) != is_negative(z_.im, limbs_);
    const Fixed x = absolute(z_.re, limbs_);
    const Fixed y = absolute(z_.im, limbs_);
    const Fixed xx = product_.square(x);
    const Fixed yy = product_.square(y);
    Fixed xy = product_.times(x, y);
    mpn_add_n(xy.data(), xy.data(), xy.data(), limbs);
    const bool negative = fold_ == kernels::TS_FOLD_ABSOLUTE    ? false
                          : fold_ == kernels::TS_FOLD_CONJUGATE ? !differ
                                                                : differ;
    if (negative) negate(xy, limbs_);
    mpn_sub_n(z_.re.data(), xx.data(), yy.data(), limbs);
    mpn_add_n(z_.re.data(), z_.re.data(), c_.re.data(), limbs);
    mpn_add_n(z_.im.data(), xy.data(), c_.im.data(), limbs);
    ++n_;
    ++pixel_.executed;
  }

  const ExactWork& work_;
  kernels::TsFold fold_;
  std::size_t limbs_;
  Product product_;
  double unit_;
  FixedPoint z_, c_;
  double error_ = 4;  ///< in units of the last place
  std::uint64_t n_ = 1;
  ExactPixel pixel_;
};

/// The pixel's coordinates.
FixedPoint point_of(const deep::Place& place, std::int64_t column, std::int64_t row,
                    std::size_t limbs) {
  const auto bits = static_cast<std::int64_t>(64 * limbs + 64);
  const deep::Offset offset =
      deep::offset_of(place, deep::column_offset(place, column), deep::row_offset(place, row));
  const auto part = [&](const std::string& center, const deep::BigReal& steps) {
    deep::BigReal sum(place.width, bits);
    mpfr_div_ui(sum.get(), sum.get(), static_cast<unsigned long>(place.size_px.width), MPFR_RNDN);
    mpfr_mul(sum.get(), sum.get(), steps.get(), MPFR_RNDN);
    const deep::BigReal middle(center, bits);
    mpfr_add(sum.get(), sum.get(), middle.get(), MPFR_RNDN);
    return fixed_of(std::move(sum), limbs);
  };
  return {part(place.center_re, offset.re), part(place.center_im, offset.im)};
}

}  // namespace

std::optional<ExactPixel> fixed_orbit(const ExactWork& work, std::int64_t column,
                                      std::int64_t row) {
  const kernels::TsLongPoint at = exact_coordinates(work, column, row);
  const bool fits = std::hypot(at.re.hi, at.im.hi) < kMaxSize && work.image.bailout < kMaxSize;
  if (work.image.formula.degree != 2 || work.fields.distance || !fits) return std::nullopt;
  const deep::Place place = deep_place(work.image, {});
  for (const std::size_t limbs : kLimbs) {
    FixedOrbit orbit(work, limbs, point_of(place, column, row, limbs));
    if (auto pixel = orbit.run()) return pixel;
  }
  return std::nullopt;
}

}  // namespace tessera::device
