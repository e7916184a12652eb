#include "deep/widths.hpp"

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "deep/big_real.hpp"

namespace tessera::deep {

namespace {

/// Far more than 40 digits need, so that a product that has so few is exact.
constexpr std::int64_t kWidthBits = 512;
constexpr int kWidthPlaces = 39;

/// "5.120e+02" -> "512" where f64 has that number, else "5.12e+02".
std::string without_zeros(std::string text) {
  std::string shortest = fmt::format("{}", base::nearest_real(text, "width"));
  if (base::normalized_decimal(shortest) == base::normalized_decimal(text)) return shortest;
  const std::size_t power = text.find('e');
  std::size_t last = text.find_last_not_of('0', power - 1);
  if (text[last] == '.') --last;
  return text.erase(last + 1, power - last - 1);
}

}  // namespace

std::string widened(const std::string& width, const std::string& factor, int times) {
  BigReal product(factor, kWidthBits);
  mpfr_pow_ui(product.get(), product.get(), static_cast<unsigned long>(times), MPFR_RNDN);
  mpfr_mul(product.get(), product.get(), BigReal(width, kWidthBits).get(), MPFR_RNDN);
  return without_zeros(product.printed("%.*Re", kWidthPlaces));
}

double ratio_of_widths(const std::string& wide, const std::string& narrow) {
  BigReal ratio(wide, kWidthBits);
  mpfr_div(ratio.get(), ratio.get(), BigReal(narrow, kWidthBits).get(), MPFR_RNDN);
  return mpfr_get_d(ratio.get(), MPFR_RNDN);
}

}  // namespace tessera::deep
