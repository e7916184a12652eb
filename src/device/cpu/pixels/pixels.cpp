// A render function for each formula, for each instruction set that Highway compiles for.
#include "device/cpu/pixels/band.hpp"
#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/pixels/pixels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "device/cpu/pixels/deep_lanes.hpp"
#include "device/cpu/pixels/formula_render.hpp"

namespace tessera::device::cpu {
template <>
PixelSet pixel_set<HWY_TARGET>() {
  const bool vectors = HWY_NATIVE_FMA && HWY_HAVE_FLOAT64;
  return {vectors ? static_cast<int>(HWY_LANES(double)) : 1,
          {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  formula_render<HWY_TARGET, kernels::TS_FORMULA_##id>(),
              TS_FORMULAS(TS_ROW)
#undef TS_ROW
          },
          deep_advance<HWY_TARGET>()};
}
}  // namespace tessera::device::cpu
