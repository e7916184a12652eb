#include "device/cpu/array_extremes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

// As in exact_sum.cpp.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/array_extremes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef TESSERA_DEVICE_CPU_ARRAY_EXTREMES_ONCE
#define TESSERA_DEVICE_CPU_ARRAY_EXTREMES_ONCE
namespace tessera::device::cpu {
/// Specialised by each compilation below.
template <std::int64_t target>
ExtremesSet extremes_set();
}  // namespace tessera::device::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of comparisons under way at once.
constexpr std::size_t kChains = 4;

template <class T>
Extremes<T> find_extremes(std::span<const T> values) {
  Extremes<T> found{values[0], values[0]};
  std::size_t i = 0;
#if HWY_HAVE_FLOAT64 && HWY_HAVE_INTEGER64
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto first = hn::Set(d, values[0]);
  auto least0 = first, least1 = first, least2 = first, least3 = first;
  auto greatest0 = first, greatest1 = first, greatest2 = first, greatest3 = first;
  for (; i + kChains * lanes <= values.size(); i += kChains * lanes) {
    const auto a = hn::LoadU(d, &values[i]);
    const auto b = hn::LoadU(d, &values[i + lanes]);
    const auto c = hn::LoadU(d, &values[i + 2 * lanes]);
    const auto e = hn::LoadU(d, &values[i + 3 * lanes]);
    least0 = hn::Min(least0, a);
    least1 = hn::Min(least1, b);
    least2 = hn::Min(least2, c);
    least3 = hn::Min(least3, e);
    greatest0 = hn::Max(greatest0, a);
    greatest1 = hn::Max(greatest1, b);
    greatest2 = hn::Max(greatest2, c);
    greatest3 = hn::Max(greatest3, e);
  }
  std::array<T, HWY_LANES(T)> low;
  std::array<T, HWY_LANES(T)> high;
  hn::StoreU(hn::Min(hn::Min(least0, least1), hn::Min(least2, least3)), d, low.data());
  hn::StoreU(hn::Max(hn::Max(greatest0, greatest1), hn::Max(greatest2, greatest3)), d, high.data());
  found = {*std::min_element(low.begin(), low.begin() + lanes),
           *std::max_element(high.begin(), high.begin() + lanes)};
#endif
  for (; i < values.size(); ++i) {
    found = {std::min(found.least, values[i]), std::max(found.greatest, values[i])};
  }
  return found;
}

template <class T>
bool are_finite(std::span<const T> values) {
  std::size_t i = 0;
  bool finite = true;
#if HWY_HAVE_FLOAT64 && HWY_HAVE_INTEGER64
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> bits;
  using Bits = hn::TFromD<decltype(bits)>;
  const std::size_t lanes = hn::Lanes(d);
  const auto infinity = hn::BitCast(bits, hn::Set(d, std::numeric_limits<T>::infinity()));
  const auto magnitude = hn::Set(bits, std::numeric_limits<Bits>::max());
  // Without its sign, a finite number has lower bits than infinity: the difference is negative.
  auto all = hn::Set(bits, Bits{-1});
  for (; i + lanes <= values.size(); i += lanes) {
    const auto x = hn::And(hn::BitCast(bits, hn::LoadU(d, &values[i])), magnitude);
    all = hn::And(all, hn::Sub(x, infinity));
  }
  finite = hn::AllTrue(bits, hn::Lt(all, hn::Zero(bits)));
#endif
  for (; i < values.size(); ++i) finite &= std::isfinite(values[i]);
  return finite;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
ExtremesSet extremes_set<HWY_TARGET>() {
  std::string name = hwy::TargetName(HWY_TARGET);
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)
  return {name,
          {&find_extremes<std::int8_t>, &find_extremes<std::int16_t>, &find_extremes<std::int32_t>,
           &find_extremes<std::int64_t>, &find_extremes<std::uint8_t>,
           &find_extremes<std::uint16_t>, &find_extremes<std::uint32_t>,
           &find_extremes<std::uint64_t>, &find_extremes<float>, &find_extremes<double>},
          {&are_finite<float>, &are_finite<double>}};
}
}  // namespace tessera::device::cpu

#if HWY_ONCE
#include <utility>

namespace tessera::device::cpu {

namespace {

/// Highway's bits are in order: the lower, the better.
template <std::size_t... kBit>
std::vector<ExtremesSet> pick(std::int64_t supported, std::index_sequence<kBit...>) {
  std::vector<ExtremesSet> sets;
  const auto consider = [&]<std::size_t kOne>(std::integral_constant<std::size_t, kOne>) {
    constexpr std::int64_t kTarget = std::int64_t{1} << kOne;
    if constexpr ((HWY_TARGETS & kTarget) != 0) {
      if ((supported & kTarget) != 0) sets.push_back(extremes_set<kTarget>());
    }
  };
  (consider(std::integral_constant<std::size_t, kBit>()), ...);
  return sets;
}

}  // namespace

std::vector<ExtremesSet> extremes_sets() {
  // What the compiler may use anyway runs everywhere.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  return pick(supported, std::make_index_sequence<63>());
}

}  // namespace tessera::device::cpu
#endif
