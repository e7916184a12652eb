#include "device/pixels/exact_limits.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "device/pixels/check_block.hpp"

namespace tessera::device {

namespace {

constexpr double kUnit = 0x1p-53;
/// Of coordinates of 106 bits, by the largest one; and in sums with larger errors.
constexpr double kLongUnit = 0x1p-100;
constexpr double kLongUnitOfSums = 0x1p-96;
/// Above the rounding errors of the bounds themselves.
constexpr double kAboveRounding = 1 + 0x1p-40;
/// |c| of orbits from 0 that are within 2 after a step.
constexpr double kLargestInside = 2.001;
/// Above 0, so that no bound is 0.
// not crossed: only sizes above 0 matter
constexpr double kLeastSize = 0x1p-20;
/// |z|^2 that a computed orbit passes only on its way out, by the square of the escape radius.
constexpr double kAboveEscape2 = 1.0025;
/// delta of orbits whose |z| is tested after every step, and of those of 106 bits.
constexpr double kCarefulDelta = 0x1p-6;
constexpr double kLongDelta = 0x1p-20;
/// Of an orbit that is careful from its first step: it may be long.
constexpr double kCarefulImageDelta = 0x1p-16;

double least_power_above(double value) {
  return std::exp2(std::ceil(std::log2(value)));
}

/// The largest |c| of the pixels, or more.
double largest_size(const job::ImageSpec& image) {
  const double half_width = static_cast<double>(image.size_px.width) / 2;
  const double half_height = static_cast<double>(image.size_px.height) / 2;
  const double re = std::abs(image.center_re) + half_width * std::abs(image.right_re()) +
                    half_height * std::abs(image.up_re());
  const double im = std::abs(image.center_im) + half_width * std::abs(image.right_im()) +
                    half_height * std::abs(image.up_im());
  return std::hypot(re, im) * kAboveRounding;
}

/// A step has an error of at most unit (|z|^d + size).
struct Rounding {
  double unit = 0;
  double size = 0;
};

Rounding rounding_of(int degree, double constant) {
  const double times = degree == 2 ? 2 : 2.25 * degree;
  return {times * kUnit * (1 + 0x1p-20), constant * (1 + 1.001 / times) + kLeastSize};
}

/// Of numbers of 106 bits.
Rounding long_rounding_of(int degree, double largest) {
  return {degree == 2 ? kLongUnit : 0x1p-96, 2 * largest + kLeastSize};
}

double growth_of(int degree, double delta) {
  return degree * degree * std::pow(1 + delta, degree) * kAboveRounding;
}

double split_of(double delta) {
  return (1 + 1 / delta) * kAboveRounding;
}

/// (2 |z|^d + size)^2 <= 8 |z|^2d + 2 size^2: also where |c| is up to |z|^d / 2.
kernels::TsBoundGrowth growth(int degree, const Rounding& rounding, double delta) {
  const double step2 = split_of(delta) * rounding.unit * rounding.unit;
  return {.split = 1 / delta,
          .growth = growth_of(degree, delta),
          .rounding = 8 * step2,
          .anywhere = 2 * step2 * rounding.size * rounding.size};
}

QuickBound quick_bound(int degree, const Rounding& rounding, double most2, double delta) {
  const double unit2 = rounding.unit * rounding.unit;
  const double size = rounding.size;
  // The square of a step's error is at most a + b |z|^(2d - 2), for |z|^2 <= most2.
  const double a = degree == 2 ? unit2 * size * size : 2 * unit2 * size * size;
  const double b = degree == 2 ? unit2 * (most2 + 2 * size) : 2 * unit2 * most2;
  const double growth = growth_of(degree, delta);
  const double joins = split_of(delta) * b / growth;
  const double constant = split_of(delta) * a + joins;
  // The error of degree 2 grows at most so much within kExactQuick steps.
  const double grown = degree == 2
                           ? least_power_above(1.03 * std::pow(2 * std::sqrt(most2) + 0x1p-6,
                                                               2.0 * (kExactQuick - 1)))
                           : 1;
  QuickBound bound{};
  bound.scale = grown / delta;
  bound.unscaled = delta / grown;
  bound.joins = bound.scale * joins;
  bound.of_single = growth;
  bound.single_added = bound.scale * constant / growth;
  double power = 1;
  for (double& added : bound.added) {
    power *= growth;
    added = bound.scale * constant / power;
  }
  bound.of_all = power;
  return bound;
}

kernels::TsLong long_of(const deep::BigReal& value) {
  deep::BigReal rest = value;
  const double hi = mpfr_get_d(rest.get(), MPFR_RNDN);
  mpfr_sub_d(rest.get(), rest.get(), hi, MPFR_RNDN);
  return {hi, mpfr_get_d(rest.get(), MPFR_RNDN)};
}

kernels::TsLong long_of(const std::string& decimal) {
  constexpr std::int64_t kBits = 256;
  return decimal.empty() ? kernels::TsLong{} : long_of(deep::BigReal(decimal, kBits));
}

ExactPlane plane_of(const job::ImageSpec& image) {
  constexpr std::int64_t kBits = 256;
  deep::BigReal step(image.place.width, kBits);
  mpfr_div_ui(step.get(), step.get(), static_cast<unsigned long>(image.size_px.width), MPFR_RNDN);
  const auto times_step = [&](double entry) {
    deep::BigReal product = step;
    mpfr_mul_d(product.get(), product.get(), entry, MPFR_RNDN);
    return long_of(product);
  };
  return {.center_re = long_of(image.place.center_re),
          .center_im = long_of(image.place.center_im),
          .constant_re = long_of(image.formula.constant_re_text),
          .constant_im = long_of(image.formula.constant_im_text),
          .right_re = times_step(image.matrix.a),
          .right_im = times_step(image.matrix.c),
          .up_re = times_step(image.matrix.b),
          .up_im = times_step(image.matrix.d)};
}

/// The error after i steps is at most e max(1, |z| / 2), with the same e for all orbits of degree 2
/// that begin or end within 2.
void set_known_errors(ExactLimits& limits) {
  double e = 2.02 * kUnit;
  for (std::size_t i = 0; i < std::size(limits.least2); ++i, e = 4.01 * e + 20 * kUnit) {
    const double relative = 1.02 * e + 0x1p-50;
    limits.least2[i] = limits.bailout2 * (1 - relative);
    limits.most2[i] = limits.bailout2 * (1 + relative);
  }
  limits.known = 1;
}

}  // namespace

ExactImage exact_image(const job::ImageSpec& image) {
  const int degree = image.formula.degree;
  const bool julia = image.formula.id == kernels::TS_FORMULA_julia;
  const double largest = largest_size(image);
  const double constant = julia ? std::hypot(image.formula.constant_re, image.formula.constant_im)
                                : std::min(largest, kLargestInside);
  const double escape = job::escape_radius(image.formula);
  const double within2 = std::min(image.bailout, escape) * std::min(image.bailout, escape);
  const Rounding rounding = rounding_of(degree, constant);
  // With a larger one, the growth of errors within quick steps would be overestimated by far.
  // crossed by: are_the_counts_of_mpfr
  constexpr double kMaxQuickEscape = 3;
  ExactImage exact{.plane = plane_of(image)};
  ExactLimits& limits = exact.limits;
  limits.degree = degree;
  limits.careful = needs_care(image) || escape > kMaxQuickEscape ? 1 : 0;
  limits.bailout2 = image.bailout * image.bailout;
  limits.within2 = within2;
  limits.start_relative = kUnit * kUnit * (1 + 0x1p-10);
  limits.start_absolute = std::pow(kLongUnitOfSums * largest, 2);
  if (degree == 2 && escape == 2 && limits.careful == 0) set_known_errors(limits);
  for (std::size_t i = 0; i < std::size(limits.quick); ++i) {
    limits.quick[i] =
        quick_bound(degree, rounding, kAboveEscape2 * within2, std::exp2(-static_cast<double>(i)));
  }
  limits.growth =
      growth(degree, rounding, limits.careful != 0 ? kCarefulImageDelta : kCarefulDelta);
  limits.long_growth =
      growth(degree, long_rounding_of(degree, std::max(largest, constant)), kLongDelta);
  limits.long_start = std::pow(kLongUnit * largest, 2);
  return exact;
}

}  // namespace tessera::device
