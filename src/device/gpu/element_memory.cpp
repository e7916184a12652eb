#include "device/gpu/element_memory.hpp"

#include "device/gpu/launch_arguments.hpp"
#include "device/kernel_fault.hpp"

namespace tessera::device::gpu {

std::size_t ElementMemory::reach(ArrayStream& stream, std::size_t wanted) {
  fail_if_ordered("device.kernel.gpu");
  while (no_room_for_bytes_ != 0 && wanted >= no_room_for_bytes_) wanted /= 2;
  while (wanted > stream.capacity() && !stream.grow(wanted)) {
    no_room_for_bytes_ = wanted;
    wanted /= 2;
  }
  return std::min(stream.capacity(), kMostBytes);
}

void put_elements(ArrayStream& stream, const statistics::Elements& elements, std::size_t at_byte) {
  if (elements.generated) {
    stream.make(make_of(*elements.generated, at_byte));
  } else {
    stream.copy_in(elements.read, at_byte);
  }
}

}  // namespace tessera::device::gpu
