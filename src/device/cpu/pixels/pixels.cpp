// One band of pixels with vectors, compiled once for every instruction set that has a fused
// multiply-add; the others get the scalar loop, so that the bits stay.
#include "device/cpu/pixels/band.hpp"
#include "device/cpu/simd/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/pixels/pixels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "device/cpu/pixels/scalar_orbit.hpp"

#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
#include "device/cpu/pixels/band-inl.hpp"
#endif

#ifndef TESSERA_DEVICE_CPU_SIMD_ONCE
#define TESSERA_DEVICE_CPU_SIMD_ONCE
namespace tessera::device::cpu {
/// Specialised by each compilation below.
template <std::int64_t target>
InstructionSet instruction_set();
}  // namespace tessera::device::cpu
#endif

namespace tessera::device::cpu {
template <>
InstructionSet instruction_set<HWY_TARGET>() {
  std::string name = hwy::TargetName(HWY_TARGET);
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
  return {name, static_cast<int>(HWY_NAMESPACE::kLanes), &HWY_NAMESPACE::render_band};
#else
  return {name, 1, [](const Band& band, Workspace&) { return render_scalar(band); }};
#endif
}
}  // namespace tessera::device::cpu

#if HWY_ONCE
#include "device/cpu/simd/pick_sets.hpp"

namespace tessera::device::cpu {

std::vector<InstructionSet> instruction_sets() {
  return pick_sets<InstructionSet>(
      []<std::int64_t kTarget>(TargetBit<kTarget>) { return instruction_set<kTarget>(); });
}

}  // namespace tessera::device::cpu
#endif
