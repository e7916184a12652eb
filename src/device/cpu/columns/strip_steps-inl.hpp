// The elements of a strip, a step at a time: a row of some columns of a matrix, or a vector of each
// of some rows.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_STRIP_STEPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_STRIP_STEPS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_STRIP_STEPS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_STRIP_STEPS_INL
#endif

#include <algorithm>
#include <cstring>
#include <limits>

#include "device/cpu/columns/strip_residuals-inl.hpp"
#include "device/cpu/simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Loads the first `count` elements, fewer than a vector has, followed by zeros.
template <class T>
HWY_INLINE Real load_first(const T* x, std::size_t count) {
#if HWY_TARGET <= HWY_AVX2
  const hn::Rebind<T, Reals> d;
  const auto some = hn::MaskedLoad(hn::FirstN(d, count), d, x);
  if constexpr (sizeof(T) == 4) {
    return hn::PromoteTo(Reals(), some);
  } else {
    return some;
  }
#else
  HWY_ALIGN T some[kLanes] = {};
  std::memcpy(some, x, count * sizeof(T));
  return load_reals(some);
#endif
}

/// 2^exponent, or the nearest number of type T.
template <class T>
constexpr T bound_of(int exponent) {
  if (exponent >= std::numeric_limits<T>::max_exponent) return std::numeric_limits<T>::max();
  return static_cast<T>(power_of_two(std::max(exponent, -1022)));
}

/// Whether all elements are less than `bound` from zero.
template <std::size_t kVectors, std::size_t kTerms>
HWY_INLINE bool all_below(const Real (&element)[kVectors][kTerms], Real bound) {
  Mask below = hn::Lt(hn::Abs(element[0][0]), bound);
  each<kVectors * kTerms - 1>([&](auto j) TESSERA_INLINE_LAMBDA {
    constexpr std::size_t kNext = j + 1;
    below = hn::And(below, hn::Lt(hn::Abs(element[kNext / kTerms][kNext % kTerms]), bound));
  });
  return hn::AllTrue(Reals(), below);
}

/// kVectorCount vectors of columns, one row at a time.
template <class T, std::size_t kVectorCount>
struct ColumnSteps {
  using Element = T;
  static constexpr std::size_t kVectors = kVectorCount;
  static constexpr std::size_t kTerms = 1;
  static constexpr std::size_t kLaneOutputs = 1;  ///< lane l belongs to output l of the vector
  using Elements = Real[kVectors][kTerms];
  const T* x;
  std::size_t stride;
  std::size_t rows;
  std::size_t ahead;  ///< distance of the memory to prefetch

  HWY_INLINE bool more() const { return rows > 0; }
  HWY_INLINE void next(Elements& element) {
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      const T* const at = x + v * kLanes;
      // Prefetches into L2: if the row distance is a power of two, L1 can hold only a few of these
      // lines.
      if constexpr (v * kLanes * sizeof(T) % 64 == 0) __builtin_prefetch(at + ahead, 0, 2);
      element[v][0] = load_reals(at);
    });
    x += stride;
    --rows;
  }
  /// Whether the last elements are less than `bound` from zero; tests them as stored.
  HWY_INLINE bool are_below(const Elements&, T bound) const {
    return HWY_NAMESPACE::are_below<kVectors>(x - stride, bound);
  }
  static HWY_INLINE void turn(Elements&) {}
};

/// kLanes rows, a vector of each at a time.
template <class T>
struct RowSteps {
  using Element = T;
  static constexpr std::size_t kVectors = 1;
  static constexpr std::size_t kTerms = kLanes;
  static constexpr std::size_t kLaneOutputs = 0;  ///< vector i belongs to output i
  using Elements = Real[kVectors][kTerms];
  const T* x;
  std::size_t stride;
  std::size_t left;  ///< elements of each row
  std::size_t ahead;

  HWY_INLINE bool more() const { return left > 0; }
  HWY_INLINE void next(Elements& element) {
    constexpr std::size_t kStepsOfLine = 64 / (kLanes * sizeof(T));
    if (left / kLanes % kStepsOfLine == 0) {
      each<kLanes>([&](auto i)
                       TESSERA_INLINE_LAMBDA { __builtin_prefetch(x + i * stride + ahead, 0, 2); });
    }
    const bool whole = left >= kLanes;
    each<kLanes>([&](auto i) TESSERA_INLINE_LAMBDA {
      const T* const at = x + i * stride;
      element[0][i] = HWY_LIKELY(whole) ? load_reals(at) : load_first(at, left);
    });
    x += kLanes;
    left -= std::min(left, kLanes);
  }
  HWY_INLINE bool are_below(const Elements& element, T bound) const {
    return all_below(element, hn::Set(Reals(), bound));
  }
  /// Afterwards, lane l belongs to output l.
  static HWY_INLINE void turn(Elements& element) { transpose(element[0]); }
};

/// Loads the next elements. kMasked: those that are not below the bound are moved to `residuals`;
/// false if there are too many.
template <bool kMasked, class Steps>
HWY_INLINE bool load_next(Steps& steps, typename Steps::Element bound,
                          typename Steps::Elements& element, StripResiduals& residuals) {
  steps.next(element);
  if (!kMasked || HWY_LIKELY(steps.are_below(element, bound))) return true;
  const Real limit = hn::Set(Reals(), bound);
  each<Steps::kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
    each<Steps::kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Mask below = hn::Lt(hn::Abs(element[v][i]), limit);
      residuals.outliers.template push<Steps::kLaneOutputs>(element[v][i], hn::Not(below),
                                                            v * kLanes + i);
      element[v][i] = hn::IfThenElseZero(below, element[v][i]);
    });
  });
  return !residuals.is_full();
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
