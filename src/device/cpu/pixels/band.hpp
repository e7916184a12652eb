// The interface between the CPU device and its code for each instruction set.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "deep/deep_block.hpp"
#include "device/cpu/pixels/workspace.hpp"
#include "device/device.hpp"
#include "device/pixels/exact_block.hpp"

namespace tessera::device::cpu {

/// Pixels of an exact image that f64 has given up.
struct OpenPixels {
  std::span<OpenPixel> pixels;
  job::MoreFields fields;
  const ExactImage* exact = nullptr;
};

/// A part of a block, at most kBandPixels; `out` points at its first pixel.
struct Band {
  const job::ImageSpec& image;
  base::PixelRect rect;
  BlockBuffers out{};
  bool shortcuts = true;
  OpenPixels open{};  ///< if there are some, only their values are computed, and put there

  job::MoreFields fields() const { return open.pixels.empty() ? out.fields() : open.fields; }
};

using RenderBand = BlockCounts (*)(const Band&, Workspace&);

struct PixelSet {
  int lanes = 1;                                               ///< f64 in a vector; 1 = scalar loop
  std::array<RenderBand, kernels::TS_FORMULA_COUNT> render{};  ///< indexed by kernels::TsFormula
  deep::Advance advance_deep{};
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
PixelSet pixel_set();

}  // namespace tessera::device::cpu
