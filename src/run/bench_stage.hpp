// Pictures and arrays on each device of this machine, one device after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/registry.hpp"
#include "report/bench_report.hpp"
#include "run/bench_job.hpp"

namespace tessera::run {

/// "auto": every usable device, `cpu` for the cores, without `reference`; what is left out, with
/// the reason, goes to `left_out`. Otherwise the names of `list`; usage error for a name twice.
std::vector<std::string> devices_to_compare(std::string_view list,
                                            const device::Placement& placement,
                                            std::vector<std::string>& left_out);

/// Opens every device first, so that what cannot be done is known at once. Wrong results and
/// devices that failed on the way are among the problems of what comes back.
report::BenchReport run_bench(const BenchJob& job, const device::Placement& placement);

}  // namespace tessera::run
