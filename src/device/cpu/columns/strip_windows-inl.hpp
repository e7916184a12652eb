// The windows of a strip of outputs, in registers. The few terms that they do not take are
// collected.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_STRIP_WINDOWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_STRIP_WINDOWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_STRIP_WINDOWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_STRIP_WINDOWS_INL
#endif

#include "device/cpu/columns/column_units-inl.hpp"
#include "device/cpu/columns/column_windows-inl.hpp"
#include "device/cpu/columns/strip_steps-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// kWindows consecutive windows, from the usual one on, for each vector of a step. kMasked:
/// elements that are too large, or NaN, are put into the residuals.
template <class Source, std::size_t kWindows, class Steps, bool kMasked>
class StripWindows {
 public:
  using T = typename Source::Element;
  static constexpr std::size_t kVectors = Steps::kVectors;
  static constexpr std::size_t kTerms = Steps::kTerms;
  static constexpr bool kOfRows = kTerms > 1;

  /// Loads the windows of columns. Those of rows begin empty.
  HWY_INLINE StripWindows(const ColumnBlock& block, std::size_t column) {
    const int highest = block.exponents[block.usual];
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
      const Real start = start_of(highest - static_cast<int>(k) * ColumnBlock::kStepBits);
      starts_[k] = hn::BitCast(Bits(), start);
      const double* const window = block.window(block.usual + k) + column;
      each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
        each<kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
          sums_[k][v][i] = kOfRows ? start : hn::LoadU(Reals(), window + v * kLanes);
        });
      });
    });
    const int room = highest - ColumnBlock::kRoomBits;
    bound_ = bound_of<T>(Source::kKind == Terms::squares ? (room + 1022) / 2 - 511 : room);
    moved_ = lost_ = hn::Zero(Bits());
  }

  /// Adds the terms. False if these windows cannot take them.
  HWY_INLINE bool take(Steps steps, StripResiduals& residuals) {
    auto any_left = hn::Zero(Bits());
    while (steps.more()) {
      typename Steps::Elements element, low;
      if (!load_next<kMasked>(steps, bound_, element, residuals)) return false;
      auto left = hn::Zero(Bits());
      each<kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
        each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
          take_vector(v, i, element[v][i], low[v][i], left);
        });
      });
      if constexpr (!kMasked) {
        any_left = hn::Or(any_left, left);
      } else if (HWY_UNLIKELY(!nothing_but_signs(left))) {
        each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
          each<kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
            keep(element[v][i], v * kLanes + i, residuals);
            if constexpr (Source::kHasError) keep(low[v][i], v * kLanes + i, residuals);
          });
        });
        if (residuals.is_full()) return false;
      }
    }
    return nothing_but_signs(hn::Or(any_left, lost_)) && stayed_in_binade(moved_);
  }

  /// Stores the windows of columns where they were loaded.
  HWY_INLINE void store(ColumnBlock& block, std::size_t column) const {
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
      double* const window = block.window(block.usual + k) + column;
      each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
        hn::StoreU(sums_[k][v][0], Reals(), window + v * kLanes);
      });
    });
  }

  /// Adds the windows of rows to those of the block, which must have room for one term. Marks the
  /// outputs whose sums are not 0, and returns whether these are all.
  HWY_INLINE bool fold(ColumnBlock& block, std::size_t column) const {
    const Signed d;
    const std::size_t usual = block.usual;
    // The usual window may contain terms larger than expected.
    const auto held = hn::Sub(hn::BitCast(d, hn::LoadU(Reals(), block.window(usual) + column)),
                              hn::BitCast(d, starts_[0]));
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(hn::Abs(held), hn::Set(d, std::int64_t{1} << 50))))) {
      const int terms = block.terms;  // includes the current term
      block.carry();
      block.terms = terms;
    }
    auto up = hn::Zero(d), any = hn::Zero(d);
    each<kWindows>([&](auto j) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kNow = kWindows - 1 - j;
      auto sum = units_of<kNow>();
      any = hn::Or(any, sum);
      sum = hn::Add(sum, up);
      up = hn::ShiftRight<ColumnBlock::kStepBits>(
          hn::Add(sum, hn::Set(d, std::int64_t{1} << (ColumnBlock::kStepBits - 1))));
      sum = hn::Sub(sum, hn::ShiftLeft<ColumnBlock::kStepBits>(up));
      add_units(sum, block.window(usual + kNow) + column);
    });
    if (usual > 0) {
      add_units(up, block.window(usual - 1) + column);
    } else {
      std::int64_t* const bank = &block.bank[column];
      hn::StoreU(hn::Add(hn::LoadU(d, bank), up), d, bank);
    }
    return mark_nonzero(block, column, hn::BitCast(Bits(), any));
  }

 private:
  using Signed = hn::RebindToSigned<Reals>;

  /// Lane l: the units of window k of row l.
  template <std::size_t k>
  HWY_INLINE hn::Vec<Signed> units_of() const {
    const Signed d;
    typename Steps::Elements units;
    each<kTerms>([&](auto i) TESSERA_INLINE_LAMBDA {
      units[0][i] =
          hn::BitCast(Reals(), hn::Sub(hn::BitCast(d, sums_[k][0][i]), hn::BitCast(d, starts_[k])));
    });
    Steps::turn(units);
    auto sum = hn::Zero(d);
    each<kTerms>([&](auto i)
                     TESSERA_INLINE_LAMBDA { sum = hn::Add(sum, hn::BitCast(d, units[0][i])); });
    return sum;
  }

  static HWY_INLINE void add_units(hn::Vec<Signed> units, double* window) {
    const Signed d;
    const auto before = hn::BitCast(d, hn::LoadU(Reals(), window));
    hn::StoreU(hn::BitCast(Reals(), hn::Add(before, units)), Reals(), window);
  }

  /// Replaces the element by what the windows leave of its term.
  template <class V, class I>
  HWY_INLINE void take_vector(V v, I i, Real& element, Real& low, BitsOfReal& left) {
    const Real term = Source::of(element);
    if constexpr (Source::kHasError) {
      const Mask tiny = hn::Lt(term, hn::Set(Reals(), kSmallestSafeProduct));
      lost_ = hn::Or(lost_, hn::BitCast(Bits(), hn::IfThenElseZero(tiny, element)));
      low = through<1>(v, i, Source::error(element, term));
      left = hn::Or(left, hn::BitCast(Bits(), low));
    }
    element = through<0>(v, i, term);
    left = hn::Or(left, hn::BitCast(Bits(), element));
  }

  /// The rest of a term behind the windows from kFirst on.
  template <std::size_t kFirst, class V, class I>
  HWY_INLINE Real through(V v, I i, Real term) {
    each<kWindows - kFirst>([&](auto window) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kNow = kFirst + window;
      const Real next = hn::Add(sums_[kNow][v][i], term);
      term = hn::Sub(term, subtract(next, sums_[kNow][v][i]));
      sums_[kNow][v][i] = next;
      if constexpr (kNow == 0) {
        moved_ = hn::Or(moved_, hn::Xor(hn::BitCast(Bits(), next), starts_[0]));
      }
    });
    return term;
  }

  static HWY_INLINE void keep(Real rest, std::size_t output, StripResiduals& residuals) {
    residuals.left.template push<Steps::kLaneOutputs>(rest, hn::Ne(rest, hn::Zero(Reals())),
                                                      output);
  }

  Real sums_[kWindows][kVectors][kTerms];
  BitsOfReal starts_[kWindows];
  BitsOfReal moved_;  ///< bits in which sums of the first window differ from its start
  BitsOfReal lost_;   ///< elements whose square has an error that f64 cannot hold
  T bound_;
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
