// Renders a band of one formula with vectors, for each instruction set with a fused multiply-add.
// The others use the scalar loop, so that the bits are the same. The build compiles this file for
// each file of kernels/pixel/formulas, with TESSERA_FORMULA as its name.
#include "device/cpu/pixels/formula_render.hpp"

#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/pixels/formula_render.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "device/cpu/pixels/scalar_orbit.hpp"

#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
#include "device/cpu/pixels/band-inl.hpp"
#endif

namespace tessera::device::cpu {
template <>
RenderBand formula_render<HWY_TARGET, kernels::TESSERA_FORMULA>() {
#if HWY_NATIVE_FMA && HWY_HAVE_FLOAT64
  return &HWY_NAMESPACE::render_formula<kernels::TESSERA_FORMULA>;
#else
  return [](const Band& band, Workspace&) { return render_scalar(band); };
#endif
}
}  // namespace tessera::device::cpu
