// Passes a few terms of some outputs through the windows of a ColumnBlock: all terms through one
// window after another, until nothing is left of any.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_COLUMN_WINDOWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_WINDOWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_WINDOWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_COLUMN_WINDOWS_INL
#endif

#include "device/cpu/columns/windowed_columns.hpp"
#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The terms of an element, as vectors: one, or, for squares of f64, the rounded square and its
/// error.
template <class T, Terms kTerms>
struct TermsOf {
  using Element = T;
  static constexpr Terms kKind = kTerms;
  static constexpr bool kHasError = kTerms == Terms::squares && sizeof(T) == 8;
  /// This many windows nearly always hold all bits of a term.
  static constexpr std::size_t kDefaultWindows = sizeof(T) == 4 && kTerms != Terms::squares ? 1 : 2;

  static HWY_INLINE Real of(Real x) {
    if constexpr (kTerms == Terms::magnitudes) return hn::Abs(x);
    if constexpr (kTerms == Terms::squares) return hn::Mul(x, x);
    return x;
  }
  static HWY_INLINE Real error(Real x, Real square) { return hn::MulSub(x, x, square); }
};

HWY_INLINE Real start_of(int exponent) {
  return hn::Set(Reals(), 1.5 * power_of_two(exponent));
}

/// Whether nothing is left of the terms.
template <std::size_t kVectors, std::size_t kRows>
HWY_INLINE bool nothing_left(const Real (&rest)[kVectors][kRows]) {
  auto left = hn::Zero(Bits());
  each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
    each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
      left = hn::Or(left, hn::BitCast(Bits(), rest[v][i]));
    });
  });
  return nothing_but_signs(left);
}

/// Replaces the terms by what window k leaves of them. kFirst: false, with nothing added, if the
/// window left its binade.
template <bool kFirst, std::size_t kVectors, std::size_t kRows>
HWY_INLINE bool take_by_window(ColumnBlock& block, std::size_t k, std::size_t column,
                               Real (&rest)[kVectors][kRows]) {
  double* const sums = block.window(k) + column;
  Real sum[kVectors];
  auto moved = hn::Zero(Bits());
  const auto start = hn::BitCast(Bits(), start_of(block.exponents[k]));
  each<kVectors>([&](auto v)
                     TESSERA_INLINE_LAMBDA { sum[v] = hn::LoadU(Reals(), sums + v * kLanes); });
  each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      const Real next = hn::Add(sum[v], rest[v][i]);
      const Real part = subtract(next, sum[v]);
      sum[v] = next;
      rest[v][i] = hn::Sub(rest[v][i], part);
      if constexpr (kFirst) moved = hn::Or(moved, hn::Xor(hn::BitCast(Bits(), next), start));
    });
  });
  if constexpr (kFirst) {
    if (HWY_UNLIKELY(!stayed_in_binade(moved))) return false;
  }
  each<kVectors>([&](auto v)
                     TESSERA_INLINE_LAMBDA { hn::StoreU(sum[v], Reals(), sums + v * kLanes); });
  return true;
}

/// Passes the terms through the windows from k on; the first `usual` of them nearly always suffice.
template <std::size_t kVectors, std::size_t kRows>
HWY_INLINE void take_rest(ColumnBlock& block, std::size_t k, std::size_t usual, std::size_t column,
                          Real (&rest)[kVectors][kRows]) {
  for (std::size_t end = k + usual; k < end || !nothing_left(rest); ++k) {
    if (HWY_UNLIKELY(k == block.windows())) block.add_below();
    take_by_window<false>(block, k, column, rest);
  }
}

/// Adds kRows elements, which load(x) loads, to each of kVectors * kLanes outputs from `column` on,
/// starting with window k. False, with nothing added, if that window cannot hold them.
template <class Source, std::size_t kVectors, std::size_t kRows, class Load>
HWY_INLINE bool add_unit(ColumnBlock& block, std::size_t k, std::size_t column, const Load& load) {
  Real rest[kVectors][kRows];
  load(rest);
  auto lost = hn::Zero(Bits());
  each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
    each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real x = rest[v][i];
      rest[v][i] = Source::of(x);
      if constexpr (Source::kHasError) {
        const Mask tiny = hn::Lt(rest[v][i], hn::Set(Reals(), kSmallestSafeProduct));
        lost = hn::Or(lost, hn::BitCast(Bits(), hn::IfThenElseZero(tiny, x)));
      }
    });
  });
  if constexpr (Source::kHasError) {
    if (!nothing_but_signs(lost)) return false;
  }
  if (!take_by_window<true>(block, k, column, rest)) return false;
  take_rest(block, k + 1, Source::kDefaultWindows - 1, column, rest);
  if constexpr (Source::kHasError) {
    // The error of a product is as small as what the first window leaves.
    load(rest);
    each<kVectors>([&](auto v) TESSERA_INLINE_LAMBDA {
      each<kRows>([&](auto i) TESSERA_INLINE_LAMBDA {
        rest[v][i] = Source::error(rest[v][i], Source::of(rest[v][i]));
      });
    });
    take_rest(block, k + 1, 1, column, rest);
  }
  return true;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
