#include "device/gpu/element_memory.hpp"

#include "base/fault.hpp"

namespace tessera::device::gpu {

std::size_t ElementMemory::reach(ArrayStream& stream, std::size_t wanted) {
  if (base::fault("device.kernel") || base::fault("device.kernel.gpu")) {
    throw DeviceError("a fault point says that this kernel fails");
  }
  while (no_room_for_bytes_ != 0 && wanted >= no_room_for_bytes_) wanted /= 2;
  while (wanted > stream.capacity() && !stream.grow(wanted)) {
    no_room_for_bytes_ = wanted;
    wanted /= 2;
  }
  return std::min(stream.capacity(), kMostBytes);
}

}  // namespace tessera::device::gpu
