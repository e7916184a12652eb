#include "device/pixels/fixed_orbit.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "device/pixels/deep_block.hpp"

namespace tessera::device {

namespace {

static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));

/// Errors in units of the last place: two products and their difference, and c.
constexpr double kRounding = 8;
/// Above the rounding errors of bounds, and of |z| in f64.
constexpr double kAboveErrors = 1 + 0x1p-40;
/// Above the error of leading().
constexpr double kLeadingError = 0x1p-100;
/// |z| beyond which the parts of the next z might not fit.
// not crossed: --bailout ends below
constexpr double kMaxSize = 0x1p30;

/// A number of two's complement with one limb before the point, the last one.
template <std::size_t kLimbs>
using Fixed = std::array<mp_limb_t, kLimbs>;

template <std::size_t kLimbs>
bool is_negative(const Fixed<kLimbs>& a) {
  return static_cast<std::int64_t>(a[kLimbs - 1]) < 0;
}

template <std::size_t kLimbs>
void negate(Fixed<kLimbs>& a) {
  mpn_neg(a.data(), a.data(), kLimbs);
}

/// Its size, with an error below 2^-120 and 2^-52 of it.
template <std::size_t kLimbs>
double leading(const Fixed<kLimbs>& size) {
  const auto part = [&](std::size_t i) { return static_cast<double>(size[kLimbs - 1 - i]); };
  return part(0) + (part(1) * 0x1p-64 + part(2) * 0x1p-128);
}

template <std::size_t kLimbs>
Fixed<kLimbs> fixed_of(deep::BigReal value) {
  mpfr_mul_2si(value.get(), value.get(), static_cast<long>(64 * (kLimbs - 1)), MPFR_RNDN);
  mpz_t whole;
  mpz_init(whole);
  mpfr_get_z(whole, value.get(), MPFR_RNDN);
  Fixed<kLimbs> fixed{};
  std::copy_n(mpz_limbs_read(whole), std::min(mpz_size(whole), kLimbs), fixed.begin());
  if (mpz_sgn(whole) < 0) negate(fixed);
  mpz_clear(whole);
  return fixed;
}

template <std::size_t kLimbs>
struct FixedPoint {
  Fixed<kLimbs> re, im;
};

template <std::size_t kLimbs>
class FixedOrbit {
 public:
  FixedOrbit(const ExactWork& work, const FixedPoint<kLimbs>& at)
      : work_(work), fold_(kernels::kFormulas[work.image.formula.id].fold), z_(at), c_(at) {
    measure();
    if (work.image.formula.id != kernels::TS_FORMULA_julia) return;
    const auto part = [&](const std::string& text) {
      return fixed_of<kLimbs>(deep::BigReal(text, 64 * kLimbs + 64));
    };
    c_ = {part(work.image.formula.constant_re_text), part(work.image.formula.constant_im_text)};
    n_ = 0;
  }

  std::optional<ExactPixel> run() {
    const std::uint64_t last = work_.image.iterations - 1;
    const double bailout = work_.image.bailout;
    const double unit = std::ldexp(1.0, -64 * static_cast<int>(kLimbs - 1));
    bool was_within = true;
    for (;;) {
      const double error = error_ * unit;
      look_for_smooth();
      const bool within = size_ * kAboveErrors + error <= bailout;
      if (size_ > (bailout + error) * kAboveErrors && was_within && error * 64 <= size_) {
        return beyond();
      }
      if (size_ > bailout || (work_.exact.limits.careful != 0 && !within) ||
          error > 1 + size_ / 2) {
        return std::nullopt;
      }
      if (n_ >= last) return within ? std::optional(counted(last + 1)) : std::nullopt;
      was_within = within;
      error_ = ((2 * size_ + error) * error_ + kRounding) * kAboveErrors;
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
      look_for_smooth();
    }
    return counted(count);
  }

  void look_for_smooth() {
    if (pixel_.radius2 != 0 || !(radius2_ > TS_SMOOTH_RADIUS2)) return;
    pixel_.m = n_;
    pixel_.radius2 = radius2_;
  }

