// Compiled for each instruction set with a fused multiply-add and at least four f64 in a vector.
// The others use the scalar loop, so that the bits are the same.
#include "device/cpu/pixels/deep_lanes.hpp"

#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/pixels/deep_lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64 && HWY_MAX_BYTES >= 32
#include "device/cpu/pixels/deep_lanes-inl.hpp"
#endif

namespace tessera::device::cpu {
template <>
deep::Advance deep_advance<HWY_TARGET>() {
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64 && HWY_MAX_BYTES >= 32
  using namespace HWY_NAMESPACE::deep_lanes;
  return {&advance_all<FastNumbers>, &advance_all<PreciseNumbers>};
#else
  return {};
#endif
}
}  // namespace tessera::device::cpu
