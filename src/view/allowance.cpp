#include "view/allowance.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace tessera::view {
namespace {

constexpr double kShare = 0.01;
/// Others that use more than this part of the cores would be disturbed.
constexpr double kBusy = 0.4;
/// How often the use of the cores is measured, and how long that says something.
constexpr std::chrono::milliseconds kWindow{500};
constexpr std::chrono::seconds kOld{3};
/// Somebody who looks around in an image that grows waits no longer for new tiles.
constexpr std::chrono::seconds kLongestPause{10};
constexpr double kNanosecond = 1e-9;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + kNanosecond * static_cast<double>(time.tv_nsec);
}

}  // namespace

double thread_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double process_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double others_seconds() {
  std::ifstream statistics("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waits = 0, interrupts = 0, soft = 0, stolen = 0;
  statistics >> name >> user >> nice >> system >> idle >> waits >> interrupts >> soft >> stolen;
  if (!statistics) return std::numeric_limits<double>::quiet_NaN();
  const double ticks = user + nice + system + interrupts + soft + stolen;
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) - process_seconds();
}

/// Called with mutex_ locked. What is unknown counts as work.
bool Allowance::others_work(Clock::time_point now) {
  if (const auto since = now - measured_; since >= kWindow) {
    const double before = std::exchange(others_s_, others_());
    others_cores_ = since < kOld
                        ? (others_s_ - before) / std::chrono::duration<double>(since).count()
                        : std::numeric_limits<double>::infinity();
    measured_ = now;
  }
  return !(others_cores_ < kBusy * cores_);
}

void Allowance::take(double seconds, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  if (!others_work(now)) return;
  repaid_ = std::min(base::later(std::max(repaid_, now), seconds / (kShare * cores_)),
                     now + kLongestPause);
}

Allowance::Clock::duration Allowance::pause(Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  return now < repaid_ && others_work(now) ? repaid_ - now : Clock::duration{};
}

}  // namespace tessera::view
