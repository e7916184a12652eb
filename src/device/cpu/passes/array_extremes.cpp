#include "device/cpu/passes/array_extremes.hpp"

#include <cmath>
#include <limits>

#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/passes/array_extremes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "device/cpu/passes/array_extremes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
  // Without its sign bit, a finite number has smaller bits than infinity: the difference is
  // negative.
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
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)
  return {{&find_extremes<std::int8_t>, &find_extremes<std::int16_t>, &find_extremes<std::int32_t>,
           &find_extremes<std::int64_t>, &find_extremes<std::uint8_t>,
           &find_extremes<std::uint16_t>, &find_extremes<std::uint32_t>,
           &find_extremes<std::uint64_t>, &find_extremes<float>, &find_extremes<double>},
          {&are_finite<float>, &are_finite<double>}};
}
}  // namespace tessera::device::cpu
