// A device with all its lanes, each with a thread and memory for a tile. Renders whole pictures and
// discards them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_team.hpp"
#include "device/select/registry.hpp"

namespace tessera::bench {

/// Sums over a picture; the same on every device.
struct PictureSums {
  std::uint64_t iterations = 0;  ///< sum of the counts of all pixels, from the device
  std::uint64_t checksum = 0;    ///< checksum of all counts and their positions; 0 if not requested
};

class BenchLanes {
 public:
  /// Opens the device `name` (a --device value), its lanes and their memory. Throws a usage error
  /// if tiles and scratch memory need more than `memory_bytes`, and the errors of
  /// device::open_devices().
  BenchLanes(const std::string& name, const device::Placement& placement,
             std::uint64_t memory_bytes, const device::LaneOptions& options = {});

  const device::Device& device() const { return *device_; }
  int count() const { return static_cast<int>(lanes_.size()); }
  std::uint64_t memory_bytes() const;
  double open_s() const { return open_s_; }

  /// Renders the whole picture, tile by tile, as a farm does. Blocks until it is done.
  PictureSums render(const job::ImageSpec& image, bool take_checksum);

 private:
  std::unique_ptr<device::Device> device_;
  std::vector<std::unique_ptr<device::Lane>> lanes_;
  std::vector<std::unique_ptr<device::HostBuffer>> tiles_;  ///< one per lane
  std::unique_ptr<base::ThreadTeam> team_;
  double open_s_ = 0;
};

}  // namespace tessera::bench
