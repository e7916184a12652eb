// The interface between the CPU device and its code for each instruction set.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "deep/deep_block.hpp"
#include "device/cpu/pixels/workspace.hpp"
#include "device/device.hpp"

namespace tessera::device::cpu {

/// A part of a block, at most kBandPixels; `out` points at its first pixel.
struct Band {
  const job::ImageSpec& image;
  base::PixelRect rect;
  BlockBuffers out;
  bool shortcuts = true;
};

using RenderBand = BlockCounts (*)(const Band&, Workspace&);

struct InstructionSet {
  std::string name;  ///< such as "avx2", used after "cpu:"
  int lanes = 1;     ///< f64 in a vector; 1 = scalar loop
  std::array<RenderBand, kernels::TS_FORMULA_COUNT> render{};  ///< indexed by kernels::TsFormula
  deep::Advance advance_deep{};
};

/// The instruction sets of this build that this machine supports, best first; the last one runs
/// everywhere.
std::vector<InstructionSet> instruction_sets();

}  // namespace tessera::device::cpu
