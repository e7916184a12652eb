// Finds out whether the devices of a rank work faster together, or one of them alone. Pure: times
// are passed in.
#pragma once

#include <vector>

namespace tessera::plan {

/// For devices that share a bottleneck, such as memory from which all of them read. Tries all
/// devices together, then each alone, and stays with the fastest way. All items cost alike.
class DeviceTrial {
 public:
  explicit DeviceTrial(int devices);

  /// Whether the device may begin an item now.
  bool allows(int device) const { return ways_[way_].alone < 0 || ways_[way_].alone == device; }
  /// Whether one device works alone now.
  bool is_alone() const { return ways_[way_].alone >= 0; }
  /// The device to which items are left alone; -1 = all take part, or the trial goes on.
  int chosen() const { return over_ ? ways_[way_].alone : -1; }

  void begin(int device) { ++at(device).in_hand; }
  void put_back(int device) { --at(device).in_hand; }
  void finish(int device, double now_s);
  /// The device failed: the others take everything.
  void lose();

  /// Time for which a way is measured.
  static constexpr double kSeconds = 0.2;
  /// Fewest items by which a way is measured.
  // crossed by: a_way_is_measured_by_eight_items_and_a_fifth_of_a_second
  static constexpr int kMinItems = 8;

 private:
  struct Device {
    int in_hand = 0;
    int finished = 0;  ///< since the way was begun
  };
  struct Way {
    int alone = -1;   ///< a device; -1 = all together
    double rate = 0;  ///< items per second
  };
  Device& at(int device) { return devices_[static_cast<std::size_t>(device)]; }
  bool is_steady() const;
  void end_way(double elapsed_s);

  std::vector<Device> devices_;
  std::vector<Way> ways_;
  std::size_t way_ = 0;
  bool over_ = false;
  bool measuring_ = false;  ///< the first items, and those of the way before, are not measured
  double start_s_ = 0;
  int finished_ = 0;  ///< since start_s_
};

}  // namespace tessera::plan
