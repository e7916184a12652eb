// Sums a block of terms in floating-point windows. A window is an accumulator that starts at 1.5 *
// 2^E. As long as it stays within [2^E, 2^(E+1)), its last bit has the same weight. It takes the
// leading part of each term without error; the rest of the term goes to the next window. Its
// exponent bits, checked once per block, tell whether it stayed there.
#if defined(TESSERA_DEVICE_CPU_SUMS_WINDOWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_WINDOWS_INL
#undef TESSERA_DEVICE_CPU_SUMS_WINDOWS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_WINDOWS_INL
#endif

#include <algorithm>
#include <bit>

#include "device/cpu/sums/exact_sum.hpp"
#include "device/cpu/sums/terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

// crossed by: of_blocks_of_sums, SquaresTheLargestNumbersOfABinade
inline constexpr std::size_t kBlockTerms = 4096;

/// Number of vectors in flight for a total of `sums` accumulators per vector: enough to hide
/// latencies, and few enough for the accumulators to stay in registers.
constexpr std::size_t chains_for(std::size_t sums) {
  if (HWY_TARGET <= HWY_AVX3) return sums <= 2 ? 4 : sums <= 6 ? 2 : 1;
  return sums <= 2 ? 2 : 1;
}

template <class Source, std::size_t kWindows,
          std::size_t kVectors = chains_for(Source::kStreams* kWindows)>
struct Layout {
  static constexpr std::size_t kChains = kVectors;
  /// A window's sum of a block's terms below 2^top stays below 2^(top + kRoomBits - 2).
  static constexpr int kRoomBits = 2 + std::bit_width(kBlockTerms / (kChains * kLanes) - 1);
  /// Distance of the exponents of two consecutive windows.
  static constexpr int kStepBits = 53 - kRoomBits;

  /// Exponent of the first window for terms below 2^top; higher if the last window would be
  /// subnormal.
  static constexpr int first_window(int top) {
    const int lower_stream = Source::kStreams == 2 ? 53 : 0;
    const int lowest = -1022 + (static_cast<int>(kWindows) - 1) * kStepBits + lower_stream;
    return std::max(top + kRoomBits, lowest);
  }
  /// Windows hold terms below 2^limit.
  static constexpr int limit(int top) { return first_window(top) - kRoomBits; }
  /// Windows hold all bits of terms with this exponent or a higher one.
  static constexpr int lowest_whole(int top) {
    const int last_bit = first_window(top) - 52 - (static_cast<int>(kWindows) - 1) * kStepBits;
    return last_bit + Source::kSignificantBits - 1;
  }
};

/// The highest `top` for which windows exist.
// crossed by: DoesNotCareForOverflowsOnTheWay
inline constexpr int kHighestTop = 1023 - (2 + std::bit_width(kBlockTerms / kLanes - 1));

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Terms [first, end) of a source: a whole number of groups, at most kBlockTerms.
struct Block {
  std::size_t first, end;
};

/// Numbers that are added later.
template <std::size_t kMax>
struct TermList {
  static constexpr std::size_t kTerms = kMax;
  alignas(64) double terms[kTerms + kLanes];
  std::size_t size = 0;

  HWY_INLINE void push(Real from) {
    hn::StoreU(from, Reals(), terms + size);
    size += kLanes;
  }
  HWY_INLINE void push(Real from, Mask which) {
    append(from, which, terms + size);
    size += hn::CountTrue(Reals(), which);
  }
  HWY_INLINE void push_nonzero(Real from) { push(from, hn::Ne(from, hn::Zero(Reals()))); }
};

/// The parts of terms that the last window left. If there are many, the number of windows was too
/// small.
using Residuals = TermList<2 * kBlockTerms>;

/// a - b in the multiplication unit, because some cores (Zen) have separate units for addition and
/// multiplication.
HWY_INLINE Real subtract(Real a, Real b) {
  return hn::MulSub(a, hn::Set(Reals(), 1.0), b);
}

template <class Source, std::size_t kWindowCount,
          std::size_t kVectors = chains_for(Source::kStreams* kWindowCount)>
struct Windows : Layout<Source, kWindowCount, kVectors> {
  using Slots = Layout<Source, kWindowCount, kVectors>;
  using Slots::kChains;
  using Slots::kStepBits;
  static constexpr std::size_t kStreams = Source::kStreams;
  static constexpr std::size_t kWindows = kWindowCount;
  BitsOfReal start[kStreams][kWindows];
  Real sum[kStreams][kWindows][kChains];
  // For the last window and the last group: its input, and its sum before that.
  Real rest[kStreams][kChains], before[kStreams][kChains];

