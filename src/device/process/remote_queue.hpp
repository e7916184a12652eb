// gpu::DeviceQueue in the device's process.
#pragma once

#include "device/gpu/queue/device_queue.hpp"
#include "device/process/device_client.hpp"

namespace tessera::device::process {

/// Implements DeviceQueue, except wait(), for a class `Stream` derived from it.
template <class Stream>
class RemoteQueue : public Stream {
 public:
  RemoteQueue(std::shared_ptr<Supervisor> supervisor, ConnectionKind kind)
      : connection_(std::move(supervisor), kind), capacity_(connection_.capacity_bytes()) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    const bool grown =
        connection_.template ask<&gpu::DeviceQueue::grow>(bytes).template get<bool>();
    if (grown) capacity_ = bytes;
    return grown;
  }
  std::uint64_t peak_memory_bytes() override {
    return connection_.template ask<&gpu::DeviceQueue::peak_memory_bytes>()
        .template get<std::uint64_t>();
  }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return connection_.make_buffer(bytes);
  }

 protected:
  Connection& connection() { return connection_; }
  /// As Connection::revive(); also updates the capacity.
  bool revive_line() {
    if (!connection_.revive()) return false;
    capacity_ = connection_.capacity_bytes();
    return true;
  }

 private:
  Connection connection_;
  std::size_t capacity_;
};

}  // namespace tessera::device::process
