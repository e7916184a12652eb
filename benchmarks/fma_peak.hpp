// The limit that the kernels are measured against: fused multiply-adds and nothing else.
#pragma once

#include <cstdint>

namespace tessera::bench {

/// Runs `rounds` rounds of independent f64 multiply-adds on the best vectors of this machine, all
/// in registers. Returns how many f64 multiply-adds that was.
std::uint64_t run_fma(std::uint64_t rounds);

}  // namespace tessera::bench
