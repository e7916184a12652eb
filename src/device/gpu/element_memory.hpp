// How much a stream takes at once: its memory grows towards what is wanted.
#pragma once

#include <cstddef>

#include "device/gpu/array_stream.hpp"

namespace tessera::device::gpu {

class ElementMemory {
 public:
  /// Elements that are on the device at once: enough to hide launches and copies behind.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  /// Bytes of a launch, kMostBytes at most, after growing the stream's memory towards `wanted`,
  /// which is no more than that. Throws DeviceError where a fault point says that kernels fail.
  std::size_t reach(ArrayStream& stream, std::size_t wanted);

 private:
  std::size_t no_room_for_bytes_ = 0;  ///< what the device had no room for; 0 = nothing yet
};

}  // namespace tessera::device::gpu
