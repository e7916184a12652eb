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

/// How often a call is repeated.
struct Repeats {
  int most = 9;
  double max_s = 2;  ///< no more after so long, so that slow devices do not take too long
};

/// Calls once, then again: at least once, and at most as `repeats` says. `before_s` is added to the
/// time of the first call.
template <class Call>
report::CallTimes time_calls(double before_s, const Repeats& repeats, const Call& call) {
  report::CallTimes times{.first_s = before_s + seconds_of(call)};
  double spent_s = 0;
  for (int i = 0; i < repeats.most && (i == 0 || spent_s < repeats.max_s); ++i) {
    times.later_s.push_back(seconds_of(call));
    spent_s += times.later_s.back();
  }
  return times;
}

}  // namespace tessera::bench
