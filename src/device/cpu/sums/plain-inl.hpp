// Sums numbers of similar size by plain additions of f64 that are all exact. The processor's
// inexact flag confirms this once per some thousand additions. There are no guesses and no
// comparisons, so this is as fast as an inexact sum. docs/numerics-sums.md, "Sums".
#if defined(TESSERA_DEVICE_CPU_SUMS_PLAIN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_PLAIN_INL
#undef TESSERA_DEVICE_CPU_SUMS_PLAIN_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_PLAIN_INL
#endif

#include <algorithm>

#include "device/cpu/simd/inexact_flag.hpp"
#include "device/cpu/sums/survey-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Sums of the lanes, and outliers.
using Deferred = TermList<kBlockTerms>;

/// Sums per lane. A sum of f32 in an f64 has spare bits for carries and for terms with other
/// exponents. An f64 is split, which leaves spare bits in both parts: high is x with the lower bits
/// of its significand cleared, and low = x - high is exact.
template <class Source>
struct PlainSums {
  static constexpr std::size_t kChains = 4;
  static constexpr std::size_t kParts = Source::kSignificantBits > 24 ? 2 : 1;
  static constexpr std::uint64_t kUpperHalf = ~((std::uint64_t{1} << 26) - 1);
  Real sum[kParts][kChains];

  HWY_INLINE PlainSums() {
    each<kParts>([&](auto p) TESSERA_INLINE_LAMBDA {
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA { sum[p][c] = hn::Zero(Reals()); });
    });
  }
  HWY_INLINE void add(Real x, std::size_t c) {
    if constexpr (kParts == 1) {
      sum[0][c] = hn::Add(sum[0][c], x);
    } else {
      const BitsOfReal upper = hn::Set(Bits(), kUpperHalf);
      const Real high = hn::BitCast(Reals(), hn::And(hn::BitCast(Bits(), x), upper));
      sum[0][c] = hn::Add(sum[0][c], high);
      sum[1][c] = hn::Add(sum[1][c], subtract(x, high));
    }
  }
  /// Adds the chains in pairs, which can also raise the flag, and appends the sums to `to`. Returns
  /// which lanes are finite.
  HWY_INLINE Mask give(Deferred& to) const {
    const Real infinity = hn::Set(Reals(), std::numeric_limits<double>::infinity());
    Mask finite = hn::Lt(hn::Zero(Reals()), infinity);
    each<kParts>([&](auto p) TESSERA_INLINE_LAMBDA {
      each<kChains / 2>([&](auto c) TESSERA_INLINE_LAMBDA {
        const Real two = hn::Add(sum[p][2 * c], sum[p][2 * c + 1]);
        finite = hn::And(finite, hn::Lt(hn::Abs(two), infinity));
        to.push(two);
      });
    });
    return finite;
  }
};

/// Terms that are added before the sums are appended to Deferred: with vectors of 8 lanes, 64 f64
/// or 128 f32 per lane. With exponents from m to M, the lanes of two chains add up to multiples of
/// 2^(m - 26) below 2^(M + 8) and of 2^(m - 52) below 2^(M - 19) for f64, and of 2^(m - 23) below
/// 2^(M + 9) for f32. These fit into 53 bits if M - m <= 19 (f64) or 21 (f32).
template <class Source>
// crossed by: of_blocks_of_sums, SeesEveryAdditionThatWouldBeRounded
inline constexpr std::size_t kPlainTerms = Source::kSignificantBits > 24 ? 2048 : 4096;

/// Terms between two reads of the flag. A read waits until all additions are complete.
// crossed by: of_blocks_of_sums, SeesEveryAdditionThatWouldBeRounded
inline constexpr std::size_t kPlainStretch = 8192;

/// Most outliers of a block. More are not worthwhile, because each group with outliers is slow.
constexpr std::size_t max_outliers(Block block) {
  return (block.end - block.first) / 16;
}
/// Most entries that a block can add to Deferred, including the outliers of its last group and the
/// sums.
constexpr std::size_t max_deferred(Block block) {
  return max_outliers(block) + 8 * kGroupTerms;
}

