// A temporary file without a name: it is gone when nobody has it open, however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file/descriptor.hpp"

namespace tessera::base {

/// One thread writes. Once it has finished, any thread may read.
class UnnamedFile {
 public:
  /// In the folder for temporary files. Throws file_error(), as write() does.
  UnnamedFile();

  void write(std::span<const std::byte> bytes);
  std::uint64_t size_bytes() const { return bytes_; }
  /// Opens this file while the object exists, in this process.
  std::string path() const;
  /// Up to `most` bytes from `offset` on; "" if they cannot be read.
  std::string read(std::uint64_t offset, std::size_t most) const;

 private:
  std::string path_;  ///< that it had for a moment
  Descriptor descriptor_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tessera::base
