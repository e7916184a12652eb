// Pictures and arrays on each device of this machine, one device after the other.
#pragma once

#include "bench/bench_job.hpp"
#include "device/select/registry.hpp"
#include "report/bench_report.hpp"

namespace tessera::bench {

/// Opens every device first, so that what cannot be done is known at once. Wrong results and
/// devices that failed on the way are among the problems of what comes back.
report::BenchReport run_bench(const BenchJob& job, const device::Placement& placement);

}  // namespace tessera::bench
