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

/// `format` takes a precision and a number.
std::string printed(const char* format, std::int64_t digits, const BigReal& value) {
  char* text = nullptr;
  mpfr_asprintf(&text, format, static_cast<int>(digits), value.get());
  std::string copy(text);
  mpfr_free_str(text);
  return copy;
}

/// `width` * half_pixels / (2 columns).
BigReal part_of_width(const Place& place, std::int64_t half_pixels, std::int64_t bits) {
  BigReal part(place.width, bits);
  mpfr_mul_si(part.get(), part.get(), static_cast<long>(half_pixels), MPFR_RNDN);
  mpfr_div_ui(part.get(), part.get(), 2 * static_cast<unsigned long>(place.size_px.width),
              MPFR_RNDN);
  return part;
}

std::string moved(const std::string& center, const Place& place, std::int64_t half_pixels,
                  std::int64_t bits, std::int64_t places) {
  BigReal sum(center, bits);
  mpfr_add(sum.get(), sum.get(), part_of_width(place, half_pixels, bits).get(), MPFR_RNDN);
  return printed("%.*Rf", places, sum);
}

}  // namespace

Place part_of(const Place& place, const base::PixelRect& region) {
  const kernels::ScaledReal step = step_of(place);
  const std::int64_t bits = orbit_bits(step, 1) + kSpareBits;
  const auto places =
      static_cast<std::int64_t>(std::ceil(-std::log10(2.0) * static_cast<double>(step.e)));
  const std::int64_t digits = std::max<std::int64_t>(places, 0) + kSparePlaces;
  Place part = place;
  part.center_re = moved(place.center_re, place, 2 * region.x + region.width - place.size_px.width,
                         bits, digits);
  // The imaginary axis points up.
  part.center_im = moved(place.center_im, place,
                         place.size_px.height - 2 * region.y - region.height, bits, digits);
  part.width = printed("%.*Re", kWidthDigits - 1, part_of_width(place, 2 * region.width, bits));
  part.size_px = {region.width, region.height};
  return part;
}

}  // namespace tessera::deep