/// Adds a block by plain additions. If kApart, terms that are not below `limit` are deferred as
/// they are. If no addition was rounded, the block's sum is that of the numbers added to
/// `deferred`. Returns false if there are too many outliers or a sum is not finite.
template <class Source, bool kApart>
HWY_NOINLINE bool add_plainly(const Source& source, Block block, double limit, Deferred& deferred) {
  using Sums = PlainSums<Source>;
  constexpr std::size_t kTerms = Sums::kChains * kLanes;
  const auto bound = static_cast<typename Source::Element>(limit);
  const std::size_t full = deferred.size + max_outliers(block);
  for (std::size_t i = block.first; i < block.end;) {
    const std::size_t end = std::min(i + kPlainTerms<Source>, block.end);
    Sums sums;
    for (; i < end; i += kTerms) {
      each<Sums::kChains>([&](auto c) TESSERA_INLINE_LAMBDA { source.prefetch(i + c * kLanes); });
      if (kApart && HWY_UNLIKELY(!source.group_is_below(i, bound))) {
        each<Sums::kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
          const Real x = source.high(i + c * kLanes);
          const Mask below = hn::Lt(hn::Abs(x), hn::Set(Reals(), limit));
          deferred.push(x, hn::Not(below));
          sums.add(hn::IfThenElseZero(below, x), c);
        });
        if (deferred.size > full) return false;
      } else {
        each<Sums::kChains>(
            [&](auto c) TESSERA_INLINE_LAMBDA { sums.add(source.high(i + c * kLanes), c); });
      }
    }
    if (!hn::AllTrue(Reals(), sums.give(deferred))) return false;
  }
  return true;
}

/// Tries plain additions on the blocks of an array, and suspends them after frequent failures.
template <class Source>
class PlainSummer {
 public:
  PlainSummer(const Source& source, PlainGuess& now) : source_(source), now_(now) {
    if (!RoundingFlag::works()) now_ = {.which = PlainTerms::none, .blocks_to_review = kNever};
  }

  /// Whether plain additions are suspended for the next `terms` terms, which are counted as
  /// skipped.
  bool rests(std::size_t terms) {
    if (now_.which != PlainTerms::none) return false;
    if (now_.blocks_to_review != kNever) now_.blocks_to_review -= blocks_in(terms);
    if (now_.blocks_to_review > 0) return true;
    now_.which = PlainTerms::all;
    return false;
  }

  /// Adds a block of at most kPlainStretch terms to `deferred`. Returns false, without a reason, if
  /// that failed.
  bool add(Block block, Deferred& deferred) {
    if (now_.which == PlainTerms::none) return false;
    if (now_.which == PlainTerms::below_top) {
      now_.blocks_to_review -= blocks_in(block.end - block.first);
      if (now_.blocks_to_review <= 0) now_.which = PlainTerms::all;
    }
    if (!try_to_add(block, deferred)) return false;
    now_.trouble = std::max(0, now_.trouble - 1);
    return true;
  }

  /// Retries a short block for which add() failed: at first as it is, then without outliers.
  bool add_again(Block block, Deferred& deferred) {
    if (now_.which == PlainTerms::none) return false;
    if (try_to_add(block, deferred) || without_outliers(block, deferred)) return true;
    now_.trouble += kTroubleOfFailure;
    if (now_.trouble > 2 * kTroubleOfFailure) {
      now_ = {.which = PlainTerms::none,
              .blocks_to_review = kBlocksOfRest,
              .trouble = now_.trouble / 2};
    }
    return false;
  }

 private:
  static constexpr int kNever = std::numeric_limits<int>::max();
  // crossed by: IsExactWithOutliersOfAnySize, IsExactWhateverIsGuessed
  static constexpr int kBlocksOfRest = 128;
  static constexpr int kBlocksWithOutliers = 512;
  static constexpr int kTroubleOfFailure = 8;  ///< one failure weighs as much as this many
                                               ///< successes

  bool try_to_add(Block block, Deferred& deferred) {
    const std::size_t before = deferred.size;
    RoundingFlag::lower();
    bool done = false;
    if (now_.which == PlainTerms::all) {
      done = add_plainly<Source, false>(source_, block, 0, deferred);
    } else {
      done = add_plainly<Source, true>(source_, block, power_of_two(now_.top), deferred);
    }
    if (done && !RoundingFlag::is_raised()) return true;
    deferred.size = before;
    return false;
  }

  static int blocks_in(std::size_t terms) {
    return static_cast<int>((terms + kPlainTerms<Source> - 1) / kPlainTerms<Source>);
  }

  bool without_outliers(Block block, Deferred& deferred) {
    const Survey found = survey(source_, block);
    const int top = std::min(found.typical_top + 2, 1023);
    if (found.finite && found.top <= top) return false;
    if (now_.which == PlainTerms::below_top && now_.top == top) return false;
    now_ = {PlainTerms::below_top, top, kBlocksWithOutliers, now_.trouble};
    return try_to_add(block, deferred);
  }

  const Source& source_;
  PlainGuess& now_;
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
