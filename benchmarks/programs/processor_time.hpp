// Two ways to do the same, measured by turns on one thread, so that both meet the same weather.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace tessera::bench {

/// Processor seconds of this thread: the time that neighbours take does not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Seconds of two ways in turn.
struct Pairs {
  std::vector<double> plain_s, own_s;

  /// The median of how many times the plain way takes longer.
  double ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < plain_s.size(); ++i) ratios.push_back(plain_s[i] / own_s[i]);
    return median(ratios);
  }
};

template <class Plain, class Own>
Pairs in_turn(int repeats, const Plain& plain, const Own& own) {
  Pairs pairs;
  for (int i = 0; i < repeats; ++i) {
    pairs.plain_s.push_back(seconds_of(plain));
    pairs.own_s.push_back(seconds_of(own));
  }
  return pairs;
}

}  // namespace tessera::bench