  HWY_INLINE explicit Windows(int first) {
    each<kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
      each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
        const Real offset = hn::Set(Reals(), 1.5 * power_of_two(exponent(first, s, k)));
        start[s][k] = hn::BitCast(Bits(), offset);
        each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA { sum[s][k][c] = offset; });
      });
    });
  }

  /// The error of a product is 53 bits below it.
  static constexpr int exponent(int first, std::size_t stream, std::size_t window) {
    return first - 53 * static_cast<int>(stream) - kStepBits * static_cast<int>(window);
  }

  /// Adds the term to the window; returns the part of it that the window took.
  HWY_INLINE Real take(std::size_t s, std::size_t k, std::size_t c, Real term) {
    const Real next = hn::Add(sum[s][k][c], term);
    const Real part = subtract(next, sum[s][k][c]);
    sum[s][k][c] = next;
    return part;
  }

  /// The part of the last term that the last window took, and the part that it left.
  HWY_INLINE Real taken(std::size_t s, std::size_t c) const {
    return subtract(sum[s][kWindows - 1][c], before[s][c]);
  }
  HWY_INLINE Real left(std::size_t s, std::size_t c) const {
    return hn::Sub(rest[s][c], taken(s, c));
  }

  /// Adds the windows to `to`; their sums are exact multiples of each window's last bit.
  HWY_INLINE void give(int first, typename Source::Sum& to) const {
    each<kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
      each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
        const hn::RebindToSigned<Reals> d;
        auto units = hn::Zero(d);
        each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
          units =
              hn::Add(units, hn::Sub(hn::BitCast(d, sum[s][k][c]), hn::BitCast(d, start[s][k])));
        });
        const std::int64_t total = hn::GetLane(hn::SumOfLanes(d, units));
        if (total != 0) to.add_scaled(total, exponent(first, s, k) - 52);
      });
    });
  }
};

/// Whether these are the bits of zeros of either sign.
HWY_INLINE bool nothing_but_signs(BitsOfReal bits) {
  const BitsOfReal but_sign = hn::Set(Bits(), ~std::uint64_t{0} >> 1);
  return hn::AllTrue(Bits(), hn::Eq(hn::And(bits, but_sign), hn::Zero(Bits())));
}
/// `moved`: the bits in which sums differed from the start of their window.
HWY_INLINE bool stayed_in_binade(BitsOfReal moved) {
  const BitsOfReal sign_and_exponent = hn::Set(Bits(), 0xfff0000000000000);
  return hn::AllTrue(Bits(), hn::Eq(hn::And(moved, sign_and_exponent), hn::Zero(Bits())));
}

/// Checks made during the loop over a block. Bits are collected in vectors instead of masks,
/// because masks have fewer execution units.
struct Findings {
  BitsOfReal moved;         ///< bits in which sums of the first window differ from its start
  BitsOfReal left;          ///< for the current group of vectors: not 0 if a part of it has not
                            ///< been summed
  Real smallest;            ///< for the current group: its smallest product
  std::size_t numbers = 0;  ///< terms that are not NaN, if these are counted

  HWY_INLINE Findings() : moved(hn::Zero(Bits())) { begin_group(); }
  HWY_INLINE void begin_group() {
    left = hn::Zero(Bits());
    smallest = hn::Set(Reals(), 1.0);
  }
  HWY_INLINE void compare(Real a, Real b, BitsOfReal& differences) const {
    differences = hn::Or(differences, hn::Xor(hn::BitCast(Bits(), a), hn::BitCast(Bits(), b)));
  }
  HWY_INLINE bool group_is_done(Real least) const {
    return nothing_but_signs(left) && hn::AllTrue(Reals(), hn::Ge(smallest, least));
  }
};

