// A block of terms summed in floating-point windows. A window is an accumulator that starts at
// 1.5 * 2^E: as long as it stays within [2^E, 2^(E+1)), its last bit is worth the same, so it takes
// the leading part of each term without error, and what it leaves of the term goes to the next
// window. Whether it stayed there is seen in its bits, looked at once a block.
#if defined(TESSERA_DEVICE_CPU_EXACT_WINDOWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_EXACT_WINDOWS_INL
#undef TESSERA_DEVICE_CPU_EXACT_WINDOWS_INL
#else
#define TESSERA_DEVICE_CPU_EXACT_WINDOWS_INL
#endif

#include <algorithm>
#include <bit>

#include "device/cpu/exact_terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

inline constexpr std::size_t kBlockTerms = 4096;
/// Vectors in flight: as many as there are registers for.
inline constexpr std::size_t kChains = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
inline constexpr std::size_t kGroupTerms = kChains * kLanes;
/// A window's sum of a block's terms below 2^top stays below 2^(top + kRoomBits - 2).
inline constexpr int kRoomBits = 2 + std::bit_width(kBlockTerms / kGroupTerms - 1);
/// From one window to the next.
inline constexpr int kStepBits = 53 - kRoomBits;

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Terms [first, end) of a source, a whole number of groups, at most kBlockTerms.
struct Block {
  std::size_t first, end;
};

/// What the last window left of terms: few, or the wrong number of windows was chosen.
struct Spill {
  std::size_t size = 0;
  alignas(64) double terms[2 * kBlockTerms + kLanes];

  HWY_INLINE void push(Real rest) {
    const Mask some = hn::Ne(rest, hn::Zero(Reals()));
    append(rest, some, terms + size);
    size += hn::CountTrue(Reals(), some);
  }
};

/// Exponent of the first window for terms below 2^top, raised where the last one would be
/// subnormal.
template <class Source>
constexpr int first_window(int top, std::size_t windows) {
  const int lower_stream = Source::kStreams == 2 ? 53 : 0;
  const int lowest = -1022 + (static_cast<int>(windows) - 1) * kStepBits + lower_stream;
  return std::max(top + kRoomBits, lowest);
}

/// The highest top that windows allow.
inline constexpr int kHighestTop = 1023 - kRoomBits;

template <class Source, std::size_t kWindows>
struct Windows {
  static constexpr std::size_t kStreams = Source::kStreams;
  BitsOfReal start[kStreams][kWindows];
  Real sum[kStreams][kWindows][kChains];

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

  /// Takes its part of the term and returns it.
  HWY_INLINE Real take(std::size_t s, std::size_t k, std::size_t c, Real term) {
    const Real next = hn::Add(sum[s][k][c], term);
    const Real taken = hn::Sub(next, sum[s][k][c]);
    sum[s][k][c] = next;
    return taken;
  }

  /// The sums are exact multiples of each window's last bit.
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

/// Adds a block's terms, but for what it leaves in `spill`. Not masked, it returns false, with
/// nothing added, if a term is not below 2^top or the error of a product underflows; masked, such
/// terms are added by themselves.
template <class Source, std::size_t kWindows, bool kMasked>
HWY_NOINLINE bool sum_windows(const Source& source, Block block, int top, Spill& spill,
                              typename Source::Sum& to) {
  constexpr std::size_t kStreams = Source::kStreams;
  const Reals d;
  const int first = first_window<Source>(top, kWindows);
  const Real limit = hn::Set(d, power_of_two(first - kRoomBits));
  const Real tiny = hn::Set(d, kSmallestSafeProduct);
  Windows<Source, kWindows> windows(first);
  BitsOfReal moved = hn::Zero(Bits());
  for (std::size_t i = block.first; i < block.end; i += kGroupTerms) {
    Mask odd = hn::MaskFromVec(hn::Zero(d));
    Real rest[kStreams][kChains], taken[kStreams][kChains];
    each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
      const std::size_t at = i + c * kLanes;
      source.prefetch(at);
      rest[0][c] = source.high(at);
      if constexpr (kStreams == 2) rest[1][c] = source.low(at, rest[0][c]);
      if constexpr (kMasked) {
        const Mask keep = regular<Source>(rest[0][c], limit);
        odd = hn::Or(odd, hn::Not(keep));
        each<kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
          rest[s][c] = hn::IfThenElseZero(keep, rest[s][c]);
        });
      } else if constexpr (Source::kCanUnderflow) {
        odd = hn::Or(odd, hn::Lt(hn::Abs(rest[0][c]), tiny));
      }
      each<kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
        taken[s][c] = windows.take(s, 0, c, rest[s][c]);
        if constexpr (!kMasked && s == 0) {
          const BitsOfReal now = hn::BitCast(Bits(), windows.sum[s][0][c]);
          moved = hn::Or(moved, hn::Xor(now, windows.start[s][0]));
        }
        each<kWindows - 1>([&](auto k) TESSERA_INLINE_LAMBDA {
          rest[s][c] = hn::Sub(rest[s][c], taken[s][c]);
          taken[s][c] = windows.take(s, k + 1, c, rest[s][c]);
        });
        odd = hn::Or(odd, hn::Ne(taken[s][c], rest[s][c]));
      });
    });
    if (HWY_LIKELY(hn::AllFalse(d, odd))) continue;
    for (std::size_t c = 0; c < kChains; ++c) {
      const std::size_t at = i + c * kLanes;
      for (std::size_t s = 0; s < kStreams; ++s) spill.push(hn::Sub(rest[s][c], taken[s][c]));
      if constexpr (kMasked) {
        add_irregular(source, at, limit, to);
      } else if constexpr (Source::kCanUnderflow) {
        const Real high = source.high(at);
        const Mask lost = hn::AndNot(source.is_zero(at, high), hn::Lt(hn::Abs(high), tiny));
        if (!hn::AllFalse(d, lost)) return false;
      }
    }
  }
  const BitsOfReal sign_and_exponent = hn::Set(Bits(), 0xfff0000000000000);
  const auto stayed = hn::Eq(hn::And(moved, sign_and_exponent), hn::Zero(Bits()));
  if (!hn::AllTrue(Bits(), stayed)) return false;
  windows.give(first, to);
  return true;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
