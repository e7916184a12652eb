// The table of instruction sets that Highway compiles for, with a render function for each formula.
#include "device/cpu/pixels/band.hpp"
#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/pixels/pixels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "device/cpu/pixels/deep_lanes.hpp"
#include "device/cpu/pixels/formula_render.hpp"

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
  const bool vectors = HWY_NATIVE_FMA && HWY_HAVE_FLOAT64;
  return {name,
          vectors ? static_cast<int>(HWY_LANES(double)) : 1,
          {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  formula_render<HWY_TARGET, kernels::TS_FORMULA_##id>(),
              TS_FORMULAS(TS_ROW)
#undef TS_ROW
          },
          deep_advance<HWY_TARGET>()};
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
