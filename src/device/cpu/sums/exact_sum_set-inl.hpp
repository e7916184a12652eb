// Exact sums in the code of one instruction set, which is HWY_TARGET.
#if defined(TESSERA_DEVICE_CPU_SUMS_EXACT_SUM_SET_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_EXACT_SUM_SET_INL
#undef TESSERA_DEVICE_CPU_SUMS_EXACT_SUM_SET_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_EXACT_SUM_SET_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "device/cpu/passes/array_extremes-inl.hpp"
#include "device/cpu/simd/plain_arithmetic.hpp"
#include "device/cpu/sums/exact_sum.hpp"
#if HWY_HAVE_FLOAT64 && HWY_NATIVE_FMA
#include "device/cpu/sums/moments-inl.hpp"
#include "device/cpu/sums/numbers-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

template <class T>
void add_one_by_one(std::span<const T> x, std::span<const T> y, SquareAccumulator& to,
                    Alongside<T> /*beside*/) {
  const PlainArithmetic arithmetic;
  for (std::size_t i = 0; i < x.size(); ++i) {
    to.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
  }
}

template <class T>
void take_in(std::span<const T> x, Extremes<T>* extremes) {
  if (extremes == nullptr || x.empty()) return;
  const Extremes<T> found = find_extremes(x);
  extremes->least = std::min(extremes->least, found.least);
  extremes->greatest = std::max(extremes->greatest, found.greatest);
}

#if HWY_HAVE_FLOAT64 && HWY_NATIVE_FMA

template <class T>
void sum(std::span<const T> x, Superaccumulator& to, Alongside<T> alongside) {
  const PlainArithmetic arithmetic;
  add_numbers(Numbers<T, false>(x.data()), x.size(), to, alongside.guesses, [&](Block block) {
    take_in(x.subspan(block.first, block.end - block.first), alongside.extremes);
  });
}

template <class T>
void absolute_sum(std::span<const T> x, Superaccumulator& to,
                  [[maybe_unused]] Alongside<T> alongside) {
  const PlainArithmetic arithmetic;
  add_numbers(Numbers<T, true>(x.data()), x.size(), to, alongside.guesses, [](Block) {});
}

template <class T>
void dot(std::span<const T> x, std::span<const T> y, SquareAccumulator& to,
         Alongside<T> alongside) {
  const PlainArithmetic arithmetic;
  constexpr std::size_t kAhead = kPrefetchBytes / sizeof(T);
  Guess* const guess = alongside.guesses != nullptr ? &alongside.guesses->products : nullptr;
  if (x.data() == y.data()) {
    add_products(Products<T, true>(x.data(), x.data(), kAhead), x.size(), to, guess);
  } else {
    add_products(Products<T, false>(x.data(), y.data(), kAhead / 2), x.size(), to, guess);
  }
}

template <class T>
void moments(std::span<const T> x, Superaccumulator& to, SquareAccumulator& squares,
             Alongside<T> alongside) {
  const PlainArithmetic arithmetic;
  const std::size_t whole = x.size() - x.size() % kGroupTerms;
  {
    Guesses own;
    constexpr std::size_t kTerms = MomentSummer<T>::kTerms;
    MomentSummer<T> blocks(x, to, squares, alongside.guesses != nullptr ? *alongside.guesses : own);
    for (std::size_t at = 0; at < whole; at += kTerms) {
      const Block block{at, std::min(at + kTerms, whole)};
      if (!blocks.add(block, alongside.extremes)) {
        take_in(x.subspan(block.first, block.end - block.first), alongside.extremes);
      }
    }
  }
  for (std::size_t i = whole; i < x.size(); ++i) to.add(static_cast<double>(x[i]));
  take_in(x.subspan(whole), alongside.extremes);
  add_one_by_one(x.subspan(whole), x.subspan(whole), squares, alongside);
}

template <class T>
constexpr ExactSumKernels<T> functions() {
  return {&sum<T>, &absolute_sum<T>, &dot<T>, &moments<T>};
}

#else

template <class T>
void sum(std::span<const T> x, Superaccumulator& to, Alongside<T> alongside) {
  for (T term : x) to.add(static_cast<double>(term));
  take_in(x, alongside.extremes);
}
template <class T>
void absolute_sum(std::span<const T> x, Superaccumulator& to,
                  [[maybe_unused]] Alongside<T> alongside) {
  for (T term : x) to.add(std::abs(static_cast<double>(term)));
}
template <class T>
void moments(std::span<const T> x, Superaccumulator& to, SquareAccumulator& squares,
             Alongside<T> alongside) {
  sum<T>(x, to, alongside);
  add_one_by_one(x, x, squares, alongside);
}

template <class T>
constexpr ExactSumKernels<T> functions() {
  return {&sum<T>, &absolute_sum<T>, &add_one_by_one<T>, &moments<T>};
}

#endif

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
// NOLINTNEXTLINE(misc-definitions-in-headers): one source includes it for each target
ExactSumSet exact_sum_set<HWY_TARGET>() {
  return {HWY_NAMESPACE::functions<double>(), HWY_NAMESPACE::functions<float>()};
}
}  // namespace tessera::device::cpu

#endif
