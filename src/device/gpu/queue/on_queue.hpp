// The parts that lanes and reducers on a GPU share: the queue that they drive, and how much of its
// memory they use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "device/gpu/queue/device_queue.hpp"

namespace tessera::device::gpu {

/// Implements parts of `Interface`, a Lane or a reducer.
template <class Interface, class Queue>
class OnQueue : public Interface {
 public:
  /// `max_bytes`: limit for the queue's memory.
  OnQueue(std::unique_ptr<Queue> stream, std::size_t max_bytes)
      : stream_(std::move(stream)), max_bytes_(max_bytes) {}
  /// Page-locked memory, or ordinary memory if there is no more of it: slower, with the same
  /// results.
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    try {
      return stream_->make_host_buffer(bytes);
    } catch (const DeviceError&) {
      return Interface::make_host_buffer(bytes);
    }
  }
  std::uint64_t peak_memory_bytes() override {
    try {
      return stream_->peak_memory_bytes();
    } catch (const DeviceError&) {
      return 0;
    }
  }

 protected:
  /// Grows the queue's memory towards `requested` bytes, as far as there is room.
  void grow_towards(std::size_t requested) {
    requested = std::min(requested, max_bytes_);
    while (no_room_for_bytes_ != 0 && requested >= no_room_for_bytes_) requested /= 2;
    while (requested > stream_->capacity() && !stream_->grow(requested)) {
      no_room_for_bytes_ = requested;
      requested /= 2;
    }
  }

  std::unique_ptr<Queue> stream_;
  std::size_t max_bytes_;
  std::size_t no_room_for_bytes_ = 0;  ///< smallest size that could not be allocated; 0 = none yet
};

}  // namespace tessera::device::gpu
