// What renders a band of one formula with one instruction set: a source for each formula defines
// it.
#pragma once

#include <cstdint>

#include "device/cpu/pixels/band.hpp"

namespace tessera::device::cpu {

/// `formula`: a kernels::TsFormula. Specialised in formula_render.cpp.
template <std::int64_t target, int formula>
RenderBand formula_render();

}  // namespace tessera::device::cpu
