// The report of one rank of a reduction.
#pragma once

#include <vector>

#include "binding/rank_devices.hpp"
#include "report/timings.hpp"

namespace tessera::reduce {

/// The report of this rank's devices and threads after a pass. `read_s`: time spent reading, summed
/// over its workers.
report::RankReport rank_report(const binding::RankDevices& devices,
                               std::vector<report::ThreadReport> threads, double read_s);

}  // namespace tessera::reduce
