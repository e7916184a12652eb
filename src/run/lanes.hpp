// The devices that this rank drives, opened, one lane for each worker thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/world.hpp"
#include "device/registry.hpp"

namespace tessera::run {

device::Placement place_of(const comm::World& world, int threads);

class Lanes {
 public:
  /// The list names what choose_devices() chose. Throws as device::open_devices does.
  Lanes(std::string_view device_list, int threads, const comm::World& world);

  int count() const { return static_cast<int>(lanes_.size()); }
  device::Lane& operator[](int lane) { return *lanes_[static_cast<std::size_t>(lane)].lane; }
  const device::Device& device_of(int lane) const {
    return *lanes_[static_cast<std::size_t>(lane)].device;
  }
  /// "cpu" or "cuda:0+cpu".
  std::string names() const;

 private:
  struct OpenLane {
    std::unique_ptr<device::Lane> lane;
    const device::Device* device = nullptr;
  };
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::vector<OpenLane> lanes_;
};

/// Lanes of all ranks together; collective.
int total_lanes(comm::World& world, int lanes);

}  // namespace tessera::run
