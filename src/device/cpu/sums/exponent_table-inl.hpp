// Sums by exponent, for terms that need too many windows: significands with the same exponent and
// sign are added as integers. Source: the large superaccumulator of R. M. Neal, arXiv 1505.05571.
#if defined(TESSERA_DEVICE_CPU_SUMS_EXPONENT_TABLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_EXPONENT_TABLE_INL
#undef TESSERA_DEVICE_CPU_SUMS_EXPONENT_TABLE_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_EXPONENT_TABLE_INL
#endif

#include <algorithm>
#include <bit>
#include <cstdint>

#include "device/cpu/simd/simd_math-inl.hpp"
#include "kernels/exact/superaccumulator.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Adds x 2^exponent, |x| < 2^125.
template <class Sum>
void add_wide(kernels::Int128 x, int exponent, Sum& to) {
  constexpr int kLowBits = 62;
  const auto low = static_cast<std::int64_t>(x & ((kernels::Int128{1} << kLowBits) - 1));
  const auto high = static_cast<std::int64_t>(x >> kLowBits);
  if (low != 0) to.add_scaled(low, exponent);
  if (high != 0) to.add_scaled(high, exponent + kLowBits);
}

/// Neighbouring terms go to two tables alternately, because an addition to memory waits
/// for the previous one to the same address.
class ExponentTable {
 public:
  ExponentTable() { forget_range(); }

  /// Adds finite terms, a whole number of groups, at most kMostTerms. Skips infinities and NaN, and
  /// returns whether there were any.
  HWY_INLINE bool add(const double* terms, std::size_t count, std::size_t prefetch) {
    if (terms_ + count > kTermsPerLook) look();
    terms_ += count;
    add_all(terms, count, prefetch);
    if (take_entry(0) || take_entry(kNegative)) add_tiny(terms, count);
    const bool others = take_entry(kNotFinite);
    return take_entry(kNotFinite | kNegative) || others;
  }
  static constexpr std::size_t kMostTerms = 960;

  /// Combines the sums of eight exponent fields at a time. The sum of field f is below 2^115 in
  /// units of the last bit of numbers with that field.
  template <class Sum>
  void give(Sum& to) {
    constexpr std::size_t kTogether = 8;
    fold();
    for (std::size_t first = 0; first < kNegative; first += kTogether) {
      kernels::Int128 sum = 0;
      for (std::size_t field = first + kTogether; field-- > first;) {
        if (field != 0) sum *= 2;
        sum += field == 0 ? tiny_ : entry(field) - entry(field | kNegative);
      }
      if (sum != 0) add_wide(sum, std::max(static_cast<int>(first) - 1, 0) - 1074, to);
    }
  }

 private:
  static constexpr std::size_t kEntries = 4096;  ///< one for each sign and exponent
  static constexpr std::size_t kNegative = 2048;
  static constexpr std::size_t kNotFinite = 2047;
  static constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;
  /// Each table gets half of these terms, below 2^53 each: an entry below kRoomy cannot overflow.
  static constexpr std::size_t kTermsPerLook = 4 * kMostTerms;
  static constexpr std::uint64_t kRoomy = std::uint64_t{1} << 60;
  static_assert(kTermsPerLook / 2 * (2 * kImplicit - 1) <= ~std::uint64_t{0} - kRoomy);

  HWY_INLINE void add_all(const double* terms, std::size_t count, std::size_t prefetch) {
    const BitsOfReal but_sign = hn::Set(Bits(), ~std::uint64_t{0} >> 1);
    BitsOfReal lowest = hn::Load(Bits(), lowest_), highest = hn::Load(Bits(), highest_);
    for (std::size_t i = 0; i < count; i += 2 * kLanes) {
      each<2>([&](auto v) TESSERA_INLINE_LAMBDA {
        if (prefetch != 0) __builtin_prefetch(terms + i + v * kLanes + prefetch);
        const Real x = hn::LoadU(Reals(), terms + i + v * kLanes);
        const BitsOfReal size = hn::And(hn::BitCast(Bits(), x), but_sign);
        lowest = hn::Min(lowest, size);
        highest = hn::Max(highest, size);
      });
      each<2 * kLanes>([&](auto k) TESSERA_INLINE_LAMBDA {
        const auto bits = std::bit_cast<std::uint64_t>(terms[i + k]);
        sums_[k % 2][bits >> 52] += (bits & (kImplicit - 1)) | kImplicit;
      });
    }
    hn::Store(lowest, Bits(), lowest_);
    hn::Store(highest, Bits(), highest_);
  }

