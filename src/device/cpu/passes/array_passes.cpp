// Loops that the compiler vectorises, compiled once per instruction set.
#include "device/cpu/passes/array_passes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/real/vector_sets.hpp"
#include "statistics/half.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/passes/array_passes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_HAVE_FLOAT64
#include "device/cpu/simd/simd_math-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t kBytes>
using Unsigned = std::conditional_t<
    kBytes == 1, std::uint8_t,
    std::conditional_t<kBytes == 2, std::uint16_t,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

/// Number of terms, each at most `largest`, that a `Sum` can hold; a multiple of the elements of a
/// vector.
template <class Sum>
constexpr std::size_t room_for(std::uint64_t largest) {
  // crossed by: integers_of_8_bits, integers_of_16_bits, of_counters
  constexpr std::size_t kElements = 64;  // bytes in a vector of 512 bits
  return static_cast<std::uint64_t>(std::numeric_limits<Sum>::max()) / largest / kElements *
         kElements;
}

/// The sum of term(x). `Narrow` is as wide as the elements or a little wider, so that a vector
/// holds many. It is added to the total before terms of at most `largest` could overflow it.
template <class Narrow, std::uint64_t largest, class T, class Term>
auto add_up(std::span<const T> values, const Term& term) {
  // crossed by: integers_of_8_bits, integers_of_16_bits, of_counters
  constexpr std::size_t kRoom = room_for<Narrow>(largest);
  static_assert(kRoom > 0);
  std::conditional_t<std::is_signed_v<Narrow>, std::int64_t, std::uint64_t> total = 0;
  for (std::size_t first = 0; first < values.size(); first += kRoom) {
    const std::size_t end = first + std::min(kRoom, values.size() - first);
    Narrow sum = 0;
    for (std::size_t i = first; i < end; ++i) sum = static_cast<Narrow>(sum + term(values[i]));
    total += sum;
  }
  return total;
}

template <class T>
constexpr std::uint64_t kLargestMagnitude =
    static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + (std::is_signed_v<T> ? 1 : 0);

template <class T>
std::int64_t count_nonzero(std::span<const T> values) {
  return static_cast<std::int64_t>(
      add_up<Unsigned<sizeof(T)>, 1>(values, [](T x) { return x != T{0} ? 1 : 0; }));
}

/// A sum of 64-bit numbers as two sums of 32-bit halves, each with room for 2^32 terms.
struct Halves {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  HWY_INLINE void add(std::uint64_t x) {
    low += x & 0xffffffff;
    high += x >> 32;
  }
  kernels::UnsignedInt128 total() const {
    return (static_cast<kernels::UnsignedInt128>(high) << 32) + low;
  }
};

template <class T>
kernels::Int128 sum_of(std::span<const T> values) {
  if constexpr (sizeof(T) < 8) {
    using Narrow = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    using Sum = std::conditional_t<sizeof(T) <= 2, Narrow, std::int64_t>;
    return add_up<Sum, kLargestMagnitude<T>>(values, [](T x) { return Sum{x}; });
  } else {
    // Inverting the sign bit makes all numbers unsigned and 2^63 too large.
    constexpr std::uint64_t kOffset = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    Halves sum;
    for (const T x : values) sum.add(static_cast<std::uint64_t>(x) ^ kOffset);
    return static_cast<kernels::Int128>(sum.total()) -
           static_cast<kernels::Int128>(kOffset) * static_cast<std::int64_t>(values.size());
  }
}

template <class T>
kernels::UnsignedInt128 absolute_of(std::span<const T> values) {
  if constexpr (sizeof(T) <= 2) {
    return add_up<std::uint32_t, kLargestMagnitude<T>>(
        values, [](T x) { return static_cast<std::uint32_t>(std::abs(std::int32_t{x})); });
  } else if constexpr (sizeof(T) == 4) {
    return add_up<std::uint64_t, kLargestMagnitude<T>>(values, [](T x) { return magnitude_of(x); });
  } else {
    Halves sum;
    for (const T x : values) sum.add(magnitude_of(x));
    return sum.total();
  }
}

