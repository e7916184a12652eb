// Shared memory for transfers from or to memory that the device's process cannot access.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "device/process/device_client.hpp"

namespace tessera::device::process {

class BounceBuffer {
 public:
  explicit BounceBuffer(Connection& line) : connection_(line) {}

  /// Whether take(bytes) can be called without a deliver() before it.
  bool has_room(std::size_t bytes) const { return under_way_.empty() || bytes <= free_bytes(); }
  /// Reserves shared memory for bytes that deliver() copies to `to`.
  std::span<std::byte> take(std::span<std::byte> to) {
    if (to.size() > free_bytes()) grow(to.size());
    const auto place = buffer_->bytes().subspan(used_, to.size());
    under_way_.push_back({place, to});
    used_ += to.size();
    return place;
  }
  /// Copies all reserved bytes to their destinations. Call it once the process has written them.
  void deliver() {
    for (const auto& [from, to] : under_way_) std::memcpy(to.data(), from.data(), to.size());
    forget();
  }
  void forget() {
    under_way_.clear();
    used_ = 0;
  }

 private:
  struct OnTheWay {
    std::span<std::byte> from;
    std::span<std::byte> to;
  };
  std::size_t free_bytes() const { return buffer_ ? buffer_->bytes().size() - used_ : 0; }
  void grow(std::size_t bytes) {
    buffer_.reset();
    buffer_ = connection_.make_buffer(bytes);
    used_ = 0;
  }

  Connection& connection_;
  std::unique_ptr<HostBuffer> buffer_;
  std::vector<OnTheWay> under_way_;
  std::size_t used_ = 0;
};

}  // namespace tessera::device::process
