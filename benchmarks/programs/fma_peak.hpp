// The limits that the kernels are measured against, all in registers.
#pragma once

#include <cstdint>

namespace tessera::bench {

/// `rounds` rounds of independent f64 multiply-adds on the best vectors of this machine. Returns
/// how many that was.
std::uint64_t run_fma(std::uint64_t rounds);

/// `rounds` steps z = z^2 + c of independent orbits, without a test: three multiply-adds and the
/// addition x + x, which some cores (Zen 4) cannot hide behind them. Returns how many f64 steps.
std::uint64_t run_steps(std::uint64_t rounds);

}  // namespace tessera::bench
