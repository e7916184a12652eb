#include "deep/deep_image.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "deep/memory.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledReal;

namespace {

constexpr std::int64_t kStepBits = 128;
/// A pixel by its definition has so many times as many bits as the reference orbit, until they
/// suffice.
constexpr std::array<std::int64_t, 4> kTimesBits = {1, 2, 4, 8};
/// While |z| is within f64's range, the errors of such a reference are far below those of z.
constexpr std::int64_t kLeastJuliaBits = 704;

std::int64_t unit_exponent_of(const ScaledReal& step, const base::ImageSize& size) {
  const ScaledReal half_diagonal =
      step * ScaledReal((static_cast<double>(size.width) + static_cast<double>(size.height)) / 2);
  return half_diagonal.e;
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

/// The orbit of a pixel, or of the centre.
OrbitStart start_at(const Formula& formula, const BigComplex& point) {
  OrbitStart start(point);
  start.power = {formula.fold(), formula.degree};
  if (!formula.has_constant()) return start;
  const std::int64_t bits = point.re.bits();
  start.c = {BigReal(formula.constant_re, bits), BigReal(formula.constant_im, bits)};
  start.z = point;
  start.after_critical = true;
  // R^2 - |c| > R.
  start.escape_radius = kernels::ts_power_of_two(constant_exponent(formula) / 2 + 2);
  return start;
}

/// The centre plus an offset in pixels.
BigReal coordinate(const std::string& center, const Place& place, double offset,
                   std::int64_t bits) {
  BigReal step(place.width, bits);
  mpfr_div_ui(step.get(), step.get(), static_cast<unsigned long>(place.size_px.width), MPFR_RNDN);
  mpfr_mul_d(step.get(), step.get(), offset, MPFR_RNDN);
  BigReal sum(center, bits);
  mpfr_add(sum.get(), sum.get(), step.get(), MPFR_RNDN);
  return sum;
}

/// |z| below which f64 cannot hold |z|^degree.
double small_z(int degree) {
  return kernels::ts_power_of_two(-std::min(240, 960 / degree));
}

/// An element of a Julia set's reference orbit has an error below 2^noise_exponent.
std::int64_t noise_exponent(const Place& place) {
  if (!place.formula.has_constant()) return 0;
  return 10 + 2 * constant_exponent(place.formula) - orbit_bits(place);
}

JumpLimits jump_limits(const DeepImage& image) {
  return {.unit_exponent = image.unit_exponent,
          .radius = std::min(2.0, image.place.bailout),
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

DefinedPixel defined_pixel(const Place& place, double column, double row, std::int64_t bits) {
  const BigComplex point{coordinate(place.center_re, place, column, bits),
                         coordinate(place.center_im, place, row, bits)};
  return count_iterations(start_at(place.formula, point), place.iterations, place.bailout,
                          place.smooth || place.distance,
                          place.distance ? step_of(place) : ScaledReal());
}

}  // namespace

const PreciseTable& PreciseTables::table(const DeepImage& image) {
  std::call_once(table_once_, [&] {
    const std::uint64_t bytes = precise_bytes(image);
    if (bytes > most_bytes_) throw no_room(bytes, most_bytes_);
    table_ = build_precise_table(*image.orbit, image.table, jump_limits(image));
  });
  return table_;
}

const WideTier* PreciseTables::wide(const DeepImage& image) {
  std::call_once(wide_once_, [&] {
    const std::uint64_t bytes = precise_bytes(image) + wide_bytes(image);
    if (bytes <= most_bytes_) {
      wide_.emplace(image);
    } else if (image.place.smooth || image.place.distance) {
      throw no_room(bytes, most_bytes_);
    }
  });
  return wide_ ? &*wide_ : nullptr;
}

ScaledReal step_of(const Place& place) {
  return big_step(place).scaled();
}

CountedPixel pixel_by_definition(const Place& place, std::int64_t column, std::int64_t row) {
  const std::int64_t bits = orbit_bits(place);
  DefinedPixel pixel;
  for (const std::int64_t times : kTimesBits) {
    pixel =
        defined_pixel(place, column_offset(place, column), row_offset(place, row), times * bits);
    if (pixel.certain) break;
  }
  return pixel.value;
}

std::int64_t orbit_bits(const Place& place) {
  const ScaledReal step = step_of(place);
  const std::int64_t bits = orbit_bits(step, place.iterations);
  if (!place.formula.has_constant()) return bits;
  // Pixels near a point that leads to 0 come twice as close to each other, in digits.
  return std::max(bits + std::max<std::int64_t>(0, -step.e), kLeastJuliaBits) +
         2 * constant_exponent(place.formula);
}

OrbitStart orbit_start(const Place& place) {
  const std::int64_t bits = orbit_bits(place);
  return start_at(place.formula, {BigReal(place.center_re, bits), BigReal(place.center_im, bits)});
}

OrbitLimits orbit_limits(const Place& place) {
  if (!place.formula.is_mandelbrot()) return {.iterations = place.iterations, .nearest_pixel = {}};
  // A power of two, so that places with the same bits have the same orbit.
  return {.iterations = place.iterations, .nearest_pixel = ScaledReal(1.0, step_of(place).e - 2)};
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
  image.unit_exponent = unit_exponent_of(step, place.size_px);
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
      .noise_exponent = noise_exponent(place),
      .first = static_cast<std::uint64_t>(image.orbit->first),
      .last = static_cast<std::uint64_t>(image.orbit->length()),
      .limit = place.iterations,
      .want_smooth = place.smooth || place.distance ? 1U : 0U,
      .want_distance = place.distance ? 1U : 0U,
      .want_interior = place.derivative_interior ? 1U : 0U,
      .fold = static_cast<std::uint32_t>(place.formula.fold()),
      .degree = static_cast<std::uint32_t>(place.formula.degree),
      .jumps = place.formula.has_jumps() ? 1U : 0U};
  image.precise = std::make_shared<PreciseTables>();
  return image;
}

}  // namespace tessera::deep
