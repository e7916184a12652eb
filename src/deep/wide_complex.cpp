#include "deep/wide_complex.hpp"

#include <algorithm>
#include <bit>

namespace tessera::deep {

namespace {

/// Bits of an integer that hold a part; the highest limb is for the sign and for sums.
constexpr int kPartBits = 256;

/// The exponent of a, as in a = m 2^e with |m| in [1/2, 1).
std::int64_t exponent_of(double a) {
  return kernels::ts_scaled(a, 0).e;
}

/// Adds value 2^(kPartBits - e), rounded to 0. The product is below 2^kPartBits.
void add(double value, std::int64_t e, Limbs<5>& sum) {
  if (value == 0) return;
  int exponent = 0;
  const double mantissa = kernels::ts_mantissa(std::abs(value), &exponent);
  const auto bits = static_cast<std::uint64_t>(mantissa * 0x1p53);
  const std::int64_t left = kPartBits - e + exponent - 53;
  if (left <= -64) return;
  auto rest = static_cast<kernels::UnsignedInt128>(bits);
  left < 0 ? rest >>= -left : rest <<= left % 64;
  for (auto i = static_cast<std::size_t>(std::max<std::int64_t>(left, 0) / 64); i < 5 && rest != 0;
       ++i) {
    const auto low = static_cast<std::uint64_t>(rest);
    const std::uint64_t before = sum[i];
    sum[i] = value < 0 ? before - low : before + low;
    const bool carries = value < 0 ? before < low : sum[i] < low;
    rest = (rest >> 64) + (carries ? 1 : 0);
  }
}

Limbs<5> integer_of(const std::array<double, 3>& parts, std::int64_t e) {
  Limbs<5> sum{};
  for (const double part : parts) add(part, e, sum);
  return sum;
}

/// value 2^(kPartBits - e), rounded down.
Limbs<5> integer_of(const BigReal& value, std::int64_t e) {
  static_assert(sizeof(mp_limb_t) == 8);
  if (mpfr_zero_p(value.get()) != 0) return {};
  const std::int64_t right = e - mpfr_get_exp(value.get());
  if (right >= kPartBits) return {};
  const auto* const limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(value.get()));
  const auto count = static_cast<std::size_t>((value.bits() + 63) / 64);
  Limbs<5> size{};
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 4); ++i) {
    size[3 - i] = limbs[count - 1 - i];
  }
  size = shifted_right(size, static_cast<int>(right));
  return mpfr_signbit(value.get()) != 0 ? negated(size) : size;
}

}  // namespace

WideComplex wide_complex(const std::array<double, 3>& re, const std::array<double, 3>& im) {
  const std::int64_t e = std::max(exponent_of(re[0]), exponent_of(im[0]));
  if (e == kWideZeroExponent) return {};
  return wide_complex(integer_of(re, e), integer_of(im, e), e - kPartBits);
}

WideComplex wide_complex(const BigComplex& z) {
  const std::int64_t e = std::max(z.re.scaled().e, z.im.scaled().e);
  if (e == kWideZeroExponent) return {};
  return wide_complex(integer_of(z.re, e), integer_of(z.im, e), e - kPartBits);
}

}  // namespace tessera::deep
