// Sums a strip of f32 in f64 without windows. The sums are exact if the processor's inexact flag is
// clear.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_PLAIN_STRIP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_PLAIN_STRIP_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_PLAIN_STRIP_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_PLAIN_STRIP_INL
#endif

#include "device/cpu/columns/column_units-inl.hpp"
#include "device/cpu/columns/strip_steps-inl.hpp"
#include "device/cpu/simd/inexact_flag.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Sums of columns begin with a window, sums of rows with 0.
template <class Source, class Steps, bool kMasked>
class PlainStrip {
 public:
  static constexpr std::size_t kVectors = Steps::kVectors;
  static constexpr std::size_t kTerms = Steps::kTerms;
  static constexpr bool kOfRows = kTerms > 1;

  HWY_INLINE PlainStrip(const ColumnBlock& block, std::size_t column)
      : start_(start_of(block.exponents[block.usual])) {
    const double* const window = block.window(block.usual) + column;
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      each<kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
        sum_[v][i] = kOfRows ? hn::Zero(Reals()) : hn::LoadU(Reals(), window + v * kLanes);
      });
    });
  }

  /// Adds the terms, and stores the sums at `to`, so that all additions are complete. False if
  /// there are many outliers.
  HWY_INLINE bool take(Steps steps, typename Source::Element bound, StripResiduals& residuals,
                       double* to) {
    while (steps.more()) {
      typename Steps::Elements element;
      if (!load_next<kMasked>(steps, bound, element, residuals)) return false;
      each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
        each<kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
          sum_[v][i] = hn::Add(sum_[v][i], Source::of(element[v][i]));
        });
      });
    }
    Steps::turn(sum_);
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      each<kTerms - 1>(
          [&](auto i) TESSERA_INLINE_LAMBDA { sum_[v][0] = hn::Add(sum_[v][0], sum_[v][i + 1]); });
      hn::Store(sum_[v][0], Reals(), to + v * kLanes);
    });
    return true;
  }

  /// Whether the sums of columns stayed in their binade, or those of rows are finite.
  HWY_INLINE bool are_right() const {
    auto moved = hn::Zero(Bits());
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      const Real sum = sum_[v][0];
      const Real difference = kOfRows ? hn::Sub(sum, sum) : hn::Xor(sum, start_);
      moved = hn::Or(moved, hn::BitCast(Bits(), difference));
    });
    return stayed_in_binade(moved);
  }

  /// Stores the sums of columns where they were loaded.
  HWY_INLINE void store(ColumnBlock& block, std::size_t column) const {
    double* const window = block.window(block.usual) + column;
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      hn::StoreU(sum_[v][0], Reals(), window + v * kLanes);
    });
  }

  /// Adds the sums of rows to the windows, which must have room for one term. Marks the outputs
  /// whose sums are not 0, and returns whether these are all.
  HWY_INLINE bool fold(ColumnBlock& block, std::size_t column) const {
    const Real sum = sum_[0][0];
    const auto load = [sum](Real(&unit)[1][1]) TESSERA_INLINE_LAMBDA { unit[0][0] = sum; };
    using Values = TermsOf<double, Terms::values>;
    if (HWY_UNLIKELY(!(add_unit<Values, 1, 1>(block, block.usual, column, load)))) {
      HWY_ALIGN double sums[kLanes];
      hn::Store(sum, Reals(), sums);
      for (std::size_t r = 0; r < kLanes; ++r) block.add_term(column + r, sums[r]);
    }
    return mark_nonzero(block, column, hn::BitCast(Bits(), sum));
  }

 private:
  typename Steps::Elements sum_;
  Real start_;
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