template <class T>
void add_squares(std::span<const T> values, statistics::IntegerSums& sums) {
  if constexpr (sizeof(T) <= 2) {
    constexpr std::uint64_t kLargest = kLargestMagnitude<T> * kLargestMagnitude<T>;
    sums.squares_low += add_up<std::uint64_t, kLargest>(values, [](T x) {
      const auto magnitude = static_cast<std::uint32_t>(std::abs(std::int32_t{x}));
      return magnitude * magnitude;
    });
  } else if constexpr (sizeof(T) == 4) {
    Halves sum;
    for (const T x : values) {
      const std::uint64_t magnitude = magnitude_of(x);
      sum.add(magnitude * magnitude);
    }
    sums.squares_low += sum.total();
  } else {
    for (const T x : values) add_square(x, sums);
  }
}

template <class T>
bool has_zero(std::span<const T> values, bool negative) {
  using Word = Unsigned<sizeof(T)>;
  const Word requested = static_cast<Word>(negative ? Word{1} << (8 * sizeof(T) - 1) : 0);
  Word found = 0;
  for (const T x : values) found |= static_cast<Word>(std::bit_cast<Word>(x) == requested);
  return found != 0;
}

template <class T>
Infinities keep_numbers(std::span<const T> values, std::vector<T>& kept) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  Infinities infinities;
  kept.resize(values.size() + HWY_LANES(T));
  std::size_t size = 0;
  std::size_t i = 0;
#if HWY_HAVE_FLOAT64 && HWY_HAVE_INTEGER64
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (; i + lanes <= values.size(); i += lanes) {
    const auto x = hn::LoadU(d, &values[i]);
    const auto number = hn::Eq(x, x);
    if constexpr (sizeof(T) == 8) {
      append(x, number, &kept[size]);
    } else {
      hn::StoreU(hn::Compress(x, number), d, &kept[size]);
    }
    size += hn::CountTrue(d, number);
    infinities.positive +=
        static_cast<std::int64_t>(hn::CountTrue(d, hn::Eq(x, hn::Set(d, kInfinity))));
    infinities.negative +=
        static_cast<std::int64_t>(hn::CountTrue(d, hn::Eq(x, hn::Set(d, -kInfinity))));
  }
#endif
  for (; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    kept[size++] = values[i];
    if (std::isinf(values[i])) ++(values[i] > 0 ? infinities.positive : infinities.negative);
  }
  kept.resize(size);
  return infinities;
}

/// Uses vectors only with F16C: Highway's emulation converts infinities to finite numbers.
inline void widen_halves(const std::byte* halves, std::span<float> to) {
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  for (; i + lanes <= to.size(); i += lanes) {
    const auto* const from = reinterpret_cast<const hwy::float16_t*>(halves + 2 * i);
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, from)), d, &to[i]);
  }
#endif
  for (; i < to.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, halves + 2 * i, sizeof half);
    to[i] = statistics::widen_half(half);
  }
}

template <class T>
constexpr IntegerPasses<T> integer_passes() {
  return {&sum_of<T>, &absolute_of<T>, &add_squares<T>, &count_nonzero<T>};
}

template <class T>
constexpr RealPasses<T> real_passes() {
  return {&count_nonzero<T>, &has_zero<T>, &keep_numbers<T>};
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
PassSet pass_set<HWY_TARGET>() {
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)
  return {{integer_passes<std::int8_t>(), integer_passes<std::int16_t>(),
           integer_passes<std::int32_t>(), integer_passes<std::int64_t>(),
           integer_passes<std::uint8_t>(), integer_passes<std::uint16_t>(),
           integer_passes<std::uint32_t>(), integer_passes<std::uint64_t>()},
          {real_passes<float>(), real_passes<double>()},
          &widen_halves};
}
}  // namespace tessera::device::cpu
