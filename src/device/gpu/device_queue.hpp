// What rendering and reducing have in common on a device: a queue of work with memory of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/device.hpp"

namespace tessera::device::gpu {

/// Calls are carried out one after another; those that say so return at once. One thread at a time.
/// Everything throws DeviceError. Opening a queue takes kLeastBytes of memory for pixels or
/// elements, so that however full the device gets, a queue that is open can go on in small parts.
class DeviceQueue {
 public:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 20;

  virtual ~DeviceQueue() = default;
  /// Bytes of that memory, kLeastBytes or more.
  virtual std::size_t capacity() const = 0;
  /// Exchanges it for `bytes`; false, and all as it was, when the device has no room.
  virtual bool grow(std::size_t bytes) = 0;
  /// Sleeps until everything is done.
  virtual void wait() = 0;
  /// Page-locked memory of the host.
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) = 0;
  /// Page-locks memory that is there already, as long as the answer lives; null where that cannot
  /// be done, and all works as well, slower.
  virtual std::shared_ptr<void> lock_memory(std::span<std::byte>) { return nullptr; }
};

}  // namespace tessera::device::gpu
