// A queue in the device's process, as every gpu::DeviceQueue there is spoken to.
#pragma once

#include "device/gpu/device_queue.hpp"
#include "device/process/device_client.hpp"

namespace tessera::device::process {

/// The functions of DeviceQueue for a `Stream`, which is derived from it, but for wait().
template <class Stream>
class RemoteQueue : public Stream {
 public:
  RemoteQueue(std::shared_ptr<Supervisor> supervisor, LineKind kind)
      : line_(std::move(supervisor), kind), capacity_(line_.capacity_bytes()) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    const bool grown = line_.ask(Command::grow, bytes).template get<bool>();
    if (grown) capacity_ = bytes;
    return grown;
  }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return line_.make_buffer(bytes);
  }

 protected:
  Line& line() { return line_; }
  /// As Line::revive().
  bool revive_line() {
    if (!line_.revive()) return false;
    capacity_ = line_.capacity_bytes();
    return true;
  }

 private:
  Line line_;
  std::size_t capacity_;
};

}  // namespace tessera::device::process