  /// Clears an entry. Returns whether it was used.
  HWY_INLINE bool take_entry(std::size_t i) {
    const bool any = (sums_[0][i] | sums_[1][i]) != 0;
    sums_[0][i] = sums_[1][i] = 0;
    return any;
  }

  /// Zeros and subnormal numbers have no implicit bit, so their entries are wrong and are replaced.
  HWY_NOINLINE void add_tiny(const double* terms, std::size_t count) {
    take_entry(kNegative);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(terms[i]);
      if (bits << 1 >> 53 != 0) continue;
      const auto fraction = static_cast<std::int64_t>(bits & (kImplicit - 1));
      tiny_ += bits >> 63 != 0 ? -fraction : fraction;
    }
  }

  kernels::Int128 entry(std::size_t i) const {
    return (static_cast<kernels::Int128>(high_[i]) << 32) + sums_[0][i];
  }

  /// Calls f with the index of each vector of entries that was used since the last fold.
  template <class F>
  HWY_INLINE void each_used(const F& f) const {
    const std::size_t first = *std::min_element(lowest_, lowest_ + kLanes) >> 52;
    const std::size_t last = *std::max_element(highest_, highest_ + kLanes) >> 52;
    for (const std::size_t sign : {std::size_t{0}, kNegative}) {
      for (std::size_t i = first / kLanes * kLanes; i <= last; i += kLanes) f(sign + i);
    }
  }

  /// Folds if an entry has become large, which is rare.
  HWY_NOINLINE void look() {
    BitsOfReal any = hn::Zero(Bits());
    each_used([&](std::size_t i) TESSERA_INLINE_LAMBDA {
      any = hn::Or(any, hn::Or(hn::Load(Bits(), sums_[0] + i), hn::Load(Bits(), sums_[1] + i)));
    });
    const BitsOfReal filled = hn::And(any, hn::Set(Bits(), ~(kRoomy - 1)));
    if (!hn::AllTrue(Bits(), hn::Eq(filled, hn::Zero(Bits())))) fold();
    terms_ = 0;
  }

  /// Moves the upper halves of all entries to high_.
  HWY_NOINLINE void fold() {
    const auto low_half = hn::Set(Bits(), 0xffffffff);
    each_used([&](std::size_t i) TESSERA_INLINE_LAMBDA {
      const auto a = hn::Load(Bits(), sums_[0] + i), b = hn::Load(Bits(), sums_[1] + i);
      const auto high = hn::Add(hn::ShiftRight<32>(a), hn::ShiftRight<32>(b));
      hn::Store(hn::Add(hn::Load(Bits(), high_ + i), high), Bits(), high_ + i);
      hn::Store(hn::Add(hn::And(a, low_half), hn::And(b, low_half)), Bits(), sums_[0] + i);
      hn::Store(hn::Zero(Bits()), Bits(), sums_[1] + i);
    });
    forget_range();
  }

  void forget_range() {
    std::fill_n(lowest_, kLanes, ~std::uint64_t{0} >> 1);
    std::fill_n(highest_, kLanes, 0);
  }

  alignas(64) std::uint64_t sums_[2][kEntries] = {};
  alignas(64) std::uint64_t high_[kEntries] = {};
  // Smallest and largest bits without the sign since the last fold, per lane.
  alignas(64) std::uint64_t lowest_[kLanes];
  alignas(64) std::uint64_t highest_[kLanes];
  kernels::Int128 tiny_ = 0;  ///< sum of zeros and subnormal numbers
  std::size_t terms_ = 0;     ///< since the last look()
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
