// Numbers of similar size summed by plain additions of f64, none of which is rounded: the
// processor's flag says so, once for some thousand of them. Nothing is guessed and nothing
// compared, so that this costs as much as a sum that is not exact. docs/numerics.md, "Sums".
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

/// Numbers that are still to be added: sums of the lanes, and outliers.
struct Deferred {
  static constexpr std::size_t kTerms = kBlockTerms;
  alignas(64) double terms[kTerms + kLanes];
  std::size_t size = 0;

  HWY_INLINE void push(Real terms_to_add) {
    hn::StoreU(terms_to_add, Reals(), terms + size);
    size += kLanes;
  }
  HWY_INLINE void push(Real from, Mask which) {
    append(from, which, terms + size);
    size += hn::CountTrue(Reals(), which);
  }
};

/// Sums of the lanes. Numbers of f32 have room in an f64 for carries and for others of another
/// size. Of f64 the upper half of the significand and the lower are added apart, each of which has:
/// x = high + low without an error, because high is x with bits of it cleared.
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
  /// Two chains each added together, flag and all. Returns whether they are finite.
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

/// Terms before the sums are given away: in vectors of 8, 64 of f64 to a lane or 128 of f32. With
/// exponents from m to M, lanes of two chains add up to multiples of 2^(m - 26) below 2^(M + 8), of
/// 2^(m - 52) below 2^(M - 19), or of 2^(m - 23) below 2^(M + 9): in 53 bits if M - m <= 19, or 21.
template <class Source>
inline constexpr std::size_t kPlainTerms = Source::kSignificantBits > 24 ? 2048 : 4096;

/// So many are added before the flag is looked at, for which the processor has to wait for all
/// additions.
inline constexpr std::size_t kPlainStretch = 8192;

/// Outliers of a block at most: each time that there are some in a group is dear.
constexpr std::size_t most_outliers(Block block) {
  return (block.end - block.first) / 16;
}
/// With those of a last group, and the sums.
constexpr std::size_t most_deferred(Block block) {
  return most_outliers(block) + 8 * kGroupTerms;
}

/// Adds a block's terms, those below `limit` if others are set apart. What comes to lie in `aside`
/// is their sum if no addition was rounded. Returns false if it is not worth it, or sums are not
/// finite.
template <class Source, bool kApart>
HWY_NOINLINE bool add_plainly(const Source& source, Block block, double limit, Deferred& deferred) {
  using Sums = PlainSums<Source>;
  constexpr std::size_t kTerms = Sums::kChains * kLanes;
  const auto bound = static_cast<typename Source::Element>(limit);
  const std::size_t full = deferred.size + most_outliers(block);
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

/// Tries it with the blocks of an array, and stops trying where that is in vain too often.
template <class Source>
class PlainSummer {
 public:
  PlainSummer(const Source& source, PlainGuess& now) : source_(source), now_(now) {
    if (!RoundingFlag::works()) now_ = {.which = PlainTerms::none, .blocks_to_review = kNever};
  }

  /// Whether the next `terms` are better added in another way, and are counted as such.
  bool rests(std::size_t terms) {
    if (now_.which != PlainTerms::none) return false;
    if (now_.blocks_to_review != kNever) now_.blocks_to_review -= blocks_in(terms);
    if (now_.blocks_to_review > 0) return true;
    now_.which = PlainTerms::all;
    return false;
  }

  /// Adds a block, at most kPlainStretch long, to the numbers aside; or returns false, and nothing
  /// is known of why.
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

  /// The same of a short block, which add did not: perhaps there are outliers in it.
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
  static constexpr int kBlocksOfRest = 128;
  static constexpr int kBlocksWithOutliers = 512;
  static constexpr int kTroubleOfFailure = 8;  ///< as much as so many blocks without are worth

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
