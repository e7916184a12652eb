#include "deep/wide_complex.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tessera::deep {

namespace {

using kernels::TsLimbs6;

/// The least e with |value| < 2^e.
std::int64_t exponent_of(const BigReal& value) {
  return mpfr_zero_p(value.get()) != 0 ? kernels::TsScaled{}.e : mpfr_get_exp(value.get());
}

/// A value below 2^e as a multiple of 2^(e - 320), rounded down to one of 2^(e - 256).
TsLimbs6 integer_of(const BigReal& value, std::int64_t e) {
  static_assert(sizeof(mp_limb_t) == 8);
  const std::int64_t right = e - exponent_of(value);
  TsLimbs6 size{};
  if (right >= 256) return size;
  const auto* const limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(value.get()));
  const auto count = static_cast<std::size_t>((value.bits() + 63) / 64);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 4); ++i) {
    size.at[4 - i] = limbs[count - 1 - i];
  }
  size = kernels::ts_right(size, static_cast<int>(right));
  const std::uint64_t sign = mpfr_signbit(value.get()) != 0 ? ~std::uint64_t{0} : 0;
  return kernels::ts_signed_sum(size, sign, {}, 0);
}

}  // namespace

WideComplex wide_complex(const BigComplex& z) {
  const std::int64_t e = std::max(exponent_of(z.re), exponent_of(z.im));
  if (e == kernels::TsScaled{}.e) return {};
  return kernels::ts_wide(integer_of(z.re, e), integer_of(z.im, e), e - 320);
}

}  // namespace tessera::deep
