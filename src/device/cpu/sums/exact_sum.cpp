// The sets of exact sums that this machine can run.
#include "device/cpu/sums/exact_sum.hpp"

#include "device/cpu/simd/pick_sets.hpp"

namespace tessera::device::cpu {

std::vector<ExactSumSet> exact_sum_sets() {
  return pick_sets<ExactSumSet>(
      []<std::int64_t kTarget>(TargetBit<kTarget>) { return exact_sum_set<kTarget>(); });
}

}  // namespace tessera::device::cpu
