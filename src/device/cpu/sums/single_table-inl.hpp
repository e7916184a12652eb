// Sums f32 of any size: half of them in an exponent table, the others in windows that cover the
// range of f32. The table is limited by memory latency and the windows by additions, so the two
// overlap. docs/numerics.md, "Sums".
#if defined(TESSERA_DEVICE_CPU_SUMS_SINGLE_TABLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_SINGLE_TABLE_INL
#undef TESSERA_DEVICE_CPU_SUMS_SINGLE_TABLE_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_SINGLE_TABLE_INL
#endif

#include <cstdint>
#include <cstring>

#include "device/cpu/sums/exponent_table-inl.hpp"
#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// With fewer registers, windows are not faster than the table.
inline constexpr bool kSinglesInWindows = HWY_TARGET <= HWY_AVX3;

/// Windows from above the largest f32 to below the last bit of the smallest. Seven vectors are in
/// flight, each in another window. If one vector went through all windows in a step, each addition
/// would wait for the one before it.
class SingleWindows {
 public:
  HWY_INLINE SingleWindows() : windows_(kFirst) {
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA { rest_[k] = hn::Zero(Reals()); });
  }
  /// Called at most kBlockTerms / kLanes times, with one vector each time.
  HWY_INLINE void add(Real terms) {
    rest_[0] = terms;
    each<kWindows>([&](auto step) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kNow = kWindows - 1 - step;
      const Real part = windows_.take(0, kNow, 0, rest_[kNow]);
      if constexpr (kNow + 1 < kWindows) rest_[kNow + 1] = hn::Sub(rest_[kNow], part);
    });
  }
  /// Returns false, with nothing added, if a term was not finite.
  template <class Sum>
  HWY_INLINE bool give(Sum& to) {
    each<kWindows - 1>([&](auto) TESSERA_INLINE_LAMBDA { add(hn::Zero(Reals())); });
    const Real infinity = hn::Set(Reals(), std::numeric_limits<double>::infinity());
    if (!hn::AllTrue(Reals(), hn::Lt(hn::Abs(windows_.sum[0][0][0]), infinity))) return false;
    windows_.give(kFirst, to);
    return true;
  }

 private:
  static constexpr std::size_t kWindows = 7;
  using Streams = Windows<Numbers<float, false>, kWindows, 1>;
  static constexpr int kFirst = Streams::first_window(128);
  static_assert(kFirst - 52 - static_cast<int>(kWindows - 1) * Streams::kStepBits <= -149 ||
                !kSinglesInWindows);

  Streams windows_;
  Real rest_[kWindows];  ///< input of each window at the next step
};

/// Adds all bits of a term to its entry, and 2^48 to count it. All terms of an entry have the same
/// sign and exponent bits; subtracting these count times leaves the sum of the fractions.
/// Neighbouring terms go to different tables.
class SingleTable {
 public:
  /// Adds finite terms, a whole number of groups, at most kBlockTerms. Skips infinities and NaN,
  /// and returns whether there were any.
  template <class Sum>
  HWY_INLINE bool add(const float* terms, std::size_t count, std::size_t prefetch, Sum& to) {
    if (terms_ + count > kTermsPerFold) fold();
    terms_ += count;
    if constexpr (kSinglesInWindows) {
      add_both_ways(terms, count, prefetch, to);
    } else {
      for (std::size_t i = 0; i < count; i += kOneWay) {
        __builtin_prefetch(terms + i + prefetch);
        add_to_entries(terms + i);
      }
    }
    return take_others();
  }

  template <class Sum>
  void give(Sum& to) {
    fold();
    const auto total = [this](std::size_t field) {
      return kernels::Int128{total_[field]} - total_[field | kNegative];
    };
    give_fields<kNegative>(-149, total, to);
  }

 private:
  /// Consecutive terms that take the same way.
  static constexpr std::size_t kOneWay = kSinglesInWindows ? 8 : 4;
  static constexpr std::size_t kTables = 4;
  static constexpr std::size_t kEntries = 512;  ///< one for each sign and exponent
  static constexpr std::size_t kNegative = 256;
  static constexpr std::size_t kNotFinite = 255;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 48;
  static constexpr std::size_t kTermsPerFold = kTables * 65535;

  template <class Sum>
  HWY_INLINE void add_both_ways(const float* terms, std::size_t count, std::size_t prefetch,
                                Sum& to) {
    SingleWindows windows;
    for (std::size_t i = 0; i < count; i += 2 * kOneWay) {
      __builtin_prefetch(terms + i + prefetch);
      for (std::size_t v = 0; v < kOneWay; v += kLanes) windows.add(load_reals(terms + i + v));
      add_to_entries(terms + i + kOneWay);
    }
    if (windows.give(to)) return;
    for (std::size_t i = 0; i < count; i += 2 * kOneWay) add_to_entries(terms + i);
  }

  HWY_INLINE void add_to_entries(const float* terms) {
    std::uint64_t pairs[kOneWay / 2];
    std::memcpy(pairs, terms, sizeof pairs);
    each<kOneWay / 2>([&](auto p) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kTable = 2 * p % kTables;
      const std::uint64_t first = pairs[p] & 0xffffffff, second = pairs[p] >> 32;
      sums_[kTable][first >> 23] += first + kOne;
      sums_[kTable + 1][second >> 23] += second + kOne;
    });
  }

  /// Clears the entries of infinities and NaN. Returns whether they were used.
  HWY_INLINE bool take_others() {
    bool others = false;
    for (auto& table : sums_) {
      for (const std::size_t i : {kNotFinite, kNotFinite | kNegative}) {
        others |= table[i] != 0;
        table[i] = 0;
      }
    }
    return others;
  }

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

  alignas(64) std::uint64_t sums_[kTables][kEntries] = {};
  std::int64_t total_[kEntries] = {};  ///< sums of significands, with room for 2^39 terms
  std::size_t terms_ = 0;              ///< since the last fold
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
