#include "deep/deep_image.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "deep/definition.hpp"
#include "deep/memory.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledReal;

namespace {

constexpr std::int64_t kStepBits = 128;
/// A pixel by its definition has at most so many times as many bits as the reference orbit, or as
/// the decimals of its place: whichever is more.
constexpr std::int64_t kMaxTimesBits = 8;
constexpr double kBitsOfDecimal = 3.33;
/// While |z| is within f64's range, the errors of such a reference are far below those of z.
constexpr std::int64_t kMinJuliaBits = 704;

/// Above the relative error of plane::largest_stretch().
constexpr double kAboveStretch = 1 + 0x1p-40;
/// Products of an entry of a matrix and of an offset, and their sums: all bits of f64's range.
constexpr std::int64_t kOffsetBits = 2400;

double stretch_of(const Place& place) {
  return place.matrix.is_identity() ? 1 : plane::largest_stretch(place.matrix) * kAboveStretch;
}

std::int64_t unit_exponent_of(const ScaledReal& step, const Place& place) {
  const base::ImageSize& size = place.size_px;
  const double half = (static_cast<double>(size.width) + static_cast<double>(size.height)) / 2;
  return (step * ScaledReal(half * stretch_of(place))).e;
}

BigReal sum_of_products(double a, double u, double b, double v) {
  BigReal sum(kOffsetBits);
  BigReal other(kOffsetBits);
  mpfr_set_d(sum.get(), a, MPFR_RNDN);
  mpfr_mul_d(sum.get(), sum.get(), u, MPFR_RNDN);
  mpfr_set_d(other.get(), b, MPFR_RNDN);
  mpfr_mul_d(other.get(), other.get(), v, MPFR_RNDN);
  mpfr_add(sum.get(), sum.get(), other.get(), MPFR_RNDN);
  return sum;
}

BigReal big_step(const Place& place) {
  BigReal width(place.width, kStepBits);
  mpfr_div_ui(width.get(), width.get(), static_cast<unsigned long>(place.size_px.width), MPFR_RNDN);
  return width;
}

DoubleDouble in_units(BigReal step, std::int64_t unit_exponent) {
  mpfr_mul_2si(step.get(), step.get(), static_cast<long>(-unit_exponent), MPFR_RNDN);
  const double hi = mpfr_get_d(step.get(), MPFR_RNDN);
  mpfr_sub_d(step.get(), step.get(), hi, MPFR_RNDN);
  return {hi, mpfr_get_d(step.get(), MPFR_RNDN)};
}

/// Least exponent e with |c| < 2^e, of a constant beyond 1; otherwise 0.
std::int64_t constant_exponent(const Formula& formula) {
  constexpr std::int64_t kBits = 64;
  const BigReal re(formula.constant_re, kBits);
  const BigReal im(formula.constant_im, kBits);
  return std::max<std::int64_t>({0, re.scaled().e + 1, im.scaled().e + 1});
}

/// The orbit of a pixel, or of the centre. `exact` if the point has not been rounded.
OrbitStart start_at(const Formula& formula, const BigComplex& point, bool exact) {
  OrbitStart start(point);
  start.power = {formula.fold(), formula.degree};
  start.exact = exact;
  if (!formula.has_constant()) return start;
  const std::int64_t bits = point.re.bits();
  start.c = {BigReal(formula.constant_re, bits), BigReal(formula.constant_im, bits)};
  start.exact = exact && BigReal::holds(formula.constant_re, bits) &&
                BigReal::holds(formula.constant_im, bits);
  start.z = point;
  start.after_critical = true;
  // R^2 - |c| > R.
  start.escape_radius = kernels::ts_power_of_two(constant_exponent(formula) / 2 + 2);
  return start;
}

struct Coordinate {
  BigReal value;
  bool exact;  ///< not rounded
};

/// The centre plus an offset in steps.
Coordinate coordinate(const std::string& center, const Place& place, const BigReal& offset,
                      std::int64_t bits) {
  Coordinate sum{BigReal(center, bits), BigReal::holds(center, bits)};
  if (mpfr_zero_p(offset.get()) != 0) return sum;
  BigReal step(place.width, bits);
  int rounded = mpfr_div_ui(step.get(), step.get(), static_cast<unsigned long>(place.size_px.width),
                            MPFR_RNDN);
  rounded |= mpfr_mul(step.get(), step.get(), offset.get(), MPFR_RNDN);
  rounded |= mpfr_add(sum.value.get(), sum.value.get(), step.get(), MPFR_RNDN);
  sum.exact = sum.exact && BigReal::holds(place.width, bits) && rounded == 0;
  return sum;
}

/// |z| below which f64 cannot hold |z|^degree.
double small_z(int degree) {
  return kernels::ts_power_of_two(-std::min(240, 960 / degree));
}

JumpLimits jump_limits(const DeepImage& image) {
  return {.unit_exponent = image.unit_exponent,
          .radius = std::min(2.0, image.place.bailout),
          .degree = image.place.formula.degree,
          .moves_c = !image.place.formula.has_constant(),
          .none = !image.place.formula.has_jumps()};
}

base::Error no_room(std::uint64_t needed, std::uint64_t most) {
  const auto [bytes, left] =
      base::format_different_bytes(static_cast<double>(needed), static_cast<double>(most));
  return base::usage_error(
      "--memory leaves {} for the tables of more bits, and pixels whose counts are uncertain need "
      "{}; give more",
      left, bytes);
}

std::int64_t max_defined_bits(const Place& place) {
  const std::size_t digits =
      std::max({place.center_re.size(), place.center_im.size(), place.formula.constant_re.size(),
                place.formula.constant_im.size()});
  const auto of_digits = static_cast<std::int64_t>(static_cast<double>(digits) * kBitsOfDecimal);
  return kMaxTimesBits * std::max(orbit_bits(place), of_digits);
}

}  // namespace

