#include "view/allowance.hpp"

#include <time.h>

#include <algorithm>
#include <fstream>

namespace tessera::view {
namespace {

constexpr double kShare = 0.01;
/// Threads that wait for more than this part of the time that they run are in somebody's way.
constexpr double kBusy = 0.25;
/// Running time that says whether the cores are busy.
constexpr double kRecent_s = 0.01;
constexpr double kNanosecond = 1e-9;

}  // namespace

ThreadTime thread_time() {
  timespec running{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &running);
  ThreadTime time{.running = static_cast<double>(running.tv_sec) +
                             kNanosecond * static_cast<double>(running.tv_nsec)};
  double ran_ns = 0, waited_ns = 0;
  std::ifstream statistics("/proc/thread-self/schedstat");
  time.waiting = statistics >> ran_ns >> waited_ns ? kNanosecond * waited_ns : time.running;
  return time;
}

void Allowance::take(const ThreadTime& from, const ThreadTime& to, Clock::time_point now) {
  const double running = to.running - from.running;
  const std::scoped_lock lock(mutex_);
  if (recent_.running > kRecent_s) recent_ = {};
  recent_.running += running;
  recent_.waiting += to.waiting - from.waiting;
  repaid_ = base::later(std::max(repaid_, now), running / (kShare * cores_));
}

Allowance::Clock::duration Allowance::pause(Clock::time_point now) const {
  const std::scoped_lock lock(mutex_);
  if (recent_.waiting < kBusy * recent_.running || now >= repaid_) return {};
  return repaid_ - now;
}

}  // namespace tessera::view
