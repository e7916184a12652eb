#include "report/reduce_report.hpp"

#include <algorithm>

namespace tessera::report {

double reduce_s(const RankReport& rank) {
  return std::max(0.0, rank.worker_seconds(Stage::compute) - rank.read_s);
}

}  // namespace tessera::report
