// Which sets of kernels this machine can run.
#include "device/cpu/columns/column_kernels.hpp"

#include "device/cpu/simd/pick_sets.hpp"

namespace tessera::device::cpu {

std::vector<WindowedColumnKernels> column_sum_sets() {
  return pick_sets<WindowedColumnKernels>(
      []<std::int64_t kTarget>(TargetBit<kTarget>) { return column_sum_set<kTarget>(); });
}

}  // namespace tessera::device::cpu
