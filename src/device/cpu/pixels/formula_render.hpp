// The function that renders a band of one formula with one instruction set. The build compiles its
// source once for each formula.
#pragma once

#include <cstdint>

#include "device/cpu/pixels/band.hpp"

namespace tessera::device::cpu {

/// `formula`: a kernels::TsFormula. Specialised in formula_render.cpp.
template <std::int64_t target, int formula>
RenderBand formula_render();

}  // namespace tessera::device::cpu
