// Exact sums, compiled once per instruction set, and the selection of the best one.
#include "device/cpu/sums/exact_sum.hpp"

#include <cfenv>
#include <cmath>

#include "device/cpu/simd/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/sums/exact_sum.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_HAVE_FLOAT64
#include "device/cpu/sums/moments-inl.hpp"
#include "device/cpu/sums/numbers-inl.hpp"
#endif
#include "device/cpu/passes/array_extremes-inl.hpp"

#ifndef TESSERA_DEVICE_CPU_EXACT_SUM_ONCE
#define TESSERA_DEVICE_CPU_EXACT_SUM_ONCE
namespace tessera::device::cpu {

/// While it lives: round to nearest, and subnormal numbers enabled. A library in the process may
/// have set flush-to-zero, or the caller another rounding mode.
class DefaultArithmetic {
 public:
  DefaultArithmetic() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultArithmetic() { std::fesetenv(&saved_); }
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

 private:
  std::fenv_t saved_;
};

/// Specialised by each compilation below.
template <std::int64_t target>
ExactSumSet exact_sum_set();
}  // namespace tessera::device::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

template <class T>
void add_one_by_one(std::span<const T> x, std::span<const T> y, SquareAccumulator& to,
                    Alongside<T> /*beside*/) {
  const DefaultArithmetic arithmetic;
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

#if HWY_HAVE_FLOAT64

template <class T>
void sum(std::span<const T> x, Superaccumulator& to, Alongside<T> alongside) {
  const DefaultArithmetic arithmetic;
  add_numbers(Numbers<T, false>(x.data()), x.size(), to, alongside.guesses, [&](Block block) {
    take_in(x.subspan(block.first, block.end - block.first), alongside.extremes);
  });
}

template <class T>
void absolute_sum(std::span<const T> x, Superaccumulator& to,
                  [[maybe_unused]] Alongside<T> alongside) {
  const DefaultArithmetic arithmetic;
  add_numbers(Numbers<T, true>(x.data()), x.size(), to, alongside.guesses, [](Block) {});
}

/// Products of f64 need the error of the product. Without FMA, computing it costs more than integer
/// arithmetic.
template <class T>
inline constexpr bool kVectorProducts = sizeof(T) == 4 || HWY_NATIVE_FMA;

template <class T>
void dot(std::span<const T> x, std::span<const T> y, SquareAccumulator& to,
         Alongside<T> alongside) {
  if constexpr (kVectorProducts<T>) {
    const DefaultArithmetic arithmetic;
    constexpr std::size_t kAhead = kPrefetchBytes / sizeof(T);
    Guess* const guess = alongside.guesses != nullptr ? &alongside.guesses->products : nullptr;
    if (x.data() == y.data()) {
      add_products(Products<T, true>(x.data(), x.data(), kAhead), x.size(), to, guess);
    } else {
      add_products(Products<T, false>(x.data(), y.data(), kAhead / 2), x.size(), to, guess);
    }
  } else {
    add_one_by_one(x, y, to, alongside);
  }
}

template <class T>
void moments(std::span<const T> x, Superaccumulator& to, SquareAccumulator& squares,
             Alongside<T> alongside) {
  const DefaultArithmetic arithmetic;
  const std::size_t whole = kVectorProducts<T> ? x.size() - x.size() % kGroupTerms : 0;
  if constexpr (kVectorProducts<T>) {
    Guesses own;
    constexpr std::size_t kTerms = MomentSummer<T>::kTerms;
    MomentSummer<T> blocks(x, to, squares, alongside.guesses != nullptr ? *alongside.guesses : own);
    for (std::size_t at = 0; at < whole; at += kTerms) {
      const Block block{at, std::min(at + kTerms, whole)};
      if (!blocks.add(block, alongside.extremes)) {
        take_in(x.subspan(block.first, block.end - block.first), alongside.extremes);
      }
    }
    for (std::size_t i = whole; i < x.size(); ++i) to.add(static_cast<double>(x[i]));
    take_in(x.subspan(whole), alongside.extremes);
  } else {
    sum<T>(x, to, alongside);
  }
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
ExactSumSet exact_sum_set<HWY_TARGET>() {
  std::string name = hwy::TargetName(HWY_TARGET);
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return {name, HWY_NAMESPACE::functions<double>(), HWY_NAMESPACE::functions<float>()};
}
}  // namespace tessera::device::cpu

#if HWY_ONCE
#include <utility>

namespace tessera::device::cpu {

namespace {

/// In Highway, a lower bit is a better set.
template <std::size_t... kBit>
std::vector<ExactSumSet> pick(std::int64_t supported, std::index_sequence<kBit...>) {
  std::vector<ExactSumSet> sets;
  const auto consider = [&]<std::size_t kOne>(std::integral_constant<std::size_t, kOne>) {
    constexpr std::int64_t kTarget = std::int64_t{1} << kOne;
    if constexpr ((HWY_TARGETS & kTarget) != 0) {
      if ((supported & kTarget) != 0) sets.push_back(exact_sum_set<kTarget>());
    }
  };
  (consider(std::integral_constant<std::size_t, kBit>()), ...);
  return sets;
}

const ExactSumSet& best() {
  static const ExactSumSet set = exact_sum_sets().front();
  return set;
}

}  // namespace

std::vector<ExactSumSet> exact_sum_sets() {
  // The sets that the compiler uses without dispatch are always supported.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  return pick(supported, std::make_index_sequence<63>());
}

void exact_sum(std::span<const double> x, Superaccumulator& sum) {
  best().f64.sum(x, sum, {});
}
void exact_sum(std::span<const float> x, Superaccumulator& sum) {
  best().f32.sum(x, sum, {});
}
void exact_absolute_sum(std::span<const double> x, Superaccumulator& sum) {
  best().f64.absolute_sum(x, sum, {});
}
void exact_absolute_sum(std::span<const float> x, Superaccumulator& sum) {
  best().f32.absolute_sum(x, sum, {});
}
void exact_sum_of_squares(std::span<const double> x, SquareAccumulator& squares) {
  best().f64.dot(x, x, squares, {});
}
void exact_sum_of_squares(std::span<const float> x, SquareAccumulator& squares) {
  best().f32.dot(x, x, squares, {});
}
void exact_dot(std::span<const double> x, std::span<const double> y, SquareAccumulator& products) {
  best().f64.dot(x, y, products, {});
}
void exact_dot(std::span<const float> x, std::span<const float> y, SquareAccumulator& products) {
  best().f32.dot(x, y, products, {});
}
void exact_moments(std::span<const double> x, Superaccumulator& sum, SquareAccumulator& squares) {
  best().f64.moments(x, sum, squares, {});
}
void exact_moments(std::span<const float> x, Superaccumulator& sum, SquareAccumulator& squares) {
  best().f32.moments(x, sum, squares, {});
}

}  // namespace tessera::device::cpu
#endif
