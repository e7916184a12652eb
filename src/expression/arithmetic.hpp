// The operations of expressions on numbers: the definition of every result. Integers wrap.
// Evaluators differ only in how many elements they compute at a time.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "expression/program.hpp"
#include "statistics/half.hpp"

namespace tessera::expression {

using Bool = std::uint8_t;

template <std::integral T>
constexpr auto wrap(T x) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<std::uint32_t>(x);
  } else {
    return static_cast<std::make_unsigned_t<T>>(x);
  }
}

/// Exact, by truncation; the nearest number of type To if x is outside, 0 for NaN.
template <std::integral To, std::floating_point From>
To to_integer(From x) {
  constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
  // 2^k, which max() rounds to or is one below.
  constexpr To kHalf = std::numeric_limits<To>::max() / 2 + 1;
  constexpr From kEnd = static_cast<From>(kHalf) * 2;
  if (x >= kEnd) return std::numeric_limits<To>::max();
  if (x >= kLow) return static_cast<To>(x);
  return x < kLow ? std::numeric_limits<To>::min() : To{0};
}

template <class To, class From>
To convert(From x) {
  if constexpr (std::integral<To> && std::floating_point<From>) {
    return to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

/// Python's and NumPy's: rounded down. x // 0 is 0.
template <std::integral T>
T floor_quotient(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::signed_integral<T>) {
    if (y == -1) return static_cast<T>(0 - wrap(x));
  }
  const T quotient = static_cast<T>(x / y);
  return static_cast<T>(quotient - static_cast<T>(x % y != 0 && (x < 0) != (y < 0)));
}

/// The remainder of floor_quotient(), with the sign of y. x % 0 is 0.
template <std::integral T>
T floor_remainder(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::signed_integral<T>) {
    if (y == -1) return 0;
  }
  const T rest = static_cast<T>(x % y);
  return static_cast<T>(rest != 0 && (x < 0) != (y < 0) ? rest + y : rest);
}

template <std::floating_point T>
T floor_remainder(T x, T y) {
  const T rest = std::fmod(x, y);
  if (y == 0) return rest;
  if (rest == 0) return std::copysign(T{0}, y);
  return (y < 0) != (rest < 0) ? rest + y : rest;
}

/// As NumPy's floor_divide: from the exact remainder, not by rounding the quotient down.
template <std::floating_point T>
T floor_quotient(T x, T y) {
  if (y == 0) return x / y;
  const T rest = std::fmod(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, x / y);
  const T down = std::floor(quotient);
  return quotient - down > T{0.5} ? down + 1 : down;
}

