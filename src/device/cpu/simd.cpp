// One band of pixels with vectors, compiled once for every instruction set that has a fused
// multiply-add; the others get the scalar loop, so that the bits stay.
#include "device/cpu/instruction_set.hpp"

// SVE and RVV: vectors without a compile-time size cannot be members of the structs used here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/simd.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "device/cpu/scalar_orbit.hpp"

#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
#include "device/cpu/band-inl.hpp"
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
#include <utility>

namespace tessera::device::cpu {

namespace {

/// Highway's bits are in order: the lower, the better.
template <std::size_t... kBit>
std::vector<InstructionSet> pick(std::int64_t supported, std::index_sequence<kBit...>) {
  std::vector<InstructionSet> sets;
  const auto consider = [&]<std::size_t kOne>(std::integral_constant<std::size_t, kOne>) {
    constexpr std::int64_t target = std::int64_t{1} << kOne;
    if constexpr ((HWY_TARGETS & target) != 0) {
      if ((supported & target) != 0) sets.push_back(instruction_set<target>());
    }
  };
  (consider(std::integral_constant<std::size_t, kBit>()), ...);
  return sets;
}

}  // namespace

std::vector<InstructionSet> instruction_sets() {
  // What the compiler may use anyway runs everywhere.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  return pick(supported, std::make_index_sequence<63>());
}

}  // namespace tessera::device::cpu
#endif
