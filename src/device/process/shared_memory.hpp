// Memory shared by two processes, so that pixels and elements need not be sent.
#pragma once

#include <cstddef>
#include <span>

#include "device/process/channel.hpp"

namespace tessera::device::process {

/// Has no name in any file system; the kernel frees it when no process uses it any more. Throws
/// DeviceError if there is not enough memory.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  /// Maps memory that another process created.
  SharedMemory(Descriptor descriptor, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  int descriptor() const { return descriptor_.get(); }  ///< to send to the other process

 private:
  void map(std::size_t bytes);

  Descriptor descriptor_;
  std::span<std::byte> bytes_;
};

}  // namespace tessera::device::process
