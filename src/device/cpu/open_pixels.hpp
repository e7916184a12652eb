// Pixels of exact images that a GPU's f64 has given up, with the vectors of the cores.
#pragma once

#include <functional>
#include <span>

#include "device/pixels/exact_block.hpp"

namespace tessera::device::cpu {

/// As device::finish_exact(), with the fastest instruction set of this machine.
BlockCounts finish_open(const ExactWork& work, const base::PixelRect& block,
                        std::span<OpenPixel> pixels, const std::function<bool()>& unwanted);

}  // namespace tessera::device::cpu