/// A negative exponent gives 1 / x^|y| without its fraction, and 0 for x = 0.
template <std::integral T>
T integer_power(T x, T y) {
  if (std::signed_integral<T> && y < 0) {
    if (x == 1) return 1;
    if constexpr (std::signed_integral<T>) {
      if (x == -1) return y % 2 == 0 ? T{1} : T{-1};
    }
    return 0;
  }
  auto base = wrap(x);
  auto result = wrap(T{1});
  for (auto rest = static_cast<std::make_unsigned_t<T>>(y); rest != 0;
       rest = static_cast<std::make_unsigned_t<T>>(rest >> 1)) {
    if ((rest & 1) != 0) result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}

template <Op op, class T>
auto apply(T x) {
  constexpr bool kReal = std::floating_point<T>;
  if constexpr (op == Op::negate) {
    if constexpr (kReal) {
      return -x;
    } else {
      return static_cast<T>(0 - wrap(x));
    }
  } else if constexpr (op == Op::absolute) {
    if constexpr (kReal) {
      return std::fabs(x);
    } else {
      return x < 0 ? static_cast<T>(0 - wrap(x)) : x;
    }
  } else if constexpr (op == Op::sign) {
    if (kReal && x != x) return x;
    return x > 0 ? T{1} : x < 0 ? static_cast<T>(-1) : T{0};
  } else if constexpr (op == Op::complement) {
    return static_cast<T>(~x);
  } else if constexpr (op == Op::square_root) {
    return std::sqrt(x);
  } else if constexpr (op == Op::floor) {
    return std::floor(x);
  } else if constexpr (op == Op::ceil) {
    return std::ceil(x);
  } else if constexpr (op == Op::rint) {
    return std::rint(x);
  } else if constexpr (op == Op::is_nan) {
    return static_cast<Bool>(x != x);
  } else if constexpr (op == Op::is_finite) {
    return static_cast<Bool>(std::fabs(x) <= std::numeric_limits<T>::max());
  } else if constexpr (op == Op::round_half) {
    return static_cast<float>(statistics::round_to_half(x));
  } else if constexpr (op == Op::widen_half) {
    return statistics::widen_half(x);
  } else {
    static_assert(op == Op::narrow_half);
    return statistics::half_bits(x);
  }
}

template <Op op, class T>
T arithmetic(T x, T y) {
  if constexpr (std::floating_point<T>) {
    if constexpr (op == Op::add) return x + y;
    if constexpr (op == Op::subtract) return x - y;
    if constexpr (op == Op::multiply) return x * y;
  } else {
    if constexpr (op == Op::add) return static_cast<T>(wrap(x) + wrap(y));
    if constexpr (op == Op::subtract) return static_cast<T>(wrap(x) - wrap(y));
    if constexpr (op == Op::multiply) return static_cast<T>(wrap(x) * wrap(y));
  }
}

template <Op op, class T>
auto apply(T x, T y) {
  if constexpr (op == Op::add || op == Op::subtract || op == Op::multiply) {
    return arithmetic<op>(x, y);
  } else if constexpr (op == Op::divide) {
    return x / y;
  } else if constexpr (op == Op::floor_divide) {
    return floor_quotient(x, y);
  } else if constexpr (op == Op::modulo) {
    return floor_remainder(x, y);
  } else if constexpr (op == Op::power) {
    return integer_power(x, y);
  } else if constexpr (op == Op::minimum) {
    return x <= y || x != x ? x : y;
  } else if constexpr (op == Op::maximum) {
    return x >= y || x != x ? x : y;
  } else if constexpr (op == Op::less) {
    return static_cast<Bool>(x < y);
  } else if constexpr (op == Op::less_equal) {
    return static_cast<Bool>(x <= y);
  } else if constexpr (op == Op::equal) {
    return static_cast<Bool>(x == y);
  } else if constexpr (op == Op::not_equal) {
    return static_cast<Bool>(x != y);
  } else if constexpr (op == Op::bit_and) {
    return static_cast<T>(x & y);
  } else {
    static_assert(op == Op::bit_or);
    return static_cast<T>(x | y);
  }
}

template <Op op, class T>
T apply(T x, T y, T z) {
  if constexpr (op == Op::fused_multiply_add) {
    return std::fma(x, y, z);
  } else if constexpr (op == Op::multiply_add) {
    return x * y + z;
  } else if constexpr (op == Op::multiply_subtract) {
    return x * y - z;
  } else {
    static_assert(op == Op::multiply_add_root);
    return std::sqrt(x * y + z);
  }
}

template <Op op, class T>
T apply(T x, T y, T z, T w) {
  if constexpr (op == Op::add_products) {
    return x * y + z * w;
  } else if constexpr (op == Op::subtract_products) {
    return x * y - z * w;
  } else {
    static_assert(op == Op::add_products_root);
    return std::sqrt(x * y + z * w);
  }
}

/// The comparison of a select_ operation.
template <Op op, class T>
bool holds(T x, T y) {
  if constexpr (op == Op::select_less) return x < y;
  if constexpr (op == Op::select_less_equal) return x <= y;
  if constexpr (op == Op::select_equal) return x == y;
  if constexpr (op == Op::select_not_equal) return x != y;
}

}  // namespace tessera::expression
