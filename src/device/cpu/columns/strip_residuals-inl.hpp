// Terms of a strip that a method did not take, kept until it is known that it took the others.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL
#endif

#include <algorithm>
#include <bit>

#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// A list of numbers, each with its output, counted from the first output of the strip.
struct StripTerms {
  static constexpr std::size_t kMost = 512;
  struct Term {
    std::size_t output;
    double x;
  };
  std::size_t size = 0;
  Term term[kMost + 9 * kLanes];

  /// Lane l belongs to output + l * kStep.
  template <std::size_t kStep>
  HWY_INLINE void push(Real x, Mask which, std::size_t output) {
    if (hn::AllFalse(Reals(), which)) return;
    HWY_ALIGN double lanes[kLanes];
    hn::Store(x, Reals(), lanes);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Reals(), which, bits);
    for (unsigned some = bits[0]; some != 0; some &= some - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(some));
      term[size++] = {output + lane * kStep, lanes[lane]};
    }
  }
};

struct StripResiduals {
  StripTerms left;      ///< by the last window
  StripTerms outliers;  ///< elements that no window can hold: large ones, NaN, infinities
  std::size_t most = 0;

  /// Clears both lists. `elements` limits how many terms are worth collecting.
  void begin(std::size_t elements) {
    left.size = outliers.size = 0;
    most = std::min(StripTerms::kMost, elements / 32 + 4);
  }
  bool is_full() const { return left.size > most || outliers.size > most; }
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
