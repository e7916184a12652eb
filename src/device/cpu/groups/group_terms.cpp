#include "device/cpu/groups/group_terms.hpp"

#include <bit>
#include <cctype>

#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/groups/group_terms.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TESSERA_DEVICE_CPU_GROUP_TERMS_ONCE
#define TESSERA_DEVICE_CPU_GROUP_TERMS_ONCE
namespace tessera::device::cpu {
/// Specialised by each compilation below.
template <std::int64_t target>
GroupTermsSet group_terms_set();

inline constexpr std::uint64_t kTermSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kTermImplicit = std::uint64_t{1} << 52;

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

inline std::size_t split_terms(std::span<const double> x, const statistics::SumWindow& window,
                               const GroupTerms& terms) {
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
    hn::StoreU(hn::BitCast(words, hn::Shl(term, by)), words, terms.low + i);
    hn::StoreU(hn::BitCast(words, hn::Shr(hn::ShiftRight<1>(term), hn::Sub(most, by))), words,
               terms.high + i);
    const auto known = hn::Or(fits, hn::Eq(bits, zero));
    if (HWY_LIKELY(hn::AllTrue(integers, known))) continue;
    for (std::size_t k = i; k < i + lanes; ++k) {
      std::uint64_t low, high;
      terms.outside[outside] = static_cast<std::uint16_t>(k);
      outside += split_one(x[k], window, low, high) ? 0 : 1;
    }
  }
#endif
  for (; i < x.size(); ++i) {
    terms.outside[outside] = static_cast<std::uint16_t>(i);
    outside += split_one(x[i], window, terms.low[i], terms.high[i]) ? 0 : 1;
  }
  return outside;
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
  std::string name = hwy::TargetName(HWY_TARGET);
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return {name, &HWY_NAMESPACE::split_terms, &HWY_NAMESPACE::number_keys};
}
}  // namespace tessera::device::cpu

#if HWY_ONCE
#include "device/cpu/simd/pick_sets.hpp"

namespace tessera::device::cpu {

GroupTermsSet group_terms_of(std::string_view set_name) {
  static const std::vector<GroupTermsSet> sets = pick_sets<GroupTermsSet>(
      []<std::int64_t kTarget>(TargetBit<kTarget>) { return group_terms_set<kTarget>(); });
  return find_set(sets, set_name);
}

}  // namespace tessera::device::cpu
#endif
