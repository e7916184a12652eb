#include "device/cpu/groups/group_terms.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/groups/group_terms.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TESSERA_DEVICE_CPU_GROUP_TERMS_ONCE
#define TESSERA_DEVICE_CPU_GROUP_TERMS_ONCE
namespace tessera::device::cpu {
inline constexpr std::uint64_t kTermSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kTermImplicit = std::uint64_t{1} << 52;
/// Elements that are fetched ahead: x is often a view of a file, where the processor does not fetch
/// beyond a page by itself.
inline constexpr std::size_t kAhead = 256;
inline constexpr std::size_t kCellWords = std::tuple_size_v<decltype(GroupCell::words)>;

/// The same for one x. False if it is outside.
inline bool split_one(double x, const statistics::SumWindow& window, std::uint64_t& low,
                      std::uint64_t& high) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t magnitude = bits & ~kTermSign;
  const std::uint64_t field = magnitude >> 52;
  const auto shift = static_cast<int>(field + (field == 0 ? 1 : 0)) - window.first;
  low = high = 0;
  if (bits == 0) return true;
  if (shift < 0 || shift >= window.count || magnitude == 0) return false;
  const std::uint64_t fraction = (bits & (kTermImplicit - 1)) | (field != 0 ? kTermImplicit : 0);
  const auto term = static_cast<std::int64_t>(bits != magnitude ? -fraction : fraction);
  low = static_cast<std::uint64_t>(term) << shift;
  high = static_cast<std::uint64_t>(term >> 1 >> (63 - shift));
  return true;
}
}  // namespace tessera::device::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Where terms go: a vector of each word, or one number of it, from the index i on.
struct PutPairs {
  const GroupTerms& terms;

  template <class D>
  HWY_INLINE void operator()(D words, std::size_t i, hn::VFromD<D> low, hn::VFromD<D> high) const {
    hn::StoreU(low, words, terms.low + i);
    hn::StoreU(high, words, terms.high + i);
  }
  HWY_INLINE void operator()(std::size_t i, std::uint64_t low, std::uint64_t high) const {
    terms.low[i] = low;
    terms.high[i] = high;
  }
};

struct PutCells {
  std::uint64_t* cells;

  template <class D>
  HWY_INLINE void operator()(D words, std::size_t i, hn::VFromD<D> low, hn::VFromD<D> high) const {
    hn::StoreInterleaved4(hn::And(low, hn::Set(words, 0xffffffff)), hn::ShiftRight<32>(low), high,
                          hn::Set(words, 1), words, cells + 4 * i);
  }
  HWY_INLINE void operator()(std::size_t i, std::uint64_t low, std::uint64_t high) const {
    cells[4 * i] = low & 0xffffffff;
    cells[4 * i + 1] = low >> 32;
    cells[4 * i + 2] = high;
    cells[4 * i + 3] = 1;
  }
};

/// Returns how many terms are outside, and writes their indices; x[0] has the index `first_index`.
template <class Put>
HWY_INLINE std::size_t put_terms(std::span<const double> x, const statistics::SumWindow& window,
                                 std::size_t first_index, std::uint16_t* outside_of,
                                 const Put& put) {
  std::size_t i = 0;
  std::size_t outside = 0;
#if HWY_HAVE_FLOAT64 && HWY_HAVE_INTEGER64
  const hn::ScalableTag<double> reals;
  const hn::RebindToUnsigned<decltype(reals)> words;
  const hn::RebindToSigned<decltype(reals)> integers;
  const std::size_t lanes = hn::Lanes(reals);
  const auto zero = hn::Zero(integers);
  const auto one = hn::Set(integers, 1);
  const auto fraction_bits = hn::Set(integers, static_cast<std::int64_t>(kTermImplicit - 1));
  const auto implicit = hn::Set(integers, static_cast<std::int64_t>(kTermImplicit));
  const auto first = hn::Set(integers, window.first);
  const auto count = hn::Set(integers, window.count);
  const auto most = hn::Set(integers, 63);
  for (; i + lanes <= x.size(); i += lanes) {
    __builtin_prefetch(&x[i] + kAhead);
    const auto bits = hn::BitCast(integers, hn::LoadU(reals, &x[i]));
    const auto magnitude = hn::AndNot(hn::BitCast(integers, hn::Set(words, kTermSign)), bits);
    const auto field = hn::BitCast(integers, hn::ShiftRight<52>(hn::BitCast(words, magnitude)));
    const auto subnormal = hn::Eq(field, zero);
    const auto shift = hn::Sub(hn::IfThenElse(subnormal, one, field), first);
    const auto fits =
        hn::AndNot(hn::Or(hn::Lt(shift, zero), hn::Eq(magnitude, zero)), hn::Lt(shift, count));
    const auto fraction =
        hn::Or(hn::And(bits, fraction_bits), hn::IfThenZeroElse(subnormal, implicit));
    const auto signed_one = hn::IfThenElse(hn::Lt(bits, zero), hn::Neg(fraction), fraction);
    const auto term = hn::IfThenElseZero(fits, signed_one);
    const auto by = hn::IfThenElseZero(fits, shift);
    put(words, i, hn::BitCast(words, hn::Shl(term, by)),
        hn::BitCast(words, hn::Shr(hn::ShiftRight<1>(term), hn::Sub(most, by))));
    const auto known = hn::Or(fits, hn::Eq(bits, zero));
    if (HWY_LIKELY(hn::AllTrue(integers, known))) continue;
    for (std::size_t k = i; k < i + lanes; ++k) {
      std::uint64_t low, high;
      outside_of[outside] = static_cast<std::uint16_t>(first_index + k);
      outside += split_one(x[k], window, low, high) ? 0 : 1;
    }
  }
#endif
  for (; i < x.size(); ++i) {
    std::uint64_t low, high;
    outside_of[outside] = static_cast<std::uint16_t>(first_index + i);
    outside += split_one(x[i], window, low, high) ? 0 : 1;
    put(i, low, high);
  }
  return outside;
}

