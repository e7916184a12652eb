#include "bench/time_budget.hpp"

#include <algorithm>

namespace tessera::bench {

double TimeBudget::left_s() const {
  return std::max(limit_s_ - base::seconds_between(start_, base::Clock::now()), 0.0);
}

void TimeBudget::begin_part(int cases) {
  const double part_s = left_s() / std::max(parts_--, 1);
  part_end_ = base::later(base::Clock::now(), part_s);
  // Half of the time is for first calls.
  if (limited()) repeats_s_ = std::min(2.0, part_s / 2 / std::max(cases, 1));
}

bool TimeBudget::allows(double seconds) const {
  return !limited() || base::later(base::Clock::now(), seconds) <= part_end_;
}

}  // namespace tessera::bench
