// Times repeated calls.
#pragma once

#include "base/clock.hpp"
#include "report/bench_report.hpp"

namespace tessera::bench {

template <class Call>
double seconds_of(const Call& call) {
  const auto start = base::Clock::now();
  call();
  return base::seconds_between(start, base::Clock::now());
}

/// Calls once, then up to `repeats` more times: at least once, and no more after kEnoughSeconds in
/// total, so that slow devices do not take too long. `before_s` is added to the time of the first
/// call.
template <class Call>
report::CallTimes time_calls(double before_s, int repeats, const Call& call) {
  constexpr double kEnoughSeconds = 2;
  report::CallTimes times{.first_s = before_s + seconds_of(call)};
  double spent_s = 0;
  for (int i = 0; i < repeats && (i == 0 || spent_s < kEnoughSeconds); ++i) {
    times.later_s.push_back(seconds_of(call));
    spent_s += times.later_s.back();
  }
  return times;
}

}  // namespace tessera::bench