inline std::size_t split_terms(std::span<const double> x, const statistics::SumWindow& window,
                               const GroupTerms& terms) {
  return put_terms(x, window, 0, terms.outside, PutPairs{terms});
}

/// Adds terms to the cells of their groups, one by one: a cell is read again after each write.
template <class Words, class CellOf>
HWY_INLINE void add_each(Words words, const std::uint64_t* terms, std::size_t count,
                         const CellOf& cell_of) {
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t* const cell = cell_of(k);
    for (std::size_t w = 0; w < kCellWords; w += hn::Lanes(words)) {
      const auto term = hn::LoadU(words, terms + kCellWords * k + w);
      hn::StoreU(hn::Add(hn::LoadU(words, cell + w), term), words, cell + w);
    }
  }
}

/// The same where neighbours are mostly of one group: the terms of a run are added in a register.
template <class Words, class CellOf>
HWY_INLINE void add_runs(Words words, const std::uint64_t* terms,
                         std::span<const std::uint32_t> groups, const CellOf& cell_of) {
  for (std::size_t first = 0, end = 0; first < groups.size(); first = end) {
    while (end < groups.size() && groups[end] == groups[first]) ++end;
    std::uint64_t* const cell = cell_of(first);
    for (std::size_t w = 0; w < kCellWords; w += hn::Lanes(words)) {
      auto sum = hn::LoadU(words, cell + w);
      for (std::size_t k = first; k < end; ++k) {
        sum = hn::Add(sum, hn::LoadU(words, terms + kCellWords * k + w));
      }
      hn::StoreU(sum, words, cell + w);
    }
  }
}

/// Whether runs of one group have kMinRun elements or more, on average.
inline bool has_runs(std::span<const std::uint32_t> groups) {
  // crossed by: of_keys_in_runs
  constexpr std::size_t kMinRun = 16;
  std::uint32_t changes = 1;
  for (std::size_t k = 1; k < groups.size(); ++k) changes += groups[k] != groups[k - 1] ? 1 : 0;
  return kMinRun * changes <= groups.size();
}

inline std::size_t add_to_cells(std::span<const double> x, std::span<const std::uint32_t> groups,
                                std::uint32_t first_group, const statistics::SumWindow& window,
                                GroupCell* cells, std::uint16_t* outside) {
  // crossed by: group_parity_test.of_every_type
  constexpr std::size_t kSome = 128;
  const hn::CappedTag<std::uint64_t, kCellWords> words;
  alignas(64) std::array<std::uint64_t, kCellWords * kSome> terms;
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); i += kSome) {
    const auto some = x.subspan(i, std::min(kSome, x.size() - i));
    count += put_terms(some, window, i, outside + count, PutCells{terms.data()});
    const auto own = groups.subspan(i, some.size());
    const auto cell_of = [&](std::size_t k) { return cells[own[k] - first_group].words.data(); };
    if (has_runs(own)) {
      add_runs(words, terms.data(), own, cell_of);
    } else {
      add_each(words, terms.data(), own.size(), cell_of);
    }
  }
  return count;
}

inline bool number_keys(std::span<const statistics::GroupKey> keys, statistics::GroupKey first,
                        std::uint64_t count, std::uint32_t* groups) {
  std::size_t i = 0;
  bool inside = true;
#if HWY_HAVE_INTEGER64
  const hn::ScalableTag<std::uint64_t> words;
  const hn::Rebind<std::uint32_t, decltype(words)> narrow;
  const std::size_t lanes = hn::Lanes(words);
  const auto from = hn::Set(words, first);
  auto all = hn::Zero(words);
  for (; i + lanes <= keys.size(); i += lanes) {
    const auto offset = hn::Sub(hn::LoadU(words, &keys[i]), from);
    all = hn::Max(all, offset);
    hn::StoreU(hn::TruncateTo(narrow, offset), narrow, groups + i);
  }
  inside = hn::AllTrue(words, hn::Lt(all, hn::Set(words, count))) || i == 0;
#endif
  for (; i < keys.size(); ++i) {
    groups[i] = static_cast<std::uint32_t>(keys[i] - first);
    inside &= keys[i] - first < count;
  }
  return inside;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
GroupTermsSet group_terms_set<HWY_TARGET>() {
  return {&HWY_NAMESPACE::split_terms, &HWY_NAMESPACE::add_to_cells, &HWY_NAMESPACE::number_keys};
}
}  // namespace tessera::device::cpu
