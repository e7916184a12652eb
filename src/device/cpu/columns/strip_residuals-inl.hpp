// Terms of a strip that a method did not take, kept until it is known that it took the others.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_STRIP_RESIDUALS_INL
#endif

#include <algorithm>

#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// A list of numbers, each with its output, counted from the first output of the strip.
struct StripTerms {
  // crossed by: of_rows_that_are_mostly_land
  static constexpr std::size_t kMax = 512;
  std::size_t size = 0;
  HWY_ALIGN double x[kMax + 9 * kLanes];
  HWY_ALIGN std::uint64_t output[kMax + 9 * kLanes];

  /// Lane l belongs to output first + l * kStep. There are no branches: nobody can predict
  /// outliers.
  template <std::size_t kStep>
  HWY_INLINE void push(Real terms, Mask which, std::size_t first) {
    static_assert(kStep <= 1);
    auto outputs = hn::Set(Bits(), first);
    if constexpr (kStep > 0) outputs = hn::Iota(Bits(), first);
    append(terms, which, x + size);
    append(outputs, which, output + size);
    size += hn::CountTrue(Reals(), which);
  }
};

struct StripResiduals {
  StripTerms left;      ///< by the last window
  StripTerms outliers;  ///< elements that no window can hold: large ones, NaN, infinities
  std::size_t most = 0;

  /// Clears both lists. `elements` limits how many terms are worth collecting.
  void begin(std::size_t elements) {
    left.size = outliers.size = 0;
    most = std::min(StripTerms::kMax, elements / 32 + 4);
  }
  bool is_full() const { return left.size > most || outliers.size > most; }
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
