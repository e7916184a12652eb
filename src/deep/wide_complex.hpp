// Complex numbers of 190 bits with an exponent of 64 bits, for the few pixels that 106 bits leave
// uncertain: fixed-point parts that share the exponent.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "deep/big_real.hpp"
#include "kernels/deep/scaled.hpp"
#include "kernels/exact/wide_integers.hpp"

namespace tessera::deep {

/// A two's complement integer; the lowest 64 bits are the first.
template <std::size_t kLimbs>
using Limbs = std::array<std::uint64_t, kLimbs>;

template <std::size_t kLimbs>
inline bool is_negative(const Limbs<kLimbs>& a) {
  return a[kLimbs - 1] >> 63 != 0;
}

template <std::size_t kLimbs>
inline Limbs<kLimbs> negated(const Limbs<kLimbs>& a) {
  Limbs<kLimbs> result;
  std::uint64_t carry = 1;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    result[i] = ~a[i] + carry;
    carry = carry != 0 && result[i] == 0 ? 1 : 0;
  }
  return result;
}

template <std::size_t kLimbs>
inline Limbs<kLimbs> sum(const Limbs<kLimbs>& a, const Limbs<kLimbs>& b) {
  Limbs<kLimbs> result;
  kernels::UnsignedInt128 carry = 0;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    carry += static_cast<kernels::UnsignedInt128>(a[i]) + b[i];
    result[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return result;
}

/// a 2^bits; what leaves the highest limb is lost.
template <std::size_t kLimbs>
inline Limbs<kLimbs> shifted_left(const Limbs<kLimbs>& a, int bits) {
  const std::size_t whole = static_cast<std::size_t>(bits) / 64;
  const int part = bits % 64;
  Limbs<kLimbs> result{};
  for (std::size_t i = whole; i < kLimbs; ++i) {
    const std::uint64_t below = i > whole ? a[i - whole - 1] : 0;
    result[i] = a[i - whole] << part | (below >> 1 >> (63 - part));
  }
  return result;
}

/// a 2^-bits, rounded down.
template <std::size_t kLimbs>
inline Limbs<kLimbs> shifted_right(const Limbs<kLimbs>& a, int bits) {
  const std::size_t whole = static_cast<std::size_t>(bits) / 64;
  const int part = bits % 64;
  const std::uint64_t sign = is_negative(a) ? ~std::uint64_t{0} : 0;
  const auto limb = [&](std::size_t i) { return i < kLimbs ? a[i] : sign; };
  Limbs<kLimbs> result;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    result[i] = limb(i + whole) >> part | (limb(i + whole + 1) << 1 << (63 - part));
  }
  return result;
}

/// The product of two integers below 2^190, exactly.
inline Limbs<6> product(const Limbs<3>& a, const Limbs<3>& b) {
  const Limbs<3> x = is_negative(a) ? negated(a) : a;
  const Limbs<3> y = is_negative(b) ? negated(b) : b;
  Limbs<6> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      const kernels::UnsignedInt128 term =
          static_cast<kernels::UnsignedInt128>(x[i]) * y[j] + result[i + j] + carry;
      result[i + j] = static_cast<std::uint64_t>(term);
      carry = static_cast<std::uint64_t>(term >> 64);
    }
    result[i + 3] = carry;
  }
  return is_negative(a) != is_negative(b) ? negated(result) : result;
}

inline constexpr std::int64_t kWideZeroExponent = kernels::TsScaled{}.e;

/// (re + i im) 2^(e - 190); the larger part is at least 2^189, and no part is above 2^190. Or zero.
struct WideComplex {
  Limbs<3> re{}, im{};
  std::int64_t e = kWideZeroExponent;

  friend bool operator==(const WideComplex&, const WideComplex&) = default;
};

/// The highest bits of integers times 2^unit, rounded down: the error is below 2^-188 of the larger
/// part. The integers have two bits to spare.
template <std::size_t kLimbs>
inline WideComplex wide_complex(const Limbs<kLimbs>& re, const Limbs<kLimbs>& im,
                                std::int64_t unit) {
  const std::uint64_t re_sign = is_negative(re) ? ~std::uint64_t{0} : 0;
  const std::uint64_t im_sign = is_negative(im) ? ~std::uint64_t{0} : 0;
  int empty = 0;
  for (std::size_t i = kLimbs; i-- > 0; empty += 64) {
    const std::uint64_t used = (re[i] ^ re_sign) | (im[i] ^ im_sign);
    if (used == 0) continue;
    const int shift = empty + std::countl_zero(used) - 2;
    const Limbs<kLimbs> x = shifted_left(re, shift);
    const Limbs<kLimbs> y = shifted_left(im, shift);
    return {{x[kLimbs - 3], x[kLimbs - 2], x[kLimbs - 1]},
            {y[kLimbs - 3], y[kLimbs - 2], y[kLimbs - 1]},
            static_cast<std::int64_t>(64 * (kLimbs - 3)) + 190 - shift + unit};
  }
  return {};
}

/// Relative error below 2^-187.
inline WideComplex operator*(const WideComplex& a, const WideComplex& b) {
  return wide_complex(sum(product(a.re, b.re), negated(product(a.im, b.im))),
                      sum(product(a.re, b.im), product(a.im, b.re)), a.e + b.e - 380);
}

/// The limbs between one of sign and one of bits to come.
inline Limbs<5> spread(const Limbs<3>& a, int right) {
  return shifted_right(
      Limbs<5>{0, a[0], a[1], a[2], is_negative(a) ? ~std::uint64_t{0} : std::uint64_t{0}}, right);
}

/// Error below 2^-187 of the sum and 2^-250 of the larger term.
inline WideComplex operator+(const WideComplex& a, const WideComplex& b) {
  if (a.e < b.e) return b + a;
  if (a.e - b.e >= 256) return a;
  const int right = static_cast<int>(a.e - b.e);
  return wide_complex(sum(spread(a.re, 0), spread(b.re, right)),
                      sum(spread(a.im, 0), spread(b.im, right)), a.e - 254);
}

inline WideComplex twice(WideComplex a) {
  ++a.e;
  return a;
}

/// A part of a number with the exponent e, as f64.
inline double leading(const Limbs<3>& part) {
  const Limbs<3> size = is_negative(part) ? negated(part) : part;
  const double value =
      static_cast<double>(size[2]) * 0x1p-62 + static_cast<double>(size[1]) * 0x1p-126;
  return is_negative(part) ? -value : value;
}

/// Near a within 2^-52; 0 beyond f64's range.
inline std::pair<double, double> rounded_parts(const WideComplex& a) {
  return {kernels::ts_part_value(leading(a.re), a.e), kernels::ts_part_value(leading(a.im), a.e)};
}

inline kernels::ScaledReal magnitude(const WideComplex& a) {
  const double re = leading(a.re);
  const double im = leading(a.im);
  return {std::sqrt(std::fma(re, re, im * im)), a.e};
}

/// Sums of f64, exactly as far as 190 bits reach. The first has the largest exponent.
WideComplex wide_complex(const std::array<double, 3>& re, const std::array<double, 3>& im);
/// Rounded down.
WideComplex wide_complex(const BigComplex& z);

}  // namespace tessera::deep
