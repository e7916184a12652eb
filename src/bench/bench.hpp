// Pictures and arrays on each device of this machine, one device after the other.
#pragma once

#include "device/select/registry.hpp"
#include "job/bench_job.hpp"
#include "report/bench_report.hpp"

namespace tessera::bench {

/// Usage errors: nothing to measure, one output replacing the other, no folder for an output.
void check_bench_job(const job::BenchJob& job);

/// Opens every device first, so that what cannot be done is known at once. Wrong results and
/// devices that failed on the way are among the problems of what comes back.
report::BenchReport run_bench(const job::BenchJob& job, const device::Placement& placement);

}  // namespace tessera::bench