  static void set_size(Fixed<kLimbs>& size, const Fixed<kLimbs>& of) {
    is_negative(of) ? mpn_neg(size.data(), of.data(), kLimbs)
                    : (mpn_copyi(size.data(), of.data(), kLimbs), mp_limb_t{0});
  }

  /// Sets the sizes of the parts of z, and |z|.
  void measure() {
    set_size(x_, z_.re);
    set_size(y_, z_.im);
    radius2_ = kernels::ts_radius2(leading(x_), leading(y_));
    size_ = std::sqrt(radius2_) + kLeadingError;
  }

  void step() {
    const bool differ = is_negative(z_.re) != is_negative(z_.im);
    mpn_sqr(xx_.data(), x_.data(), kLimbs);
    mpn_sqr(yy_.data(), y_.data(), kLimbs);
    mpn_mul_n(xy_.data(), x_.data(), y_.data(), kLimbs);
    mp_limb_t* const xy = middle(xy_);
    mpn_lshift(xy, xy, kLimbs, 1);
    const bool negative = fold_ == kernels::TS_FOLD_ABSOLUTE    ? false
                          : fold_ == kernels::TS_FOLD_CONJUGATE ? !differ
                                                                : differ;
    negative ? mpn_sub_n(z_.im.data(), c_.im.data(), xy, kLimbs)
             : mpn_add_n(z_.im.data(), c_.im.data(), xy, kLimbs);
    mpn_sub_n(z_.re.data(), middle(xx_), middle(yy_), kLimbs);
    mpn_add_n(z_.re.data(), z_.re.data(), c_.re.data(), kLimbs);
    measure();
    ++n_;
    ++pixel_.executed;
  }

  using Product = std::array<mp_limb_t, 2 * kLimbs>;
  /// The limbs of a product that a number has.
  static mp_limb_t* middle(Product& product) { return product.data() + (kLimbs - 1); }

  const ExactWork& work_;
  kernels::TsFold fold_;
  FixedPoint<kLimbs> z_, c_;
  Fixed<kLimbs> x_, y_;  ///< sizes of the parts of z
  Product xx_, yy_, xy_;
  double radius2_ = 0, size_ = 0;
  double error_ = 4;  ///< in units of the last place
  std::uint64_t n_ = 1;
  ExactPixel pixel_;
};

template <std::size_t kLimbs>
std::optional<ExactPixel> orbit_of(const ExactWork& work, const deep::Place& place,
                                   std::int64_t column, std::int64_t row) {
  constexpr std::int64_t kBits = 64 * kLimbs + 64;
  const deep::Offset offset =
      deep::offset_of(place, deep::column_offset(place, column), deep::row_offset(place, row));
  const auto part = [&](const std::string& center, const deep::BigReal& steps) {
    deep::BigReal sum(place.width, kBits);
    mpfr_div_ui(sum.get(), sum.get(), static_cast<unsigned long>(place.size_px.width), MPFR_RNDN);
    mpfr_mul(sum.get(), sum.get(), steps.get(), MPFR_RNDN);
    const deep::BigReal middle(center, kBits);
    mpfr_add(sum.get(), sum.get(), middle.get(), MPFR_RNDN);
    return fixed_of<kLimbs>(sum);
  };
  return FixedOrbit<kLimbs>(work,
                            {part(place.center_re, offset.re), part(place.center_im, offset.im)})
      .run();
}

}  // namespace

std::optional<ExactPixel> fixed_orbit(const ExactWork& work, std::int64_t column,
                                      std::int64_t row) {
  const kernels::TsLongPoint at = exact_coordinates(work, column, row);
  const bool fits = std::hypot(at.re.hi, at.im.hi) < kMaxSize && work.image.bailout < kMaxSize;
  if (work.image.formula.degree != 2 || work.fields.measures() || !fits) return std::nullopt;
  const deep::Place place = deep_place(work.image, {});
  auto pixel = orbit_of<4>(work, place, column, row);
  if (!pixel) pixel = orbit_of<8>(work, place, column, row);
  if (!pixel) pixel = orbit_of<16>(work, place, column, row);
  return pixel;
}

}  // namespace tessera::device
