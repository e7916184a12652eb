// Sums by exponent, for terms that windows are too narrow for: significands of one exponent and one
// sign are added as integers. Source: the large superaccumulator of R. M. Neal, arXiv 1505.05571.
#if defined(TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL
#undef TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL
#else
#define TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/cpu/simd_math-inl.hpp"
#include "kernels/superaccumulator.hpp"

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

/// Of f64. Neighbours go to two tables by turns: an addition to memory waits for the one before it
/// to the same place.
class ExponentTable {
 public:
  /// Adds finite terms, a whole number of groups, at most kMostTerms. Returns whether there were
  /// others, which it left out.
  HWY_INLINE bool add(const double* terms, std::size_t count, std::size_t prefetch) {
    if (terms_ + count > kTermsPerLook) look();
    terms_ += count;
    const Range range = add_all(terms, count, prefetch);
    lowest_ = std::min(lowest_, range.lowest >> 52);
    highest_ = std::max(highest_, range.highest >> 52);
    if (range.lowest >> 52 == 0) leave_out_implicit_bits(terms, count);
    const bool others = range.highest >> 52 == kNotFinite;
    if (others) {
      for (auto& table : sums_) table[kNotFinite] = table[kNotFinite | kNegative] = 0;
      highest_ = kNotFinite - 1;
    }
    return others;
  }
  static constexpr std::size_t kMostTerms = 992;

  /// Eight exponents at a time: their sum, in units of the lowest, has room in 128 bits.
  template <class Sum>
  void give(Sum& to) {
    fold();
    constexpr std::size_t kTogether = 8;
    for (std::size_t first = 0; first < kNegative; first += kTogether) {
      kernels::Int128 sum = 0;
      for (std::size_t i = kTogether; i-- > 0;) {
        const std::size_t field = first + i;
        if (field != 0) sum *= 2;  // fields 0 and 1 have the same unit
        sum += total(field) - total(field | kNegative);
      }
      add_wide(sum, first == 0 ? -1074 : static_cast<int>(first) - 1075, to);
    }
  }

 private:
  static constexpr std::size_t kEntries = 4096;  ///< of sign and exponent
  static constexpr std::size_t kNegative = 2048;
  static constexpr std::size_t kNotFinite = 2047;
  static constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;
  /// Half as many go to a table: entries below 2^63 have room for them, of 2^53 each.
  static constexpr std::size_t kTermsPerLook = 2046;

  /// Of the terms' bits without the sign.
  struct Range {
    std::uint64_t lowest, highest;
  };

  HWY_INLINE Range add_all(const double* terms, std::size_t count, std::size_t prefetch) {
    const BitsOfReal but_sign = hn::Set(Bits(), ~std::uint64_t{0} >> 1);
    BitsOfReal lowest = but_sign, highest = hn::Zero(Bits());
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
    return {least_of(lowest), greatest_of(highest)};
  }

