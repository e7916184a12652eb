#include "reduce/rank_reports.hpp"

#include <utility>

namespace tessera::reduce {

report::RankReport rank_report(const binding::RankDevices& devices,
                               std::vector<report::ThreadReport> threads, double read_s) {
  return {.device = devices.names(),
          .threads = std::move(threads),
          .read_s = read_s,
          .lost = devices.losses(),
          .restarted = devices.restarts()};
}

}  // namespace tessera::reduce
