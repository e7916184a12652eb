#include "plan/device_race.hpp"

#include <algorithm>
#include <limits>

namespace tessera::plan {

bool DeviceRace::in_time(int device, std::size_t queued, double end_s, double now_s) const {
  const auto seconds_for_next = [&](const Pace& pace) {
    return static_cast<double>(pace.in_hand() + 1) / pace.speed(now_s);
  };
  const Pace& own = paces_[static_cast<std::size_t>(device)];
  if (own.speed(now_s) == 0) return true;
  double speed = 0;
  auto left = static_cast<double>(queued);
  double soonest_s = std::numeric_limits<double>::infinity();
  for (const Pace& other : paces_) {
    if (&other == &own || other.speed(now_s) == 0) continue;
    speed += other.speed(now_s);
    left += static_cast<double>(other.in_hand());
    soonest_s = std::min(soonest_s, seconds_for_next(other));
  }
  if (speed == 0) return true;
  return seconds_for_next(own) <= std::max({end_s - now_s, left / speed, soonest_s});
}

}  // namespace tessera::plan
