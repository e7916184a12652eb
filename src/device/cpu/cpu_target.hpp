// The table of instruction sets: what the cores can do with each.
#pragma once

#include <string>
#include <vector>

#include "device/cpu/columns/column_kernels.hpp"
#include "device/cpu/columns/column_passes.hpp"
#include "device/cpu/groups/group_terms.hpp"
#include "device/cpu/passes/array_extremes.hpp"
#include "device/cpu/passes/array_passes.hpp"
#include "device/cpu/passes/bin_search.hpp"
#include "device/cpu/passes/key_passes.hpp"
#include "device/cpu/pixels/band.hpp"
#include "device/cpu/sums/exact_sum.hpp"

namespace tessera::device::cpu {

struct CpuTarget {
  std::string name;  ///< "avx2": the part after "cpu:" in a device name
  PixelSet pixels;
  ExactSumSet sums;
  ExtremesSet extremes;
  PassSet passes;
  BinSearchSet bins;
  KeyPassSet keys;
  WindowedColumnKernels columns;
  ColumnPassSet column_passes;
  GroupTermsSet groups;
};

/// Those of this build that this machine supports, best first. The last one runs everywhere.
const std::vector<CpuTarget>& cpu_targets();

}  // namespace tessera::device::cpu