const PreciseTable& PreciseTables::table(const DeepImage& image) {
  std::call_once(table_once_, [&] {
    const std::uint64_t bytes = precise_bytes(image);
    if (bytes > max_bytes_) throw no_room(bytes, max_bytes_);
    table_ = build_precise_table(*image.orbit, image.table, jump_limits(image));
  });
  return table_;
}

const WideTier* PreciseTables::wide(const DeepImage& image) {
  std::call_once(wide_once_, [&] {
    const std::uint64_t bytes = precise_bytes(image) + wide_bytes(image);
    if (bytes <= max_bytes_) {
      wide_.emplace(image);
    } else if (image.place.smooth || image.place.distance) {
      throw no_room(bytes, max_bytes_);
    }
  });
  return wide_ ? &*wide_ : nullptr;
}

ScaledReal step_of(const Place& place) {
  return big_step(place).scaled();
}

ScaledReal least_step_of(const Place& place) {
  return step_of(place) * ScaledReal(1 / stretch_of(place));
}

Offset offset_of(const Place& place, double column_offset, double row_offset) {
  const plane::Matrix& m = place.matrix;
  return {sum_of_products(m.a, column_offset, m.b, row_offset),
          sum_of_products(m.c, column_offset, m.d, row_offset)};
}

CountedPixel pixel_by_definition(const Place& place, std::int64_t column, std::int64_t row) {
  return pixel_with_bits(place, column, row, 0).value;
}

DefinedPixel pixel_with_bits(const Place& place, std::int64_t column, std::int64_t row,
                             std::int64_t most_bits) {
  const std::int64_t most = std::max(max_defined_bits(place), most_bits);
  CountLimits limits{.iterations = place.iterations,
                     .bailout = place.bailout,
                     .smooth = place.smooth || place.distance,
                     .step = place.distance ? step_of(place) : ScaledReal(),
                     .matrix = place.matrix};
  const Offset offset = offset_of(place, column_offset(place, column), row_offset(place, row));
  for (std::int64_t bits = orbit_bits(place);; bits *= 2) {
    limits.only_certain = 2 * bits <= most;
    const Coordinate re = coordinate(place.center_re, place, offset.re, bits);
    const Coordinate im = coordinate(place.center_im, place, offset.im, bits);
    const DefinedPixel pixel = count_iterations(
        start_at(place.formula, {re.value, im.value}, re.exact && im.exact), limits);
    if (pixel.certain || !limits.only_certain) return pixel;
  }
}