/// Passes one vector of terms of each stream through the windows. Either tests here whether the
/// last window takes all of it, or the caller knows this from the size of the terms.
template <Unusual kUnusual, bool kLookAtRest, class Streams>
HWY_INLINE void take_terms(const Real* terms, std::size_t c, Streams& windows, Findings& found) {
  constexpr std::size_t kLast = Streams::kWindows - 1;
  each<Streams::kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
    Real rest = terms[s];
    each<kLast>([&](auto k)
                    TESSERA_INLINE_LAMBDA { rest = hn::Sub(rest, windows.take(s, k, c, rest)); });
    windows.rest[s][c] = rest;
    windows.before[s][c] = windows.sum[s][kLast][c];
    windows.sum[s][kLast][c] = hn::Add(windows.sum[s][kLast][c], rest);
    if constexpr (kUnusual == Unusual::refused && s == 0) {
      found.compare(windows.sum[s][0][c], hn::BitCast(Reals(), windows.start[s][0]), found.moved);
    }
    if constexpr (kLookAtRest) found.compare(rest, windows.taken(s, c), found.left);
  });
}

/// Passes one vector of a source through the windows.
template <class Source, std::size_t kWindows, Unusual kUnusual>
HWY_INLINE void take_vector(const Source& source, std::size_t at, std::size_t c, Real limit,
                            Windows<Source, kWindows>& windows, Findings& found) {
  source.prefetch(at);
  Real terms[Source::kStreams];
  terms[0] = source.high(at);
  if constexpr (Source::kStreams == 2) terms[1] = source.low(at, terms[0]);
  if constexpr (Source::kJudgedBySize) {
    found.smallest = hn::Min(hn::Abs(terms[0]), found.smallest);
  }
  if constexpr (kUnusual != Unusual::refused) {
    Real unusual_element = terms[0];
    if constexpr (kUnusual == Unusual::nans) {
      const Mask number = hn::Eq(terms[0], terms[0]);
      found.numbers += hn::CountTrue(Reals(), number);
      unusual_element = hn::IfThenElseZero(number, unusual_element);
    }
    const Mask keep = regular<Source>(terms[0], limit);
    each<Source::kStreams>(
        [&](auto s) TESSERA_INLINE_LAMBDA { terms[s] = hn::IfThenElseZero(keep, terms[s]); });
    found.compare(unusual_element, terms[0], found.left);
  }
  take_terms<kUnusual, !Source::kJudgedBySize>(terms, c, windows, found);
}

/// Adds a block's terms, except the parts that it leaves in `residuals`. Returns false, with
/// nothing added, if unusual terms are refused and a term is not below 2^top or the error of a
/// product underflows.
template <class Source, std::size_t kWindows, Unusual kUnusual>
HWY_NOINLINE bool sum_windows(const Source& source, Block block, int top, Residuals& residuals,
                              typename Source::Sum& to) {
  using Slots = Layout<Source, kWindows>;
  constexpr std::size_t kChains = Slots::kChains;
  const Real limit = hn::Set(Reals(), power_of_two(Slots::limit(top)));
  const Real tiny = hn::Set(Reals(), kSmallestSafeProduct);
  // If a product is at least this large, it is exact and the windows hold all its bits.
  const Real whole = hn::Set(
      Reals(),
      std::max(kSmallestSafeProduct, power_of_two(std::max(-1022, Slots::lowest_whole(top)))));
  Windows<Source, kWindows> windows(Slots::first_window(top));
  Findings found;
  for (std::size_t i = block.first; i < block.end; i += kChains * kLanes) {
    found.begin_group();
    each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
      take_vector<Source, kWindows, kUnusual>(source, i + c * kLanes, c, limit, windows, found);
    });
    if (HWY_LIKELY(found.group_is_done(whole))) continue;
    bool lost = false;
    each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
      const std::size_t at = i + c * kLanes;
      each<Source::kStreams>(
          [&](auto s) TESSERA_INLINE_LAMBDA { residuals.push_nonzero(windows.left(s, c)); });
      if constexpr (kUnusual != Unusual::refused) {
        if (kUnusual == Unusual::outliers) count_nans(source, at, to);
        add_irregular(source, at, limit, to);
      } else if constexpr (Source::kCanUnderflow) {
        const Real high = source.high(at);
        const Mask small = hn::AndNot(source.is_zero(at, high), hn::Lt(hn::Abs(high), tiny));
        lost |= !hn::AllFalse(Reals(), small);
      }
    });
    if (lost) return false;
  }
  if (!stayed_in_binade(found.moved)) return false;
  if constexpr (kUnusual == Unusual::nans) {
    to.add_nans(static_cast<std::int64_t>(block.end - block.first - found.numbers));
  }
  windows.give(Slots::first_window(top), to);
  return true;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
