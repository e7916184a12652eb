// Minimum and maximum of a block, vectorised.
#if defined(TESSERA_DEVICE_CPU_PASSES_ARRAY_EXTREMES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PASSES_ARRAY_EXTREMES_INL
#undef TESSERA_DEVICE_CPU_PASSES_ARRAY_EXTREMES_INL
#else
#define TESSERA_DEVICE_CPU_PASSES_ARRAY_EXTREMES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <span>

#include "device/cpu/passes/array_extremes.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Number of independent chains of comparisons.
// crossed by: of_vectors_of_extremes
inline constexpr std::size_t kExtremeChains = 4;

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
  for (; i + kExtremeChains * lanes <= values.size(); i += kExtremeChains * lanes) {
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
  const auto least = hn::Min(hn::Min(least0, least1), hn::Min(least2, least3));
  const auto greatest = hn::Max(hn::Max(greatest0, greatest1), hn::Max(greatest2, greatest3));
  if constexpr (sizeof(T) >= 4) {
    found = {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, greatest))};
  } else {
    std::array<T, HWY_LANES(T)> low;
    std::array<T, HWY_LANES(T)> high;
    hn::StoreU(least, d, low.data());
    hn::StoreU(greatest, d, high.data());
    found = {*std::min_element(low.begin(), low.begin() + lanes),
             *std::max_element(high.begin(), high.begin() + lanes)};
  }
#endif
  for (; i < values.size(); ++i) {
    found = {std::min(found.least, values[i]), std::max(found.greatest, values[i])};
  }
  return found;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
