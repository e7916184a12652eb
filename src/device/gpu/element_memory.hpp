// Decides how many elements a stream takes at once: grows its memory towards the requested size.
#pragma once

#include <cstddef>

#include "device/gpu/array_stream.hpp"
#include "statistics/elements.hpp"

namespace tessera::device::gpu {

class ElementMemory {
 public:
  /// Limit for the elements that are on the device at once: enough to hide the latency of launches
  /// and copies.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  /// Grows the stream's memory towards `wanted`, which is at most kMostBytes. Returns the bytes
  /// available for a launch, at most kMostBytes. Throws DeviceError if a fault point makes kernels
  /// fail.
  std::size_t reach(ArrayStream& stream, std::size_t wanted);

 private:
  std::size_t no_room_for_bytes_ = 0;  ///< smallest size that could not be allocated; 0 = none yet
};

/// Copies or generates the elements, from byte `at_byte` of the stream's memory on, a multiple of
/// TS_VECTOR_BYTES.
void put_elements(ArrayStream& stream, const statistics::Elements& elements, std::size_t at_byte);

}  // namespace tessera::device::gpu
