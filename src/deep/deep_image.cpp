#include "deep/deep_image.hpp"

#include <algorithm>
#include <utility>

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledReal;

namespace {

constexpr std::int64_t kStepBits = 128;
/// A pixel by its definition has so many bits more than the reference orbit.
constexpr std::int64_t kMoreBits = 64;

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

}  // namespace

const PreciseTable& PreciseTables::table(const DeepImage& image, std::size_t tier) const {
  Lazy& lazy = tables_[tier];
  std::call_once(lazy.once, [&] {
    lazy.table = build_precise_table(image.orbit, {.unit_exponent = image.unit_exponent,
                                                   .radius = std::min(2.0, image.limits.bailout),
                                                   .epsilon = kEpsilons[tier]});
  });
  return lazy.table;
}

ScaledReal step_of(const Place& place) {
  return big_step(place).scaled();
}

CountedPixel pixel_by_definition(const Place& place, std::int64_t column, std::int64_t row) {
  const std::int64_t bits = orbit_bits(step_of(place), place.iterations) + kMoreBits;
  const BigComplex c{coordinate(place.center_re, place, column_offset(place, column), bits),
                     coordinate(place.center_im, place, row_offset(place, row), bits)};
  return count_iterations(c, place.iterations, place.bailout, place.smooth);
}

std::int64_t orbit_bits(const Place& place) {
  return orbit_bits(step_of(place), place.iterations);
}

ReferenceOrbit orbit_of(const Place& place, const OrbitProgress& progress) {
  const std::int64_t bits = orbit_bits(place);
  return compute_orbit({BigReal(place.center_re, bits), BigReal(place.center_im, bits)},
                       place.iterations, progress);
}

DeepImage prepare_image(const Place& place) {
  return make_image(place, orbit_of(place));
}

DeepImage make_image(const Place& place, ReferenceOrbit orbit) {
  const ScaledReal step = step_of(place);
  DeepImage image;
  image.place = place;
  image.orbit = std::move(orbit);
  image.unit_exponent = unit_exponent_of(step, place.size_px);
  image.unit_step = in_units(big_step(place), image.unit_exponent);
  image.table = build_table(
      image.orbit, {.unit_exponent = image.unit_exponent, .radius = std::min(2.0, place.bailout)});
  image.limits = {.bailout2 = place.bailout * place.bailout,
                  .bailout = place.bailout,
                  .last = static_cast<std::uint64_t>(image.orbit.length()),
                  .limit = place.iterations,
                  .want_smooth = place.smooth ? 1U : 0U};
  image.precise = std::make_shared<PreciseTables>();
  return image;
}

}  // namespace tessera::deep
