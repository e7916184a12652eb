// A device with all its lanes, each with a thread and a tile in memory: renders whole pictures that
// nobody keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/crew.hpp"
#include "device/select/registry.hpp"

namespace tessera::bench {

/// What a picture came to, the same on every device.
struct PictureSums {
  std::uint64_t iterations = 0;  ///< of the counts of all pixels, as the device tells
  std::uint64_t checksum = 0;    ///< of all counts and their places; 0 if not asked for
};

class BenchLanes {
 public:
  /// Opens `name` as --device takes it, and everything that rendering needs. Usage error if tiles
  /// and scratch need more than `memory_bytes`; otherwise throws as device::open_devices does.
  BenchLanes(const std::string& name, const device::Placement& placement,
             std::uint64_t memory_bytes);

  const device::Device& device() const { return *device_; }
  int count() const { return static_cast<int>(lanes_.size()); }
  std::uint64_t memory_bytes() const;
  double open_s() const { return open_s_; }

  /// The whole picture, tile by tile, as a farm would; blocks until it is done.
  PictureSums render(const job::ImageSpec& image, bool take_checksum);

 private:
  std::unique_ptr<device::Device> device_;
  std::vector<std::unique_ptr<device::Lane>> lanes_;
  std::vector<std::unique_ptr<device::HostBuffer>> tiles_;  ///< one a lane
  std::unique_ptr<base::Crew> crew_;
  double open_s_ = 0;
};

}  // namespace tessera::bench
