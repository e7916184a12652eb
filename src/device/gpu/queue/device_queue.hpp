// The part of a stream that rendering and reducing share: an in-order queue of work with its own
// device memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/device.hpp"

namespace tessera::device::gpu {

/// Calls are executed in order; those documented as such return at once. One thread at a time.
/// Every function throws DeviceError. Opening a queue allocates kMinBytes for pixels or elements.
/// So an open queue can always work in small parts, even if the device's memory is full.
class DeviceQueue {
 public:
  // not crossed: memory only
  static constexpr std::size_t kMinBytes = std::size_t{1} << 20;
  static constexpr std::size_t kAlignment = 16;

  virtual ~DeviceQueue() = default;
  /// Size of that memory in bytes, at least kMinBytes.
  virtual std::size_t capacity() const = 0;
  /// Replaces it by `bytes` bytes, which are not set. False, with the same capacity, if the device
  /// has too little memory.
  virtual bool grow(std::size_t bytes) = 0;
  /// The most device memory that the queues of this device have used at one time.
  virtual std::uint64_t peak_memory_bytes() { return 0; }
  /// Sleeps until all work is done.
  virtual void wait() = 0;
  /// Allocates page-locked host memory.
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) = 0;
  /// Page-locks existing memory as long as the returned object lives. Returns null if that is
  /// impossible; everything then still works, but slower.
  virtual std::shared_ptr<void> lock_memory(std::span<std::byte>) { return nullptr; }
  /// To be called after a DeviceError. True if the process of the device had ended and a new one
  /// replaces it. The stream is then in the state in which it was opened, except that its buffers
  /// remain.
  virtual bool revive() { return false; }
};

/// Offset of the second of two parts of a queue's memory, after `bytes` bytes of the first.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + DeviceQueue::kAlignment - 1) / DeviceQueue::kAlignment * DeviceQueue::kAlignment;
}

/// Waits after an error, so that no copy in flight uses host memory that is about to be freed.
inline void settle(DeviceQueue& queue) noexcept {
  try {
    queue.wait();
  } catch (...) {  // all work has then ended, too
  }
}
/// Runs `work`, and settles the queue if it throws.
template <class Work>
auto settled(DeviceQueue& queue, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    settle(queue);
    throw;
  }
}

}  // namespace tessera::device::gpu
