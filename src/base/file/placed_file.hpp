// A file that is written at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera::base {

/// Owns the file descriptor. All members but the destructor throw file_error() (posix_file.hpp).
class PlacedFile {
 public:
  /// Opens `path`, or creates it empty.
  explicit PlacedFile(std::string path);
  ~PlacedFile();
  PlacedFile(const PlacedFile&) = delete;
  PlacedFile& operator=(const PlacedFile&) = delete;

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Syncs the contents to disk.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tessera::base
