// Memory of a GPU that the calling program has allocated, in this process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace tessera::device {

/// One allocation. Nobody may write it while it is read.
class ResidentMemory {
 public:
  virtual ~ResidentMemory() = default;
  /// The GPU, in the form of --device: "cuda:0".
  virtual const std::string& device() const = 0;
  /// The GPU is the calling thread's current one. When the object dies, the one before is.
  virtual std::shared_ptr<void> hold() const = 0;
  /// Copies `rows` rows of `row_bytes` bytes, each `pitch_bytes` behind the one before, to packed
  /// ones in host memory. Waits. Any thread may call it. Throws DeviceError.
  virtual void copy_rows(const std::byte* from, std::size_t pitch_bytes, std::size_t row_bytes,
                         std::size_t rows, std::byte* to) const = 0;
};

}  // namespace tessera::device
