// Memory that two processes have in common, so that pixels and elements need not travel.
#pragma once

#include <cstddef>
#include <span>

#include "device/process/channel.hpp"

namespace tessera::device::process {

/// Without a name in any file system: it is gone with the last process that has it. Throws
/// DeviceError when there is no room.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  /// What another process made.
  SharedMemory(Descriptor descriptor, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  int descriptor() const { return descriptor_.get(); }  ///< to be sent to the other process

 private:
  void map(std::size_t bytes);

  Descriptor descriptor_;
  std::span<std::byte> bytes_;
};

}  // namespace tessera::device::process
