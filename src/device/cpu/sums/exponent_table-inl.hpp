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
#include <cstring>

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

/// Sums f32 or f64. Neighbouring terms go to different tables, because an addition to memory waits
/// for the previous one to the same address.
template <class T>
class ExponentTable {
  static constexpr bool kSingle = sizeof(T) == 4;

 public:
  static constexpr std::size_t kGroup = kSingle ? 8 : 2 * kLanes;
  // crossed by: of_tables_of_exponents, TheTableHoldsTheLargestTheSmallestAndWhatIsBetween
  static constexpr std::size_t kMaxTerms = 960;

  ExponentTable() { forget_range(); }

  /// Adds finite terms, a whole number of groups, at most kMaxTerms. Skips infinities and NaN, and
  /// returns whether there were any.
  HWY_INLINE bool add(const T* terms, std::size_t count, std::size_t prefetch) {
    return add_last<kGroup>(terms, count, prefetch, [](std::size_t) {});
  }

  /// The same for the last kGroup of each kStep terms. Calls other(i) with the index of the first
  /// ones. At most kBlockTerms of f32.
  template <std::size_t kStep, class Other>
  HWY_INLINE bool add_last(const T* terms, std::size_t count, std::size_t prefetch,
                           const Other& other) {
    if (terms_ + count > kTermsPerLook) look();
    terms_ += count;
    Range range{hn::Load(Bits(), lowest_), hn::Load(Bits(), highest_)};
    for (std::size_t i = 0; i < count; i += kStep) {
      for (std::size_t ahead = 0; prefetch != 0 && ahead < kStep; ahead += 64 / sizeof(T)) {
        __builtin_prefetch(terms + i + prefetch + ahead);
      }
      other(i);
      if constexpr (!kSingle) range.add(terms + i);
      add_group(terms + i + (kStep - kGroup));
    }
    if constexpr (!kSingle) {
      hn::Store(range.lowest, Bits(), lowest_);
      hn::Store(range.highest, Bits(), highest_);
      if (take_both(0)) add_tiny(terms, count);
    }
    return take_both(kNotFinite);
  }

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
        sum += entry(field) - entry(field | kNegative);
      }
      if (first == 0) sum += tiny_;
      const int exponent = std::max(static_cast<int>(first) - 1, 0);
      if (sum != 0) add_wide(sum, exponent + kLowestExponent, to);
    }
  }

 private:
  static constexpr std::size_t kTables = kSingle ? 4 : 2;
  static constexpr std::size_t kEntries = kSingle ? 512 : 4096;  ///< one for each sign and exponent
  static constexpr std::size_t kNegative = kEntries / 2;
  static constexpr std::size_t kNotFinite = kNegative - 1;
  static constexpr int kFractionBits = kSingle ? 23 : 52;
  static constexpr int kLowestExponent = kSingle ? -149 : -1074;
  static constexpr std::uint64_t kImplicit = std::uint64_t{1} << kFractionBits;
  /// All terms of an entry have the same sign and exponent bits. An f32 is added with all its bits,
  /// and with kOne to count the terms.
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 48;
  /// Each table gets its part of these terms, below 2^53 each, or kOne and 2^32: an entry below
  /// kRoomy cannot overflow.
  // crossed by: of_tables_of_exponents, TheTableHoldsTheLargestTheSmallestAndWhatIsBetween
  static constexpr std::size_t kTermsPerLook = kSingle ? 65536 : 4 * kMaxTerms;
  static constexpr std::uint64_t kRoomy = std::uint64_t{1} << 60;
  static_assert(kTermsPerLook / kTables * (kSingle ? kOne + (kOne >> 16) : 2 * kImplicit - 1) <=
                ~std::uint64_t{0} - kRoomy);

  HWY_INLINE void add_group(const double* terms) {
    each<kGroup>([&](auto k) TESSERA_INLINE_LAMBDA {
      const auto bits = std::bit_cast<std::uint64_t>(terms[k]);
      sums_[k % kTables][bits >> kFractionBits] += (bits & (kImplicit - 1)) | kImplicit;
    });
  }
  HWY_INLINE void add_group(const float* terms) {
    std::uint64_t pairs[kGroup / 2];
    std::memcpy(pairs, terms, sizeof pairs);
    each<kGroup / 2>([&](auto p) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kTable = 2 * p % kTables;
      const std::uint64_t first = pairs[p] & 0xffffffff, second = pairs[p] >> 32;
      sums_[kTable][first >> kFractionBits] += first + kOne;
      sums_[kTable + 1][second >> kFractionBits] += second + kOne;
    });
  }

  /// Smallest and largest bits without the sign, per lane.
  struct Range {
    BitsOfReal lowest, highest;
    HWY_INLINE void add(const double* group) {
      each<kGroup / kLanes>([&](auto v) TESSERA_INLINE_LAMBDA {
        const auto bits = hn::BitCast(Bits(), hn::LoadU(Reals(), group + v * kLanes));
        const BitsOfReal size = hn::And(bits, hn::Set(Bits(), ~std::uint64_t{0} >> 1));
        lowest = hn::Min(lowest, size);
        highest = hn::Max(highest, size);
      });
    }
  };

  /// Clears the entries of a field, of either sign. Returns whether they were used.
  HWY_INLINE bool take_both(std::size_t field) {
    bool any = false;
    for (const std::size_t i : {field, field | kNegative}) {
      for (auto& table : sums_) {
        any |= table[i] != 0;
        table[i] = 0;
      }
    }
    return any;
  }

  /// Zeros and subnormal f64 have no implicit bit, so their entries are wrong and are replaced.
  HWY_NOINLINE void add_tiny(const double* terms, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(terms[i]);
      if (bits << 1 >> 53 != 0) continue;
      const auto fraction = static_cast<std::int64_t>(bits & (kImplicit - 1));
      tiny_ += bits >> 63 != 0 ? -fraction : fraction;
    }
  }

  /// The sum of the significands of an entry.
  static std::uint64_t significands(std::uint64_t sum, std::size_t i) {
    if (!kSingle) return sum;
    const std::uint64_t implicit = i % kNegative == 0 ? 0 : kImplicit;
    return sum % kOne + sum / kOne * (implicit - (i << kFractionBits));
  }

  kernels::Int128 entry(std::size_t i) const {
    return (static_cast<kernels::Int128>(high_[i]) << 32) + sums_[0][i];
  }

  /// Calls f with the index of each vector of entries that was used since the last fold.
  template <class F>
  HWY_INLINE void each_used(const F& f) const {
    const std::size_t first = *std::min_element(lowest_, lowest_ + kLanes) >> kFractionBits;
    const std::size_t last = *std::max_element(highest_, highest_ + kLanes) >> kFractionBits;
    for (const std::size_t sign : {std::size_t{0}, kNegative}) {
      for (std::size_t i = first / kLanes * kLanes; i <= last; i += kLanes) f(sign + i);
    }
  }

  /// Folds if an entry has become large, which is rare.
  HWY_NOINLINE void look() {
    BitsOfReal any = hn::Zero(Bits());
    each_used([&](std::size_t i) TESSERA_INLINE_LAMBDA {
      for (const auto& table : sums_) any = hn::Or(any, hn::Load(Bits(), table + i));
    });
    const BitsOfReal filled = hn::And(any, hn::Set(Bits(), ~(kRoomy - 1)));
    if (!hn::AllTrue(Bits(), hn::Eq(filled, hn::Zero(Bits())))) fold();
    terms_ = 0;
  }

  /// Moves the upper halves of all entries to high_.
  HWY_NOINLINE void fold() {
    each_used([&](std::size_t first) {
      for (std::size_t i = first; i < first + kLanes; ++i) {
        std::uint64_t low = 0;
        for (auto& table : sums_) {
          const std::uint64_t sum = significands(table[i], i);
          high_[i] += sum >> 32;
          low += sum & 0xffffffff;
          table[i] = 0;
        }
        sums_[0][i] = low;
      }
    });
    forget_range();
  }

  /// The range of f32 is not noted.
  void forget_range() {
    constexpr std::uint64_t kMax = (kNegative * kImplicit) - 1;
    std::fill_n(lowest_, kLanes, kSingle ? 0 : kMax);
    std::fill_n(highest_, kLanes, kSingle ? kMax : 0);
  }

  alignas(64) std::uint64_t sums_[kTables][kEntries] = {};
  alignas(64) std::uint64_t high_[kEntries] = {};
  // Smallest and largest bits without the sign since the last fold, per lane.
  alignas(64) std::uint64_t lowest_[kLanes];
  alignas(64) std::uint64_t highest_[kLanes];
  kernels::Int128 tiny_ = 0;  ///< sum of subnormal f64
  std::size_t terms_ = 0;     ///< since the last look()
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
