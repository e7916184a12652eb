#include "plan/device_trial.hpp"

#include <algorithm>

namespace tessera::plan {
namespace {

/// Alone, a device is at most so many times as fast as beside the others. One that cannot win then
/// is not tried.
constexpr double kMaxGain = 3;

}  // namespace

DeviceTrial::DeviceTrial(int devices)
    : devices_(static_cast<std::size_t>(devices)), ways_(static_cast<std::size_t>(devices) + 1) {
  for (int device = 0; device < devices; ++device) {
    ways_[static_cast<std::size_t>(device) + 1].alone = device;
  }
}

/// Whether each device that takes part has finished an item, and the others have nothing in hand.
bool DeviceTrial::is_steady() const {
  for (int device = 0; device < static_cast<int>(devices_.size()); ++device) {
    const Device& one = devices_[static_cast<std::size_t>(device)];
    if (allows(device) ? one.finished == 0 : one.in_hand > 0) return false;
  }
  return true;
}

void DeviceTrial::finish(int device, double now_s) {
  --at(device).in_hand;
  if (over_) return;
  ++at(device).finished;
  if (measuring_) {
    ++finished_;
    const double elapsed_s = now_s - start_s_;
    if (elapsed_s >= kSeconds && finished_ >= kMinItems) end_way(elapsed_s);
  } else if (is_steady()) {
    measuring_ = true;
    start_s_ = now_s;
    finished_ = 0;
    for (Device& one : devices_) one.finished = 0;
  }
}

/// Continues with the next way that can be faster than all devices together.
void DeviceTrial::end_way(double elapsed_s) {
  ways_[way_].rate = finished_ / elapsed_s;
  if (way_ == 0) {
    for (Way& way : ways_) {
      if (way.alone >= 0) way.rate = kMaxGain * at(way.alone).finished / elapsed_s;
    }
  }
  measuring_ = false;
  for (Device& one : devices_) one.finished = 0;
  while (++way_ < ways_.size()) {
    if (ways_[way_].rate > ways_[0].rate) return;
  }
  const auto fastest = std::ranges::max_element(ways_, {}, &Way::rate);
  way_ = static_cast<std::size_t>(fastest - ways_.begin());
  over_ = true;
}

void DeviceTrial::lose() {
  way_ = 0;
  over_ = true;
}

}  // namespace tessera::plan
