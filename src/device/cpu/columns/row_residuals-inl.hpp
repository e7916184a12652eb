// Terms that a method did not take, kept until it is known that it took the others.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_ROW_SPILL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_ROW_SPILL_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_ROW_SPILL_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_ROW_SPILL_INL
#endif

#include <algorithm>
#include <bit>
#include <limits>

#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The terms of a row that the windows did not take.
struct RowResiduals {
  static constexpr std::size_t kMost = 2048;
  std::size_t most = kMost;
  std::size_t terms = 0;     ///< left by the last window
  std::size_t outliers = 0;  ///< elements that no window can hold: large ones, NaN, infinities
  HWY_ALIGN double term[kMost + 9 * kLanes];
  HWY_ALIGN double outlier[kMost + 9 * kLanes];

  HWY_INLINE void push(Real rest) {
    const Mask some = hn::Ne(rest, hn::Zero(Reals()));
    append(rest, some, term + terms);
    terms += hn::CountTrue(Reals(), some);
  }
  HWY_INLINE void push_outliers(Real x, Mask which) {
    append(x, which, outlier + outliers);
    outliers += hn::CountTrue(Reals(), which);
  }
  bool is_full() const { return terms > most || outliers > most; }
  /// Clears both lists. `elements` limits how many terms are worth collecting.
  void begin(std::size_t elements) {
    terms = outliers = 0;
    most = std::min(kMost, elements / 32 + 4);
  }
};

/// As RowResiduals, with the column of each term, counted from the start of the strip.
struct StripResiduals {
  static constexpr std::size_t kMost = 512;
  std::size_t most = kMost;
  struct Term {
    std::size_t column;
    double x;
  };
  std::size_t terms = 0;
  std::size_t outliers = 0;
  Term term[kMost + 9 * kLanes];
  Term outlier[kMost + 9 * kLanes];

  HWY_INLINE void push(Real rest, std::size_t column) {
    push(rest, hn::Ne(rest, hn::Zero(Reals())), column, term, terms);
  }
  HWY_INLINE void push_outliers(Real x, Mask which, std::size_t column) {
    push(x, which, column, outlier, outliers);
  }
  bool is_full() const { return terms > most || outliers > most; }
  void begin(std::size_t elements) {
    terms = outliers = 0;
    most = std::min(kMost, elements / 32 + 4);
  }

 private:
  static HWY_INLINE void push(Real x, Mask which, std::size_t column, Term* to,
                              std::size_t& count) {
    if (hn::AllFalse(Reals(), which)) return;
    HWY_ALIGN double lanes[kLanes];
    hn::Store(x, Reals(), lanes);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Reals(), which, bits);
    for (unsigned some = bits[0]; some != 0; some &= some - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(some));
      to[count++] = {column + lane, lanes[lane]};
    }
  }
};

/// 2^exponent, or the nearest number of type T.
template <class T>
constexpr T bound_of(int exponent) {
  if (exponent >= std::numeric_limits<T>::max_exponent) return std::numeric_limits<T>::max();
  return static_cast<T>(power_of_two(std::max(exponent, -1022)));
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