  /// Zeros and subnormal numbers have no implicit bit, but were added with one.
  HWY_NOINLINE void leave_out_implicit_bits(const double* terms, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(terms[i]);
      if ((bits >> 52) % kNegative == 0) sums_[i % 2][bits >> 52] -= kImplicit;
    }
  }

  kernels::Int128 total(std::size_t i) const {
    return (static_cast<kernels::Int128>(high_[i]) << 32) + sums_[0][i];
  }

  /// Whether an entry is half full: most never are.
  HWY_NOINLINE void look() {
    BitsOfReal any = hn::Zero(Bits());
    for (const std::size_t sign : {std::size_t{0}, kNegative}) {
      for (std::size_t i = sign + lowest_ / kLanes * kLanes; i <= sign + highest_; i += kLanes) {
        any = hn::Or(any, hn::Or(hn::Load(Bits(), sums_[0] + i), hn::Load(Bits(), sums_[1] + i)));
      }
    }
    const BitsOfReal half = hn::Set(Bits(), std::uint64_t{1} << 63);
    if (!hn::AllTrue(Bits(), hn::Eq(hn::And(any, half), hn::Zero(Bits())))) fold();
    terms_ = 0;
  }

  /// The upper halves of what has been added since the last time are moved on.
  HWY_NOINLINE void fold() {
    const auto low_half = hn::Set(Bits(), 0xffffffff);
    for (const std::size_t sign : {std::size_t{0}, kNegative}) {
      for (std::size_t i = lowest_ / kLanes * kLanes; i <= highest_; i += kLanes) {
        std::uint64_t* const at[] = {sums_[0] + sign + i, sums_[1] + sign + i, high_ + sign + i};
        const auto a = hn::Load(Bits(), at[0]), b = hn::Load(Bits(), at[1]);
        const auto high = hn::Add(hn::ShiftRight<32>(a), hn::ShiftRight<32>(b));
        hn::Store(hn::Add(hn::Load(Bits(), at[2]), high), Bits(), at[2]);
        hn::Store(hn::Add(hn::And(a, low_half), hn::And(b, low_half)), Bits(), at[0]);
        hn::Store(hn::Zero(Bits()), Bits(), at[1]);
      }
    }
    lowest_ = kNotFinite;
    highest_ = 0;
  }

  static std::uint64_t least_of(BitsOfReal v) {
    HWY_ALIGN std::uint64_t lanes[kLanes];
    hn::Store(v, Bits(), lanes);
    return *std::min_element(lanes, lanes + kLanes);
  }
  static std::uint64_t greatest_of(BitsOfReal v) {
    HWY_ALIGN std::uint64_t lanes[kLanes];
    hn::Store(v, Bits(), lanes);
    return *std::max_element(lanes, lanes + kLanes);
  }

  alignas(64) std::uint64_t sums_[2][kEntries] = {};
  alignas(64) std::uint64_t high_[kEntries] = {};
  std::size_t terms_ = 0;  ///< since the last look
  // Exponent fields of what was added since the last fold.
  std::uint64_t lowest_ = kNotFinite;
  std::uint64_t highest_ = 0;
};

/// Of f32, two at a time. A term's whole bits are added to its entry, and one at bit 48: as all
/// terms of an entry have the same upper bits, the sum of their fractions is what is left without
/// these.
class SingleTable {
 public:
  /// Adds finite terms, a whole number of groups. Returns whether there were others, which it left
  /// out.
  HWY_INLINE bool add(const float* terms, std::size_t count, std::size_t prefetch) {
    if (terms_ + count > kTermsPerFold) fold();
    terms_ += count;
    for (std::size_t i = 0; i < count; i += 4) {
      __builtin_prefetch(terms + i + prefetch);
      std::uint64_t pairs[2];
      std::memcpy(pairs, terms + i, sizeof pairs);
      each<2>([&](auto p) TESSERA_INLINE_LAMBDA {
        const std::uint64_t first = pairs[p] & 0xffffffff, second = pairs[p] >> 32;
        sums_[2 * p][first >> 23] += first + kOne;
        sums_[2 * p + 1][second >> 23] += second + kOne;
      });
    }
    bool others = false;
    for (auto& table : sums_) {
      for (const std::size_t i : {kNotFinite, kNotFinite | kNegative}) {
        others |= table[i] != 0;
        table[i] = 0;
      }
    }
    return others;
  }

  template <class Sum>
  void give(Sum& to) {
    fold();
    for (std::size_t i = 0; i < kEntries; ++i) {
      const std::size_t field = i % kNegative;
      const int exponent = field == 0 ? -149 : static_cast<int>(field) - 150;
      if (total_[i] != 0) to.add_scaled(i < kNegative ? total_[i] : -total_[i], exponent);
    }
  }

 private:
  static constexpr std::size_t kEntries = 512;  ///< of sign and exponent
  static constexpr std::size_t kNegative = 256;
  static constexpr std::size_t kNotFinite = 255;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 48;
  static constexpr std::size_t kTermsPerFold = 65535;

  HWY_NOINLINE void fold() {
    for (auto& table : sums_) {
      for (std::size_t i = 0; i < kEntries; ++i) {
        const std::uint64_t count = table[i] / kOne;
        const std::uint64_t fractions = table[i] % kOne - count * (i << 23);
        const std::uint64_t implicit = i % kNegative == 0 ? 0 : count << 23;
        total_[i] += static_cast<std::int64_t>(fractions + implicit);
        table[i] = 0;
      }
    }
    terms_ = 0;
  }

  alignas(64) std::uint64_t sums_[4][kEntries] = {};
  std::int64_t total_[kEntries] = {};  ///< of significands: 2^39 terms have room
  std::size_t terms_ = 0;              ///< since the last fold
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
