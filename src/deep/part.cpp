#include "deep/part.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "deep/big_real.hpp"

namespace tessera::deep {

namespace {

constexpr std::int64_t kSpareBits = 128;
constexpr int kSparePlaces = 20;
constexpr int kWidthDigits = 30;

/// `width` * half_pixels / (2 columns).
BigReal part_of_width(const Place& place, const BigReal& half_pixels, std::int64_t bits) {
  BigReal part(place.width, bits);
  mpfr_mul(part.get(), part.get(), half_pixels.get(), MPFR_RNDN);
  mpfr_div_ui(part.get(), part.get(), 2 * static_cast<unsigned long>(place.size_px.width),
              MPFR_RNDN);
  return part;
}

std::string moved(const std::string& center, const Place& place, const BigReal& half_pixels,
                  std::int64_t bits, std::int64_t places) {
  BigReal sum(center, bits);
  mpfr_add(sum.get(), sum.get(), part_of_width(place, half_pixels, bits).get(), MPFR_RNDN);
  return sum.printed("%.*Rf", places);
}

}  // namespace

Place part_of(const Place& place, const base::PixelRect& region) {
  const kernels::ScaledReal step = step_of(place);
  const std::int64_t bits = orbit_bits(step, 1) + kSpareBits;
  const auto places =
      static_cast<std::int64_t>(std::ceil(-std::log10(2.0) * static_cast<double>(step.e)));
  const std::int64_t digits = std::max<std::int64_t>(places, 0) + kSparePlaces;
  Place part = place;
  const Offset offset =
      offset_of(place, static_cast<double>(2 * region.x + region.width - place.size_px.width),
                static_cast<double>(place.size_px.height - 2 * region.y - region.height));
  part.center_re = moved(place.center_re, place, offset.re, bits, digits);
  part.center_im = moved(place.center_im, place, offset.im, bits, digits);
  BigReal columns(64);
  mpfr_set_si(columns.get(), static_cast<long>(2 * region.width), MPFR_RNDN);
  part.width = part_of_width(place, columns, bits).printed("%.*Re", kWidthDigits - 1);
  part.size_px = {region.width, region.height};
  return part;
}

}  // namespace tessera::deep
