// tessera bench: times pictures and arrays on each device of this machine, one device at a time.
#pragma once

#include "device/select/registry.hpp"
#include "job/bench_job.hpp"
#include "report/bench_report.hpp"

namespace tessera::bench {

/// Throws a usage error if there is nothing to measure, if two outputs have the same path, or if
/// the folder of an output does not exist.
void check_bench_job(const job::BenchJob& job);

/// Opens every device first, so that errors appear at once. Wrong results and devices that fail
/// during the run are problems in the returned report.
report::BenchReport run_bench(const job::BenchJob& job, const device::Placement& placement);

}  // namespace tessera::bench
