#include "view/cpu_throttle.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
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

std::vector<int> allowed_cpus() {
  // sched_getaffinity refuses a mask that is smaller than the kernel's, of up to 8192 CPUs.
  std::array<cpu_set_t, 16> mask{};
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof mask, mask.data()) != 0) return cpus;
  for (int cpu = 0; cpu < static_cast<int>(mask.size()) * CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET_S(cpu, sizeof mask, mask.data())) cpus.push_back(cpu);
  }
  return cpus;
}

double others_seconds(std::istream& statistics, const std::vector<int>& cpus, double ticks_per_s,
                      double own_s) {
  double ticks = 0;
  std::size_t found = 0;
  std::string line;
  std::getline(statistics, line);  // the sum over all CPUs
  while (std::getline(statistics, line) && line.starts_with("cpu")) {
    int cpu = 0;
    double user = 0, nice = 0, system = 0, idle = 0, waits = 0, interrupts = 0, soft = 0;
    double stolen = 0;
    std::istringstream fields(line.substr(3));
    fields >> cpu >> user >> nice >> system >> idle >> waits >> interrupts >> soft >> stolen;
    if (!fields || !std::ranges::binary_search(cpus, cpu)) continue;
    ticks += user + nice + system + interrupts + soft + stolen;
    ++found;
  }
  const bool known = found > 0 && found == cpus.size();
  return known ? ticks / ticks_per_s - own_s : std::numeric_limits<double>::quiet_NaN();
}

CpuThrottle::CpuThrottle(const std::vector<int>& cpus)
    : CpuThrottle(std::max(static_cast<int>(cpus.size()), 1), [cpus] {
        std::ifstream statistics("/proc/stat");
        return others_seconds(statistics, cpus, static_cast<double>(::sysconf(_SC_CLK_TCK)),
                              process_seconds());
      }) {}

/// Called with mutex_ locked. What is unknown counts as work.
bool CpuThrottle::others_work(Clock::time_point now) {
  if (const auto since = now - measured_; since >= kWindow) {
    const double before = std::exchange(others_s_, others_());
    others_cores_ = since < kOld
                        ? (others_s_ - before) / std::chrono::duration<double>(since).count()
                        : std::numeric_limits<double>::infinity();
    measured_ = now;
  }
  return !(others_cores_ < kBusy * cores_);
}

void CpuThrottle::take(double seconds, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  if (!others_work(now)) return;
  repaid_ = std::min(base::later(std::max(repaid_, now), seconds / (kShare * cores_)),
                     now + kLongestPause);
}

CpuThrottle::Clock::duration CpuThrottle::pause(Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  return now < repaid_ && others_work(now) ? repaid_ - now : Clock::duration{};
}

}  // namespace tessera::view