std::int64_t orbit_bits(const Place& place) {
  const ScaledReal step = least_step_of(place);
  const std::int64_t bits = orbit_bits(step, place.iterations);
  if (!place.formula.has_constant()) return bits;
  // Pixels near a point that leads to 0 come twice as close to each other, in digits.
  return std::max(bits + std::max<std::int64_t>(0, -step.e), kMinJuliaBits) +
         2 * constant_exponent(place.formula);
}

OrbitStart orbit_start(const Place& place, std::int64_t bits) {
  return start_at(place.formula, {BigReal(place.center_re, bits), BigReal(place.center_im, bits)},
                  BigReal::holds(place.center_re, bits) && BigReal::holds(place.center_im, bits));
}

OrbitStart orbit_start(const Place& place) {
  return orbit_start(place, orbit_bits(place));
}

/// An orbit of a higher limit, whose elements would take 224 MiB with 190 bits, is computed again
/// when they are needed.
constexpr std::uint64_t kMostWideElements = std::uint64_t{1} << 22;

OrbitLimits orbit_limits(const Place& place) {
  if (!place.formula.is_mandelbrot()) return {.iterations = place.iterations, .nearest_pixel = {}};
  // A power of two, so that places with the same bits have the same orbit.
  return {.iterations = place.iterations,
          .nearest_pixel = ScaledReal(1.0, least_step_of(place).e - 2),
          .wide = place.exact && place.iterations <= kMostWideElements};
}

ReferenceOrbit orbit_of(const Place& place, const OrbitProgress& progress) {
  return compute_orbit(orbit_start(place), orbit_limits(place), progress);
}

DeepImage prepare_image(const Place& place) {
  return make_image(place, orbit_of(place));
}

DeepImage make_image(const Place& place, ReferenceOrbit orbit) {
  return make_image(place, std::make_shared<const ReferenceOrbit>(std::move(orbit)));
}

DeepImage make_image(const Place& place, std::shared_ptr<const ReferenceOrbit> orbit) {
  static std::atomic<std::uint64_t> made = 0;
  const ScaledReal step = step_of(place);
  DeepImage image;
  image.number = ++made;
  image.place = place;
  image.orbit = std::move(orbit);
  image.unit_exponent = unit_exponent_of(step, place);
  image.unit_step = in_units(big_step(place), image.unit_exponent);
  image.table = build_table(*image.orbit, jump_limits(image));
  image.limits = {
      .bailout2 = place.bailout * place.bailout,
      .bailout = place.bailout,
      .near = place.exact ? TS_DEEP_NEAR * place.bailout * place.bailout : -1,
      .small = small_z(place.formula.degree),
      .slope_step = image.unit_step.hi,
      .plain_slope = place.formula.has_constant()
                         ? 0
                         : kernels::ts_power_of_two(image.unit_exponent) * image.unit_step.hi,
      .inside = place.derivative_interior
                    ? TS_DEEP_INSIDE * kernels::ts_power_of_two(image.unit_exponent)
                    : 0,
      .turn = {place.matrix.a, place.matrix.b, place.matrix.c, place.matrix.d},
      .first = static_cast<std::uint64_t>(image.orbit->first),
      .last = static_cast<std::uint64_t>(image.orbit->length()),
      .limit = place.iterations,
      .want_smooth = place.smooth || place.distance ? 1U : 0U,
      .want_distance = place.distance ? 1U : 0U,
      .want_interior = place.derivative_interior ? 1U : 0U,
      .fold = static_cast<std::uint32_t>(place.formula.fold()),
      .degree = static_cast<std::uint32_t>(place.formula.degree),
      .jumps = place.formula.has_jumps() ? 1U : 0U,
      .turned = place.matrix.is_identity() ? 0U : 1U};
  image.precise = std::make_shared<PreciseTables>();
  return image;
}

}  // namespace tessera::deep
