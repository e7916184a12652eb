// What lanes and reducers on a GPU share: the queue that they drive, and how much of its memory
// they use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "device/gpu/array_stream.hpp"
#include "device/gpu/launch_arguments.hpp"
#include "device/kernel_fault.hpp"

namespace tessera::device::gpu {

/// Implements parts of `Interface`, a Lane or a reducer.
template <class Interface, class Queue>
class OnQueue : public Interface {
 public:
  /// `most_bytes`: limit for the queue's memory.
  OnQueue(std::unique_ptr<Queue> stream, std::size_t most_bytes)
      : stream_(std::move(stream)), most_bytes_(most_bytes) {}
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
  /// Grows the queue's memory towards `wanted` bytes, as far as there is room.
  void grow_towards(std::size_t wanted) {
    wanted = std::min(wanted, most_bytes_);
    while (no_room_for_bytes_ != 0 && wanted >= no_room_for_bytes_) wanted /= 2;
    while (wanted > stream_->capacity() && !stream_->grow(wanted)) {
      no_room_for_bytes_ = wanted;
      wanted /= 2;
    }
  }

  std::unique_ptr<Queue> stream_;
  std::size_t most_bytes_;
  std::size_t no_room_for_bytes_ = 0;  ///< smallest size that could not be allocated; 0 = none yet
};

/// The same for Reducer and AxisReducer.
template <class Interface>
class ReducerOnQueue : public OnQueue<Interface, ArrayStream> {
 public:
  using OnQueue<Interface, ArrayStream>::OnQueue;
  bool generates(const job::ArrayInput& input) const override { return input.is_generated(); }
  bool restart() override {
    if (!this->stream_->revive()) return false;
    this->no_room_for_bytes_ = 0;
    prepare_stream();
    return true;
  }

  /// Limit for the elements that are on the device at once: enough to hide the latency of launches
  /// and copies.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

 protected:
  /// The stream is as it was when it was opened.
  virtual void prepare_stream() = 0;
  /// Grows the memory towards `wanted`, which is at most kMostBytes. Returns the bytes available
  /// for a launch, at most kMostBytes. Throws DeviceError if a fault point makes kernels fail.
  std::size_t reach(std::size_t wanted) {
    fail_if_ordered("device.kernel.gpu");
    this->grow_towards(wanted);
    return std::min(this->stream_->capacity(), kMostBytes);
  }
  /// Copies or generates the elements, from byte `at_byte` of the memory on, a multiple of
  /// TS_VECTOR_BYTES.
  void put_elements(const statistics::Elements& elements, std::size_t at_byte) {
    if (elements.generated) {
      this->stream_->make(make_of(*elements.generated, at_byte));
    } else {
      this->stream_->copy_in(elements.read, at_byte);
    }
  }
};

}  // namespace tessera::device::gpu
